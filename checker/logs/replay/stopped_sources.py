"""Finds restarts that lose the records of a source which a stop has ended.

A source that a stop ends while it reads is FINISHED afterwards. A checkpoint that is triggered then
counts the source as finished. If the job is restored from that checkpoint, the source reads nothing
more, and its records behind the savepoint of the stop are lost. The same holds for another job that
starts from that checkpoint, if the logs of both jobs are there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from finale.checker.logs.findings import Finding, Severity
from finale.checker.logs.read.job_runs import JobRun, RunEvent
from finale.checker.logs.read.log_events import TaskId
from finale.checker.spec.catalogue import catalogue
from finale.model.protocols.coordinator.checkpoints import PENDING

from .replay_state import where_of

_PROPERTY = "records-survive-restarts"


@dataclass
class _Sources:
    """What is known of sources. Each is a task with its attempt; numbers are lines."""

    stopped: dict[TaskId, int] = field(default_factory=dict[TaskId, int])
    finished: dict[TaskId, int] = field(default_factory=dict[TaskId, int])
    counted: dict[int, dict[TaskId, int]] = field(default_factory=dict[int, dict[TaskId, int]])
    """By checkpoint, those that it counts as finished, and the line of its trigger."""

    def take(self, event: RunEvent) -> None:
        """Take what a line tells."""
        told, task = event.log_event, event.task
        if told.word == "source-stops" and task is not None:
            self.stopped[task] = told.line
        elif told.word == "task-learned" and task is not None:
            self._learned(task, told.line, told.fields["to"])
        elif event.checkpoint_becomes is PENDING and told.checkpoint is not None:
            own = (each for each in self.finished if each in self.stopped)
            self.counted[told.checkpoint] = dict.fromkeys(own, told.line)

    def _learned(self, task: TaskId, line: int, state: str) -> None:
        if state == "FINISHED":
            self.finished[task] = line
            return
        for each in [each for each in self.finished if each.name == task.name]:
            if each != task:  # another attempt of the source begins
                del self.finished[each]


def lost_by_restarts(run: JobRun, origin: JobRun | None = None) -> Iterator[Finding]:
    """Return each source whose records a restart loses, at the line that restores the job.

    With an `origin`, the job from whose checkpoint the job has started, only those that this start
    loses are returned.
    """
    own, brought = _Sources(), _Sources()
    for event in origin.events if origin is not None else ():
        brought.take(event)
    resumes = origin is not None and any(event.word == "resumed" for event in run.events)
    for event in run.events:
        own.take(event)
        told = event.log_event
        if told.word == "restored" and told.checkpoint is not None:
            sources, resumes = (brought if resumes else own), False
            if origin is not None and sources is own:
                return
            whose = "" if origin is None else f" of job {origin.name}"
            for task, triggered in sources.counted.get(told.checkpoint, {}).items():
                why = (
                    f"a stop ended the source while it read (line {sources.stopped[task]}); "
                    f"checkpoint {told.checkpoint}{whose}, triggered at line {triggered}, counts "
                    "the source as finished; the job is restored from that checkpoint, so the "
                    "source reads nothing more, and its records behind the savepoint of the stop "
                    "are lost"
                )
                yield Finding(
                    _PROPERTY,
                    (("task", task.name),),
                    where_of(told),
                    Severity.VIOLATED,
                    catalogue().properties[_PROPERTY].sentence,
                    why,
                )
