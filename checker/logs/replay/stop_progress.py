"""Follows stops with a savepoint: how far each stop is, and what each task has heard of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from finale.checker.logs.findings import Where
from finale.checker.logs.lines import CHECKPOINT_BECOMES, ENDED_OTHERWISE, STOPS
from finale.checker.logs.read.job_runs import RunEvent
from finale.checker.logs.read.log_events import LogEvent, TaskId
from finale.model.protocols.coordinator.checkpoints import CheckpointStatus

from .task_releases import is_stop


@dataclass
class TaskStopProgress:
    """What the present attempt of a task has heard and done. Lines, by the checkpoint."""

    name: str
    attempt: tuple[str | None, int] | None = None
    begun: dict[int, int] = field(default_factory=dict[int, int])
    sync: int | None = None
    """The savepoint of a stop that the task knows of."""
    waits: bool = False
    """The task has said that it waits for its final checkpoint."""
    final: list[int] = field(default_factory=list[int])
    """What it has begun since."""
    heard: dict[int, int] = field(default_factory=dict[int, int])
    """Completions of which its main loop has heard."""
    arrived: dict[int, int] = field(default_factory=dict[int, int])
    """Completions that have reached its process."""
    lost: dict[int, int] = field(default_factory=dict[int, int])
    """Completions that its mailbox has not taken."""
    aborted: dict[int, int] = field(default_factory=dict[int, int])
    """Aborts of which its main loop has heard."""
    refused: dict[int, int] = field(default_factory=dict[int, int])
    """What it has not taken, since it had heard of the abort."""
    overtaken: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """What it has not taken, since it had begun a newer one: the line, and the newer one."""
    acknowledged: set[int] = field(default_factory=set[int])
    ended: int | None = None
    """The line by which it has finished."""
    is_down: bool = False


@dataclass
class StopProgress:
    """A stop that a user has asked for."""

    asked: Where
    number: int | None = None
    """Its savepoint."""
    begun: int | None = None
    completed: int | None = None
    aborted: int | None = None
    newer: tuple[int, int] | None = None
    """A newer checkpoint that completed while the savepoint was pending, and the line."""
    since: str = ""
    """The time of the last completion that concerns it: its savepoint's, or the newer one's."""
    goes_on: bool = False
    """Another checkpoint was begun after the abort of the savepoint."""
    is_over: bool = False


@dataclass
class AllStops:
    """The stops of a job, in the order in which they were asked for."""

    stops: list[StopProgress] = field(default_factory=list[StopProgress])
    tasks: dict[tuple[str, int], TaskStopProgress] = field(
        default_factory=dict[tuple[str, int], TaskStopProgress]
    )
    overtaken: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """What tasks have not taken that are not named, since the layout tells no threads."""
    refused: dict[int, int] = field(default_factory=dict[int, int])

    def of_job(self, told: LogEvent, where: Where) -> None:
        """An event of the coordinator, or of a task that the line does not name."""
        number = told.checkpoint
        match told.word:
            case "request_stop":
                self.stops.append(StopProgress(where))
            case "job-switched" if told.fields["to"] not in ("RUNNING", "CREATED"):
                self.restart()
            case "trigger-overtaken" if number is not None:
                self.overtaken[number] = told.line, int(told.fields["newer"])
            case "trigger-after-abort" if number is not None:
                self.refused[number] = told.line
            case _:
                pass
        match CHECKPOINT_BECOMES.get(told.word):
            case CheckpointStatus.PENDING:
                self._triggered(told)
            case CheckpointStatus.COMPLETED if number is not None:
                self._completed(number, told)
            case CheckpointStatus.ABORTED:
                for stop in self.stops:
                    if stop.number == number and stop.completed is None:
                        stop.aborted = stop.aborted or told.line
            case _:
                pass

    def restart(self) -> None:
        """End all stops: a restart and a new coordinator forget them, and what ends the job ends
        them."""
        for stop in self.stops:
            stop.is_over = True

    def waits_for(self, number: int | None) -> bool:
        """Whether this is the savepoint of a stop that is not over."""
        return any(each.number == number and not each.is_over for each in self.stops)

    def _triggered(self, told: LogEvent) -> None:
        waiting = [each for each in self.stops if each.number is None and not each.is_over]
        for stop in waiting[:1] if told.fields.get("kind") in STOPS else ():
            stop.number, stop.begun = told.checkpoint, told.line
        for stop in self.stops:
            stop.goes_on |= stop.aborted is not None

    def _completed(self, number: int, told: LogEvent) -> None:
        for stop in self.stops:
            if stop.number == number:
                stop.completed, stop.since = told.line, told.time
            elif stop.number is not None and stop.number < number and stop.completed is None:
                stop.newer = stop.newer or (number, told.line)
                stop.since = stop.since or told.time

    def of_task(self, event: RunEvent, named: TaskId) -> None:
        """An event of the present attempt of a task. With a new attempt all is forgotten that the
        one before it knew."""
        at, told = (named.vertex, named.subtask), event.log_event
        attempt = None if named.attempt is None else (event.graph, named.attempt)
        task = self.tasks.setdefault(at, TaskStopProgress(named.name, attempt))
        if attempt not in (None, task.attempt):
            task = self.tasks[at] = TaskStopProgress(named.name, attempt)
        number = told.checkpoint
        if told.word in ("task-switched", "task-learned"):
            self._switched(task, told)
        elif told.word == "waits":
            task.waits = True
        elif number is not None:
            _of_checkpoint(task, told, number)

    @staticmethod
    def _switched(task: TaskStopProgress, told: LogEvent) -> None:
        state = told.fields["to"]
        if state == "FINISHED":
            task.ended = task.ended or told.line
        task.is_down |= state in ENDED_OTHERWISE


def _of_checkpoint(task: TaskStopProgress, told: LogEvent, number: int) -> None:
    match told.word:
        case "snapshot-begins":
            task.begun.setdefault(number, told.line)
            if task.waits:
                task.final.append(number)
            if is_stop(told.fields["kind"]) and task.sync is None:
                task.sync = number
        case "notified-complete":
            task.heard.setdefault(number, told.line)
        case "confirmation-arrived":
            task.arrived.setdefault(number, told.line)
        case "notification-lost" if told.fields["what"].lower().startswith("complete"):
            task.lost.setdefault(number, told.line)
        case "notified-abort":
            task.aborted.setdefault(number, told.line)
        case "trigger-after-abort":
            task.refused.setdefault(number, told.line)
        case "trigger-overtaken":
            task.overtaken.setdefault(number, (told.line, int(told.fields["newer"])))
        case "apply_acknowledgement":
            task.acknowledged.add(number)
        case _:
            pass
