"""Follows a run event by event through learned trees: first the rule, then the properties.

Each event takes a rule. A predicate is asked again if a cell that it ever read has changed since it
was last asked. If a path is missing, the loop returns to Python, which learns the path, and then
goes on where it was. Before an event that can begin a checkpoint, the loop forgets each checkpoint
that nothing names any more.
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from . import cache_block as at
from .memory import half, inline, lowest_bit, set_half, set_word, word

#: The leaf of a path that is not known yet.
UNKNOWN = -1


def follow(block):
    """Goes on until the events are over, a path or a finding is missing, or a step is refused."""
    while True:
        if word(block, at.IS_TAKEN) == 0:
            if word(block, at.AT) == word(block, at.EVENT_COUNT):
                return at.DONE
            why = take_event(block)
            if why != at.DONE:
                return why
            mark_due(block)
            set_word(block, at.IS_TAKEN, 1)
        if ask_due(block) == UNKNOWN:
            return at.LEARN
        if is_found(block):
            return at.FOUND
        open_duties(block)
        set_word(block, at.AT, word(block, at.AT) + 1)
        set_word(block, at.IS_TAKEN, 0)


def take_all(block):
    """Takes each of the rules to try from one state, and lists the states that they lead to.

    Returns at a rule that only a bound forbids.
    """
    words = word(block, at.CELLS) >> 1
    while word(block, at.NEXT_RULE) < word(block, at.TRIED_COUNT):
        leaf = wanted(block, half(word(block, at.TRIED), word(block, at.NEXT_RULE)))
        if leaf == UNKNOWN:
            return at.LEARN
        set_word(block, at.NEXT_RULE, word(block, at.NEXT_RULE) + 1)
        if leaf == at.BOUNDED:
            return at.BEYOND
        if leaf > at.BOUNDED:
            out = word(block, at.OUT) + 8 * words * word(block, at.OUT_COUNT)
            copy(word(block, at.STATE), out, words)
            write(block, leaf, out)
            set_word(block, at.OUT_COUNT, word(block, at.OUT_COUNT) + 1)
    return at.DONE


# --- functions ------------------------------------------------------------------------------------


@inline
def wanted(block, function):
    """The leaf that a function leads to in this state; UNKNOWN if it must be learned."""
    state, nodes, children = word(block, at.STATE), word(block, at.NODES), word(block, at.CHILDREN)
    node = half(word(block, at.ROOTS), function)
    while node != 0 and node < at.LEAF:
        value = half(state, half(nodes, 3 * node))
        if value < half(nodes, 3 * node + 2):
            node = half(children, half(nodes, 3 * node + 1) + value)
        else:
            node = 0
    if node == 0:
        set_word(block, at.WANTED, function)
        return UNKNOWN
    return node - at.LEAF


@inline
def write(block, leaf, state):
    """Writes to a state what the leaf of a rule says."""
    leaves, writes = word(block, at.RULE_LEAVES), word(block, at.WRITES)
    for place in range(half(leaves, 2 * leaf), half(leaves, 2 * leaf + 1)):
        set_half(state, half(writes, 2 * place), half(writes, 2 * place + 1))


@inline
def copy(source, target, words):
    """Copies words."""
    for place in range(words):
        set_word(target, place, word(source, place))


# --- steps ----------------------------------------------------------------------------------------


@inline
def take_event(block):
    """Takes the step of an event. at.DONE, or why the loop must return."""
    state, cells, events = word(block, at.STATE), word(block, at.CELLS), word(block, at.EVENTS)
    code, number = word(events, 2 * word(block, at.AT)), word(events, 2 * word(block, at.AT) + 1)
    begins = half(word(block, at.CODES), 2 * code + 1)
    if begins != 0 and forget_free(block) == UNKNOWN:
        return at.LEARN
    if half(word(block, at.CODES), 2 * code) == at.RESTORES:
        leaf = wanted(block, word(block, at.RESTORED))
        if leaf == UNKNOWN:
            return at.LEARN
        if number != (word(word(block, at.IDS), leaf - 1) if leaf > 0 else 0):
            return at.STOPPED
    rule = rule_of(block, code, number)
    if rule < 0:
        return at.STOPPED
    leaf = wanted(block, rule)
    if leaf == UNKNOWN:
        return at.LEARN
    if leaf <= at.BOUNDED:
        return at.STOPPED
    copy(state, state + 4 * cells, cells >> 1)
    write(block, leaf, state)
    size = word(block, at.STEP_CELLS)
    copy(word(block, at.STEPS) + 4 * size * rule, state + 8 * cells, size >> 1)
    return at.DONE if begins == 0 or number_id(block, number) else at.STOPPED


@inline
def rule_of(block, code, number):
    """The ground rule of an event; -1 if there is none."""
    place = 0
    if half(word(block, at.CODES), 2 * code) == at.BY_ID:
        place = word(block, at.IDS_COUNT) - 1
        while place >= 0 and word(word(block, at.IDS), place) != number:
            place -= 1
    if place < 0:
        return -1
    return half(word(block, at.RULES_AT), code * word(block, at.IDS_ROOM) + place) - 1


@inline
def number_id(block, number):
    """Gives the number to the id that a step may have begun; whether the number is possible."""
    known, ids, used = word(block, at.IDS_COUNT), word(block, at.IDS), 0
    for place in range(word(block, at.IDS_ROOM)):
        status = half(word(block, at.STATE), half(word(block, at.STATUS_CELLS), place))
        if status != word(block, at.UNUSED_VALUE):
            used += 1
    if used == known:
        return number == 0
    following = word(block, at.NEXT_NUMBER)
    if number == 0 or (following > 0 and number != following):
        return False
    for place in range(known):
        if word(ids, place) >= number:
            return False
    set_word(ids, known, number)
    set_word(block, at.IDS_COUNT, known + 1)
    set_word(block, at.NEXT_NUMBER, number + 1)
    clear(word(block, at.REPORTED), word(block, at.SET_WORDS))
    return True


# --- forgotten ids --------------------------------------------------------------------------------


@inline
def forget_free(block):
    """Forgets all ids that nothing names any more; UNKNOWN if a path is missing."""
    cells, place = word(block, at.CELLS), word(block, at.IDS_COUNT) - 1
    state = word(block, at.STATE)
    while place >= 0:
        leaf = wanted(block, word(block, at.FREE) + place)
        if leaf == UNKNOWN:
            return UNKNOWN
        if leaf == at.HOLDS and is_waited_for(block, place) == 0:
            for cell in range(cells):
                value = wanted(block, word(block, at.FORGET) + place * cells + cell)
                if value == UNKNOWN:
                    return UNKNOWN
                set_half(state, cells + cell, value)
            copy(state + 4 * cells, state, cells >> 1)
            drop_id(block, place)
            renumber_open(block, place)
        place -= 1
    return at.DONE


@inline
def is_waited_for(block, gone):
    """Whether a duty is open that is about an id."""
    opened, words, table = (
        word(block, at.OPEN),
        word(block, at.STATE_WORDS),
        word(block, at.RENUMBERED),
    )
    for place in range(words):
        rest = word(opened, place)
        while rest != 0:
            number = 64 * place + lowest_bit(rest)
            rest &= rest - 1
            if half(table, 64 * words * gone + number) == 0:
                return 1
    return 0


@inline
def drop_id(block, gone):
    """Drops an id; findings about the others were reported under their old places."""
    ids, known = word(block, at.IDS), word(block, at.IDS_COUNT)
    for place in range(gone, known - 1):
        set_word(ids, place, word(ids, place + 1))
    set_word(block, at.IDS_COUNT, known - 1)
    clear(word(block, at.REPORTED), word(block, at.SET_WORDS))


@inline
def renumber_open(block, gone):
    """Keeps duties open for the same ids as before. Their numbers only get smaller.

    Their goals must be asked again: the goal of the new number may have been asked for another id.
    """
    opened, since, words = word(block, at.OPEN), word(block, at.SINCE), word(block, at.STATE_WORDS)
    for place in range(words):
        rest = word(opened, place)
        while rest != 0:
            number = 64 * place + lowest_bit(rest)
            rest &= rest - 1
            now = half(word(block, at.RENUMBERED), 64 * words * gone + number) - 1
            drop(opened, number)
            add(opened, now)
            add(word(block, at.DUE), 64 * words + now)
            set_word(since, now, word(since, number))


# --- predicates -----------------------------------------------------------------------------------


@inline
def clear(bits, words):
    """Empties a set."""
    for place in range(words):
        set_word(bits, place, 0)


@inline
def add(bits, number):
    """Puts a predicate into a set."""
    set_word(bits, number >> 6, word(bits, number >> 6) | (1 << (number & 63)))


@inline
def drop(bits, number):
    """Takes a predicate out of a set."""
    set_word(bits, number >> 6, word(bits, number >> 6) & ~(1 << (number & 63)))


@inline
def mark_due(block):
    """Marks all predicates that ever read a cell which has changed since they were asked."""
    state, asked, due = word(block, at.STATE), word(block, at.ASKED), word(block, at.DUE)
    words, readers = word(block, at.SET_WORDS), word(block, at.READERS)
    for place in range(word(block, at.CELLS) + (word(block, at.STEP_CELLS) >> 1)):
        if word(state, place) != word(asked, place):
            for cell in range(2 * place, 2 * place + 2):
                if half(state, cell) != half(asked, cell):
                    for each in range(words):
                        more = word(readers, cell * words + each)
                        set_word(due, each, word(due, each) | more)
            set_word(asked, place, word(state, place))


@inline
def ask_due(block):
    """Asks the predicates that are due; UNKNOWN if a path is missing.

    A goal is asked only while its duty is open, and closes the duty if it holds. Before the first
    event there is no step to ask about.
    """
    due, failing, opened = word(block, at.DUE), word(block, at.FAILING), word(block, at.OPEN)
    states, words = word(block, at.STATE_WORDS), word(block, at.SET_WORDS)
    if word(block, at.AT) < 0:
        words = states
    for place in range(words):
        rest = word(due, place)
        if states <= place < 2 * states:
            rest &= word(opened, place - states)
        while rest != 0:
            number = 64 * place + lowest_bit(rest)
            rest &= rest - 1
            leaf = wanted(block, word(block, at.RULE_COUNT) + number)
            if leaf == UNKNOWN:
                return UNKNOWN
            drop(due, number)
            if leaf == at.FAILS:
                add(failing, number)
            else:
                drop(failing, number)
            if leaf == at.HOLDS and states <= place < 2 * states:
                drop(opened, number - 64 * states)
    return at.DONE


@inline
def is_found(block):
    """Whether a predicate fails that was not reported with these ids."""
    failing, shown, reported = (
        word(block, at.FAILING),
        word(block, at.SHOWN),
        word(block, at.REPORTED),
    )
    for place in range(word(block, at.SET_WORDS)):
        if word(failing, place) & word(shown, place) & ~word(reported, place):
            return True
    return False


@inline
def open_duties(block):
    """Notes which duties are open, and since when."""
    failing, leads, opened = word(block, at.FAILING), word(block, at.LEADS), word(block, at.OPEN)
    for place in range(word(block, at.STATE_WORDS)):
        rest = word(failing, place) & word(leads, place) & ~word(opened, place)
        while rest != 0:
            number = 64 * place + lowest_bit(rest)
            rest &= rest - 1
            add(opened, number)
            set_word(word(block, at.SINCE), number, word(block, at.AT))
