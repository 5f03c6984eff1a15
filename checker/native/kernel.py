"""The inner loops, compiled once a machine and kept: they know no system, only packed states.

A state is `width` words in `store`, in the order found. `table` finds a state by its hash, with
open addressing: the upper half of an entry is a part of the hash, the lower one the number of the
state plus one; zero is empty. What a system does comes as addresses of generated functions
(`lower.py`), and a batch of states is hashed before it is looked up, so that memory is asked ahead.
"""

from __future__ import annotations

# What numba compiles has no types that a checker of Python could follow: tests hold it to the
# readable search instead.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from .lower import BATCH, CLOSED, FAULT_BIT, OPEN, RULES_MAX

# Places in `counts`.
(
    STATES,
    EXPANDED,
    LEVEL_END,
    DEPTH,
    TRANSITIONS,
    DEADLOCK,
    FAULT_STATE,
    FAULT_LEAF,
    NEEDED,
    COUNTS,
) = range(10)

# Places in `shape`: what does not change while a search runs.
WIDTH, CHUNKS, STATES_MAX, LEAF_RULES = range(4)

# Places in `code`.
EXPAND, ASK, COVER, IS_STUCK, CANONICAL = range(5)

# Why `advance` came back.
DONE, PAUSED, FULL_STORE, FULL_TABLE, FULL_LEVELS, LIMIT = range(6)

SEED = np.uint64(0x9E3779B97F4A7C15)
FACTOR = np.uint64(0xD6E8FEB86659FD93)
HALF = np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)
ONE = np.uint64(1)
EMPTY = np.uint64(0)


@intrinsic
def call_1(_context, address, state):
    """Calls `i64 f(ptr)`."""
    signature = types.int64(types.int64, types.int64)
    return signature, _call_of(1)


@intrinsic
def call_2(_context, address, first, second):
    """Calls `i64 f(i64, i64)`; a pointer is passed as an integer."""
    signature = types.int64(types.int64, types.int64, types.int64)
    return signature, _call_of(2)


@intrinsic
def call_3(_context, address, first, second, third):
    """Calls `i64 f(i64, i64, i64)`; pointers are passed as integers."""
    signature = types.int64(*[types.int64] * 4)
    return signature, _call_of(3)


@intrinsic
def call_6(_context, address, a, b, c, d, e, f):
    """Calls `i64 f(i64, …)` with six arguments; pointers are passed as integers."""
    signature = types.int64(*[types.int64] * 7)
    return signature, _call_of(6)


def _call_of(arity: int):
    def generate(_context, builder, _signature, arguments):
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word] * arity)
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.call(function, list(arguments[1:]))

    return generate


@intrinsic
def prefetch(_context, address):
    """Asks memory for what will be read soon."""

    def generate(context, builder, _signature, arguments):
        number, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        read, keep, data = (ir.Constant(number, value) for value in (0, 3, 1))
        builder.call(function, [builder.inttoptr(arguments[0], pointer), read, keep, data])
        return context.get_dummy_value()

    return types.void(types.int64), generate


@njit(inline="always")
def hash_of(words, start, width):
    """The hash of the state whose words start there."""
    found = SEED
    for word in range(width):
        found = (found ^ words[start + word]) * FACTOR
        found ^= found >> HALF
    found *= FACTOR
    return found ^ (found >> HALF)


@njit(inline="always")
def lookup(words, at, mixed, width, store, table):
    """The number of the state, or -1 with the place in the table where it belongs."""
    mask = np.uint64(table.size - 1)
    tag = mixed >> HALF
    place = mixed & mask
    while True:
        entry = table[place]
        if entry == EMPTY:
            return np.int64(-1), place
        if entry >> HALF == tag:
            number = np.int64(entry & LOW_HALF) - 1
            same = True
            for word in range(width):
                if store[number * width + word] != words[at * width + word]:
                    same = False
            if same:
                return number, place
        place = (place + ONE) & mask


@njit(cache=True, nogil=True)
def rehash(width, states, store, table):
    """Fills an empty table with all states."""
    mask = np.uint64(table.size - 1)
    for number in range(states):
        mixed = hash_of(store, number * width, width)
        place = mixed & mask
        while table[place] != EMPTY:
            place = (place + ONE) & mask
        table[place] = (mixed >> HALF) << HALF | np.uint64(number + 1)


@njit(inline="always")
def settle(first, found, base, below):
    """Closes the topics that a batch settled, at what comes before `below`."""
    for topic in range(first.size):
        if 0 <= first[topic] < OPEN:
            if first[topic] < below:
                found[topic] = base + first[topic]
                first[topic] = CLOSED
            else:
                first[topic] = OPEN


@njit(inline="always")
def hash_ahead(total, width, store, table, out, hashes):
    """Hashes all steps of a batch, and asks memory for what they will be compared with."""
    mask = np.uint64(table.size - 1)
    store_at, table_at = store.ctypes.data, table.ctypes.data
    for step in range(total):
        mixed = hash_of(out, step * width, width)
        hashes[step] = mixed
        prefetch(table_at + np.int64(mixed & mask) * 8)
    for step in range(total):
        entry = table[hashes[step] & mask]
        if entry >> HALF == hashes[step] >> HALF and entry != EMPTY:
            prefetch(store_at + (np.int64(entry & LOW_HALF) - 1) * width * 8)


@njit(inline="always")
def take(  # noqa: PLR0913, PLR0917
    head, size, code, shape, counts, store, table, leaf_rules, fresh, visited, seen,
    out, leaves, starts, hashes,
):  # fmt: skip
    """Takes the steps of a batch in order: says where it stopped, and before which step."""
    width, chunks, states_max = shape[WIDTH], shape[CHUNKS], shape[STATES_MAX]
    states, transitions = counts[STATES], counts[TRANSITIONS]
    store_at = store.ctypes.data
    for i in range(size):
        position = head + i
        changes, fault = False, -1
        for chunk in range(chunks):
            row = chunk * (BATCH + 1) + i
            for step in range(starts[row], starts[row + 1]):
                leaf = leaves[step]
                if leaf >= FAULT_BIT:
                    changes = True
                    if fault < 0:
                        fault = leaf - FAULT_BIT
                    continue
                transitions += 1
                if fresh[leaf]:
                    visited[leaf] = 1
                    here = store_at + position * width * 8
                    fresh[leaf] = call_3(code[COVER], here, leaf, seen.ctypes.data)
                number, place = lookup(out, step, hashes[step], width, store, table)
                if number < 0:
                    if states == states_max:
                        counts[STATES], counts[TRANSITIONS] = states, transitions
                        return position, np.int64(i * RULES_MAX + leaf_rules[leaf])
                    number = states
                    states += 1
                    table[place] = (hashes[step] >> HALF) << HALF | np.uint64(states)
                    for word in range(width):
                        store[number * width + word] = out[step * width + word]
                if number != position:
                    changes = True
        if fault >= 0 and counts[FAULT_STATE] < 0:
            counts[FAULT_STATE] = position
            counts[FAULT_LEAF] = fault
        if not changes and counts[DEADLOCK] < 0:
            is_stuck = call_1(code[IS_STUCK], store_at + position * width * 8)
            counts[DEADLOCK] = position if is_stuck else CLOSED
    counts[STATES], counts[TRANSITIONS] = states, transitions
    return head + size, np.int64(OPEN)


@njit(cache=True, nogil=True)
def advance(  # noqa: PLR0913, PLR0917
    code, shape, counts, stop, store, table, levels, leaf_rules, fresh, visited, seen,
    state_first, state_found, step_first, step_found, step_base, out, leaves, starts, hashes,
):  # fmt: skip
    """Expands states in order, up to the state `stop`, and says why it came back.

    A batch that there is no room for is left as if it had not been begun.
    """
    width = shape[WIDTH]
    states, head, level_end = counts[STATES], counts[EXPANDED], counts[LEVEL_END]
    depth = counts[DEPTH]
    room = store.size // width
    room = min(room, table.size // 5 * 4)
    store_at, leaf_at = store.ctypes.data, leaves.ctypes.data
    reason = PAUSED
    while True:
        if head == level_end:
            if states == level_end:
                reason = DONE
                break
            if depth + 2 >= levels.size:
                reason = FULL_LEVELS
                break
            depth += 1
            levels[depth] = level_end
            level_end = states
            levels[depth + 1] = level_end
        if head >= stop:
            break
        size = min(BATCH, level_end - head, stop - head)
        total = call_6(
            code[EXPAND], store_at + head * width * 8, size, out.ctypes.data, leaf_at,
            starts.ctypes.data, step_first.ctypes.data,
        )  # fmt: skip
        if states + total > room:
            counts[NEEDED] = states + total
            reason = FULL_STORE if states + total > store.size // width else FULL_TABLE
            break
        if code[CANONICAL] != 0:
            call_2(code[CANONICAL], out.ctypes.data, total)
        hash_ahead(total, width, store, table, out, hashes)
        fresh_from = states
        counts[STATES] = states
        end, below = take(
            head, size, code, shape, counts, store, table, leaf_rules, fresh, visited, seen,
            out, leaves, starts, hashes,
        )  # fmt: skip
        states = counts[STATES]
        if below < OPEN:
            reason = LIMIT
        if states > fresh_from:
            begin = store_at + fresh_from * width * 8
            call_3(code[ASK], begin, states - fresh_from, state_first.ctypes.data)
            settle(state_first, state_found, fresh_from, OPEN)
        for topic in range(step_first.size):
            if 0 <= step_first[topic] < OPEN:
                step_base[topic] = head
        settle(step_first, step_found, 0, below)
        head = end
        if reason == LIMIT:
            break
    counts[STATES], counts[EXPANDED], counts[LEVEL_END] = states, head, level_end
    counts[DEPTH] = depth
    return reason


@njit(cache=True, nogil=True)
def ask(code, width, states, store, state_first, state_found):
    """Asks what is asked of states of the first ones, which no step led to."""
    call_3(code[ASK], store.ctypes.data, states, state_first.ctypes.data)
    settle(state_first, state_found, 0, OPEN)
