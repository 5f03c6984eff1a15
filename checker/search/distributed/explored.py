"""What verdicts read of a distributed search that has ended."""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from finale.checker.search.limits import LimitHit, Limits, SearchClock
from finale.checker.search.native.finished import first_step
from finale.checker.search.native.machine import NativeMachine
from finale.checker.search.native.search import dead_branches, exercised
from finale.checker.search.state_graph.fairness import Fair
from finale.checker.search.state_graph.graph import Leaf
from finale.checker.search.state_graph.questions import FAULTS, Asked, Occurrence, Topic, first_true
from finale.checker.search.state_graph.verdicts import verdicts_of
from finale.checker.search.verdict import Report, Statistics
from finale.model.system import System
from finale.model.trace import Trace

from .backwards import Backwards
from .bucket import DEADLOCK, FAULT
from .search import Spread

NO_GRAPH = "a search that is spread keeps no state graph"
NOT_LEAST = "too many states lie on shortest runs: a trace told may not be the least of them"


class Explored:
    """What a distributed search has found. The numbers of states are those of their runs."""

    def __init__(self, machine: NativeMachine, spread: Spread) -> None:
        self.machine, self.spread = machine, spread
        self.stopped, self.stopped_after = spread.stopped, ""
        self.clock = SearchClock(Limits(), None)
        manifest = spread.manifest
        self.visited: NDArray[np.uint8] = _flags(manifest.visited)
        self.seen: NDArray[np.uint8] = _flags(manifest.seen)
        self._backwards = Backwards(machine, spread.folder)
        self._runs: list[Trace] = []

    @property
    def system(self) -> System:
        return self.machine.system

    @property
    def leaves(self) -> Sequence[Leaf]:
        return self.machine.leaves

    @property
    def statistics(self) -> Statistics:
        return self.spread.statistics

    @property
    def fair(self) -> Fair:
        raise LimitHit(NO_GRAPH)

    @property
    def deadlock(self) -> int | None:
        return self._numbers.get(DEADLOCK)

    def look(self) -> None:
        """Do nothing: no long work is left."""

    def trace_to(self, position: int) -> Trace:
        return self._runs[position]

    # --- findings --------------------------------------------------------------------------------

    @cached_property
    def _named(self) -> dict[str, Topic]:
        """The topics by the names that owners of states call them."""
        topics = self.machine.topics
        named = {f"s{place}": topic for place, topic in enumerate(topics.in_states)}
        return named | {f"t{place}": topic for topic, place in topics.on_steps.items()}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The numbers of the states that runs lead to: of all but what is not told by a run."""
        first = self.spread.manifest.first
        goals = {
            name: level
            for name, level in first.items()
            if name not in self._named or self._named[name][0] is not Asked.WHEN
        }
        numbers: dict[str, int] = {}
        for name, run in self._backwards.runs(goals).items():
            numbers[name] = len(self._runs)
            self._runs.append(run)
        return numbers

    @property
    def findings(self) -> Mapping[Topic, Occurrence]:
        """The first occurrence of each topic that has one."""
        return self._findings

    @cached_property
    def _findings(self) -> Mapping[Topic, Occurrence]:
        found: dict[Topic, Occurrence] = {}
        places: dict[Topic, tuple[int, tuple[int, ...]]] = {}
        for topic, place, finding in self._all_found():
            if topic not in found or place < places[topic]:
                found[topic], places[topic] = finding, place
        return found

    def _all_found(self) -> Iterator[tuple[Topic, tuple[int, tuple[int, ...]], Occurrence]]:
        """Each finding with its topic, and its place: how long its run is, and which one."""
        for name, level in self.spread.manifest.first.items():
            if name == DEADLOCK:
                continue
            topic = self._named.get(name, FAULTS)
            if topic[0] is Asked.WHEN:
                yield topic, (level, ()), Occurrence((level, 0, -1), 0)
                continue
            finding = self._in_state(name, topic, level)
            if name == FAULT or name[0] == "t":
                finding = self._on_step(name, topic, level)
            yield topic, (finding.place[0], self._path(finding)), finding

    def _path(self, finding: Occurrence) -> tuple[int, ...]:
        """The initial state and the rules of its run: runs that are found earlier have lesser."""
        run = self._runs[finding.state]
        last = () if finding.leaf is None else (self.leaves[finding.leaf].rule,)
        return (self.machine.initial.index(run.states[0]), *run.rules, *last)

    def _in_state(self, name: str, topic: Topic, level: int) -> Occurrence:
        number = self._numbers[name]
        questions = self.machine.topics.in_states.get(topic, [])
        asked = first_true(questions, self._runs[number].states[-1])
        return Occurrence(
            (level, number, -1), number, binding=asked.predicate.binding if asked else ()
        )

    def _on_step(self, name: str, topic: Topic, level: int) -> Occurrence:
        number = self._numbers[name]
        state = self._runs[number].states[-1]
        step = first_step(self.machine, state, topic, is_fault=name == FAULT)
        assert step is not None, "what was seen in a state is seen in it again"
        return replace(step, place=(level + 1, number, step.place[2]), state=number)

    # --- the report ------------------------------------------------------------------------------

    def report(self) -> Report:
        """Return the report on all properties."""
        verdicts = verdicts_of(self)
        remarks = () if self._backwards.is_least else (NOT_LEAST,)
        return Report(
            "spread",
            verdicts,
            self.statistics,
            dead_branches=() if self.stopped else dead_branches(self),
            stopped=self.stopped or self.stopped_after,
            exercised=frozenset(exercised(self)),
            memory=self.spread.memory,
            remarks=remarks,
        )


def _flags(digits: str) -> NDArray[np.uint8]:
    return np.frombuffer(bytes.fromhex(digits), np.uint8)
