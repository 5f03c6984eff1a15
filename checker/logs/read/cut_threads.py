"""Finds which tasks are meant by names of threads that a layout has cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .log_events import LogEvent, TaskId


def whole_threads(events: Sequence[LogEvent]) -> tuple[list[LogEvent], bool]:
    """Return events with the whole names of their tasks, and whether all of these are known.

    A layout can cut the name of a thread, from its beginning (`%15.15t`) or from its end. Messages
    have names of tasks as a whole. A name of which a thread has the end is meant if it is the only
    one with this end; else the task is unknown.
    """
    known: dict[str, TaskId] = {}
    for event in events:
        if event.task is not None and not event.by_thread:
            known.setdefault(event.task.name, event.task)
    meant: dict[str, TaskId | None] = {}
    found: list[LogEvent] = []
    is_sure = True
    for event in events:
        task = event.task
        if task is None or not event.by_thread or task.name in known:
            found.append(event)
            continue
        if task.name not in meant:
            meant[task.name] = _whole(task, known.values())
        whole = meant[task.name]
        is_sure = is_sure and whole is not None
        found.append(replace(event, task=None if whole is None else _as(whole, task)))
    return found, is_sure and not _lacks_tasks(events)


def _whole(task: TaskId, known: Iterable[TaskId]) -> TaskId | None:
    """The task whose name has this end; the task itself, if no name has it."""
    found = [each for each in known if each.name.endswith(task.name)]
    return task if not found else found[0] if len(found) == 1 else None


def _as(whole: TaskId, task: TaskId) -> TaskId:
    return replace(whole, attempt=task.attempt)


def _lacks_tasks(events: Sequence[LogEvent]) -> bool:
    """Whether some threads of tasks are cut so that nothing tells the task, and others are not."""
    own = [each for each in events if each.by_thread and each.clock == "task.mailbox"]
    return any(each.task is None for each in own) and any(each.task is not None for each in own)
