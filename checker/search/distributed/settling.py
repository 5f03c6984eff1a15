"""Finds the states of a level that settle a question, in the files of a finished search."""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from collections.abc import Callable, Iterator
from ctypes import CFUNCTYPE, c_int64

import numpy as np
from numpy.typing import NDArray

from finale.checker.search.native.kernel import places as at
from finale.checker.search.native.layout import Words
from finale.checker.search.native.machine import NativeMachine
from finale.checker.search.native.workers import sizes_of

from .bucket import DEADLOCK, FAULT

Marks = NDArray[np.bool_]


class Settling:
    """Asks questions of states, one batch at a time."""

    def __init__(self, machine: NativeMachine) -> None:
        sizes = sizes_of(machine)
        self.width, self._chunks = machine.layout.width, sizes.chunks
        expand, ask, _, is_stuck = (int(address) for address in machine.code[:4])
        self._expand = CFUNCTYPE(c_int64, *[c_int64] * 6)(expand)
        self._ask = CFUNCTYPE(c_int64, *[c_int64] * 3)(ask)
        self._is_stuck = CFUNCTYPE(c_int64, c_int64)(is_stuck)
        self._makes_progress: Marks = machine.leaf_rules >= at.RULES_MAX
        self._out: Words = np.empty(sizes.steps_max * self.width, np.uint64)
        self._leaves: NDArray[np.int32] = np.empty(sizes.steps_max, np.int32)
        self._starts: NDArray[np.int64] = np.empty(sizes.chunks * (at.BATCH + 1), np.int64)
        self._of_states: NDArray[np.int64] = np.empty(sizes.state_topics, np.int64)
        self._of_steps: NDArray[np.int64] = np.empty(sizes.step_topics, np.int64)

    def where(self, name: str, words: Words) -> Marks:
        """Return which of these states settle the topics, named as in `bucket.py`."""
        if name == DEADLOCK:
            return self._in_batches(words, self._stuck)
        if name == FAULT:
            return self._in_batches(words, self._faulty)
        return self._first_again(words, name[0] == "s", int(name[1:]))

    def _in_batches(self, words: Words, asked: Callable[[Words, int], Marks]) -> Marks:
        parts = [
            asked(part, len(part) // self.width) for part in _batches(words, at.BATCH * self.width)
        ]
        return np.concatenate(parts) if parts else np.zeros(0, np.bool_)

    def _first_again(self, words: Words, of_states: bool, topic: int) -> Marks:
        """Only the first that settles a topic is told, so what follows it is asked once more."""
        count, begin = len(words) // self.width, 0
        marks: Marks = np.zeros(count, np.bool_)
        first = self._of_states if of_states else self._of_steps
        while begin < count:
            size = min(at.BATCH, count - begin)
            first[:] = at.CLOSED
            first[topic] = at.OPEN
            address = words.ctypes.data + begin * self.width * 8
            if of_states:
                self._ask(address, size, first.ctypes.data)
            else:
                self._steps(address, size)
            settled = int(first[topic])
            if settled == at.OPEN:
                begin += size
                continue
            begin += settled if of_states else settled // at.RULES_MAX
            marks[begin] = True
            begin += 1
        return marks

    def _steps(self, address: int, size: int) -> int:
        arrays = self._out, self._leaves, self._starts, self._of_steps
        return int(self._expand(address, size, *(each.ctypes.data for each in arrays)))

    def _states_of_steps(self, size: int) -> NDArray[np.int64]:
        """The state, in the batch, of each of its steps."""
        rows = self._starts.reshape(self._chunks, at.BATCH + 1)[:, : size + 1]
        states = np.arange(size, dtype=np.int64)
        return np.concatenate([np.repeat(states, np.diff(row)) for row in rows])

    def _faulty(self, words: Words, size: int) -> Marks:
        self._of_steps[:] = at.CLOSED
        total = self._steps(words.ctypes.data, size)
        marks: Marks = np.zeros(size, np.bool_)
        marks[self._states_of_steps(size)[self._leaves[:total] >= at.FAULT_BIT]] = True
        return marks

    def _stuck(self, words: Words, size: int) -> Marks:
        self._of_steps[:] = at.CLOSED
        total = self._steps(words.ctypes.data, size)
        states = self._states_of_steps(size)
        before = words.reshape(size, self.width)[states]
        after = self._out[: total * self.width].reshape(total, self.width)
        leaves = self._leaves[:total]
        changes = (before != after).any(axis=1) | (leaves >= at.FAULT_BIT)
        is_going_on = changes & self._makes_progress[leaves & (at.FAULT_BIT - 1)]
        marks: Marks = np.ones(size, np.bool_)
        marks[states[is_going_on]] = False
        for state in np.flatnonzero(marks).tolist():
            address = words.ctypes.data + state * self.width * 8
            marks[state] = self._is_stuck(address) != 0
        return marks


def _batches(words: Words, size: int) -> Iterator[Words]:
    for begin in range(0, len(words), size):
        yield words[begin : begin + size]
