"""Builds the complete state graph after a native search, for the judgement of liveness."""

from __future__ import annotations

# What numba, llvmlite and scipy give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import cast

import numpy as np
from numpy.typing import NDArray

from checker.search.limits import LimitHit
from checker.search.state_graph.fairness import Fair
from checker.search.state_graph.leaves import Leaf
from checker.search.state_graph.liveness import questions_of
from model.expressions import Expression
from model.system import State

from .breadth_first import NativeSearch
from .code import MachineCode
from .lower import question_source
from .machine import NativeMachine
from .tables import Tables

#: Edges lead to states by numbers of 31 bits, and scipy counts them in such.
EDGES_MAX = 2**31 - 1
#: What scipy takes for each edge while it looks for components, measured.
BYTES_OF_COMPONENTS = 27
#: For fewer states scipy takes longer to load than Python's loops take.
STATES_WORTH_SCIPY = 3_000
#: Between two looks at the clock.
STATES_BETWEEN_LOOKS = 1 << 15


class Decoded(Sequence[State]):
    """The states by their numbers, unpacked one at a time."""

    def __init__(self, machine: NativeMachine, tables: Tables, count: int) -> None:
        self._machine, self._tables, self._count = machine, tables, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> State:  # type: ignore[override]
        if not 0 <= number < self._count:
            raise IndexError(number)
        return self._machine.layout.decode(self._tables.words(number))


@dataclass(frozen=True)
class Stored:
    """All edges: those of state `i` from `first_edge[i]` up to `first_edge[i + 1]`."""

    leaves: Sequence[Leaf]
    states: Sequence[State]
    initial: int
    first_edge: NDArray[np.int64]
    target: NDArray[np.int32]
    leaf: NDArray[np.int32]
    faulty: Mapping[int, Sequence[int]]

    @property
    def targets(self) -> Sequence[int]:
        """The states after the edges."""
        return cast(Sequence[int], self.target.data)

    @property
    def taken(self) -> Sequence[int]:
        """The leaves that the edges take."""
        return cast(Sequence[int], self.leaf.data)

    def edges(self, position: int) -> range:
        """Return the edges of a state, in rule order."""
        return range(int(self.first_edge[position]), int(self.first_edge[position + 1]))

    def successors(self, position: int) -> Sequence[int]:
        """Return the states after one step, itself too where a step changes nothing."""
        edges = self.edges(position)
        return self.targets[edges.start : edges.stop]


def edges_of(search: NativeSearch) -> Stored:
    """Return the state graph of a complete search. Raises LimitHit."""
    tables = search.tables
    states, transitions = search.statistics.states, search.statistics.transitions
    if max(states, transitions) > EDGES_MAX:
        raise LimitHit(f"a state graph has at most {EDGES_MAX} states and edges")
    tables.claim((states + 1) * 8 + transitions * 8)
    first_edge = np.zeros(states + 1, np.int64)
    target, leaf = np.empty(transitions, np.int32), np.empty(transitions, np.int32)
    faulty, faults, begin = np.empty((1024, 2), np.int64), 0, 0
    while begin < states:
        search.look()
        end = min(begin + STATES_BETWEEN_LOOKS, states)
        arrays = np.array(
            [*(each.ctypes.data for each in (first_edge, target, leaf, faulty)), len(faulty)]
        )
        found = search.loops.edges(
            search.address, search.workers.first.address, begin, end, arrays.ctypes.data, faults
        )
        if found > len(faulty):
            faulty = np.concatenate([faulty, np.empty((2 * found, 2), np.int64)])
            continue  # once more, with room for the faults
        faults, begin = int(found), end
    at_fault: dict[int, list[int]] = {}
    for state, number in faulty[:faults].tolist():
        at_fault.setdefault(state, []).append(number)
    decoded = Decoded(search.machine, tables, states)
    initial = int(tables.levels[1])
    return Stored(search.machine.leaves, decoded, initial, first_edge, target, leaf, at_fault)


def where(search: NativeSearch, question: Expression) -> bytearray:
    """Mark the states found in which the question is true."""
    marks = bytearray(search.statistics.states)
    code = MachineCode(question_source(search.machine.layout, question, "question"), 0)
    [address] = code.addresses(["question"])
    view = np.frombuffer(marks, np.uint8)
    search.loops.mark(search.address, search.workers.first.address, address, view.ctypes.data)
    return marks


class StoredFair(Fair):
    """Fairness on the stored graph; questions about all states are answered at once."""

    def __init__(self, search: NativeSearch, graph: Stored) -> None:
        super().__init__(search.machine.system, graph, search.machine)
        self.search = search
        self.stored = graph
        self._codes: list[MachineCode] = []
        self._addresses: dict[Expression, int] = {}

    @cached_property
    def loops(self) -> list[list[int]]:
        """The components of the whole graph that have more than one state."""
        if len(self.stored.states) < STATES_WORTH_SCIPY:
            return super().loops
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        graph, count = self.stored, len(self.stored.states)
        self.search.tables.claim(BYTES_OF_COMPONENTS * len(graph.target))
        ones = np.ones(len(graph.target), np.int8)
        matrix = csr_array((ones, graph.target, graph.first_edge), shape=(count, count))
        _, labels = connected_components(matrix, directed=True, connection="strong")
        sizes = np.bincount(labels)
        looping = np.flatnonzero(sizes[labels] > 1)
        order = looping[np.argsort(labels[looping], kind="stable")]
        borders = np.flatnonzero(np.diff(labels[order])) + 1
        return [part.tolist() for part in np.split(order, borders) if len(part)]

    @cached_property
    def resting(self) -> list[int]:
        """The states outside of loops in which no fair key is enabled."""
        graph = self.stored
        is_fair = np.array([self.key[leaf.rule] != 0 for leaf in graph.leaves], np.uint8)
        marks = np.zeros(len(graph.states), np.uint8)
        arrays = graph.first_edge, graph.target, graph.leaf, is_fair, marks
        addresses = (each.ctypes.data for each in arrays)
        self.search.loops.takes_fair_step(len(graph.states), *addresses)
        for state, leaves in graph.faulty.items():
            if any(is_fair[leaf] for leaf in leaves):
                marks[state] = 1
        for loop in self.loops:
            marks[loop] = 1
        found: list[int] = np.flatnonzero(marks == 0).tolist()
        return found

    def holds_among(self, question: Expression, states: Iterable[int]) -> bool:
        """Return whether the question is true in one of these states."""
        marks = np.frombuffer(self.where(question), np.uint8)
        if isinstance(states, range):
            return bool(marks[states.start : states.stop].any())
        return bool(marks[np.fromiter(states, np.int64)].any())

    def where(self, question: Expression) -> bytearray:
        """Mark the states in which the question is true."""
        marks = bytearray(len(self.stored.states))
        search, address = self.search, self._address(question)
        view = np.frombuffer(marks, np.uint8)
        worker = search.workers.first.address
        search.loops.mark(search.address, worker, address, view.ctypes.data)
        return marks

    def _address(self, question: Expression) -> int:
        """Where the code of a question is; the first that is asked for brings all others along."""
        if question not in self._addresses:
            expected = () if self._codes else questions_of(self.system)
            questions = list(dict.fromkeys([question, *expected]))
            layout = self.search.machine.layout
            names = [f"question{number}" for number in range(len(questions))]
            functions = map(question_source, repeat(layout), questions, names)
            code = MachineCode("\n".join(functions), 0)
            self._codes.append(code)
            self._addresses |= zip(questions, code.addresses(names), strict=True)
        return self._addresses[question]

    def reached(self, causes: bytearray, pending: bytearray) -> bytearray:
        """Mark the states that are reachable from causes through pending states only."""
        marks = bytearray(causes)
        graph, queue = self.stored, np.empty(len(marks), np.int32)
        views = np.frombuffer(pending, np.uint8), np.frombuffer(marks, np.uint8)
        arrays = graph.first_edge, graph.target, *views, queue
        self.search.loops.reach(len(marks), *(each.ctypes.data for each in arrays))
        return marks


__all__ = ["Stored", "StoredFair", "edges_of", "where"]
