"""The edges of the state graph, kept while it is searched: what liveness reads."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from checker.search.state_graph.fairness import Fair
from checker.search.state_graph.graph import numbers
from checker.search.state_graph.leaves import Leaf
from model.expressions import Expression
from model.semantics import blocking_bounds, evaluate
from model.system import State

from .columns import Rows
from .steps import Batch, Machine

if TYPE_CHECKING:
    from .walk import Search

#: Questions are asked of so many states side by side.
STATES_IN_PART = 1 << 16


class KeptEdges:
    """Edges by the state that they start from; `faulty` has leaves that are faults, by state."""

    def __init__(self) -> None:
        self.starts = array("q", [0])
        self.targets, self.taken = numbers(), numbers()
        self.faulty: dict[int, list[int]] = {}

    def append(self, batch: Batch, begin: int, targets: Sequence[int]) -> None:
        """The steps of the next states."""
        counts = np.bincount(batch.states, minlength=len(batch.rows))
        self.starts.extend((len(self.targets) + np.cumsum(counts)).tolist())
        self.targets.extend(targets)
        self.taken.extend(batch.leaves.tolist())
        for state, leaf in batch.faults:
            self.faulty.setdefault(begin + state, []).append(leaf)

    def graph(self, search: Search) -> Kept:
        """The graph of a search that is complete."""
        initial = len(dict.fromkeys(search.system.initial))
        return Kept(
            search.leaves,
            Decoded(search),
            initial,
            self.starts,
            self.targets,
            self.taken,
            self.faulty,
        )


class Decoded(Sequence[State]):
    """The states by their numbers, unpacked one at a time."""

    def __init__(self, search: Search) -> None:
        self.search = search

    def __len__(self) -> int:
        return self.search.states

    def __getitem__(self, number: int) -> State:  # type: ignore[override]
        if not 0 <= number < self.search.states:
            raise IndexError(number)
        return self.search.state(number)

    def rows(self, begin: int, end: int) -> Rows:
        """The same, packed."""
        return self.search.rows(begin, min(end, self.search.states))


@dataclass(frozen=True)
class Kept:
    """All edges: those of state `i` from `starts[i]` up to `starts[i + 1]`."""

    leaves: Sequence[Leaf]
    states: Decoded
    initial: int
    starts: Sequence[int]
    targets: Sequence[int]
    taken: Sequence[int]
    faulty: Mapping[int, Sequence[int]]

    def edges(self, position: int) -> range:
        """The edges of a state, in rule order."""
        return range(self.starts[position], self.starts[position + 1])

    def successors(self, position: int) -> Sequence[int]:
        """The states after one step, itself too where a step changes nothing."""
        return self.targets[self.starts[position] : self.starts[position + 1]]


class KeptFair(Fair):
    """Fairness on the kept graph. Questions are asked of many states at once."""

    def __init__(self, machine: Machine, graph: Kept) -> None:
        super().__init__(machine.system, graph, _Asking(machine))
        self.machine = machine
        self.kept = graph

    def where(self, question: Expression) -> bytearray:
        """Marks the states where the question is true."""
        marks, states = bytearray(), len(self.kept.states)
        for begin in range(0, states, STATES_IN_PART):
            rows = self.kept.states.rows(begin, begin + STATES_IN_PART)
            marks += self.machine.columns(rows).truth(question).astype(np.uint8).tobytes()
        return marks

    def holds_among(self, question: Expression, states: Iterable[int]) -> bool:
        """Whether the question is true in one of these states."""
        marks = self.where(question)
        return any(marks[state] for state in states)


class _Asking:
    """What is asked about single states, answered by the definition."""

    def __init__(self, machine: Machine) -> None:
        self.system = machine.system
        self._rule_of = {id(rule): number for number, rule in enumerate(machine.system.rules)}

    def bounds(self, state: State) -> Sequence[tuple[int, str]]:
        found = blocking_bounds(self.system, state)
        return [(self._rule_of[id(rule)], bound) for rule, bound in found]

    def state_test(self, questions: Sequence[Expression]) -> Callable[[State], Sequence[int]]:
        return lambda state: [i for i, each in enumerate(questions) if evaluate(each, state)]


__all__ = ["Kept", "KeptEdges", "KeptFair"]
