"""Finds lines that no run can have, whatever its settings: they contradict the job.

The rules are not needed for this. `checker/logs/regularities` finds lines that contradict others.
"""

from __future__ import annotations

from finale.checker.logs.event_log.section_search import Rejected
from finale.checker.logs.event_log.section_system import Refusal
from finale.checker.logs.read.job_runs import JobRun, RunEvent

from .observations import Observations, Observed
from .run_job import RunJob


def impossible(run: JobRun, job: RunJob, observations: Observations) -> Rejected | None:
    """Return an impossible line: of an unknown task, else of two tasks."""
    return _unknown_task(job, observations) or _two_tasks(run)


def _unknown_task(job: RunJob, observations: Observations) -> Rejected | None:
    """Return the first line of a subtask, or of an attempt, that the job does not have."""
    names = {subtask.name for subtask in job.job.subtasks}
    for observation in observations.all:
        task, event = observation.event.task, observation.event
        if observation.seen is Observed.ACKNOWLEDGED and observation.task is None:
            return _rejected(event, "no line tells of which subtask this attempt is")
        if task is not None and job.task(task) not in names:
            return _rejected(event, f"the job has no subtask {task.name}")
    return None


def _two_tasks(run: JobRun) -> Rejected | None:
    """Return the first line that names one subtask, and the attempt of another."""
    for event in run.events:
        task, execution = event.log_event.task, event.log_event.execution
        if task is None or execution is None:
            continue
        attempt = execution.attempt if task.attempt is None else task.attempt
        if (task.subtask, attempt) != (execution.subtask, execution.attempt):
            return _rejected(
                event,
                f"the attempt is number {execution.attempt} of subtask {execution.subtask + 1}, "
                f"and not of {task.name}",
            )
    return None


def _rejected(event: RunEvent, why: str) -> Rejected:
    return Rejected(event.log_event.line, event.word, (Refusal(why),), 0)


__all__ = ["impossible"]
