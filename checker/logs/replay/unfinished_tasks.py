"""Says for each task that has not ended what it waits for, and who must act."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from finale.checker.logs.findings import Where
from finale.model.language.plain import PlainStore
from finale.model.protocols.coordinator.checkpoints import COMPLETED
from finale.model.protocols.task.tasks import Task, TaskStatus

from .checkpoint_history import CheckpointHistory, JobHistory
from .log_replay import LogReplay
from .stops import TaskStopProgress

#: So many names are told one by one.
NAMES_TOLD = 4
_SAID = {
    TaskStatus.RESTORING: "is not running yet",
    TaskStatus.RUNNING: "runs",
    TaskStatus.WAITING_FOR_FINAL_CP: "waits for a final checkpoint",
    TaskStatus.QUIESCED: "is closing",
    TaskStatus.FAILED: "has failed or was canceled, and is not started again",
}


@dataclass(frozen=True)
class UnfinishedTask:
    """A task that has not ended, since which line it is as it is, and what is missing."""

    task: str
    status: str
    since: Where | None
    missing: tuple[str, ...]


def unfinished_tasks(replayed: LogReplay, history: JobHistory) -> tuple[UnfinishedTask, ...]:
    """The tasks that have not ended when the events have. The run was gone through before."""
    state = replayed.state
    by_stop = [each.tasks for each in replayed.hung_stops() if each is not None]
    found: list[UnfinishedTask] = []
    with state.system.world.on(PlainStore(state.monitors.values)):
        for task in state.protocol.tasks:
            if not task.is_closed:
                name, status = state.monitors.names[task.name], _SAID[task.status]
                since = replayed.tasks.since.get(task)
                stopped = tuple(tasks[name] for tasks in by_stop if name in tasks)
                missing = stopped or tuple(_missing(replayed, history, task))
                found.append(UnfinishedTask(name, status, since, missing))
    return tuple(found)


def _missing(replayed: LogReplay, history: JobHistory, task: Task) -> Iterator[str]:
    state = replayed.state
    match task.status:
        case TaskStatus.RUNNING if state.monitors.names[task.name] in state.silent:
            yield "whether its data has ended is told by its process, whose log is missing or ends"
        case TaskStatus.RUNNING if not state.profile.has("waits"):
            levels = ", ".join(state.profile.lacks("waits"))
            yield f"whether its data has ended is not decided at this log level (needs {levels})"
        case TaskStatus.RUNNING if task.subtask.vertex.is_source:
            yield "it has not come to the end of its data"
        case TaskStatus.RUNNING:
            yield "not all of its inputs have ended"
        case TaskStatus.WAITING_FOR_FINAL_CP:
            pending = [history.checkpoints[number] for number in sorted(state.begun)]
            for point in pending:
                yield _missing_of(replayed, point)
            if not pending:
                yield _confirmation(replayed, history, task) or _none_pending(replayed, history)
        case _:
            return


def _missing_of(replayed: LogReplay, point: CheckpointHistory) -> str:
    """What a checkpoint that is pending still needs."""
    state, begun = replayed.state, replayed.state.begun[point.number]
    name = f"checkpoint {point.number}, pending since line {point.begun}"
    if not state.profile.has("apply_acknowledgement"):
        return f"{name}: who has not acknowledged it is told at DEBUG of CheckpointCoordinator"
    missing = [
        state.monitors.names[task.name]
        for task in state.protocol.tasks
        if task not in begun.acknowledged and task not in begun.down
    ]
    if not missing:
        return f"{name}, is acknowledged by all, and not completed"
    more = f" and {len(missing) - NAMES_TOLD} more" if len(missing) > NAMES_TOLD else ""
    return f"{name}, is not acknowledged by {', '.join(missing[:NAMES_TOLD])}{more}"


def _confirmation(replayed: LogReplay, history: JobHistory, task: Task) -> str | None:
    """How far the confirmation of the task's final checkpoint has come, if that has completed. None
    if it has not, or if the levels of the log leave it open."""
    state = replayed.state
    if not state.tells(task, "snapshot-begins", "confirmation-arrived", "notified-complete"):
        return None
    name, completed = state.monitors.names[task.name], history.with_fate(COMPLETED)
    for told in (each for each in replayed.stops.tasks.values() if each.name == name):
        if told.sync is not None:
            continue  # it heeds no other completion than that of the savepoint
        for number in (each for each in told.final if each in completed):
            return _of_final(told, number, history.checkpoints[number].ended)
    return None


def _of_final(told: TaskStopProgress, number: int, completed: int | None) -> str:
    final = f"its final checkpoint {number} completed at line {completed}"
    if number in told.heard:
        return f"{final}; it heard of that at line {told.heard[number]}, and waits for its readers"
    if number in told.arrived:
        at = told.arrived[number]
        return f"{final}; the confirmation arrived at line {at}, and the task has not acted on it"
    return f"{final}, and no line tells that the confirmation has arrived"


def _none_pending(replayed: LogReplay, history: JobHistory) -> str:
    row = replayed.state.monitors.row
    if row is not None:
        why, count = row
        number = "the last one was" if count == 1 else f"the last {count} were"
        return f"no checkpoint is pending; {number} given up or refused: {why}"
    completed = history.with_fate(COMPLETED)
    last = f" since checkpoint {completed[-1]} completed" if completed else ""
    return f"no checkpoint is pending, and none was begun{last}"
