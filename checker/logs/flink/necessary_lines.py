"""Finds lines that a run cannot have: their job has no line that must come before.

The search for a run (`witness_search.py`) explains the lines that are there. It can end before the
job does, and a step that it does not take lacks no line. So what each run must have told by a line
is asked here, of the lines alone. The rules are not needed for this: a line is compared with the
lines before it in the log of the same process.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from checker.logs.event_log.section_search import Rejected
from checker.logs.event_log.section_system import Refusal
from checker.logs.read.job_runs import JobRun, RunEvent
from checker.logs.read.log_events import TaskId
from checker.logs.read.visibility import LogProfile
from checker.logs.regularities.assumptions import is_one_coordinator, restored_early

#: How a decline of a task names the task. The coordinator declines some checkpoints by itself.
_DECLINED = "CheckpointException: Task name with subtask"
#: A coordinator without a checkpoint, or with one, says so when it starts tasks again.
_RESTORED = ("restored", "restored-nothing")


def lacking(run: JobRun, profile: LogProfile | None) -> Rejected | None:
    """The first line before which another line is missing that each run has.

    The logs have no gap. Without a `profile` all that happens is taken to leave its lines.
    """
    logs = defaultdict[int, list[RunEvent]](list)
    for event in run.events:
        logs[event.log_event.log].append(event)
    of_one = (_unrestored, _unlearned) if is_one_coordinator(run) else ()
    shows_release = profile is None or profile.has("waits", "released")
    asked = (*of_one, _undeclined, *((_unreleased,) if shows_release else ()))
    found = [each for events in logs.values() for ask in asked for each in ask(events)]
    if (early := restored_early(run)) is not None:
        restored, completed = early
        number, line = completed.log_event.checkpoint, completed.log_event.line
        found.append((restored, f"checkpoint {number} completes at line {line}, behind it"))
    if not found:
        return None
    event, why = min(found, key=lambda each: each[0].log_event.place)
    return Rejected(event.log_event.line, event.word, (Refusal(why),), 0)


def _unrestored(events: Sequence[RunEvent]) -> Iterator[tuple[RunEvent, str]]:
    """Tasks that start again behind a completion, and no line tells from what."""
    completed, restored = False, 0
    # By subtask its attempt, and at its last line: how often was restored, and whether a checkpoint
    # had completed.
    before: dict[tuple[str, int], tuple[int, int, bool]] = {}
    for event in events:
        completed |= event.word == "completed"
        restored += event.word in _RESTORED
        task = event.task
        if event.word != "task-learned" or task is None or task.attempt is None:
            continue
        at = task.vertex, task.subtask
        attempt, times, had = before.get(at, (task.attempt, restored, False))
        if task.attempt > attempt and had and times == restored:
            yield event, f"{task.name} starts again, and no line tells from which checkpoint"
        before[at] = task.attempt, restored, completed


def _unlearned(events: Sequence[RunEvent]) -> Iterator[tuple[RunEvent, str]]:
    """Jobs that have finished, and the last line about a task tells otherwise. A restart may give a
    vertex another number of subtasks."""
    states: dict[str, str] = {}
    subtasks: dict[str, int] = {}
    tasks: dict[str, TaskId] = {}
    for event in events:
        to, task = event.log_event.fields.get("to", ""), event.task
        if event.word == "task-learned" and task is not None:
            states[task.name], tasks[task.name] = to, task
            subtasks[task.vertex] = task.parallelism
        elif event.word == "job-switched" and to == "FINISHED":
            for name, state in states.items():
                is_there = subtasks[tasks[name].vertex] == tasks[name].parallelism
                if state != "FINISHED" and is_there:
                    yield event, f"no line tells that {name} has finished"


def _undeclined(events: Sequence[RunEvent]) -> Iterator[tuple[RunEvent, str]]:
    """Checkpoints that a task has declined, and no line tells which task."""
    declined = set[int | None]()
    for event in events:
        number = event.log_event.checkpoint
        if event.word == "apply_decline":
            declined.add(number)
        elif event.word == "aborted" and number not in declined:
            causes = event.log_event.causes
            if any(_DECLINED in message for _, message in causes):
                yield event, f"no line tells which task has declined checkpoint {number}"


def _unreleased(events: Sequence[RunEvent]) -> Iterator[tuple[RunEvent, str]]:
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
            yield event, f"no line tells that nothing holds {event.task.name} any more"


__all__ = ["lacking"]
