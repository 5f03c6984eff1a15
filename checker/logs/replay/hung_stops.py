"""Explains from lines alone why a stop does not end, and names the lines.

A stop hangs for certain if a task can no longer be released: the task has dropped the confirmation
of the savepoint, has begun the savepoint after its abort, or has not taken its part. A stop is
overdue if later events have happened, and the event that the stop waits for has not come, although
the log goes on for longer than a call takes. Otherwise the log ends within the stop, which is no
finding: a task can leave before another one gets its confirmation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from finale.checker.logs.findings import Severity
from finale.checker.logs.read.visibility import LogProfile

from .stop_progress import AllStops, StopProgress, TaskStopProgress

#: So many tasks are told one by one.
TASKS_TOLD = 4
#: Flink gives up a call between its processes after so long, unless `pekko.ask.timeout` differs.
CALL_TAKES = timedelta(seconds=10)


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
) -> HungStop | None:
    """What keeps a stop from its end; None if nothing does.

    `silent` are the names of the tasks of whose process the log is missing.
    """
    if stop.is_over:
        return None
    if stop.number is None:
        why = f"asked for at line {stop.asked.line}, and no savepoint has been begun"
        return HungStop(Severity.OPEN, why, {})
    judging = _Judging(stop, stop.number, stops, profile, silent)
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
    ) -> None:
        self.stop, self.number, self.stops, self.profile = stop, number, stops, profile
        self.silent = silent
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
        left = [each for each in self.stops.tasks.values() if (each.ended or 0) > line]
        severity = Severity.OPEN
        if certain:
            severity = Severity.STUCK
        elif ((missing and left) or self.stop.newer is not None) and self._is_late():
            severity = Severity.OVERDUE
        reasons = certain or missing
        if self.stop.newer is not None and not certain:
            newer, at = self.stop.newer
            begun += (
                f"; checkpoint {newer} completed before it, at line {at}, and a task that hears of "
                f"{newer} first drops the confirmation of {self.number}"
            )
        if not self.profile.has("notified-complete", "confirmation-arrived"):
            levels = ", ".join(self.profile.lacks("notified-complete", "confirmation-arrived"))
            begun += f"; who has heard of it is not decided at this log level (needs {levels})"
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
        """Whether the log goes on for longer than a call takes, after the last completion."""
        try:
            newest, since = _time(self.profile.newest), _time(self.stop.since)
        except ValueError:
            return False  # digits that are no time
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
        return HungStop(severity, _told(begun, certain), tasks)

    def _drops(self, line: int, newer: int) -> str:
        return (
            f"had begun checkpoint {newer} before savepoint {self.number} and drops its part of it "
            f"(line {line}, out of order), so the savepoint can only expire"
        )


_NO_LOG = "the log of its process is missing"
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
