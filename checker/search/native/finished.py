"""What verdicts read of a native search that has ended: first answers, traces and fair runs.

All of them are those of the readable search. The native search keeps no parents: to find the parent
of a state, the level before the state is expanded again until the state turns up.
"""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from finale.checker.search.limits import LimitHit, SearchClock
from finale.checker.search.state_graph.fairness import Fair
from finale.checker.search.state_graph.graph import Leaf
from finale.checker.search.state_graph.questions import FAULTS, Occurrence, Topic, first_true
from finale.checker.search.verdict import Statistics
from finale.model.semantics import outcome, updated
from finale.model.system import Fault, State, System, Update
from finale.model.trace import Trace

from .breadth_first import NativeSearch
from .graph import StoredFair, edges_of
from .kernel import places as at
from .machine import NativeMachine
from .storage import Storage

#: An antecedent is true in a chain of single steps: it has no numbered state.
IN_CHAIN = Occurrence((sys.maxsize, -1, -1), -1)


class FinishedSearch:
    """What verdicts read of a native search that has ended."""

    def __init__(self, search: NativeSearch) -> None:
        self.search, self.machine = search, search.machine
        self.stopped, self.stopped_after = search.stopped, ""
        self._parents: dict[int, tuple[int, int]] = {}

    @property
    def system(self) -> System:
        return self.machine.system

    @property
    def leaves(self) -> Sequence[Leaf]:
        return self.machine.leaves

    @property
    def clock(self) -> SearchClock:
        return self.search.clock

    @property
    def deadlock(self) -> int | None:
        found = int(self.search.block[at.DEADLOCK])
        return found if found >= 0 else None

    @property
    def statistics(self) -> Statistics:
        return self.search.statistics

    @property
    def fair(self) -> Fair:
        """The fairness of the system, on its complete state graph. Raises LimitHit."""
        return self._fair

    @cached_property
    def _fair(self) -> Fair:
        if self.search.storage is Storage.HASHED:
            raise LimitHit("hashed storage keeps no state graph")
        return StoredFair(self.search, edges_of(self.search))

    def look(self) -> None:
        """Report the progress. Raises LimitHit when the time is over."""
        self.search.look()

    # --- findings --------------------------------------------------------------------------------

    @property
    def findings(self) -> Mapping[Topic, Occurrence]:
        """The first occurrence of each topic that has one."""
        return self._findings

    @cached_property
    def _findings(self) -> Mapping[Topic, Occurrence]:
        findings: dict[Topic, Occurrence] = {}
        for topic, finding in self._found():
            known = findings.get(topic)
            if known is None or finding.place < known.place:
                findings[topic] = finding
        return findings

    def _found(self) -> Iterator[tuple[Topic, Occurrence]]:
        search, topics = self.search, self.machine.topics
        for topic, number in zip(topics.in_states, search.state_found.tolist(), strict=True):
            if number >= 0:
                yield topic, self._in_state(topic, number)
            elif number == at.IN_CHAIN:
                yield topic, IN_CHAIN
        for topic, place in topics.on_steps.items():
            if search.step_found[place] >= 0:
                yield (
                    topic,
                    self._on_step(
                        topic, int(search.step_base[place]), int(search.step_found[place])
                    ),
                )
            elif search.step_found[place] == at.IN_CHAIN:
                yield topic, IN_CHAIN
        position, leaf = int(search.block[at.FAULT_STATE]), int(search.block[at.FAULT_LEAF])
        if position >= 0:
            length = search.tables.level_of(position) + 1
            yield FAULTS, Occurrence((length, position, self.leaves[leaf].rule), position, leaf)

    def _in_state(self, topic: Topic, number: int) -> Occurrence:
        # Where a state was found from decides only between a state and a step, both at fault.
        before = self.parent(number) if topic == FAULTS else None
        position, leaf = before if before is not None else (number, -1)
        rule = self.leaves[leaf].rule if leaf >= 0 else -1
        place = (self.search.tables.level_of(number), position, rule)
        asked = first_true(self.machine.topics.in_states[topic], self.search.state(number))
        assert asked is not None, "the loops found a question true that is not"
        return Occurrence(place, number, binding=asked.predicate.binding)

    def _on_step(self, topic: Topic, base: int, key: int) -> Occurrence:
        position, rule = base + key // at.RULES_MAX, key % at.RULES_MAX
        state = self.search.state(position)
        end = outcome(self.system.rules[rule].tree, state)
        assert isinstance(end, Update)
        after = updated(end, state)
        place = (self.search.tables.level_of(position) + 1, position, rule)
        asked = first_true(self.machine.topics.of_rule[rule][topic], state, after)
        assert asked is not None, "the loops found a question true that is not"
        leaf = self.machine.numbers[rule, id(end)]
        return Occurrence(place, position, leaf, after, asked.predicate.binding)

    # --- runs ------------------------------------------------------------------------------------

    def trace_to(self, position: int) -> Trace:
        """Return the least shortest run to a state."""
        states, rules = [self.search.state(position)], list[int]()
        while (before := self.parent(position)) is not None:
            number, (position, leaf) = position, before
            passed, leaves = self._chain(position, leaf, number)
            rules += [self.leaves[each].rule for each in reversed([leaf, *leaves])]
            states += [*reversed(passed), self.search.state(position)]
        return Trace(tuple(reversed(states)), tuple(reversed(rules)))

    def _chain(self, position: int, leaf: int, number: int) -> tuple[list[State], list[int]]:
        """The states that a step to another state passes, and the leaves that lead on from them."""
        search, layout = self.search, self.machine.layout
        passed, leaves = list[State](), list[int]()
        if self.machine.order is None:
            return passed, leaves
        end = self.leaves[leaf].end
        assert isinstance(end, Update)
        state = self.machine.rewritten(updated(end, search.state(position)))
        goal = search.state(number)
        words = np.array(layout.encode(state), np.uint64)
        while state != goal:
            passed.append(state)
            worker = search.workers.first.address
            after = search.loops.go_along(search.address, worker, words.ctypes.data)
            assert after >= 0, "a chain leads to a state that is stored"
            leaves.append(int(after))
            state = layout.decode([int(word) for word in words])
        return passed, leaves

    def parent(self, number: int) -> tuple[int, int] | None:
        """Return the first state with a step to this one, and the leaf; None if it is initial."""
        search = self.search
        level = search.tables.level_of(number)
        if not level:
            return None
        if number not in self._parents:
            begin, end = search.tables.parents_of(number)
            found = np.zeros(2, np.int64)
            worker = search.workers.first.address
            is_found = search.loops.find_step(
                search.address, worker, begin, end, number, found.ctypes.data
            )
            assert is_found, "every state after the first level was reached from the level before"
            self._parents[number] = int(found[0]), int(found[1])
        return self._parents[number]


def first_step(
    machine: NativeMachine, state: State, topic: Topic, is_fault: bool
) -> Occurrence | None:
    """Return the first step of a state that settles a topic or, with `is_fault`, is a fault.

    The occurrence has the rule, but no number of the state and no length.
    """
    for rule, ground in enumerate(machine.system.rules):
        end = outcome(ground.tree, state)
        if is_fault and isinstance(end, Fault):
            return Occurrence((0, 0, rule), 0, machine.numbers[rule, id(end)])
        if not is_fault and isinstance(end, Update):
            after = updated(end, state)
            asked = first_true(machine.topics.of_rule[rule].get(topic, []), state, after)
            if asked is not None:
                leaf, binding = machine.numbers[rule, id(end)], asked.predicate.binding
                return Occurrence((0, 0, rule), 0, leaf, after, binding)
    return None
