"""The native search: breadth-first over packed states, in the order of the readable one.

States are numbered as they are found, expanded in that order, their steps taken in rule order; so
counts, the first answer to each question and every trace are the same. Parents are not kept: they
are found again, level by level, for the few traces that are shown.
"""

from __future__ import annotations

# What numba, llvmlite and scipy give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Mapping, Sequence
from time import perf_counter

import numpy as np

from checker.answer import Statistics
from checker.explicit.leaves import Leaf
from checker.explicit.questions import Finding, Topic
from checker.explicit.search import LimitHit
from checker.question import INTERRUPTED, Limits, Progress
from model.system import State, System
from model.trace import Trace

from . import kernel
from .findings import findings_of
from .graph import StoredFair, edges_of
from .lower import BATCH, OPEN
from .machine import Machine
from .paths import Steps, parent
from .tables import STATES_MAX, Tables

#: Between two looks at the clock: at first this many states, then as many as take so long.
STATES_BETWEEN_LOOKS = 256
SECONDS_BETWEEN_LOOKS = 0.05
#: Progress is told at most once in so many seconds.
SECONDS_BETWEEN_NEWS = 0.1


class Search:
    """A breadth-first search: what it has seen, and how far it is.

    `stopped` says why it did not see all, `stopped_after` why the work after it was cut short.
    """

    def __init__(self, machine: Machine, limits: Limits, progress: Progress | None) -> None:
        self.machine = machine
        self.limits = limits
        self.progress = progress
        self.stopped = ""
        self.stopped_after = ""
        self.seconds = 0.0
        topics, rules = machine.topics, len(machine.system.rules)
        width, chunks = machine.layout.width, machine.chunks
        self.counts = np.zeros(kernel.COUNTS, np.int64)
        self.counts[[kernel.DEADLOCK, kernel.FAULT_STATE, kernel.FAULT_LEAF]] = -1
        self.state_first = np.full(len(topics.in_states), OPEN, np.int64)
        self.state_found = np.full(len(topics.in_states), -1, np.int64)
        self.step_first = np.full(len(topics.on_steps), OPEN, np.int64)
        self.step_found = np.full(len(topics.on_steps), -1, np.int64)
        self.step_base = np.full(len(topics.on_steps), -1, np.int64)
        self.fresh = np.ones(len(machine.leaves), np.uint8)
        self.visited = np.zeros(len(machine.leaves), np.uint8)
        self.seen = np.zeros(len(machine.branches) + 1, np.uint8)
        self.steps = Steps(width, chunks, BATCH * max(1, rules))
        self._shape = np.array([width, chunks, limits.states_max or STATES_MAX], np.int64)
        self._parents: dict[int, tuple[int, int]] = {}
        self._started = self._told = perf_counter()
        self._tables: Tables | None = None
        self._findings: Mapping[Topic, Finding] | None = None
        self._fair: StoredFair | None = None

    @property
    def tables(self) -> Tables:
        """The states; a search that has no memory at all has not begun."""
        assert self._tables is not None
        return self._tables

    # --- searching -------------------------------------------------------------------------------

    def run(self) -> None:
        """Search until all is seen, a limit is hit, or the user interrupts."""
        try:
            self._tables = Tables(self.machine.layout.width, self.limits.memory_max)
            self._begin()
            self._run()
        except LimitHit as limit:
            self.stopped = str(limit)
        except KeyboardInterrupt:
            self.stopped = INTERRUPTED
        self.seconds = perf_counter() - self._started

    def _begin(self) -> None:
        """The initial states are the first level."""
        tables, layout = self.tables, self.machine.layout
        initial = self.machine.initial
        taken = initial[: self._shape[kernel.STATES_MAX]]
        tables.grow_store(len(taken))
        tables.grow_table(len(taken), 0)
        words = [word for state in taken for word in layout.encode(state)]
        tables.store[: len(words)] = np.array(words, np.uint64)
        kernel.rehash(layout.width, len(taken), tables.store, tables.table)
        self.counts[kernel.STATES] = self.counts[kernel.LEVEL_END] = len(taken)
        tables.levels[1] = len(taken)
        kernel.ask(
            self.machine.code, layout.width, len(taken), tables.store,
            self.state_first, self.state_found,
        )  # fmt: skip
        if len(taken) < len(initial):
            raise LimitHit(f"the limit of {len(taken)} states")

    def _run(self) -> None:
        between = STATES_BETWEEN_LOOKS
        while True:
            self.look()
            began = perf_counter()
            stop = int(self.counts[kernel.EXPANDED]) + between
            reason = self._advance(stop)
            while reason not in (kernel.PAUSED, kernel.DONE):
                self._make_room(reason)
                reason = self._advance(stop)
            if reason == kernel.DONE:
                return
            if perf_counter() - began < SECONDS_BETWEEN_LOOKS / 2:
                between *= 2

    def _advance(self, stop: int) -> int:
        tables, machine, steps = self.tables, self.machine, self.steps
        reason: int = kernel.advance(
            machine.code, self._shape, self.counts, stop, tables.store, tables.table,
            tables.levels, machine.leaf_rules, self.fresh, self.visited, self.seen,
            self.state_first, self.state_found, self.step_first, self.step_found, self.step_base,
            steps.out, steps.leaves, steps.starts, steps.hashes,
        )  # fmt: skip
        return reason

    def _make_room(self, reason: int) -> None:
        states, needed = int(self.counts[kernel.STATES]), int(self.counts[kernel.NEEDED])
        if reason == kernel.LIMIT:
            raise LimitHit(f"the limit of {states} states")
        if reason == kernel.FULL_STORE:
            self.tables.grow_store(needed)
        elif reason == kernel.FULL_TABLE:
            self.tables.grow_table(needed, states)
        else:
            self.tables.grow_levels()

    def look(self) -> None:
        """Tell how far the search is. Raises LimitHit when its time is over."""
        now = perf_counter()
        seconds, seconds_max = now - self._started, self.limits.seconds_max
        if seconds_max is not None and seconds > seconds_max:
            raise LimitHit(f"the limit of {seconds_max:g} seconds")
        if self.progress is not None and now - self._told >= SECONDS_BETWEEN_NEWS:
            self._told = now
            states, expanded = int(self.counts[kernel.STATES]), int(self.counts[kernel.EXPANDED])
            self.progress(
                states=states,
                transitions=int(self.counts[kernel.TRANSITIONS]),
                depth=int(self.counts[kernel.DEPTH]),
                frontier=states - expanded,
                seconds=seconds,
            )

    # --- what was found --------------------------------------------------------------------------

    @property
    def system(self) -> System:
        """What was searched."""
        return self.machine.system

    @property
    def leaves(self) -> Sequence[Leaf]:
        """The leaves of its decision trees."""
        return self.machine.leaves

    @property
    def deadlock(self) -> int | None:
        """The number of the first state that is one."""
        found = int(self.counts[kernel.DEADLOCK])
        return found if found >= 0 else None

    @property
    def statistics(self) -> Statistics:
        """The counts so far."""
        counts = [int(count) for count in self.counts]
        states, frontier = counts[kernel.STATES], counts[kernel.STATES] - counts[kernel.EXPANDED]
        depth = counts[kernel.DEPTH]
        if self.stopped and states:
            depth = self.tables.level_of(states - 1)
        return Statistics(
            states,
            counts[kernel.TRANSITIONS],
            depth,
            self.seconds,
            not self.stopped,
            frontier,
        )

    @property
    def findings(self) -> Mapping[Topic, Finding]:
        """The first `yes` to each topic that got one."""
        if self._findings is None:
            self._findings = findings_of(self)
        return self._findings

    @property
    def fair(self) -> StoredFair:
        """The fairness of the system, on its complete state graph. Raises LimitHit."""
        if self._fair is None:
            self._fair = StoredFair(self.machine, edges_of(self))
        return self._fair

    def state(self, number: int) -> State:
        """A state, by its number."""
        return self.machine.layout.decode(self.tables.words(number))

    def parent(self, number: int) -> tuple[int, int] | None:
        """The first state with a step to this one, and the leaf taken; an initial one has none."""
        level = self.tables.level_of(number)
        if not level:
            return None
        if number not in self._parents:
            begin, end = (int(self.tables.levels[level - 1 + side]) for side in (0, 1))
            self._parents[number] = parent(self, number, begin, end)
        return self._parents[number]

    def trace_to(self, position: int) -> Trace:
        """The least shortest run to a state."""
        states, rules = [self.state(position)], list[int]()
        while (before := self.parent(position)) is not None:
            position, leaf = before
            rules.append(self.leaves[leaf].rule)
            states.append(self.state(position))
        return Trace(tuple(reversed(states)), tuple(reversed(rules)))


__all__ = ["Search"]
