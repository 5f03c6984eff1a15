"""The run that is being found: steps of the rules, that nobody would have seen otherwise.

A step is taken only if what it does that lines always tell is what lines tell next: whoever takes
part in a checkpoint is seen to, one that is given up is not seen to go on, and who fails does
nothing any more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import cast

from checker.logs.event_log.effort import Effort
from checker.logs.event_log.search import Move
from checker.logs.event_log.system import Refusal, SectionSystem
from model.language.plain import PlainStore
from model.language.starting import Values
from model.protocols.coordinator.checkpoints import ABORTED, Checkpoint
from model.protocols.job.channels import Channel
from model.protocols.stop_with_savepoint import StopWithSavepoint
from model.protocols.task.tasks import Task, TaskStatus
from model.rules import Nothing
from reference.formats.eventlog import EventLine

from .observations import LOCK, LOOP, Attempt, Seen, Sight, Sights

#: Steps that may rename ids: what is taken by them is not looked at.
TRIGGERS = ("trigger_checkpoint", "trigger_at_end_of_data", "request_stop", "request_savepoint")

#: The steps that a line tells of by itself; others are taken on the way there.
OWN_STEPS: dict[Seen, tuple[str, ...]] = {
    Seen.TRIGGERED: TRIGGERS,
    Seen.ACKNOWLEDGED: ("apply_acknowledgement",),
    Seen.COMPLETED: ("complete",),
    Seen.ABORTED: ("expire", "deliver_trigger", "apply_decline", "complete"),
    Seen.LEARNED: ("learn_finished",),
    Seen.CALLED: ("deliver_trigger",),
    Seen.BARRIER: ("poll_barrier",),
    Seen.CANCEL: ("poll_cancel_barrier",),
    Seen.BEGUN: ("run_trigger", "perform_savepoint"),
    Seen.NOT_BEGUN: ("run_trigger", "perform_savepoint"),
    Seen.CONFIRMED: ("deliver_confirmation", "deliver_abort"),
    Seen.GIVEN_UP: ("deliver_abort",),
    Seen.LEFT: ("quiesce",),
    Seen.ENDED: ("close",),
    Seen.RUNS: ("restore",),
    Seen.STOPS: ("cancel_task",),
    Seen.LOST: ("fail_region", "cancel_task"),
    Seen.RESTORED: ("restart_region",),
    Seen.CANCELLING: ("request_cancel",),
    Seen.CANCELED: ("finish_cancelling",),
}
#: What it did was before.
_STRICT = (Seen.BARRIER, Seen.BEGUN, Seen.ENDED)
_BEFORE_CLOSED = (Seen.BARRIER, Seen.BEGUN, Seen.NOT_BEGUN, Seen.CONFIRMED, Seen.GIVEN_UP)
NO_MORE = (TaskStatus.FAILED, TaskStatus.RESTORING)


Points = frozenset[Checkpoint]


class OverStates(Exception):
    """So many steps have been tried as may be."""


class Walk:
    """A state, the steps that led to it, and how far the lines are explained."""

    def __init__(self, system: SectionSystem, sights: Sights, effort: Effort) -> None:
        self.system, self.sights, self.effort = system, sights, effort
        protocol = self.protocol = cast(StopWithSavepoint, system.protocol)
        self.tasks: dict[str, Task] = {task.name: task for task in protocol.tasks}
        self.channels: dict[str, Channel] = {each.name: each for each in protocol.channels}
        self.here = system.start()
        self.moves: list[Move] = []
        self.at = [0] * len(sights.clocks)
        self.clock_of = {id(sight): n for n, clock in enumerate(sights.clocks) for sight in clock}
        self.loops = {
            clock[0].task: n
            for n, clock in enumerate(sights.clocks)
            if clock[0].seen in LOOP
        }  # fmt: skip
        self.lock = next((n for n, clock in enumerate(sights.clocks)
                          if clock[0].seen in LOCK), 0)  # fmt: skip
        self.sight: Sight | None = None
        self.refused = ""
        self.begun = 0
        self.late: dict[int, list[str]] = {}
        self.given_up: set[tuple[str, int]] = set()
        self.by_stop: list[Sight] = []
        self.explained: set[tuple[Seen, Attempt, int | None]] = set()
        self.triggers = [s for s in sights.all if s.seen is Seen.TRIGGERED]
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
        line = self.sight.line if self.sight and name in OWN_STEPS[self.sight.seen] else None
        event = EventLine(line or 0, name, about, number, {}, None, "", 0)
        taken = self.system.take(event, self.here)
        if isinstance(taken, Refusal):
            told = ", ".join(value for _, value in about)
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
            if ended and self._lock_is_at() <= self.sights.until.get(number or 0, -1):
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
            if any(s.seen in _STRICT and s.attempt <= self.attempt[name] for s in rest):
                return f"{name} is seen to do something before it fails"
        return None

    def _does_more(self, task: str, status: object) -> bool:
        """Whether who takes no mail any more, or has closed, is seen to do what it then cannot."""
        seen = {TaskStatus.QUIESCED: (Seen.BARRIER,), TaskStatus.CLOSED: _BEFORE_CLOSED}
        own = seen.get(cast(TaskStatus, status), ())
        rest = self._next_of(task) if own else []
        return any(s.seen in own and s.attempt <= self.attempt[task] for s in rest)

    def _begins_later(self, task: str) -> str | None:
        """Who takes part in a checkpoint has not ended before that has begun."""
        part = self.sights.part.get((task, self.attempt[task]), 0)
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
            shown = self.sight if self.sight and self.sight.seen is Seen.BEGUN else None
            if shown is None or shown.task != name:
                shown = rest[0] if rest and rest[0].seen is Seen.BEGUN else None
            for point in cast(Points, after) - cast(Points, before):
                number = self._number(point)
                if shown is None or shown.checkpoint != number:
                    return f"{name} would take part in {number} unseen"
        return None

    def _lock_is_at(self) -> float:
        """The place of the coordinator's next line."""
        clock, at = self.sights.clocks[self.lock], self.at[self.lock]
        own = self.sight is not None and at < len(clock) and clock[at] is self.sight
        at += own and self.sight is not None and self.sight.seen is Seen.ABORTED
        return clock[at].place if at < len(clock) else math.inf

    def _next_of(self, task: str) -> list[Sight]:
        """What the main loop of a task is seen to do next, but for what is being explained."""
        number = self.loops.get(task)
        if number is None:
            return []
        rest = self.sights.clocks[number][self.at[number] :]
        return rest[1:] if rest and rest[0] is self.sight else rest

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

    def _heads(self) -> list[Sight]:
        both = zip(self.sights.clocks, self.at, strict=True)
        return [clock[at] for clock, at in both if at < len(clock)]


__all__ = ["NO_MORE", "OWN_STEPS", "TRIGGERS", "OverStates", "Walk"]
