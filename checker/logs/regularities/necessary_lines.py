"""Finds lines that a run cannot have: its job has no line that must come before.

A search for a run explains the lines that are there. It can end before the job does, and a step
that it does not take lacks no line. So what each run must have told by a line is asked here, of the
lines alone: a line is compared with the lines before it in the log of the same process.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from finale.checker.logs.read.job_runs import JobRun, RunEvent
from finale.checker.logs.read.log_events import TaskId
from finale.model.protocols.coordinator.checkpoints import ABORTED, COMPLETED

from .line_orders import is_one_coordinator

#: How a decline of a task names the task. The coordinator declines some checkpoints by itself.
_DECLINED = "CheckpointException: Task name with subtask"
#: A coordinator without a checkpoint, or with one, says so when it starts tasks again.
_RESTORED = ("restored", "restored-nothing")


Binding = tuple[tuple[str, str], ...]
_Missing = Iterator[tuple[RunEvent, Binding, str]]


def lacking(run: JobRun, *, shows_release: bool) -> _Missing:
    """The lines before which another line is missing that each run has; of whom the missing line
    would tell, and what.

    The logs have no gap, and the lines that each job leaves. `shows_release`: a task writes that it
    waits, and that nothing holds it any more.
    """
    logs = defaultdict[int, list[RunEvent]](list)
    for event in run.events:
        logs[event.log_event.log].append(event)
    of_one = (_unrestored, _unlearned) if is_one_coordinator(run) else ()
    of_tasks = (_unreleased,) if shows_release else ()
    for events in logs.values():
        for ask in (*of_one, _undeclined, *of_tasks):
            yield from ask(events)


def _unrestored(events: Sequence[RunEvent]) -> _Missing:
    """Tasks that start again behind a completion, and no line tells from what."""
    completed, restored, told = False, 0, -1
    # By subtask its attempt, and at its last line: how often was restored, and whether a checkpoint
    # had completed.
    before: dict[tuple[str, int], tuple[int, int, bool]] = {}
    for event in events:
        completed |= event.checkpoint_becomes is COMPLETED
        restored += event.word in _RESTORED
        task = event.task
        if event.word != "task-learned" or task is None or task.attempt is None:
            continue
        at = task.vertex, task.subtask
        attempt, times, had = before.get(at, (task.attempt, restored, False))
        if task.attempt > attempt and had and times == restored != told:
            told = restored  # one line tells of all tasks that start again
            why = f"{task.name} starts again, and no line tells from which checkpoint"
            yield event, _of_task(task), why
        before[at] = task.attempt, restored, completed


def _unlearned(events: Sequence[RunEvent]) -> _Missing:
    """Jobs that have finished, and no line tells that a subtask has, since it was scheduled. Of two
    attempts at once (speculative execution) one finishes, and the other is canceled. A restart may
    give a vertex another number of subtasks."""
    finished: dict[str, bool] = {}
    subtasks: dict[str, int] = {}
    tasks: dict[str, TaskId] = {}
    for event in events:
        to, task = event.log_event.fields.get("to", ""), event.task
        if event.word == "task-learned" and task is not None:
            is_old = finished.get(task.name, False) and to != "SCHEDULED"
            finished[task.name], tasks[task.name] = is_old or to == "FINISHED", task
            subtasks[task.vertex] = task.parallelism
        elif event.word == "job-switched" and to == "FINISHED":
            for name, task in tasks.items():
                if not finished[name] and subtasks[task.vertex] == task.parallelism:
                    yield event, _of_task(task), f"no line tells that {name} has finished"


def _undeclined(events: Sequence[RunEvent]) -> _Missing:
    """Checkpoints that a task has declined, and no line tells which task."""
    declined = set[int | None]()
    for event in events:
        number = event.log_event.checkpoint
        if event.word == "apply_decline":
            declined.add(number)
        elif event.checkpoint_becomes is ABORTED and number not in declined:
            causes = event.log_event.causes
            if any(_DECLINED in message for _, message in causes):
                why = f"no line tells which task has declined checkpoint {number}"
                yield event, (("checkpoint", f"checkpoint {number}"),), why


def _unreleased(events: Sequence[RunEvent]) -> _Missing:
    """Tasks that have waited for their final checkpoint and finish, and no line tells that nothing
    holds them any more."""
    waits = dict[TaskId, bool]()
    for event in events:
        if event.task is None:
            continue
        if event.word in ("waits", "released"):
            waits[event.task] = event.word == "waits"
        finishes = event.log_event.fields.get("to") == "FINISHED"
        if event.word == "task-switched" and finishes and waits.get(event.task):
            why = f"no line tells that nothing holds {event.task.name} any more"
            yield event, _of_task(event.task), why


def _of_task(task: TaskId) -> Binding:
    return (("task", task.name),)


__all__ = ["lacking"]
