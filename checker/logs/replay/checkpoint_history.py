"""Collects the history of a job: its checkpoints and stops, and how each of them ended."""

from __future__ import annotations

from dataclasses import dataclass, field

from finale.checker.logs.findings import Where
from finale.checker.logs.lines import STOPS
from finale.checker.logs.read.failovers import Failover
from finale.checker.logs.read.job_runs import JobRun
from finale.checker.logs.read.log_events import TaskId
from finale.checker.logs.read.messages import TERMINAL
from finale.model.protocols.coordinator.checkpoints import (
    ABORTED,
    COMPLETED,
    PENDING,
    CheckpointStatus,
)

FINISHED = "FINISHED"
#: States of a job in which a stop whose savepoint has completed has failed.
FAILING = ("RESTARTING", "FAILING", "FAILED", "CANCELLING", "CANCELED")
#: What has become of a checkpoint.
FATES = (PENDING, COMPLETED, ABORTED)


@dataclass
class CheckpointHistory:
    """One checkpoint. Lines are those that tell of its begin and its end."""

    number: int
    kind: str | None = None
    """As the engine calls it; None where its begin is not in the log."""
    fate: CheckpointStatus = PENDING
    begun: int | None = None
    ended: int | None = None
    why: str | None = None
    """Why it was given up."""
    acknowledged: list[TaskId] = field(default_factory=list[TaskId])


@dataclass
class StopHistory:
    """One stop with a savepoint: where it was requested, and what came of it."""

    where: Where
    savepoint: CheckpointHistory | None = None
    """Its savepoint, once that was triggered."""
    succeeded: bool | None = None
    """None while no line tells."""
    why: str = ""
    """What ended it."""
    ended: int | None = None
    """The line that tells its end."""

    def end(self, line: int, why: str, *, succeeded: bool) -> None:
        """A line tells what became of the stop. The first such line counts."""
        if self.succeeded is None:
            self.succeeded, self.why, self.ended = succeeded, why, line

    def __str__(self) -> str:
        """What came of the stop, in words."""
        name = "stop" if self.savepoint is None else f"stop with savepoint {self.savepoint.number}"
        if self.succeeded is None:
            return f"{name}: no line tells its end"
        return f"{name}: {'succeeded' if self.succeeded else 'failed'}, {self.why}"


@dataclass
class JobHistory:
    """What became of a job and its checkpoints."""

    job: str
    name: str | None
    state: str | None
    """The last state of the job that the log tells."""
    attempts: int
    """How often its tasks were started, the first time included; by the tasks' own count."""
    checkpoints: dict[int, CheckpointHistory]
    restored: tuple[int, ...]
    """From which checkpoints its tasks were started anew, in this order."""
    restarts: int
    """How often the coordinator started tasks again, from a checkpoint or from nothing."""
    refused: int
    """How often no checkpoint could be begun."""
    dropped: int
    """How many requests were given up that had begun no checkpoint."""
    given_up: int
    """How often a checkpoint was given up: a few are twice, by two threads."""
    stops: list[StopHistory] = field(default_factory=list[StopHistory])
    """In the order of their requests."""

    @property
    def failed(self) -> int:
        """What the coordinator counts as failed: refusals and dropped requests, too."""
        return self.refused + self.dropped + self.given_up

    def with_fate(self, fate: CheckpointStatus) -> tuple[int, ...]:
        """The numbers of the checkpoints that came to this end."""
        return tuple(each.number for each in self.checkpoints.values() if each.fate is fate)

    @property
    def has_ended(self) -> bool:
        return self.state in TERMINAL


def history_of(run: JobRun) -> JobHistory:
    """The history that the events of a run tell."""
    history = JobHistory(run.job, run.name, None, 0, {}, (), 0, 0, 0, 0)
    for event in run.events:
        told, number = event.log_event, event.log_event.checkpoint
        if event.task is not None and event.task.attempt is not None:
            history.attempts = max(history.attempts, event.task.attempt + 1)
        if event.failover is Failover.BEGINS:
            for point in history.checkpoints.values():
                if point.fate is PENDING:
                    _end(point, ABORTED, told.line)
                    point.why = "a new coordinator began"
        if told.word in ("restored", "restored-nothing") and history.attempts:
            history.restarts += 1
        match told.word:
            case "job-switched":
                history.state = told.fields["to"]
                _tell_stops(history, history.state, told.line)
            case "request_stop":
                history.stops.append(StopHistory(Where(*told.place)))
            case "refused":
                history.refused += 1
            case "request-dropped":
                history.dropped += 1
            case "restored" if number is not None:
                history.restored += (number,)
            case "apply_acknowledgement" if number is not None and event.task is not None:
                _point(history, number).acknowledged.append(event.task)
            case _:
                pass
        if number is not None and event.checkpoint_becomes is not None:
            point = _point(history, number)
            match event.checkpoint_becomes:
                case CheckpointStatus.PENDING:
                    point.kind, point.begun = told.fields.get("kind"), told.line
                    if point.kind in STOPS:
                        waiting = [e for e in history.stops if e.savepoint is None]
                        if len(waiting) == 1:  # of several, no line tells whose savepoint it is
                            waiting[0].savepoint = point
                case CheckpointStatus.ABORTED:
                    history.given_up += 1
                    point.why = reason_of(told.causes)
                    _end(point, ABORTED, told.line)
                    for stop in history.stops:
                        if stop.savepoint is point:
                            why = f"its savepoint was aborted: {point.why or 'no cause'}"
                            stop.end(told.line, why, succeeded=False)
                case status:
                    _end(point, status, told.line)
    return history


def _tell_stops(history: JobHistory, state: str, line: int) -> None:
    """A new state of the job: it ends the stops whose savepoint has completed, and at its end all
    of them, unless some savepoint may be that of one stop or of another."""
    known = [stop.savepoint for stop in history.stops]
    points = [each for each in history.checkpoints.values() if each.kind in STOPS]
    is_told = all(any(each is one for one in known) for each in points)
    for stop in history.stops:
        fate = None if stop.savepoint is None else stop.savepoint.fate
        if fate is COMPLETED:
            told = f"the savepoint has completed, and the job has become {state}"
            if state in (FINISHED, *FAILING):
                stop.end(line, told, succeeded=state == FINISHED)
        elif state in TERMINAL and (is_told or stop.savepoint is not None):
            stop.end(line, f"the job has become {state} without its savepoint", succeeded=False)


def reason_of(causes: tuple[tuple[str, str], ...]) -> str | None:
    """Why a checkpoint was given up: the innermost exception, for others say less."""
    if not causes:
        return None
    kind, message = causes[-1]
    return message or kind


def _point(history: JobHistory, number: int) -> CheckpointHistory:
    return history.checkpoints.setdefault(number, CheckpointHistory(number))


def _end(point: CheckpointHistory, fate: CheckpointStatus, line: int) -> None:
    point.fate, point.ended = fate, line
