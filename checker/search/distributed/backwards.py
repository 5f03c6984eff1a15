"""Finds shortest runs in the levels of a distributed search: marks backwards, then runs forwards.

For each goal, the search marks the states on shortest runs to it: the states of the goal's level
that settle it, the states of the level before with a step to one of these, and so on. The run that
begins in the first marked initial state, and always takes the first rule into a marked state, is
the least of all shortest runs. The search in one process shows the same run.
"""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from finale.checker.search.native.layout import Words
from finale.checker.search.native.loops import loops
from finale.checker.search.native.machine import NativeMachine
from finale.checker.search.native.tables import Tables
from finale.checker.search.native.workers import SearchThread
from finale.model.semantics import outcome, updated
from finale.model.system import State, Update
from finale.model.trace import Trace

from .files import LEVELS, SearchFolder
from .program import CompiledProgram, program_of
from .settling import Settling

#: Goals that are looked for at once: a mask is a signed word.
GOALS_MAX = 62
#: More marked states of one level are not kept: runs are then shortest ones, and maybe not least.
MARKED_MAX = 1 << 21

Goals = Mapping[str, int]
"""What is looked for, named as in `bucket.py`, each with its level."""


@dataclass(frozen=True)
class MarkedStates:
    """States of one level, one in each row, with the goals that each is marked for."""

    states: Words
    masks: NDArray[np.int64]

    def index(self) -> dict[bytes, int]:
        """Return the masks by states."""
        rows = (row.tobytes() for row in self.states)
        return dict(zip(rows, self.masks.tolist(), strict=True))


class Backwards:
    """Finds runs in the levels of a folder. `is_least` tells whether they are the least ones."""

    def __init__(self, machine: NativeMachine, folder: SearchFolder) -> None:
        self.machine, self.folder = machine, folder
        self.width = machine.layout.width
        self.is_least = True
        self._settling = Settling(machine)
        self._code = CompiledProgram(program_of(machine), level=0)

    def runs(self, goals: Goals) -> dict[str, Trace]:
        """A least shortest run to each goal."""
        found: dict[str, Trace] = {}
        names = sorted(goals, key=lambda name: (goals[name], name))
        for begin in range(0, len(names), GOALS_MAX):
            some = {name: goals[name] for name in names[begin : begin + GOALS_MAX]}
            found |= self._forwards(some, self._marked(some))
        return found

    # --- backwards -------------------------------------------------------------------------------

    def _states(self, level: int) -> Iterator[Words]:
        for owner, chunks in enumerate(self.folder.chunks(LEVELS, level)):
            yield from self.folder.read(LEVELS, level, owner, self.width, chunks, None)

    def _marked(self, goals: Goals) -> list[MarkedStates]:
        """The marked states, by level."""
        marked: list[MarkedStates] = []
        after: MarkedStates | None = None
        for level in range(max(goals.values(), default=-1), -1, -1):
            after = self._marked_at(level, goals, after)
            marked.append(after)
        return marked[::-1]

    def _marked_at(self, level: int, goals: Goals, after: MarkedStates | None) -> MarkedStates:
        leading = None if after is None else Leading(self._code, after)
        states, masks = list[Words](), list[NDArray[np.int64]]()
        for words in self._states(level):
            found: NDArray[np.int64] = np.zeros(len(words) // self.width, np.int64)
            if leading is not None:
                found |= leading.masks(words)
            for bit, (name, at_level) in enumerate(goals.items()):
                if at_level == level:
                    found[self._settling.where(name, words)] |= 1 << bit
            states.append(words.reshape(-1, self.width)[found != 0])
            masks.append(found[found != 0])
        return self._not_too_many(np.concatenate(states), np.concatenate(masks))

    def _not_too_many(self, states: Words, masks: NDArray[np.int64]) -> MarkedStates:
        if len(masks) > MARKED_MAX:
            self.is_least = False
            kept = np.zeros(len(masks), np.bool_)
            kept[:MARKED_MAX] = True
            for bit in range(GOALS_MAX):  # each goal keeps one that leads to it
                kept[np.flatnonzero(masks >> bit & 1)[:1]] = True
            states, masks = states[kept], masks[kept]
        return MarkedStates(np.ascontiguousarray(states), masks)

    # --- forwards --------------------------------------------------------------------------------

    def _forwards(self, goals: Goals, marked: list[MarkedStates]) -> dict[str, Trace]:
        states = {name: list[State]() for name in goals}
        rules = {name: list[int]() for name in goals}
        for level, each in enumerate(marked):
            index = each.index()
            for bit, (name, last) in enumerate(goals.items()):
                if level <= last:
                    before = states[name][-1] if level else None
                    rule, state = self._next(before, index, 1 << bit)
                    states[name].append(state)
                    rules[name] += [rule] if level else []
        return {name: Trace(tuple(states[name]), tuple(rules[name])) for name in goals}

    def _next(
        self, before: State | None, index: Mapping[bytes, int], goal: int
    ) -> tuple[int, State]:
        for rule, state in self._steps(before):
            words = np.array(self.machine.layout.encode(state), np.uint64)
            if index.get(words.tobytes(), 0) & goal:
                return rule, state
        raise AssertionError("a marked state has a step to one of the next level")

    def _steps(self, before: State | None) -> Iterator[tuple[int, State]]:
        """The steps from a state in rule order; without one, the initial states."""
        if before is None:
            yield from ((-1, state) for state in self.machine.initial)
            return
        for number, rule in enumerate(self.machine.system.rules):
            end = outcome(rule.tree, before)
            if isinstance(end, Update):
                yield number, updated(end, before)


class Leading:
    """Tells which states have steps to marked states, and for which goals."""

    def __init__(self, code: CompiledProgram, marked: MarkedStates) -> None:
        self._block, self._loops = code.block(), loops()
        self._tables = Tables(code.program.width, self._block, self._loops)
        self._worker = SearchThread(code.program.sizes, self._tables)
        self._tables.append(marked.states.reshape(-1))
        self._known, self._marked = len(marked.masks), marked

    def masks(self, words: Words) -> NDArray[np.int64]:
        """For which goals each of these states is marked."""
        width, begin = self._tables.width, self._known
        count = len(words) // width
        self._tables.grow(begin + count)
        self._tables.store[begin * width : (begin + count) * width] = words
        found: NDArray[np.int64] = np.zeros(count, np.int64)
        arrays = self._marked.masks.ctypes.data, found.ctypes.data
        address, worker = self._block.ctypes.data, self._worker.address
        self._loops.leads_into(address, worker, begin, begin + count, *arrays)
        return found
