"""Decides whether a projection can explain its lines, in some order that the clocks allow.

All orders are tried, by the steps of the rules on the projection (`projection.py`). If none reaches
the last line, the projection has no run with these lines, and so the whole system has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from finale.checker.logs.event_log.progress import SearchEffort
from finale.checker.logs.lines import Observed
from finale.model.protocols.coordinator.checkpoints import ABORTED, CheckpointStatus

from .flink_projections import (
    DIES,
    ENDS,
    NO_MORE,
    OTHER,
    PARTS,
    READER,
    SOURCE,
    ProofSetting,
)
from .kept_steps import ProjectionSteps, steps_of
from .projection import Label, Values

#: The order of the lines of one step.
_ORDER: tuple[Label, ...] = (*Observed, OTHER)
_STATUSES = list(CheckpointStatus)
_PENDING = _STATUSES.index(CheckpointStatus.PENDING)
_COMPLETED = _STATUSES.index(CheckpointStatus.COMPLETED)

At = tuple[int, int]
"""A line: of which clock, and which of it."""
Line = tuple[Label, int, bool]
"""What it shows, of which attempt of its task, and whether it is of a call that was missed."""
Life = tuple[int, tuple[At, ...]]
"""An attempt, and of clocks how many lines are explained before it may die."""
State = tuple[tuple[int, ...], Values, int]
"""How many lines of each clock are explained, what the part is, the attempt of its task."""


@dataclass(frozen=True)
class ProjectionLines:
    """The lines of a part, as far as they decide: many a task and checkpoint have the same."""

    part: str
    is_source: bool
    may_die: bool
    lives: tuple[Life, ...]
    may_end: bool
    """The input that is looked at may end before the lines do."""
    shown: frozenset[Label]
    clocks: tuple[tuple[Line, ...], ...]
    order: tuple[At, ...]
    """All lines in the order of the log."""
    wanted: int
    """How many of them need an explanation: no other part explains the line behind these."""
    later: frozenset[tuple[At, At]]
    """Of two lines with an edge: the first is written behind the second."""


@dataclass(frozen=True)
class DeadEnd:
    """Nothing goes on: the line that is not explained, and what the part may be there."""

    at: At
    task: str
    states: frozenset[Values]


def explored(given: ProofSetting, pattern: ProjectionLines, effort: SearchEffort) -> DeadEnd | None:
    """None where the part has a run that explains its lines; else where the furthest one ends."""
    task = SOURCE if pattern.is_source else READER
    steps = steps_of(given, pattern.part, task)
    try:
        return _ProjectionSearch(steps, pattern, task, effort).run()
    finally:
        steps.keep()


@dataclass
class _ProjectionSearch:
    """All ways to go through the lines of a part."""

    steps: ProjectionSteps
    pattern: ProjectionLines
    task: str
    effort: SearchEffort

    def run(self) -> DeadEnd | None:
        """None if all lines can be explained; else the first that cannot with all before it."""
        clocks = self.pattern.clocks
        todo: list[State] = [((0,) * len(clocks), values, 0) for values in self.steps.start]
        seen, furthest, stuck = set(todo), -1, set[Values]()
        while todo:
            self.effort.look()
            state = todo.pop()
            place = self._explained(state[0])
            if place >= self.pattern.wanted:
                return None
            if place > furthest:
                furthest, stuck = place, set[Values]()
            if place == furthest:
                stuck.add(state[1])
            for after in self._onward(state):
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
        return DeadEnd(self.pattern.order[furthest], self.task, frozenset(stuck))

    def _explained(self, positions: tuple[int, ...]) -> int:
        """Up to which line all are explained, in the order of the log."""
        order = self.pattern.order
        open_ = (n for n, (clock, place) in enumerate(order) if positions[clock] <= place)
        return next(open_, len(order))

    def _onward(self, state: State) -> Iterator[State]:
        positions, values, attempt = state
        for clock in range(len(positions)):
            line = self._line(clock, positions)
            if line is not None and self._passes(line, positions, values, attempt):
                yield _further(positions, clock), values, attempt
        for labels, after in self.steps.onward(values):
            dies, ends = DIES in labels, ENDS in labels
            may_die = dies and self._may_be_dead(positions, attempt)
            if dies <= may_die and ends <= self.pattern.may_end:
                yield from self._shown(positions, labels, after, attempt)

    def _shown(
        self, positions: tuple[int, ...], labels: frozenset[Label], after: Values, attempt: int
    ) -> Iterator[State]:
        """After a step, all lines that it always leaves, if they come next."""
        shown: set[Label] = {*self.pattern.shown}
        if Observed.GIVEN_UP in shown:
            shown.add(OTHER)
        for label in sorted(labels & shown, key=_ORDER.index):
            lines = (self._line(clock, positions) for clock in range(len(positions)))
            found = [n for n, line in enumerate(lines) if line is not None and line[0] == label]
            line = self._line(found[0], positions) if found else None
            if line is None or not self._is_of(line, attempt):
                return
            positions = _further(positions, found[0])
            attempt = line[1] if label is Observed.RUNS else attempt
        starts = Observed.RUNS in labels and Observed.RUNS not in shown
        for each in self._newer(attempt) if starts else (attempt,):
            yield positions, after, each

    def _newer(self, attempt: int) -> frozenset[int]:
        """Which attempt may begin where no line tells: one that others tell of, or the next."""
        told = {line[1] for clock in self.pattern.clocks for line in clock}
        most = max(told, default=0) + 1
        return frozenset((min(attempt + 1, most), *(each for each in told if each > attempt)))

    def _line(self, clock: int, positions: tuple[int, ...]) -> Line | None:
        """The next line of a clock, if nothing has been explained before it that is behind it."""
        at = clock, positions[clock]
        if at[1] == len(self.pattern.clocks[clock]):
            return None
        early = any(n == at and m[1] < positions[m[0]] for m, n in self.pattern.later)
        return None if early else self.pattern.clocks[clock][at[1]]

    def _is_of(self, line: Line, attempt: int) -> bool:
        """Whether a line is of the attempt that the task is in."""
        follows = line[0] is Observed.RUNS and line[1] > attempt
        is_of_task = not isinstance(line[0], Observed) or line[0].facts.of_task
        nobodys = not is_of_task or "task" not in self._names
        return follows or line[1] == attempt or nobodys

    def _is_untrue(self, seen: Label, has: Mapping[str, int]) -> bool:
        """Whether a line tells of a completion, also to an attempt that has died, and there was
        none: the checkpoint is one of this job, since its trigger has a line."""
        told = seen is Observed.CONFIRMED and "confirmations" in has and self._is_triggered
        return told and has["checkpoint"] != _COMPLETED

    @cached_property
    def _is_triggered(self) -> bool:
        kinds = (line[0] for clock in self.pattern.clocks for line in clock)
        return any(isinstance(kind, Observed) and kind.begins_checkpoint for kind in kinds)

    @property
    def _names(self) -> tuple[str, ...]:
        return PARTS[self.pattern.part].names

    def _may_be_dead(self, positions: tuple[int, ...], attempt: int) -> bool:
        """Whether an attempt may have died when so many lines are explained."""
        lives = dict(self.pattern.lives).get(attempt, ())
        return self.pattern.may_die and all(positions[clock] >= n for clock, n in lives)

    def _passes(self, line: Line, positions: tuple[int, ...], values: Values, attempt: int) -> bool:
        """Whether a line tells nothing new of the part."""
        (seen, own, missed), has = line, dict(zip(self._names, values, strict=True))
        if not isinstance(seen, Observed):
            return seen == OTHER
        if seen.facts.late and self.pattern.may_die:
            if "task" in has:
                is_late = own < attempt or (own == attempt and has["task"] in NO_MORE)
            else:
                is_late = self._may_be_dead(positions, own)
            if is_late and not self._is_untrue(seen, has):
                return True
        if seen is Observed.CALLED:
            return missed or has.get("checkpoint") != _PENDING
        if seen is Observed.BARRIER:  # of which nothing comes: a call has stood for it
            called = any(
                each[0] is Observed.CALLED for clock in self.pattern.clocks for each in clock
            )
            return bool(called and has["aligned"])
        if seen is Observed.RESTORED:
            return self.steps.may_be_restored(values)
        aborts = seen.facts.becomes is ABORTED
        return aborts and has["checkpoint"] not in (_PENDING, _COMPLETED)


def _further(positions: tuple[int, ...], clock: int) -> tuple[int, ...]:
    return (*positions[:clock], positions[clock] + 1, *positions[clock + 1 :])
