"""Collects the history of a job's checkpoints: which were triggered, and how each ended."""

from __future__ import annotations

from dataclasses import dataclass, field

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
                case CheckpointStatus.ABORTED:
                    history.given_up += 1
                    point.why = reason_of(told.causes)
                    _end(point, ABORTED, told.line)
                case status:
                    _end(point, status, told.line)
    return history


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
