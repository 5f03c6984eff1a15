"""Keeps the checkpoint ids of a run: their numbers, and which ids can be reused."""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .cache_block import (
    CELLS,
    CODES,
    DONE,
    HOLDS,
    IDS,
    IDS_COUNT,
    IDS_ROOM,
    LEARN,
    MOVED,
    NEXT_NUMBER,
    NONE,
    OPEN,
    RENUMBERED,
    RULE_COUNT,
    SAID_LEAVES,
    SINCE,
    STATE,
    STATE_COUNT,
    STATE_TOLD,
    STATE_WORDS,
    STATUS_CELLS,
    STEP_COUNT,
    STEP_TOLD,
    STEP_WORDS,
    UNUSED_VALUE,
)
from .cache_properties import UNKNOWN, add, clear, drop, miss, walk
from .cache_rules import take
from .memory import half, inline, lowest_bit, set_half, set_word, word


@inline
def forget(block):
    """Gives all ids again that nothing names any more, in steps of their own that nobody asks
    about. DONE, or why the loop must come back."""
    room = word(block, IDS_ROOM)
    first = word(block, RULE_COUNT) + 2 * word(block, STATE_COUNT) + word(block, STEP_COUNT) + 1
    place = word(block, IDS_COUNT) - 1
    while place >= 0:
        leaf = walk(block, first + place)
        if leaf == UNKNOWN:
            miss(block, first + place)
            return LEARN
        free = half(word(block, SAID_LEAVES), 2 * leaf) == HOLDS
        if free and is_waited_for(block, place) == 0:
            gone = take(block, first + room + place)
            if gone < UNKNOWN:
                return -1 - gone
            move(block)
            drop_id(block, place)
            renumber_open(block, place)
        place -= 1
    return DONE


@inline
def is_waited_for(block, gone):
    """Whether a duty is open that is about an id."""
    opened, table = word(block, OPEN), word(block, RENUMBERED)
    for place in range(word(block, STATE_WORDS)):
        rest = word(opened, place)
        while rest != 0:
            number = 64 * place + lowest_bit(rest)
            rest &= rest - 1
            if half(table, gone * word(block, STATE_COUNT) + number) == 0:
                return 1
    return 0


@inline
def move(block):
    """The state without an id is the one before this; which cells have moved is kept."""
    state, cells, moved = word(block, STATE), word(block, CELLS), word(block, MOVED)
    for cell in range(cells):
        if half(state, cell) != half(state, cells + cell):
            add(moved, cell)
            set_half(state, cells + cell, half(state, cell))


@inline
def drop_id(block, gone):
    """An id is known no longer; what was told of others was told by their places."""
    ids, known = word(block, IDS), word(block, IDS_COUNT)
    for place in range(gone, known - 1):
        set_word(ids, place, word(ids, place + 1))
    set_word(block, IDS_COUNT, known - 1)
    clear(word(block, STATE_TOLD), word(block, STATE_WORDS))
    clear(word(block, STEP_TOLD), word(block, STEP_WORDS))


@inline
def renumber_open(block, gone):
    """Duties are open for the same ids as before. Their numbers only get smaller."""
    opened, since, table = word(block, OPEN), word(block, SINCE), word(block, RENUMBERED)
    for place in range(word(block, STATE_WORDS)):
        rest = word(opened, place)
        while rest != 0:
            number = 64 * place + lowest_bit(rest)
            rest &= rest - 1
            now = half(table, gone * word(block, STATE_COUNT) + number) - 1
            drop(opened, number)
            add(opened, now)
            set_word(since, now, word(since, number))


@inline
def ids_after(block, code, number):
    """Whether a step begins a new id, 1 if it does; -1 if it is not the one that is told."""
    if word(word(block, CODES), 3 * code + 2) == NONE:
        return 0
    known, room, used = word(block, IDS_COUNT), word(block, IDS_ROOM), 0
    for place in range(room):
        status = half(word(block, STATE), half(word(block, STATUS_CELLS), place))
        if status != word(block, UNUSED_VALUE):
            used += 1
    if used == known:
        return 0 if number == 0 else -1
    following = word(block, NEXT_NUMBER)
    if number == 0 or (following > 0 and number != following):
        return -1
    for place in range(known):
        if word(word(block, IDS), place) >= number:
            return -1
    return 1


@inline
def number_id(block, begins, number):
    """The new id has this number."""
    if begins == 0:
        return
    known = word(block, IDS_COUNT)
    set_word(word(block, IDS), known, number)
    set_word(block, IDS_COUNT, known + 1)
    set_word(block, NEXT_NUMBER, number + 1)
    clear(word(block, STATE_TOLD), word(block, STATE_WORDS))
    clear(word(block, STEP_TOLD), word(block, STEP_WORDS))
