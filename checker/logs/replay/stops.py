"""Follows stops with a savepoint, and explains from lines alone why a stop does not end.

A stop hangs for certain if a task can no longer be released: the task has dropped the confirmation
of the savepoint, has begun the savepoint after its abort, or has not taken its part. A stop is
overdue if later events have happened, and the event that the stop waits for has not come, although
the log goes on for longer than a call takes. A stop is unanswered if its savepoint has completed
and no task has ended since, in a log that does not tell who has heard of the completion. Otherwise
the log ends within the stop, which is no finding: a task can leave before another one gets its
confirmation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType

from finale.checker.logs.findings import Severity, Where
from finale.checker.logs.lines import CHECKPOINT_BECOMES, ENDED_OTHERWISE, STOPS
from finale.checker.logs.read.job_runs import RunEvent
from finale.checker.logs.read.log_events import LogEvent, TaskId
from finale.checker.logs.read.visibility import LogProfile
from finale.model.protocols.coordinator.checkpoints import CheckpointStatus

from .task_releases import is_stop

#: So many tasks are told one by one.
TASKS_TOLD = 4
#: Flink gives up a call between its processes after so long, unless `pekko.ask.timeout` differs.
CALL_TAKES = timedelta(seconds=10)


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
    ended_before: frozenset[tuple[str, int]] = frozenset()
    """The tasks that had ended when the savepoint completed."""
    aborted: int | None = None
    expired: int | None = None
    newer: tuple[int, int] | None = None
    """A newer checkpoint that completed while the savepoint was pending, and the line."""
    since: str = ""
    """The time of the last completion that concerns it: its savepoint's, or the newer one's."""
    log: int = 0
    """The file of that line."""
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
            case "expire":
                for stop in self.stops:
                    stop.expired = told.line if stop.number == number else stop.expired
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
                stop.completed, stop.since, stop.log = told.line, told.time, told.log
                stop.ended_before = self._ended()
            elif stop.number is not None and stop.number < number and stop.completed is None:
                stop.newer = stop.newer or (number, told.line)
                if not stop.since:
                    stop.since, stop.log = told.time, told.log

    def _ended(self) -> frozenset[tuple[str, int]]:
        return frozenset(at for at, task in self.tasks.items() if task.ended is not None)

    def left(self, stop: StopProgress) -> bool:
        """Whether some task has ended since the savepoint of a stop completed."""
        return bool(self._ended() - stop.ended_before)

    def of_task(self, event: RunEvent, named: TaskId) -> None:
        """An event of the present attempt of a task. With a new attempt all is forgotten that the
        one before it knew."""
        at, told = (named.vertex, named.subtask), event.log_event
        attempt = None if named.attempt is None else (event.graph, named.attempt)
        task = self.tasks.get(at)
        if task is None or attempt not in (None, task.attempt):
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


# --- why a stop hangs -----------------------------------------------------------------------------


@dataclass(frozen=True)
class HungStop:
    """What keeps a stop from its end: how sure that is, why, and what each task waits for."""

    severity: Severity
    why: str
    tasks: dict[str, str]
    """By the name of a task."""
    failed: bool = False
    """The stop has failed, and yet some task is not released."""


def hung_stop(
    stop: StopProgress,
    stops: AllStops,
    profile: LogProfile,
    silent: Collection[str] = (),
    newest: Mapping[int, str] = MappingProxyType({}),
) -> HungStop | None:
    """What keeps a stop from its end; None if nothing does.

    `silent` are the names of the tasks of whose process the log is missing. `newest` is the latest
    time of each log.
    """
    if stop.is_over:
        return None
    if stop.number is None:
        why = f"asked for at line {stop.asked.line}, and no savepoint has been begun"
        return HungStop(Severity.OPEN, why, {})
    judging = _Judging(stop, stop.number, stops, profile, silent, newest)
    if stop.completed is not None:
        return judging.completed(stop.completed)
    if stop.aborted is not None:
        return judging.aborted(stop.aborted)
    return judging.pending()


class _Judging:
    """One stop whose savepoint has been begun."""

    def __init__(
        self,
        stop: StopProgress,
        number: int,
        stops: AllStops,
        profile: LogProfile,
        silent: Collection[str],
        newest: Mapping[int, str],
    ) -> None:
        self.stop, self.number, self.stops, self.profile = stop, number, stops, profile
        self.silent, self.newest = silent, newest
        self.alive = [e for e in stops.tasks.values() if e.ended is None and not e.is_down]
        self._begun = f"the stop of line {stop.asked.line} waits: savepoint {number}"

    def completed(self, line: int) -> HungStop:
        """The savepoint has completed: each task must hear of it, and leave."""
        if not self.alive:
            why = f"{self._begun} completed at line {line}, no task runs, and the job has not ended"
            return HungStop(Severity.OPEN, why, {})
        certain = _given((each.name, self._dropped(each)) for each in self.alive)
        missing = _given((each.name, self._not_heard(each)) for each in self.alive)
        others = {
            each.name: f"heard at line {each.heard[self.number]} that savepoint {self.number} has "
            "completed, and has not ended yet"
            for each in self.alive
            if self.number in each.heard
        }
        others |= {e.name: f"has not ended; {_NO_LOG}" for e in self.alive if e.name in self.silent}
        begun = f"{self._begun} completed at line {line}, and {_counted(len(self.alive))} not ended"
        severity = Severity.OPEN
        if certain:
            severity = Severity.STUCK
        elif (
            (missing and self.stops.left(self.stop)) or self.stop.newer is not None
        ) and self._is_late():
            severity = Severity.OVERDUE
        reasons = certain or missing
        if self.stop.newer is not None and not certain:
            newer, at = self.stop.newer
            begun += (
                f"; checkpoint {newer} completed before it, at line {at}, and a task that hears of "
                f"{newer} first drops the confirmation of {self.number}"
            )
        if not self.profile.has("notified-complete", "confirmation-arrived"):
            levels = ", ".join(self.profile.lacks("notified-complete"))
            begun += f"; who has heard of it is not decided at this log level (needs {levels})"
            if severity is Severity.OPEN and not self.stops.left(self.stop):
                begun += ". No task has ended since, and nothing else goes on: the stop hangs, or "
                begun += "the log was cut at this moment"
                severity = Severity.UNANSWERED
            if not certain:
                others = {e.name: f"has not ended; {_UNHEARD} (needs {levels})" for e in self.alive}
                reasons = {}
        return HungStop(severity, _told(begun, reasons), {**others, **missing, **certain})

    def _dropped(self, task: TaskStopProgress) -> str | None:
        """Why a task will never act on the completion of the savepoint, if that is certain."""
        if self.number in task.heard:
            return None
        if self.number in task.lost:
            at = task.lost[self.number]
            return f"its mailbox dropped the confirmation of savepoint {self.number} at line {at}"
        newer = min((n for n in task.heard if n > self.number), default=None)
        if newer is None or task.sync != self.number:
            return None
        arrived = task.arrived.get(self.number)
        word = "" if arrived is None else f", which arrived at line {arrived}"
        return (
            f"heard of the newer checkpoint {newer} first (line {task.heard[newer]}), so it drops "
            f"the confirmation of savepoint {self.number}{word}; nothing else releases it"
        )

    def _is_late(self) -> bool:
        """Whether the coordinator's log goes on for longer than a call takes, after the last
        completion. Files of other processes have clocks of their own."""
        try:
            newest, since = _time(self.newest[self.stop.log]), _time(self.stop.since)
        except (KeyError, ValueError):
            return False  # another file, or digits that are no time
        return newest - since >= CALL_TAKES

    def _not_heard(self, task: TaskStopProgress) -> str | None:
        known = self.profile.has("notified-complete", "confirmation-arrived")
        if self.number in task.heard or task.name in self.silent or not known:
            return None
        if self.number in task.arrived:
            at = task.arrived[self.number]
            return (
                f"the confirmation of savepoint {self.number} arrived at line {at}; no line tells "
                "that the task has acted on it"
            )
        return f"no line tells that the confirmation of savepoint {self.number} has arrived"

    def aborted(self, line: int) -> HungStop | None:
        """The savepoint was aborted: no task may wait for it."""
        certain: dict[str, str] = {}
        for task in self.alive:
            heard, begun = task.aborted.get(self.number), task.begun.get(self.number)
            refused = task.refused.get(self.number)
            if heard is not None and begun is not None and heard < begun:
                certain[task.name] = (
                    f"heard of the abort of savepoint {self.number} (line {heard}) before its stop "
                    f"(line {begun}), so it waits for a savepoint that never completes"
                )
            elif refused is not None:
                certain[task.name] = (
                    f"begins savepoint {self.number} of the stop after its abort (line {refused}), "
                    "so it waits for a savepoint that never completes"
                )
        if not certain and self.number in self.stops.refused:
            at = self.stops.refused[self.number]
            certain["some task"] = (
                f"begins savepoint {self.number} of the stop after its abort (line {at}), so it "
                "waits for a savepoint that never completes (which task needs thread names)"
            )
        if not certain or any(self._will_fail(each) for each in self.stops.tasks.values()):
            return None
        severity, known = Severity.STUCK, self.profile.has("snapshot-begins", "notified-abort")
        later = Severity.OVERDUE if self.stop.goes_on else Severity.OPEN
        begun_ = f"savepoint {self.number} of the stop of line {self.stop.asked.line} was aborted "
        begun_ += f"at line {line}"
        if not known:
            levels = ", ".join(self.profile.lacks("snapshot-begins", "notified-abort"))
            begun_ += (
                "; whether another task fails by the abort, so that the job restarts, is not "
                f"decided at this log level (needs {levels})"
            )
            severity = later
        elif self.silent:
            begun_ += "; whether another task fails by the abort is told in a log that is missing"
            begun_ += ", or ends early"
            severity = later
        return HungStop(severity, _told(begun_, certain), certain, failed=True)

    def _will_fail(self, task: TaskStopProgress) -> bool:
        """Whether a task fails by the abort: it had begun the savepoint before it heard of that."""
        begun, heard = task.begun.get(self.number), task.aborted.get(self.number)
        return task.is_down or (begun is not None and (heard is None or begun < heard))

    def pending(self) -> HungStop:
        """The savepoint is pending: each task must take its part."""
        certain: dict[str, str] = {}
        for task in self.alive:
            if self.number in task.overtaken:
                at, newer = task.overtaken[self.number]
                certain[task.name] = self._drops(at, newer)
        if not certain and self.number in self.stops.overtaken:
            certain["some task"] = self._drops(*self.stops.overtaken[self.number])
        begun = f"{self._begun}, begun at line {self.stop.begun}, is pending"
        tasks = dict(certain)
        if self.profile.has("apply_acknowledgement"):
            missing = [e.name for e in self.alive if self.number not in e.acknowledged]
            if missing:
                names = ", ".join(missing[:TASKS_TOLD])
                more = len(missing) - TASKS_TOLD
                begun += f" and not acknowledged by {names}" + (f" and {more} more" * (more > 0))
        else:
            levels = ", ".join(self.profile.lacks("apply_acknowledgement"))
            begun += f"; who has acknowledged it is not decided at this log level (needs {levels})"
        severity = Severity.STUCK if certain else Severity.OPEN
        if self.stop.newer is not None and not certain:
            newer, at = self.stop.newer
            severity = Severity.OVERDUE if self._is_late() else Severity.OPEN
            begun += f"; the newer checkpoint {newer} has completed at line {at}"
        if self.stop.expired is not None:
            begun += f"; the savepoint has expired at line {self.stop.expired}"
            severity = Severity.STUCK
        return HungStop(severity, _told(begun, certain), tasks)

    def _drops(self, line: int, newer: int) -> str:
        return (
            f"had begun checkpoint {newer} before savepoint {self.number} and drops its part of it "
            f"(line {line}, out of order), so the savepoint can only expire"
        )


_NO_LOG = "the log of its process is missing, or ends early"
_UNHEARD = "whether it has heard of the savepoint's completion is not decided at this log level"


def _given(told: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    """Those that have a reason."""
    return {name: why for name, why in told if why is not None}


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace(",", "."))


def _counted(tasks: int) -> str:
    return "1 task has" if tasks == 1 else f"{tasks} tasks have"


def _told(begun: str, tasks: dict[str, str]) -> str:
    some = [f"{name}: {why}" for name, why in list(tasks.items())[:TASKS_TOLD]]
    more = len(tasks) - TASKS_TOLD
    return "; ".join([begun, *some, *([f"and {more} tasks more"] if more > 0 else [])])
