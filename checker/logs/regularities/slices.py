"""Cuts a run into slices: the events of one checkpoint, of one attempt of a task, or of both."""

from __future__ import annotations

import enum
from collections.abc import Hashable

from finale.checker.logs.read.job_runs import RunEvent
from finale.checker.logs.read.log_events import SOURCES, TaskId


class Scope(enum.Enum):
    """What the events of one slice have in common. The value says it in words."""

    JOB = "in each job"
    CHECKPOINT = "for each checkpoint"
    ATTEMPT = "in each attempt of a task"
    PART = "for each checkpoint in each attempt of a task"


def slice_of(event: RunEvent, scope: Scope) -> Hashable | None:
    """The slice that an event is in; None if the event does not name what a slice is about."""
    if scope is Scope.JOB:
        return ()
    checkpoint = event.log_event.checkpoint
    if scope is Scope.CHECKPOINT:
        return checkpoint
    task = event.task
    if task is None or task.attempt is None or (scope is Scope.PART and checkpoint is None):
        return None
    attempt = (event.graph, task.vertex, task.subtask, task.attempt)
    return (attempt, checkpoint) if scope is Scope.PART else attempt


def in_words(event: RunEvent, scope: Scope) -> tuple[tuple[str, str], ...]:
    """What the slice of an event is about, as the binding of a finding has it."""
    found: list[tuple[str, str]] = []
    if scope in (Scope.ATTEMPT, Scope.PART) and event.task is not None:
        found.append(("task", f"{event.task.name}#{event.task.attempt}"))
    if scope in (Scope.CHECKPOINT, Scope.PART):
        found.append(("checkpoint", f"checkpoint {event.log_event.checkpoint}"))
    return tuple(found)


def is_source(task: TaskId) -> bool:
    """Whether a task has no inputs, by the name that Flink gives its vertex."""
    return task.vertex.startswith(SOURCES)
