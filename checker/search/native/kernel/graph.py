"""Loops over all states that a search has found: parents, questions, edges and reachability."""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .advance import ask, forget_topics
from .batch import expanded, key_of, unpacked
from .memory import (
    byte,
    call_3,
    half,
    inline,
    set_byte,
    set_half,
    set_word,
    word,
)
from .places import (
    BATCH,
    CHUNKS,
    CLOSED,
    FAULT_BIT,
    IS_QUIET,
    KEY_WIDTH,
    LEAVES,
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
)
from .table import find, hash_of, is_same


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
    for head in range(begin, end, BATCH):
        quietly_expanded(shared, own, head, min(BATCH, end - head))
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


def mark(shared, own, question, marks):
    """Marks the states in which a generated question is true."""
    states = word(shared, STATES)
    for head in range(0, states, BATCH):
        size = min(BATCH, states - head)
        call_3(question, unpacked(shared, own, head, size), size, marks + head)
    return 0


def takes_fair_step(states, first_edge, targets, taken, is_fair, marks):
    """Marks the states that a step of a fair leaf changes."""
    for state in range(states):
        for edge in range(word(first_edge, state), word(first_edge, state + 1)):
            if half(targets, edge) != state and byte(is_fair, half(taken, edge)) != 0:
                set_byte(marks, state, 1)
    return 0


def reach(states, first_edge, targets, pending, marks, queue):
    """Marks the pending states that are reached from marked ones by way of pending ones."""
    count = 0
    for state in range(states):
        if byte(marks, state) != 0:
            set_half(queue, count, state)
            count += 1
    done = 0
    while done < count:
        state = half(queue, done)
        done += 1
        for edge in range(word(first_edge, state), word(first_edge, state + 1)):
            after = half(targets, edge)
            if byte(pending, after) != 0 and byte(marks, after) == 0:
                set_byte(marks, after, 1)
                set_half(queue, count, after)
                count += 1
    return 0
