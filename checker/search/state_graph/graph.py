"""The state graph of a breadth-first search: states in the order found, their parents, the edges.

The order is canonical. Initial states come in the system's order, states are expanded in the order
found, and rules are taken in their order. The first step that reaches a state determines its
parent. So the path to a state is the least of the shortest paths, by initial state and then rule by
rule.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from finale.model.system import Blocked, Fault, State, System, Update, leaves
from finale.model.trace import Trace


@dataclass(frozen=True)
class Leaf:
    """A leaf of the decision tree of a ground rule that is not blocked: an update or a fault."""

    rule: int
    end: Update | Fault


LeafNumbers = dict[tuple[int, int], int]
"""The number of each leaf, by its rule and its identity."""


def numbered(system: System) -> tuple[tuple[Leaf, ...], LeafNumbers]:
    """Return the leaves in rule order, `yes` before `no`, and their numbers."""
    found = tuple(
        Leaf(index, end)
        for index, rule in enumerate(system.rules)
        for end in leaves(rule.tree)
        if not isinstance(end, Blocked)
    )
    return found, {(leaf.rule, id(leaf.end)): number for number, leaf in enumerate(found)}


Path = list[tuple[int, int]]
"""States, each with the leaf that led there (-1 for the first of a run)."""

#: Whether a run has met the cause: it may still meet it, or it has and the goal is due.
BEFORE, SINCE = 1, 2


class Edges(Protocol):
    """The complete state graph, as liveness reads it. `StateGraph` explains the attributes."""

    @property
    def leaves(self) -> Sequence[Leaf]: ...
    @property
    def states(self) -> Sequence[State]: ...
    @property
    def initial(self) -> int: ...
    @property
    def targets(self) -> Sequence[int]: ...
    @property
    def taken(self) -> Sequence[int]: ...
    @property
    def faulty(self) -> Mapping[int, Sequence[int]]: ...
    def edges(self, position: int) -> range: ...
    def successors(self, position: int) -> Sequence[int]: ...


def numbers() -> array[int]:
    """Return a growing sequence of state or leaf numbers, 4 bytes each."""
    return array("i")


@dataclass
class StateGraph:
    """The part of the state graph that was seen. Edges are kept only if `keeps_edges`.

    The first `initial` states are the initial ones. `starts[i]` is the first edge of state `i`;
    edge `e` takes leaf `taken[e]` to state `targets[e]`. `faulty` has the leaves that are faults,
    by state.
    """

    leaves: tuple[Leaf, ...]
    keeps_edges: bool
    states: list[State] = field(default_factory=list[State])
    index: dict[State, int] = field(default_factory=dict[State, int])
    parents: array[int] = field(default_factory=numbers)
    parent_leaves: array[int] = field(default_factory=numbers)
    starts: array[int] = field(default_factory=numbers)
    targets: array[int] = field(default_factory=numbers)
    taken: array[int] = field(default_factory=numbers)
    faulty: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    initial: int = 0

    def edges(self, position: int) -> range:
        """Return the edges of a state, in rule order."""
        return range(self.starts[position], self.starts[position + 1])

    def successors(self, position: int) -> array[int]:
        """Return the states after one step; itself too, if a step changes nothing."""
        return self.targets[self.starts[position] : self.starts[position + 1]]

    def rule(self, edge: int) -> int:
        """Return the ground rule that an edge takes."""
        return self.leaves[self.taken[edge]].rule

    def trace_to(self, position: int) -> Trace:
        """Return the least shortest run to a state."""
        states = [self.states[position]]
        rules: list[int] = []
        while self.parents[position] >= 0:
            rules.append(self.leaves[self.parent_leaves[position]].rule)
            position = self.parents[position]
            states.append(self.states[position])
        return Trace(tuple(reversed(states)), tuple(reversed(rules)))


def stem(
    graph: Edges, causes: bytearray, pending: bytearray, ends: bytearray, at_once: bool
) -> Path:
    """Return the least shortest run into `ends` that meets a cause and then stays in `pending`.

    Causes are pending states. If `at_once`, only the initial state of a run can be its cause. Runs
    are tried by length, then by initial state and rule by rule. A state is tried at most twice: on
    the first run there, and on the first run that has met a cause if that one had not, or vice
    versa.
    """
    seen = bytearray(len(graph.states))
    tried: list[tuple[int, int, int, int]] = []  # state, phases, position before, leaf

    def reach(state: int, phases: int, before: int, leaf: int) -> bool:
        if causes[state] and phases & BEFORE:
            phases |= SINCE
        if not pending[state]:
            phases &= ~SINCE
        phases &= ~seen[state]
        if phases:
            seen[state] |= phases
            tried.append((state, phases, before, leaf))
        return bool(phases & SINCE and ends[state])

    def back() -> Path:
        found: Path = []
        position = len(tried) - 1
        while position >= 0:
            state, _, position, leaf = tried[position]
            found.append((state, leaf))
        return found[::-1]

    for state in range(graph.initial):
        phases = BEFORE if not at_once else SINCE if causes[state] else 0
        if reach(state, phases, -1, -1):
            return back()
    for position, (state, phases, _, _) in enumerate(tried):  # it grows while it is read
        for edge in graph.edges(state):
            if reach(graph.targets[edge], phases, position, graph.taken[edge]):
                return back()
    raise AssertionError("no run leads into states that were reached")


def extended(path: Trace, leaf: Leaf, after: State | None) -> Trace:
    """Return a run with one more step: to a state, or into the fault of the leaf."""
    if after is None:
        assert isinstance(leaf.end, Fault)
        return Trace(path.states, (*path.rules, leaf.rule), fault=leaf.end)
    return Trace((*path.states, after), (*path.rules, leaf.rule))
