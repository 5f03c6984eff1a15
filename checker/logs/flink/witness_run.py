"""Holds the run that the search builds: its state, its steps, and the lines explained so far.

A step is taken only if the lines that it always leaves are the next lines of the log. The rules
decide; this module only keeps the search from steps that some line would contradict.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import cast

from finale.checker.logs.event_log.progress import SearchEffort
from finale.checker.logs.event_log.reading import EventLine
from finale.checker.logs.event_log.section_search import Move
from finale.checker.logs.event_log.section_system import Refusal, SectionSystem
from finale.checker.logs.lines import TRIGGERS, Observed
from finale.model.events import Clock
from finale.model.language.plain import PlainStore, Values
from finale.model.protocols.coordinator.checkpoints import ABORTED, Checkpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import Nothing

from .observations import Attempt, Observation, Observations

NO_MORE = (TaskStatus.FAILED, TaskStatus.RESTORING)
Points = frozenset[Checkpoint]


class OverStates(Exception):
    """So many steps have been tried as may be."""


class WitnessRun:
    """A state, the steps that led to it, and how far the lines are explained."""

    def __init__(
        self, system: SectionSystem, observations: Observations, effort: SearchEffort
    ) -> None:
        self.system, self.observations, self.effort = system, observations, effort
        protocol = self.protocol = cast(StopWithSavepoint, system.protocol)
        self.tasks: dict[str, Task] = {task.name: task for task in protocol.tasks}
        self.channels: dict[str, Channel] = {each.name: each for each in protocol.channels}
        self.here = system.start()
        self.moves: list[Move] = []
        self.at = [0] * len(observations.clocks)
        self.clock_of = {
            id(observation): n
            for n, clock in enumerate(observations.clocks)
            for observation in clock
        }
        self.loops = {
            clock[0].task: n
            for n, clock in enumerate(observations.clocks)
            if clock[0].seen.facts.clock is Clock.MAILBOX
        }  # fmt: skip
        self.lock = next((n for n, clock in enumerate(observations.clocks)
                          if clock[0].seen.facts.clock is Clock.CHECKPOINTS), 0)  # fmt: skip
        self.observation: Observation | None = None
        self.refused = ""
        self.begun = 0
        self.late: dict[int, list[str]] = {}
        self.given_up: set[tuple[str, int]] = set()
        self.by_stop: list[Observation] = []
        self.explained: set[tuple[Observed, Attempt, int | None]] = set()
        self.triggers = [s for s in observations.all if s.seen.begins_checkpoint]
        self.early: set[int] = set()
        """Checkpoints that are begun, and the line that tells so comes later."""
        self.attempt = dict.fromkeys(self.tasks, 0)
        self.over = dict.fromkeys(self.tasks, -1)
        """The newest attempt of each task that has failed, for all that is explained."""
        self.noticed: set[tuple[str, int]] = set()
        """Barriers that were noticed before their turn, and stand in their channels still."""
        self.ready: dict[str, int] = {}
        """The tasks that run again, in which attempt; their region may not, yet."""
        self._status_at = {task.name: task.variables["status"].position for task in protocol.tasks}
        self._taken_at = {task.name: task.variables["taken"].position for task in protocol.tasks}

    @contextmanager
    def look(self) -> Generator[None]:
        """While the state is read."""
        with self.system.world.on(PlainStore(self.here.values)):
            yield

    def do(self, name: str, *about: tuple[str, str], number: int | None = None) -> bool:
        """Take a step, if it can be and nobody would have seen it otherwise than it was seen."""
        self.effort.count()
        if self.effort.states > (self.effort.limits.states_max or math.inf):
            raise OverStates
        line = (
            self.observation.line
            if self.observation and name in self.observation.seen.facts.steps
            else None
        )
        event = EventLine(line or 0, name, about, number, {}, None, "", 0)
        taken = self.system.take(event, self.here)
        if isinstance(taken, Refusal):
            told = ", ".join(value for _, value in about if value)
            self.refused = self.refused or f"{name}({told}, {number}) {taken.why or 'is refused'}"
            return False
        rule, after = taken
        if name not in TRIGGERS and not self._is_seen(after.values):
            return False
        if after != self.here:
            self.moves.append(Move(rule, line, after))
            self.here = after
        return True

    def _tries(self, way: Callable[[], bool]) -> bool:
        """Go a way, or, if it leads nowhere, none."""
        saved, length = self.here, len(self.moves)
        if way():
            return True
        self.here = saved
        del self.moves[length:]
        return False

    def _is_seen(self, values: Values) -> bool:
        """Whether what a step does is what is seen next, as far as it always is."""
        why = (
            self._gives_up_early(values) or self._fails_early(values) or self._begins_unseen(values)
        )
        self.refused = self.refused or why or ""
        return why is None

    def _gives_up_early(self, values: Values) -> str | None:
        """What is seen to go on, or to complete, is not given up."""
        for point, number in zip(self.protocol.checkpoints, self.here.ids, strict=False):
            at = point.variables["status"].position
            ended = values[at] is ABORTED and self.here.values[at] is not ABORTED
            if ended and self._lock_is_at() <= self.observations.until.get(number or 0, -1):
                return f"checkpoint {number} is given up later"
        return None

    def _fails_early(self, values: Values) -> str | None:
        """Who fails does nothing any more."""
        for name, at in self._status_at.items():
            failed = values[at] in NO_MORE and self.here.values[at] not in NO_MORE
            rest = self._next_of(name) if failed else []
            if values[at] is not self.here.values[at] and self._does_more(name, values[at]):
                return f"{name} is seen to do something before it ends"
            if failed and (why := self._begins_later(name)):
                return why
            if any(s.seen.comes_before_failure and s.attempt <= self.attempt[name] for s in rest):
                return f"{name} is seen to do something before it fails"
        return None

    def _does_more(self, task: str, status: object) -> bool:
        """Whether who takes no mail any more, or has closed, is seen to do what it then cannot."""
        if status not in (TaskStatus.QUIESCED, TaskStatus.CLOSED):
            return False
        too_late = (TaskStatus.QUIESCED, status)
        return any(
            s.seen.facts.impossible_from in too_late and s.attempt <= self.attempt[task]
            for s in self._next_of(task)
        )

    def _begins_later(self, task: str) -> str | None:
        """Who takes part in a checkpoint has not ended before that has begun."""
        part = self.observations.part.get((task, self.attempt[task]), 0)
        if part > self.begun and any(each.checkpoint == part for each in self.triggers):
            return f"{task} takes part in {part}, not triggered yet"
        return None

    def _begins_unseen(self, values: Values) -> str | None:
        """Who takes part in a checkpoint is seen to begin it, and next."""
        for name, at in self._taken_at.items():
            before, after = self.here.values[at], values[at]
            if before == after or values[self._status_at[name]] in NO_MORE:
                continue
            rest = self._next_of(name)
            shown = (
                self.observation
                if self.observation and self.observation.seen is Observed.BEGUN
                else None
            )
            if shown is None or shown.task != name:
                shown = rest[0] if rest and rest[0].seen is Observed.BEGUN else None
            for point in cast(Points, after) - cast(Points, before):
                number = self._number(point)
                if shown is None or shown.checkpoint != number:
                    return f"{name} would take part in {number} unseen"
        return None

    def _lock_is_at(self) -> float:
        """The place of the coordinator's next line."""
        clock, at = self.observations.clocks[self.lock], self.at[self.lock]
        if at < len(clock) and clock[at] is self.observation:
            at += clock[at].seen.facts.becomes is ABORTED
        return clock[at].place if at < len(clock) else math.inf

    def _next_of(self, task: str) -> list[Observation]:
        """What the main loop of a task is seen to do next, but for what is being explained."""
        number = self.loops.get(task)
        if number is None:
            return []
        rest = self.observations.clocks[number][self.at[number] :]
        return rest[1:] if rest and rest[0] is self.observation else rest

    def _note_attempts(self) -> None:
        """Attempts may have failed by what was explained."""
        for name, at in self._status_at.items():
            if self.here.values[at] in NO_MORE:
                self.over[name] = max(self.over[name], self.attempt[name])

    def point(self, number: int | None) -> Checkpoint | None:
        """The model's checkpoint of a number."""
        if number not in self.here.ids or number is None:
            return None
        return self.protocol.checkpoints[self.here.ids.index(number)]

    def _number(self, point: Checkpoint) -> int | None:
        at = self.protocol.checkpoints.index(point)
        return self.here.ids[at] if at < len(self.here.ids) else None

    def status(self, task: str) -> TaskStatus:
        with self.look():
            return self.tasks[task].status

    def is_pending(self, number: int | None) -> bool:
        """Whether a checkpoint is pending."""
        point = self.point(number)
        with self.look():
            return point is not None and bool(point.is_pending)

    def head(self, channel: Channel) -> object:
        """What a channel's reader would read next."""
        with self.look():
            head = channel.queue.head
            return head if head != Nothing else None

    def _heads(self) -> list[Observation]:
        both = zip(self.observations.clocks, self.at, strict=True)
        return [clock[at] for clock, at in both if at < len(clock)]
