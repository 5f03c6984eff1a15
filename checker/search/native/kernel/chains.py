"""Chains of single steps: moves the steps of a batch to where they lead without a choice.

A state is *passed* if one of its stubborn sets has a single step, and this step makes progress and
disables no fault and no observer that is enabled there. What a passed state would show, the state
after it shows as well. So a search stores neither the state nor a number for it. Which states are
passed depends on nothing but the state, so that a trace can go along the same chain again.

An antecedent is no observer: that it is true somewhere is all that is asked. So the states of
chains are asked for antecedents, and an answer has no state (IN_CHAIN).
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# ruff: noqa: SIM110
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .batch import makes_progress
from .memory import (
    call_2,
    call_3,
    call_6,
    half,
    inline,
    lock,
    lowest_bit,
    set_byte,
    set_half,
    set_word,
    unlock,
    word,
)
from .parts import compress, decompress
from .places import (
    ASK,
    BATCH,
    CANONICAL,
    CHAIN,
    CHAIN_STATES,
    CHAIN_STEPS,
    CHUNKS,
    CLOSED,
    COMPRESSED,
    EXPAND,
    FAULT_BIT,
    HAS_COVERED,
    IN_CHAIN,
    IS_QUIET,
    LEAVES,
    LOCK,
    OPEN,
    ORDER,
    ORDER_ATOM_WORDS,
    ORDER_DEPENDENT,
    ORDER_ENABLED,
    ORDER_GUARD_STARTS,
    ORDER_GUARDS,
    ORDER_INSIDE,
    ORDER_LEAF_WORDS,
    ORDER_LITERALS,
    ORDER_TRUTHS,
    ORDER_UPDATES,
    ORDER_WORDS,
    OUT,
    OUT_IDS,
    OWN_VISITED,
    SIZE,
    SOURCE,
    STARTS,
    STATE_FIRST,
    STATE_FOUND,
    STATE_TOPICS,
    STEP_FIRST,
    STEP_FOUND,
    STEP_TOPICS,
    STORAGE,
    WIDTH,
)
from .sets import closed, enabled_updates, has
from .table import is_same

#: A longer chain is cut: what it leads to is stored. So no chain goes round for ever.
LENGTH_MAX = 64


@inline
def run_ahead(shared, own, count):
    """Moves the steps that are listed in CHAIN_STEPS to the ends of their chains. False where there
    is no room for parts."""
    chain, steps, width = word(own, CHAIN), word(own, CHAIN_STEPS), word(shared, WIDTH)
    states, is_noted, length = word(chain, CHAIN_STATES), word(own, IS_QUIET) == 0, 0
    for i in range(count):
        unpack_step(shared, own, word(steps, i), states + i * width * 8)
    while count > 0 and length < LENGTH_MAX:
        left = 0
        for begin in range(0, count, BATCH):
            size = min(BATCH, count - begin)
            look_ahead(shared, chain, states + begin * width * 8, size)
            if is_noted:
                note_antecedents(shared, chain)
            for i in range(size):
                step, after = word(steps, begin + i), passing(shared, chain, i)
                if after >= 0:
                    for k in range(width):
                        next_word = word(word(chain, OUT), after * width + k)
                        set_word(states, left * width + k, next_word)
                    set_byte(word(own, OWN_VISITED), half(word(chain, LEAVES), after), 1)
                    set_word(own, HAS_COVERED, 1)
                    set_word(steps, left, step)
                    left += 1
                elif length > 0:
                    end = states + (begin + i) * width * 8
                    if not pack_step(shared, own, step, end):
                        return False
        count = left
        length += 1
    for i in range(count):
        if not pack_step(shared, own, word(steps, i), states + i * width * 8):
            return False
    return True


@inline
def unpack_step(shared, own, step, state):
    """Writes the words of the state that a step leads to."""
    width, out = word(shared, WIDTH), word(own, OUT)
    if word(shared, STORAGE) == COMPRESSED:
        decompress(shared, word(out, step), state, word(own, OUT_IDS))
        return
    for k in range(width):
        set_word(state, k, word(out, step * width + k))


@inline
def pack_step(shared, own, step, state):
    """Makes a step lead to a state, as that would be stored. False where there is no room for
    parts; but a quiet step that leads to a state without room is left out."""
    width, out = word(shared, WIDTH), word(own, OUT)
    if word(shared, STORAGE) != COMPRESSED:
        for k in range(width):
            set_word(out, step * width + k, word(state, k))
    elif compress(shared, state, 0, word(own, OUT_IDS), 0, 0):
        set_word(out, step, word(state, 0))
    elif word(own, IS_QUIET) != 0:
        set_half(word(own, LEAVES), step, FAULT_BIT)
    else:
        return False
    return True


def go_along(shared, own, state):
    """Replaces a state by the next one of its chain. Says by which leaf; -1 if it is not passed."""
    chain, width = word(own, CHAIN), word(shared, WIDTH)
    look_ahead(shared, chain, state, 1)
    after = passing(shared, chain, 0)
    if after < 0:
        return -1
    for k in range(width):
        set_word(state, k, word(word(chain, OUT), after * width + k))
    return half(word(chain, LEAVES), after)


@inline
def look_ahead(shared, chain, states, size):
    """Makes the steps of some states, and tells which atoms are true there.

    In the block of chains all topics are closed but for antecedents.
    """
    out, leaves = word(chain, OUT), word(chain, LEAVES)
    set_word(chain, SOURCE, states)
    set_word(chain, SIZE, size)
    starts, first = word(chain, STARTS), word(chain, STEP_FIRST)
    total = call_6(word(shared, EXPAND), states, size, out, leaves, starts, first)
    if word(shared, CANONICAL) != 0:
        call_2(word(shared, CANONICAL), out, total)
    guards = word(word(shared, ORDER), ORDER_GUARDS)
    call_3(guards, states, size, word(chain, ORDER_TRUTHS))


@inline
def note_antecedents(shared, chain):
    """Notes which antecedents are true in the states that were looked at, and on their steps."""
    states, size = word(chain, SOURCE), word(chain, SIZE)
    call_3(word(shared, ASK), states, size, word(chain, STATE_FIRST))
    for_states, for_steps = word(chain, STATE_FIRST), word(chain, STEP_FIRST)
    note(shared, for_states, word(shared, STATE_FOUND), word(shared, STATE_TOPICS))
    note(shared, for_steps, word(shared, STEP_FOUND), word(shared, STEP_TOPICS))


@inline
def note(shared, first, found, topics):
    """Notes which of some topics are settled."""
    for topic in range(topics):
        if 0 <= word(first, topic) < OPEN:
            set_word(first, topic, CLOSED)
            lock(shared, LOCK)
            if word(found, topic) < 0:
                set_word(found, topic, IN_CHAIN)
            unlock(shared, LOCK)


@inline
def passing(shared, chain, i):
    """The step that a state is passed by, if it is passed; -1 if not."""
    order = word(shared, ORDER)
    truths = word(chain, ORDER_TRUTHS) + i * word(order, ORDER_ATOM_WORDS) * 8
    enabled_updates(shared, chain, order, i)
    enabled, inside = word(chain, ORDER_ENABLED), word(chain, ORDER_INSIDE)
    for k in range(word(order, ORDER_LEAF_WORDS)):
        seeds = word(enabled, k)
        while seeds != 0:
            seed = k * 64 + lowest_bit(seeds)
            seeds &= seeds - 1
            if not makes_progress(shared, seed) or shows(order, seed, truths):
                continue
            if closed(chain, order, seed, truths, 2) != 1:
                continue
            if not has(inside, seed):
                continue
            return changing(shared, chain, i, seed)
    return -1


@inline
def changing(shared, chain, i, leaf):
    """The step of a leaf in a state; -1 if it changes nothing."""
    leaves, starts, width = word(chain, LEAVES), word(chain, STARTS), word(shared, WIDTH)
    for chunk in range(word(shared, CHUNKS)):
        row = chunk * (BATCH + 1) + i
        for step in range(word(starts, row), word(starts, row + 1)):
            if half(leaves, step) == leaf:
                if is_same(word(chain, OUT), step, word(chain, SOURCE), i, width):
                    return -1
                return step
    return -1


@inline
def shows(order, update, truths):
    """Whether a fault or an observer is enabled that the update may disable."""
    words, leaf_words = word(order, ORDER_WORDS), word(order, ORDER_LEAF_WORDS)
    dependent, updates = word(order, ORDER_DEPENDENT), word(order, ORDER_UPDATES)
    starts, literals = word(order, ORDER_GUARD_STARTS), word(order, ORDER_LITERALS)
    for k in range(words):
        rest = word(dependent, update * words + k)
        if k < leaf_words:
            rest &= ~word(updates, k)
        while rest != 0:
            transition = k * 64 + lowest_bit(rest)
            rest &= rest - 1
            is_enabled = True
            for place in range(word(starts, transition), word(starts, transition + 1)):
                literal = word(literals, place)
                if has(truths, literal >> 1) != (literal & 1 == 1):
                    is_enabled = False
            if is_enabled:
                return True
    return False
