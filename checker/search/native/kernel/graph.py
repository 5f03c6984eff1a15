"""Loops over all states that a search has found: parents, questions and edges."""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .advance import ask, forget_topics
from .batch import expanded, key_of, unpacked
from .chains import run_ahead
from .memory import call_3, half, inline, set_half, set_word, word
from .places import (
    BATCH,
    CHAIN_STEPS,
    CHUNKS,
    CLOSED,
    FAULT_BIT,
    IS_QUIET,
    KEY_WIDTH,
    LEAVES,
    ORDER,
    OUT,
    SIZE,
    STARTS,
    STATES,
    STEP_FIRST,
    STEP_TOPICS,
    STORAGE,
    STORE,
    TABLE,
    TABLE_BITS,
    TOTAL,
)
from .table import find, hash_of, is_same

#: So many states at a time are expanded to find the one that a step begins in.
SOURCES = 64


@inline
def quietly_expanded(shared, own, head, size):
    """The steps of states that were expanded before: nothing is asked of them again.

    A step to a state that has no room, of a search that was stopped for want of it, is left out:
    that state is not stored, so nothing is looked for there.
    """
    for topic in range(word(shared, STEP_TOPICS)):
        set_word(word(own, STEP_FIRST), topic, CLOSED)
    set_word(own, IS_QUIET, 1)
    expanded(shared, own, head, size)
    set_word(own, IS_QUIET, 0)


def ask_all(shared, own, begin, end):
    """Asks what is asked of states of those that no step led to."""
    forget_topics(shared, own)
    ask(shared, own, begin, end)
    return 0


def find_step(shared, own, begin, end, wanted, found):
    """The first of the states begin..end with a step to the wanted one, and the leaf it takes."""
    width, out, leaves, starts = (
        word(shared, KEY_WIDTH), word(own, OUT), word(own, LEAVES), word(own, STARTS),
    )  # fmt: skip
    goal = word(shared, STORE) + wanted * width * 8
    for head in range(begin, end, SOURCES):
        quietly_expanded(shared, own, head, min(SOURCES, end - head))
        if word(shared, ORDER) != 0:
            set_word(own, IS_QUIET, 1)
            run_ahead(shared, own, listed_all(own))
            set_word(own, IS_QUIET, 0)
        for i in range(word(own, SIZE)):
            for chunk in range(word(shared, CHUNKS)):
                row = chunk * (BATCH + 1) + i
                for step in range(word(starts, row), word(starts, row + 1)):
                    leaf = half(leaves, step)
                    if leaf < FAULT_BIT and is_same(out, step, goal, 0, width):
                        set_word(found, 0, head + i)
                        set_word(found, 1, leaf)
                        return 1
    return 0


@inline
def listed_all(own):
    """Lists all steps of a batch in CHAIN_STEPS, and says how many they are."""
    count = 0
    for step in range(word(own, TOTAL)):
        if half(word(own, LEAVES), step) < FAULT_BIT:
            set_word(word(own, CHAIN_STEPS), count, step)
            count += 1
    return count


def edges(shared, own, begin, end, arrays, faults):
    """The steps of the states begin..end, as edges; says how many faults there are so far.

    `arrays`: the first edge of each state, targets and leaves of edges, and pairs of a state and a
    fault with how many there is room for.
    """
    first_edge, targets, taken, faulty, room = (
        word(arrays, 0), word(arrays, 1), word(arrays, 2), word(arrays, 3), word(arrays, 4),
    )  # fmt: skip
    storage, width, bits = word(shared, STORAGE), word(shared, KEY_WIDTH), word(shared, TABLE_BITS)
    store, table = word(shared, STORE), word(shared, TABLE)
    out, leaves, starts = word(own, OUT), word(own, LEAVES), word(own, STARTS)
    for head in range(begin, end, BATCH):
        quietly_expanded(shared, own, head, min(BATCH, end - head))
        for i in range(word(own, SIZE)):
            edge = word(first_edge, head + i)
            for chunk in range(word(shared, CHUNKS)):
                row = chunk * (BATCH + 1) + i
                for step in range(word(starts, row), word(starts, row + 1)):
                    leaf = half(leaves, step)
                    if leaf >= FAULT_BIT:
                        if faults < room:
                            set_word(faulty, 2 * faults, head + i)
                            set_word(faulty, 2 * faults + 1, leaf - FAULT_BIT)
                        faults += 1
                        continue
                    number = head + i
                    if not is_same(out, step, key_of(shared, own, i), 0, width):
                        mixed = hash_of(out, step * width, width)
                        number, _ = find(storage, out, step, width, mixed, store, table, bits)
                    set_half(targets, edge, number)
                    set_half(taken, edge, leaf)
                    edge += 1
            set_word(first_edge, head + i + 1, edge)
    return faults


def answer(shared, own, questions, words, answers):
    """Stores for each state which of the questions of a generated function are true."""
    states = word(shared, STATES)
    for head in range(0, states, BATCH):
        size = min(BATCH, states - head)
        call_3(questions, unpacked(shared, own, head, size), size, answers + head * words * 8)
    return 0
