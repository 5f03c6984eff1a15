"""Takes a rule: applies the writes of its known path, and reuses checkpoint ids."""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .cache_block import (
    BEYOND,
    BOUNDED,
    BY_ID,
    CELLS,
    CODES,
    CONSTANT,
    ENDS,
    IDS,
    IDS_COUNT,
    LEARN_RENAMING,
    LEARN_RULE,
    MAPS,
    MOVES,
    NOT_LEARNED,
    REFUSED,
    RENAMES,
    RESTORES,
    RULE_COUNT,
    RULE_LEAVES,
    RULES_AT,
    SAID_LEAVES,
    SOURCES,
    STATE,
    STATE_COUNT,
    STEP_COUNT,
    STOPPED,
    TOLD,
    TOLD_COUNT,
    WANTED,
    WRITES,
)
from .cache_properties import UNKNOWN, miss, walk
from .memory import half, inline, set_half, set_word, word


@inline
def rule_of(block, code, number):
    """The ground rule of an event; one less than UNKNOWN if that must be learned."""
    codes = word(block, CODES)
    kind, what = word(codes, 3 * code), word(codes, 3 * code + 1)
    if kind == BY_ID:
        place = word(block, IDS_COUNT) - 1
        while place >= 0 and word(word(block, IDS), place) != number:
            place -= 1
        if place < 0:
            return UNKNOWN
        return half(word(block, RULES_AT), what + place) - 1
    if kind == RESTORES:
        function = word(block, RULE_COUNT) + 2 * word(block, STATE_COUNT) + word(block, STEP_COUNT)
        leaf = walk(block, function)
        if leaf == UNKNOWN:
            miss(block, function)
            return UNKNOWN - 1
        place = half(word(block, SAID_LEAVES), 2 * leaf)
        told = 0
        if place > 0:
            told = word(word(block, IDS), place - 1)
        if told != number:
            return UNKNOWN
    return what


@inline
def tell(block, rule):
    """Tells which step it is."""
    state, cells, count = word(block, STATE), word(block, CELLS), word(block, TOLD_COUNT)
    for place in range(count):
        value = half(word(block, TOLD), rule * count + place)
        set_half(state, 2 * cells + place, value)


@inline
def take(block, rule):
    """Takes a rule. The place of the id that is given again, or UNKNOWN; below that, less one,
    why the loop must come back."""
    leaves, writes, state = word(block, RULE_LEAVES), word(block, WRITES), word(block, STATE)
    function, gone = rule, UNKNOWN
    while True:
        leaf = walk(block, function)
        if leaf == UNKNOWN:
            set_word(block, WANTED, rule)
            return -1 - LEARN_RULE
        how = half(leaves, 4 * leaf + 2)
        if how == REFUSED:
            return -1 - STOPPED
        if how == BOUNDED:
            return -1 - BEYOND
        for write in range(half(leaves, 4 * leaf), half(leaves, 4 * leaf + 1)):
            set_half(state, half(writes, 2 * write), half(writes, 2 * write + 1))
        if how == ENDS:
            return gone
        gone = how - RENAMES
        if rename(block, gone) == 0:
            set_word(block, WANTED, gone)
            return -1 - LEARN_RENAMING
        function = half(leaves, 4 * leaf + 3)


@inline
def rename(block, gone):
    """Gives an id again: all behind it move down. Whether that is known of all values."""
    state, cells, maps = word(block, STATE), word(block, CELLS), word(block, MAPS)
    sources, moves = word(block, SOURCES), word(block, MOVES)
    if half(sources, cells * gone) == NOT_LEARNED:
        return 0
    # A cell is moved from its own place or from a later one: one after the other will do.
    for place in range(cells * gone, cells * (gone + 1)):
        source, move = half(sources, place), half(moves, place)
        value = move
        if source != CONSTANT:
            value = half(state, source)
            if move != 0:
                if value >= half(maps, move):
                    return 0
                value = half(maps, move + 1 + value) - 1
                if value < 0:
                    return 0
        set_half(state, place - cells * gone, value)
    return 1
