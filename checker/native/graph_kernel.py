"""Loops over the stored graph, compiled once a machine: edges, parents, what is reached."""

from __future__ import annotations

# As in `kernel.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false
import numpy as np
from numba import njit

from .kernel import CANONICAL, EXPAND, call_2, call_3, call_6, hash_of, lookup
from .lower import BATCH, FAULT_BIT


@njit(cache=True, nogil=True)
def find_step(  # noqa: PLR0913, PLR0917
    code, width, chunks, begin, end, wanted, store, quiet, out, leaves, starts
):
    """The first of the states begin..end with a step to the wanted one, and the leaf it takes."""
    for head in range(begin, end, BATCH):
        size = min(BATCH, end - head)
        total = call_6(
            code[EXPAND], store.ctypes.data + head * width * 8, size, out.ctypes.data,
            leaves.ctypes.data, starts.ctypes.data, quiet.ctypes.data,
        )  # fmt: skip
        if code[CANONICAL] != 0:
            call_2(code[CANONICAL], out.ctypes.data, total)
        for i in range(size):
            for chunk in range(chunks):
                row = chunk * (BATCH + 1) + i
                for step in range(starts[row], starts[row + 1]):
                    same = leaves[step] < FAULT_BIT
                    for word in range(width):
                        if out[step * width + word] != store[wanted * width + word]:
                            same = False
                    if same:
                        return head + i, np.int64(leaves[step])
    return -1, -1


@njit(cache=True, nogil=True)
def edges(  # noqa: PLR0913, PLR0917
    code, width, chunks, begin, end, store, table, quiet, out, leaves, starts,
    first_edge, targets, taken, faulty, faults,
):  # fmt: skip
    """The steps of the states begin..end, as edges; says how many faults there are so far."""
    found = faults
    for head in range(begin, end, BATCH):
        size = min(BATCH, end - head)
        total = call_6(
            code[EXPAND], store.ctypes.data + head * width * 8, size, out.ctypes.data,
            leaves.ctypes.data, starts.ctypes.data, quiet.ctypes.data,
        )  # fmt: skip
        if code[CANONICAL] != 0:
            call_2(code[CANONICAL], out.ctypes.data, total)
        for i in range(size):
            edge = first_edge[head + i]
            for chunk in range(chunks):
                row = chunk * (BATCH + 1) + i
                for step in range(starts[row], starts[row + 1]):
                    leaf = leaves[step]
                    if leaf >= FAULT_BIT:
                        if found < len(faulty):
                            faulty[found, 0] = head + i
                            faulty[found, 1] = leaf - FAULT_BIT
                        found += 1
                        continue
                    mixed = hash_of(out, step * width, width)
                    number, _ = lookup(out, step, mixed, width, store, table)
                    targets[edge] = number
                    taken[edge] = leaf
                    edge += 1
            first_edge[head + i + 1] = edge
    return found


@njit(cache=True, nogil=True)
def takes_fair_step(states, first_edge, targets, taken, is_fair, marks):
    """Marks the states that a step of a fair leaf changes."""
    for state in range(states):
        for edge in range(first_edge[state], first_edge[state + 1]):
            if targets[edge] != state and is_fair[taken[edge]]:
                marks[state] = 1


@njit(cache=True, nogil=True)
def reach(first_edge, targets, pending, marks, queue):
    """Marks the pending states that are reached from marked ones by way of pending ones."""
    count = 0
    for state in range(len(marks)):
        if marks[state]:
            queue[count] = state
            count += 1
    done = 0
    while done < count:
        state = queue[done]
        done += 1
        for edge in range(first_edge[state], first_edge[state + 1]):
            after = targets[edge]
            if pending[after] and not marks[after]:
                marks[after] = 1
                queue[count] = after
                count += 1


@njit(cache=True, nogil=True)
def mark(address, width, states, store, marks):
    """Marks the states in which a generated question is true."""
    call_3(address, store.ctypes.data, states, marks.ctypes.data)
