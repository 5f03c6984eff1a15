"""Finds lines that a run cannot have: their job has no line that must come before.

The search for a run (`witness_search.py`) explains the lines that are there. It can end before the
job does, and a step that it does not take lacks no line. So what each run must have told by a line
is asked here, of the lines alone. The rules are not needed for this: a line is compared with the
lines before it in the log of the same process.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from checker.logs.event_log.section_search import Rejected
from checker.logs.event_log.section_system import Refusal
from checker.logs.read.job_runs import JobRun, RunEvent
from checker.logs.read.visibility import LogProfile

from .run_job import RunJob

#: How a decline of a task names the task. The coordinator declines some checkpoints by itself.
_DECLINED = "CheckpointException: Task name with subtask"
#: A coordinator without a checkpoint, or with one, says so when it starts tasks again.
_RESTORED = ("restored", "restored-nothing")


def lacking(run: JobRun, job: RunJob, profile: LogProfile | None) -> Rejected | None:
    """The first line that lacks one which each run has before it.

    The logs have no gap. Without a `profile` all that happens is taken to leave its lines. The
    coordinators of two processes have no common order, also where they write into one file.
    """
    is_one = all(event.failover is None for event in run.events)
    found = [
        *((*_unrestored(run), *_restored_early(run), *_unlearned(run, job)) if is_one else ()),
        *_undeclined(run),
        *(_unreleased(run) if profile is None or profile.has("waits", "released") else ()),
    ]
    event, why = min(found, key=lambda each: each[0].log_event.place, default=(None, ""))
    if event is None:
        return None
    return Rejected(event.log_event.line, event.word, (Refusal(why),), 0)


def _by_log(events: Iterable[RunEvent]) -> Iterator[list[RunEvent]]:
    """The events of each log in their order."""
    logs = defaultdict[int, list[RunEvent]](list)
    for event in events:
        logs[event.log_event.log].append(event)
    yield from logs.values()


def _unrestored(run: JobRun) -> Iterator[tuple[RunEvent, str]]:
    """Tasks that start again behind a completion, and no line tells from what."""
    for events in _by_log(run.events):
        completed, restored = False, 0
        before: dict[tuple[str, int], tuple[int, int, bool]] = {}
        """By subtask its attempt, and at its last line: how often was restored, and whether a
        checkpoint had completed."""
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


def _restored_early(run: JobRun) -> Iterator[tuple[RunEvent, str]]:
    """Checkpoints from which a job is restored, and which complete later. Of a checkpoint of
    another job no line tells that it completes."""
    for events in _by_log(run.events):
        completes = {e.log_event.checkpoint: e for e in reversed(events) if e.word == "completed"}
        for event in (each for each in events if each.word == "restored"):
            later = completes.get(event.log_event.checkpoint)
            if later is not None and event.log_event.place < later.log_event.place:
                number, line = event.log_event.checkpoint, later.log_event.line
                yield event, f"checkpoint {number} completes at line {line}, behind it"


def _unlearned(run: JobRun, job: RunJob) -> Iterator[tuple[RunEvent, str]]:
    """Jobs that have finished, and a line of the coordinator tells otherwise of a task."""
    for events in _by_log(run.events):
        states = {task.name: "" for task in job.job.subtasks}
        for event in events:
            to = event.log_event.fields.get("to", "")
            if event.word == "task-learned" and event.task is not None:
                states[job.task(event.task)] = to
            elif event.word == "job-switched" and to == "FINISHED":
                for name in (name for name, state in states.items() if state != "FINISHED"):
                    yield event, f"no line tells that {name} has finished"


def _undeclined(run: JobRun) -> Iterator[tuple[RunEvent, str]]:
    """Checkpoints that a task has declined, and no line tells which task."""
    for events in _by_log(run.events):
        declined = set[int | None]()
        for event in events:
            number = event.log_event.checkpoint
            if event.word == "apply_decline":
                declined.add(number)
            elif event.word == "aborted" and number not in declined:
                causes = event.log_event.causes
                if any(_DECLINED in message for _, message in causes):
                    yield event, f"no line tells which task has declined checkpoint {number}"


def _unreleased(run: JobRun) -> Iterator[tuple[RunEvent, str]]:
    """Tasks that have waited for their final checkpoint and finish, and no line tells that nothing
    holds them any more."""
    for events in _by_log(run.events):
        waits = dict[object, bool]()
        for event in events:
            if event.task is None:
                continue
            if event.word in ("waits", "released"):
                waits[event.task] = event.word == "waits"
            finishes = event.log_event.fields.get("to") == "FINISHED"
            if event.word == "task-switched" and finishes and waits.get(event.task):
                yield event, f"no line tells that nothing holds {event.task.name} any more"


__all__ = ["lacking"]
