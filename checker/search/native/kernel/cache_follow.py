"""Follows a run event by event through learned trees: first the rule, then the properties.

Each event takes a rule; the cells that the rule changes decide which predicates are asked again. If
a path is missing, the loop returns to Python, which learns the path. Then the loop tries the event
again from the state before it.
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .cache_block import (
    AGAIN,
    ASKED,
    ASKED_FUNCTION,
    AT,
    BEYOND,
    CELLS,
    CHANGED,
    CHANGED_COUNT,
    CODES,
    DONE,
    EARLIER,
    EARLIER_COUNT,
    EVENT_COUNT,
    EVENTS,
    FULL,
    LEARN,
    LEARN_ASKED,
    LEARN_RENAMING,
    LEARN_RULE,
    MISSES_COUNT,
    MOVED,
    MOVED_WORDS,
    NEXT_RULE,
    NONE,
    OUT,
    OUT_COUNT,
    RECORDS_COUNT,
    RECORDS_ENOUGH,
    STATE,
    STOPPED,
    TRIED,
    TRIED_COUNT,
    WANTED,
)
from .cache_ids import forget, ids_after, number_id
from .cache_properties import (
    UNKNOWN,
    ask_goals,
    ask_states,
    ask_steps,
    clear,
    list_changes,
    tell_states,
    tell_steps,
    walk,
)
from .cache_rules import rule_of, take, tell
from .memory import half, inline, set_word, word


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
        if word(word(block, CODES), 3 * code + 2) != NONE:
            why = forget(block)
            if why != DONE:
                return why
        rule = rule_of(block, code, number)
        if rule == UNKNOWN - 1:
            return LEARN
        if rule == UNKNOWN:
            return STOPPED
        tell(block, rule)
        gone = take(block, rule)
        if gone < UNKNOWN:
            return STOPPED if gone == -1 - BEYOND else -1 - gone
        ids = ids_after(block, code, number)
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
        number_id(block, ids, number)
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


def take_all(block):
    """Takes each of the rules that are tried which can be, and puts down where it leads.

    It comes back at one that only a bound forbids.
    """
    while word(block, NEXT_RULE) < word(block, TRIED_COUNT):
        set_word(block, AGAIN, 1)
        begin(block)
        gone = take(block, half(word(block, TRIED), word(block, NEXT_RULE)))
        if gone == -1 - LEARN_RULE or gone == -1 - LEARN_RENAMING:
            return -1 - gone
        set_word(block, NEXT_RULE, word(block, NEXT_RULE) + 1)
        if gone >= UNKNOWN:
            put_down(block)
        if gone == -1 - BEYOND:
            return BEYOND
    return DONE


def ask_one(block):
    """The leaf of a function in this state."""
    return walk(block, word(block, ASKED_FUNCTION))


@inline
def put_down(block):
    """The state goes behind those that were put down before."""
    state, words, count = word(block, STATE), word(block, CELLS) >> 1, word(block, OUT_COUNT)
    out = word(block, OUT) + 8 * words * count
    for place in range(words):
        set_word(out, place, word(state, place))
    set_word(block, OUT_COUNT, count + 1)


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
    clear(word(block, MOVED), word(block, MOVED_WORDS))
    set_word(block, AT, word(block, AT) + 1)
    set_word(block, AGAIN, 0)
