"""Asks the predicates along a run again if what they read has changed, and records failures."""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .cache_block import (
    ASKED,
    ASKED_LIST,
    AT,
    CELLS,
    CHANGED,
    CHANGED_COUNT,
    CHILDREN,
    EARLIER,
    EARLIER_COUNT,
    FAILING,
    FAILS,
    GOAL_READ,
    GOAL_READERS,
    HOLDS,
    IDS,
    IDS_COUNT,
    LEADS,
    LEAF,
    MISSES,
    MISSES_COUNT,
    MISSES_ROOM,
    MOVED,
    MOVED_WORDS,
    NODES,
    OPEN,
    PLAIN,
    READ_CELLS,
    READ_STARTS,
    RECORD,
    RECORDS,
    RECORDS_COUNT,
    ROOTS,
    RULE_COUNT,
    SAID_LEAVES,
    SINCE,
    STATE,
    STATE_COUNT,
    STATE_DUE,
    STATE_READ,
    STATE_READERS,
    STATE_TOLD,
    STATE_WORDS,
    STEP_DUE,
    STEP_READ,
    STEP_READERS,
    STEP_TOLD,
    STEP_WORDS,
    WRONG,
    WRONG_NOW,
)
from .memory import half, inline, lowest_bit, set_half, set_word, word

#: Of `walk`: nobody knows yet.
UNKNOWN = -1


@inline
def walk(block, function):
    """The leaf to which a function leads in this state."""
    state, nodes, children = word(block, STATE), word(block, NODES), word(block, CHILDREN)
    at = half(word(block, ROOTS), function)
    while at != 0 and at < LEAF:
        value = half(state, half(nodes, 3 * at))
        if value >= half(nodes, 3 * at + 2):
            return UNKNOWN
        at = half(children, half(nodes, 3 * at + 1) + value)
    if at == 0:
        return UNKNOWN
    return at - LEAF


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
def join(bits, others, first, words):
    """Puts into a set what is in one of an array of sets."""
    for place in range(words):
        set_word(bits, place, word(bits, place) | word(others, first * words + place))


@inline
def join_moved(block, bits, others, first, words):
    """Puts into a set what is in the sets of the cells that have moved, from a cell on."""
    moved = word(block, MOVED)
    for place in range(word(block, MOVED_WORDS)):
        rest = word(moved, place)
        while rest != 0:
            join(bits, others, first + 64 * place + lowest_bit(rest), words)
            rest &= rest - 1


@inline
def miss(block, function):
    """This must be learned."""
    count = word(block, MISSES_COUNT)
    if count < MISSES_ROOM:
        set_half(word(block, MISSES), count, function)
        set_word(block, MISSES_COUNT, count + 1)


@inline
def list_changes(block):
    """Lists the cells whose value is another one than before the step."""
    state, cells, changed, count = word(block, STATE), word(block, CELLS), word(block, CHANGED), 0
    for place in range(cells >> 1):
        if word(state, place) != word(state, (cells >> 1) + place):
            for cell in range(2 * place, 2 * place + 2):
                if half(state, cell) != half(state, cells + cell):
                    set_half(changed, count, cell)
                    count += 1
    set_word(block, CHANGED_COUNT, count)


@inline
def ask(block, function, number, read, readers, words):
    """What a predicate says, or UNKNOWN; from now on it is a reader of what it has read."""
    leaf = walk(block, function)
    if leaf == UNKNOWN:
        miss(block, function)
        return UNKNOWN
    cells = half(word(block, SAID_LEAVES), 2 * leaf + 1)
    known = half(read, number)
    if known != cells + 1:
        starts, listed = word(block, READ_STARTS), word(block, READ_CELLS)
        if known > 0:
            for place in range(half(starts, known - 1), half(starts, known)):
                drop(readers + 8 * words * half(listed, place), number)
        for place in range(half(starts, cells), half(starts, cells + 1)):
            add(readers + 8 * words * half(listed, place), number)
        set_half(read, number, cells + 1)
    return half(word(block, SAID_LEAVES), 2 * leaf)


@inline
def ask_due(block, first, failing, due, read, readers, words):
    """Asks those that are due, from a function on, and notes which of them fail."""
    for place in range(words):
        rest = word(due, place)
        while rest != 0:
            number = 64 * place + lowest_bit(rest)
            rest &= rest - 1
            said = ask(block, first + number, number, read, readers, words)
            if said == FAILS:
                add(failing, number)
            elif said != UNKNOWN:
                drop(failing, number)


@inline
def ask_steps(block, rule):
    """Asks the predicates on steps: those that may say something else, those that ask which."""
    due, words, cells = word(block, STEP_DUE), word(block, STEP_WORDS), word(block, CELLS)
    readers, read, wrong = word(block, STEP_READERS), word(block, STEP_READ), word(block, WRONG)
    first = word(block, RULE_COUNT) + 2 * word(block, STATE_COUNT)
    clear(due, words)
    if word(block, EARLIER_COUNT) < 0:
        join(due, word(block, PLAIN), 0, words)
    for place in range(word(block, EARLIER_COUNT)):
        join(due, readers, cells + half(word(block, EARLIER), place), words)
    for place in range(word(block, CHANGED_COUNT)):
        join(due, readers, half(word(block, CHANGED), place), words)
    join_moved(block, due, readers, 0, words)
    join_moved(block, due, readers, cells, words)
    ask_due(block, first, wrong, due, read, readers, words)
    now, asked, listed = word(block, WRONG_NOW), word(block, ASKED), word(block, ASKED_LIST)
    clear(now, words)
    for place in range(word(asked, 2 * rule), word(asked, 2 * rule + 1) - 1):
        function = half(listed, 2 * place + 1)
        leaf = walk(block, function)
        if leaf == UNKNOWN:
            miss(block, function)
        elif half(word(block, SAID_LEAVES), 2 * leaf) == FAILS:
            add(now, half(listed, 2 * place))


@inline
def ask_goals(block):
    """Asks whether what is open has come, where that may be so now."""
    due, words = word(block, STATE_DUE), word(block, STATE_WORDS)
    readers, read, opened = word(block, GOAL_READERS), word(block, GOAL_READ), word(block, OPEN)
    first = word(block, RULE_COUNT) + word(block, STATE_COUNT)
    clear(due, words)
    for place in range(word(block, CHANGED_COUNT)):
        join(due, readers, half(word(block, CHANGED), place), words)
    for place in range(word(block, MOVED_WORDS)):
        if word(word(block, MOVED), place) != 0:
            join(due, opened, 0, words)  # those that were renumbered have not read anything yet
    for place in range(words):
        rest = word(due, place) & word(opened, place)
        while rest != 0:
            number = 64 * place + lowest_bit(rest)
            rest &= rest - 1
            if ask(block, first + number, number, read, readers, words) == HOLDS:
                drop(opened, number)


@inline
def ask_states(block):
    """Asks the predicates on states that may say something else, and what new duties wait for."""
    due, words = word(block, STATE_DUE), word(block, STATE_WORDS)
    readers, read = word(block, STATE_READERS), word(block, STATE_READ)
    failing, first = word(block, FAILING), word(block, RULE_COUNT)
    clear(due, words)
    if word(block, CHANGED_COUNT) < 0:
        for number in range(word(block, STATE_COUNT)):
            add(due, number)
    for place in range(word(block, CHANGED_COUNT)):
        join(due, readers, half(word(block, CHANGED), place), words)
    join_moved(block, due, readers, 0, words)
    ask_due(block, first, failing, due, read, readers, words)
    first += word(block, STATE_COUNT)
    readers, read = word(block, GOAL_READERS), word(block, GOAL_READ)
    for place in range(words):
        rest = word(failing, place) & word(word(block, LEADS), place)
        rest &= ~word(word(block, OPEN), place)
        while rest != 0:
            number = 64 * place + lowest_bit(rest)
            rest &= rest - 1
            ask(block, first + number, number, read, readers, words)


# --- what is told ---------------------------------------------------------------------------------


@inline
def record(block, of_state, number):
    """Tells that a predicate fails here."""
    count = word(block, RECORDS_COUNT)
    base = word(block, RECORDS) + 8 * RECORD * count
    set_word(base, 0, word(block, AT))
    set_word(base, 1, of_state)
    set_word(base, 2, number)
    set_word(base, 3, word(block, IDS_COUNT))
    for place in range(word(block, IDS_COUNT)):
        set_word(base, 4 + place, word(word(block, IDS), place))
    set_word(block, RECORDS_COUNT, count + 1)


@inline
def tell_steps(block):
    """Tells which predicates fail of this step, unless that was told with these ids."""
    words, told = word(block, STEP_WORDS), word(block, STEP_TOLD)
    wrong, now = word(block, WRONG), word(block, WRONG_NOW)
    for place in range(words):
        rest = (word(wrong, place) | word(now, place)) & ~word(told, place)
        while rest != 0:
            number = 64 * place + lowest_bit(rest)
            rest &= rest - 1
            record(block, 0, number)
            add(told, number)


@inline
def tell_states(block):
    """Tells which predicates fail of this state, and since when duties are open."""
    words, told, opened = word(block, STATE_WORDS), word(block, STATE_TOLD), word(block, OPEN)
    failing, leads = word(block, FAILING), word(block, LEADS)
    for place in range(words):
        rest = word(failing, place) & ~word(leads, place) & ~word(told, place)
        while rest != 0:
            number = 64 * place + lowest_bit(rest)
            rest &= rest - 1
            record(block, 1, number)
            add(told, number)
        rest = word(failing, place) & word(leads, place) & ~word(opened, place)
        while rest != 0:
            number = 64 * place + lowest_bit(rest)
            rest &= rest - 1
            add(opened, number)
            set_word(word(block, SINCE), number, word(block, AT))
