"""Loops over the edges of the complete state graph: what fair runs can do there.

All arrays are those of `native/graph.py`: `arrays` is a block with their addresses. States, edges,
and numbers of components take half a word each; sets of fairness keys take `words` words.
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .memory import byte, half, inline, set_byte, set_half, set_word, word

#: Whether a run has met the cause: see `state_graph/graph.py`.
BEFORE, SINCE = 1, 2


def enabled_keys(states, words, arrays):
    """Adds to the keys of each state those of its steps that change it."""
    first_edge, targets, leaves, key_of, enabled = (
        word(arrays, 0), word(arrays, 1), word(arrays, 2), word(arrays, 3), word(arrays, 4),
    )  # fmt: skip
    for state in range(states):
        for edge in range(word(first_edge, state), word(first_edge, state + 1)):
            if half(targets, edge) != state:
                leaf = half(leaves, edge)
                for i in range(words):
                    keys = word(enabled, state * words + i) | word(key_of, leaf * words + i)
                    set_word(enabled, state * words + i, keys)
    return 0


def components(states, arrays):
    """Numbers the strongly connected components of the states inside; returns how many.

    Afterwards, `label` has the component of each state inside, from 1, and zero outside. This is
    Tarjan's algorithm in Pearce's form: `label` is at first the lowest state on the stack that a
    state reaches; a component's number is at first counted down, above all of those.
    """
    first_edge, targets, inside, label = (
        word(arrays, 0), word(arrays, 1), word(arrays, 2), word(arrays, 3),
    )  # fmt: skip
    is_root, next_edge, path, stack = (
        word(arrays, 4), word(arrays, 5), word(arrays, 6), word(arrays, 7),
    )  # fmt: skip
    index, top, last = 1, 0, states + 1
    for start in range(states):
        if byte(inside, start) == 0 or half(label, start) != 0:
            continue
        depth = 0
        new = start
        while new >= 0 or depth > 0:
            if new >= 0:
                set_half(label, new, index)
                set_byte(is_root, new, 1)
                set_half(next_edge, new, word(first_edge, new))
                set_half(path, depth, new)
                index += 1
                depth += 1
                new = -1
            state = half(path, depth - 1)
            edge, end = half(next_edge, state), word(first_edge, state + 1)
            while edge < end and new < 0:
                after = half(targets, edge)
                if byte(inside, after) != 0:
                    if half(label, after) == 0:
                        new = after  # this edge is looked at again when `after` is done
                    elif half(label, after) < half(label, state):
                        set_half(label, state, half(label, after))
                        set_byte(is_root, state, 0)
                if new < 0:
                    edge += 1
            set_half(next_edge, state, edge)
            if new >= 0:
                continue
            depth -= 1
            if byte(is_root, state) == 0:
                set_half(stack, top, state)
                top += 1
                continue
            index -= 1
            while top > 0 and half(label, state) <= half(label, half(stack, top - 1)):
                top -= 1
                set_half(label, half(stack, top), last)
                index -= 1
            set_half(label, state, last)
            last -= 1
    for state in range(states):
        if byte(inside, state) != 0:
            set_half(label, state, states + 2 - half(label, state))
    return states + 1 - last


def keys_of_parts(states, words, arrays):
    """Collects the keys of each component: enabled in all of its states, in some, taken inside."""
    first_edge, targets, leaves, key_of = (
        word(arrays, 0), word(arrays, 1), word(arrays, 2), word(arrays, 3),
    )  # fmt: skip
    enabled, label, always, sometimes, taken = (
        word(arrays, 4), word(arrays, 5), word(arrays, 6), word(arrays, 7), word(arrays, 8),
    )  # fmt: skip
    for state in range(states):
        part = half(label, state)
        if part == 0:
            continue
        for i in range(words):
            here, place = word(enabled, state * words + i), part * words + i
            set_word(always, place, word(always, place) & here)
            set_word(sometimes, place, word(sometimes, place) | here)
        for edge in range(word(first_edge, state), word(first_edge, state + 1)):
            after = half(targets, edge)
            if after != state and half(label, after) == part:
                leaf = half(leaves, edge)
                for i in range(words):
                    place = part * words + i
                    keys = word(taken, place) | word(key_of, leaf * words + i)
                    set_word(taken, place, keys)
    return 0


@inline
def fresh_phases(causes, pending, seen, state, phases):
    """The phases of a run in a state in which no run before was there."""
    if byte(causes, state) != 0 and phases & BEFORE != 0:
        phases |= SINCE
    if byte(pending, state) == 0:
        phases &= BEFORE
    known = byte(seen, state)
    phases &= (BEFORE | SINCE) - known
    set_byte(seen, state, known | phases)
    return phases


def stem(initial, at_once, arrays):
    """Tries runs in order until one ends as `state_graph/graph.py` asks; its place, from 1, or 0.

    Of each run tried, `tried` has the last state and the phases, and `before` the place of the run
    before and the edge.
    """
    first_edge, targets, causes, pending, ends, seen, tried, phase, before, by = (
        word(arrays, 0), word(arrays, 1), word(arrays, 2), word(arrays, 3), word(arrays, 4),
        word(arrays, 5), word(arrays, 6), word(arrays, 7), word(arrays, 8), word(arrays, 9),
    )  # fmt: skip
    count = 0
    for state in range(initial):
        phases = BEFORE
        if at_once != 0:
            phases = SINCE if byte(causes, state) != 0 else 0
        phases = fresh_phases(causes, pending, seen, state, phases)
        if phases != 0:
            set_half(tried, count, state)
            set_byte(phase, count, phases)
            set_half(before, count, 0)
            set_half(by, count, 0)
            count += 1
            if phases & SINCE != 0 and byte(ends, state) != 0:
                return count
    done = 0
    while done < count:
        state, before_phases = half(tried, done), byte(phase, done)
        done += 1
        for edge in range(word(first_edge, state), word(first_edge, state + 1)):
            after = half(targets, edge)
            phases = fresh_phases(causes, pending, seen, after, before_phases)
            if phases != 0:
                set_half(tried, count, after)
                set_byte(phase, count, phases)
                set_half(before, count, done)
                set_half(by, count, edge)
                count += 1
                if phases & SINCE != 0 and byte(ends, after) != 0:
                    return count
    return 0


def reach(states, arrays):
    """Marks the pending states that are reached from marked ones by way of pending ones."""
    first_edge, targets, pending, marks, queue = (
        word(arrays, 0), word(arrays, 1), word(arrays, 2), word(arrays, 3), word(arrays, 4),
    )  # fmt: skip
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
