"""A run followed event by event, through trees that are learned: rules first, then what they touch.

Each event is a rule; what it changes decides which predicates are asked again. Where a path is not
known yet the loop comes back, the path is learned, and the event is tried once more from the state
before it; what was asked already is known then.
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .learned import (
    AGAIN,
    ASKED,
    ASKED_FUNCTION,
    AT,
    BEYOND,
    BOUNDED,
    BY_ID,
    CELLS,
    CHANGED,
    CHANGED_COUNT,
    CODES,
    CONSTANT,
    DONE,
    EARLIER,
    EARLIER_COUNT,
    ENDS,
    EVENT_COUNT,
    EVENTS,
    FULL,
    IDS,
    IDS_COUNT,
    IDS_ROOM,
    LEARN,
    LEARN_ASKED,
    LEARN_RENAMING,
    LEARN_RULE,
    MAPS,
    MISSES_COUNT,
    MOVES,
    NEXT_NUMBER,
    NEXT_RULE,
    NONE,
    NOT_LEARNED,
    PERIODIC,
    RECORDS_COUNT,
    RECORDS_ENOUGH,
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
    STATE_TOLD,
    STATE_WORDS,
    STATUS_CELLS,
    STEP_COUNT,
    STEP_TOLD,
    STEP_WORDS,
    STOPPED,
    TAKEN,
    TOLD,
    TOLD_COUNT,
    TRIED,
    TRIED_COUNT,
    UNUSED_VALUE,
    WANTED,
    WRITES,
)
from .memory import half, inline, set_half, set_word, word
from .monitor import (
    UNKNOWN,
    ask_goals,
    ask_states,
    ask_steps,
    clear,
    list_changes,
    miss,
    tell_states,
    tell_steps,
    walk,
)


def follow(block):
    """Goes on until the events are over, something must be learned, or a rule cannot be taken."""
    count = word(block, EVENT_COUNT)
    while word(block, AT) < count:
        if word(block, RECORDS_COUNT) >= RECORDS_ENOUGH:
            return FULL
        begin(block)
        code, number, rule = 0, 0, UNKNOWN
        code = word(word(block, EVENTS), 2 * word(block, AT))
        number = word(word(block, EVENTS), 2 * word(block, AT) + 1)
        rule = rule_of(block, code, number)
        if rule == UNKNOWN - 1:
            return LEARN
        if rule == UNKNOWN:
            return STOPPED
        tell(block, rule)
        gone = take(block, rule)
        if gone < UNKNOWN:
            return STOPPED if gone == -1 - BEYOND else -1 - gone
        ids = ids_after(block, code, number, gone)
        if ids < 0:
            return STOPPED
        if word(word(block, ASKED), 2 * rule + 1) == 0:
            set_word(block, WANTED, rule)
            return LEARN_ASKED
        list_changes(block)
        ask_steps(block, rule)
        ask_goals(block)
        ask_states(block)
        if word(block, MISSES_COUNT) > 0:
            return LEARN
        number_id(block, ids, number, gone)
        tell_steps(block)
        tell_states(block)
        end(block)
    return DONE


def follow_none(block):
    """Asks what is asked of the state in which a run begins."""
    set_word(block, CHANGED_COUNT, -1)
    set_word(block, MISSES_COUNT, 0)
    ask_states(block)
    if word(block, MISSES_COUNT) > 0:
        return LEARN
    tell_states(block)
    return DONE


def take_next(block):
    """Takes the next of the rules that are tried which can be, or that only a bound forbids."""
    while word(block, NEXT_RULE) < word(block, TRIED_COUNT):
        set_word(block, AGAIN, 1)
        begin(block)
        gone = take(block, half(word(block, TRIED), word(block, NEXT_RULE)))
        if gone == -1 - LEARN_RULE or gone == -1 - LEARN_RENAMING:
            return -1 - gone
        set_word(block, NEXT_RULE, word(block, NEXT_RULE) + 1)
        if gone >= UNKNOWN:
            return TAKEN
        if gone == -1 - BEYOND:
            return BEYOND
    return DONE


def ask_one(block):
    """The leaf of a function in this state."""
    return walk(block, word(block, ASKED_FUNCTION))


@inline
def begin(block):
    """The state after the last step is the one before this."""
    state, cells = word(block, STATE), word(block, CELLS)
    if word(block, AGAIN) == 0:
        for place in range(cells >> 1):
            set_word(state, (cells >> 1) + place, word(state, place))
    else:
        for place in range(cells >> 1):
            set_word(state, place, word(state, (cells >> 1) + place))
    set_word(block, AGAIN, 1)
    set_word(block, MISSES_COUNT, 0)


@inline
def end(block):
    """The event is over: what it has changed is what was changed earlier."""
    changed = word(block, CHANGED)
    set_word(block, CHANGED, word(block, EARLIER))
    set_word(block, EARLIER, changed)
    set_word(block, EARLIER_COUNT, word(block, CHANGED_COUNT))
    set_word(block, AT, word(block, AT) + 1)
    set_word(block, AGAIN, 0)


# --- rules ----------------------------------------------------------------------------------------


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


@inline
def ids_after(block, code, number, gone):
    """Whether a step begins a new id, 1 if it does; -1 if it is not the one that is told."""
    how = word(word(block, CODES), 3 * code + 2)
    if how == NONE:
        return 0
    known, room, used = word(block, IDS_COUNT), word(block, IDS_ROOM), 0
    for place in range(room):
        status = half(word(block, STATE), half(word(block, STATUS_CELLS), place))
        if status != word(block, UNUSED_VALUE):
            used += 1
    full = used == room and known == room
    if used == known and not (full and (how == PERIODIC or number > 0)):
        return 0 if number == 0 else -1
    following = word(block, NEXT_NUMBER)
    if number == 0 or (following > 0 and number != following) or (full and gone == UNKNOWN):
        return -1
    for place in range(known):
        if word(word(block, IDS), place) >= number:
            return -1
    return 1


@inline
def number_id(block, begins, number, gone):
    """The new id has this number; where all are used, the one that is gone is forgotten."""
    if begins == 0:
        return
    ids, known = word(block, IDS), word(block, IDS_COUNT)
    if gone != UNKNOWN:
        for place in range(gone, known - 1):
            set_word(ids, place, word(ids, place + 1))
        known -= 1
    set_word(ids, known, number)
    set_word(block, IDS_COUNT, known + 1)
    set_word(block, NEXT_NUMBER, number + 1)
    clear(word(block, STATE_TOLD), word(block, STATE_WORDS))
    clear(word(block, STEP_TOLD), word(block, STEP_WORDS))
