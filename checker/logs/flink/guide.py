"""A run of the model that explains the lines of a run: sought line by line, and not blindly.

Whose line is next, in the order of the log, is explained first; where it cannot be, as lines of
several threads need not be in the order of their steps, that of another clock is. What no line
tells is done when a line needs it, and not before: each kind of line has its own needs here, and a
need may have needs. Nothing here decides anything: steps are the rules', and a run that is found
is gone once more by them alone. That none is found says nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import cast

from checker.logs.event_log.effort import Effort
from checker.logs.event_log.search import Move
from checker.logs.event_log.system import SectionSystem
from model.protocols.job.elements import CancelBarrier
from model.protocols.task.tasks import TaskStatus

from .barriers import Barriers
from .observations import JOB, LATE, LOCK, Seen, Sight, Sights
from .run import NO_MORE

#: What happens to an attempt once, with a checkpoint or at all.
_ONCE = (Seen.BEGUN, Seen.CALLED, Seen.LEFT, Seen.ENDED, Seen.LEARNED, Seen.RUNS)


@dataclass(frozen=True)
class Stuck:
    """The first line that was not explained, and why not."""

    sight: Sight
    why: str


class Guide(Barriers):
    """Explains the sights of a run one by one, by steps of the rules."""

    def __init__(self, system: SectionSystem, sights: Sights, effort: Effort) -> None:
        super().__init__(system, sights, effort)
        self._how: dict[Seen, Callable[[Sight], bool]] = {
            Seen.TRIGGERED: self._triggered,
            Seen.ACKNOWLEDGED: self._acknowledged,
            Seen.COMPLETED: self._completed,
            Seen.ABORTED: self._aborted,
            Seen.LEARNED: self._learned,
            Seen.CALLED: self._called,
            Seen.BARRIER: self._barrier,
            Seen.CANCEL: self._cancel,
            Seen.BEGUN: self._begins,
            Seen.NOT_BEGUN: self._begins,
            Seen.CONFIRMED: self._confirmed,
            Seen.GIVEN_UP: self._given_up,
            Seen.LEFT: self._left,
            Seen.ENDED: self._ended,
            Seen.RUNS: self._runs,
            Seen.STOPS: self._stops,
            Seen.LOST: self._lost,
            Seen.RESTORED: self._restored,
            Seen.CANCELLING: self._cancelling,
            Seen.CANCELED: self._canceled,
        }

    def run(self) -> tuple[Move, ...] | Stuck:
        """A run; or the first line that it was not found for, and why not. Raises `OverTime`."""
        left = self.sights.number
        while left:
            if not self._advance():
                first = min((self._heads()), key=lambda each: each.place)
                self._explain(first)
                return Stuck(first, self.refused)
            left -= 1
        for sight in self.by_stop:
            if self.is_pending(sight.checkpoint):
                return Stuck(sight, "it is still pending when all is explained")
        return tuple(self.moves)

    def _advance(self) -> bool:
        for sight in sorted(self._heads(), key=lambda each: each.place):
            if self._explain(sight):
                self.at[self.clock_of[id(sight)]] += 1
                self.effort.explains(sight.line)
                return True
        return False

    def _explain(self, sight: Sight) -> bool:
        if sight.task and sight.attempt <= self.over[sight.task]:
            return sight.seen in LATE
        self.sight = sight
        self.refused = ""
        if sight.seen in _ONCE and (sight.seen, sight.own, sight.checkpoint) in self.explained:
            self.refused = "it is told once more"
            return False
        if self._tries(partial(self._how[sight.seen], sight)):
            self._note_attempts()
            self.explained.add((sight.seen, sight.own, sight.checkpoint))
            return True
        return False

    def _triggered(self, sight: Sight) -> bool:
        number = cast(int, sight.checkpoint)
        if number in self.early:
            self.early.remove(number)
            return True
        for task in self._counted_out(number):
            with self.look():
                known = bool(self.protocol.counts_as_finished(self.tasks[task]))
            if not known and self._is_learned(task):
                self.refused = f"{task} is not known to have finished"
                return False
        self._restores()
        if not self._trigger(sight, number):
            return False
        self.begun = number
        return True

    def _triggered_early(self, sight: Sight) -> bool:
        """Whoever has given a checkpoint up may tell so before whoever has begun it."""
        if not self._triggered(sight):
            return False
        self.early.add(sight.checkpoint or 0)
        return True

    def _triggered_all(self) -> bool:
        """Before the job has finished all its checkpoints were begun. Where the coordinator next
        tells of one that ended with the job, the others are, too."""
        later = [each for each in self.triggers if (each.checkpoint or 0) > self.begun]
        head = next((each for each in self._heads() if each.seen in LOCK), None)
        if head is None or head.seen is not Seen.ABORTED or not self.is_pending(head.checkpoint):
            return not later
        return all(self._triggered_early(each) for each in later)

    def _is_learned(self, task: str) -> bool:
        """Whether it is still to be learned that a task has finished."""
        return any(
            each.seen is Seen.LEARNED and each.own == (task, self.attempt[task])
            for clock, at in zip(self.sights.clocks, self.at, strict=True)
            if at < len(clock) and clock[at].seen in JOB
            for each in clock[at:]
        )

    def _counted_out(self, number: int) -> list[str]:
        """The tasks that had finished for all that the plan of a checkpoint knew."""
        part, called = self.sights.takes_part.get(number, set()), self.sights.called.get(number)
        if number in self.sights.completed:
            return [name for name in self.tasks if name not in part]
        return [
            name for name, task in self.tasks.items() if called and not task.inputs
            and name not in part
        ]  # fmt: skip

    def _trigger(self, sight: Sight, number: int) -> bool:
        match sight.kind:
            case "Savepoint":
                return self._request("request_savepoint", number)
            case "Terminate Savepoint":
                return self._request("request_stop", number, drain=True)
            case "Suspend Savepoint":
                return self._request("request_stop", number, drain=False)
            case _:
                if self.do("trigger_checkpoint", number=number):
                    return True
                if self._stops_have_failed() and self.do("trigger_checkpoint", number=number):
                    return True
                if not all(map(self._end_is_reported, self.tasks)):
                    return False
                at_end = self.do("trigger_at_end_of_data", number=number)
                return at_end or self._request("request_checkpoint", number)

    def _acknowledged(self, sight: Sight) -> bool:
        if self._of(sight, "apply_acknowledgement"):
            return True
        with self.look():
            task = self.tasks[cast(str, sight.task)]
            missing = [each for each in task.inputs if not each.ended and not each.aligned]
            logs = task.newest == self.point(sight.checkpoint) and task.gate.aligning
        # What it still logs ends with the inputs that have ended.
        ended = logs and all(self.ended(channel) for channel in missing)
        return ended and self._of(sight, "apply_acknowledgement")

    def _completed(self, sight: Sight) -> bool:
        done = self.do("complete", ("checkpoint", ""), number=sight.checkpoint)
        point = self.point(sight.checkpoint)
        with self.look():
            return done and point is not None and bool(point.is_completed)

    def _aborted(self, sight: Sight) -> bool:
        number = cast(int, sight.checkpoint)
        later = [each for each in self.triggers if each.checkpoint == number]
        if self.point(number) is None and later and not self._triggered_early(later[0]):
            return False
        if self.point(number) is None:
            return number not in self.sights.takes_part
        if not self.is_pending(number):
            return True
        if "suspending" in sight.why:
            self.by_stop.append(sight)
            return True
        if "expired" in sight.why and self.do("expire", ("checkpoint", ""), number=number):
            return True
        if self._missed(number) and not self.is_pending(number):
            return True
        for task in self.sights.unwritten.get(number, ()):
            self.do("fail_snapshot", ("task", task), ("checkpoint", ""), number=number)
        for name in ("apply_decline", "complete"):
            if self.do(name, ("checkpoint", ""), number=number):
                return not self.is_pending(number)
        return False

    def _learned(self, sight: Sight) -> bool:
        task = cast(str, sight.task)
        if why := self._begins_later(task):
            self.refused = why
            return False
        with self.look():
            if self.tasks[task].reported_finished:
                return True
            last = all(each.reported_finished or each.name == task for each in self.tasks.values())
        if last and not self._triggered_all():
            self.refused = self.refused or "a checkpoint is triggered later"
            return False
        if not self.closed(task):
            return False
        return self._end_is_reported(task) and self.do("learn_finished", ("task", task))

    def _end_is_reported(self, task: str) -> bool:
        """The end of its data is known, if it is reported."""
        if not self.protocol.options.final_trigger:
            return True
        with self.look():
            under_way = self.tasks[task] in self.protocol.end_reports
        return not under_way or self.do("apply_end_report", ("task", task))

    def _called(self, sight: Sight) -> bool:
        task, number = cast(str, sight.task), cast(int, sight.checkpoint)
        if task in self.sights.missed.get(number, ()):
            return True
        point = self.point(number)
        if point is None:
            return False
        with self.look():
            comes = self.tasks[task] in point.triggers
            over = not point.is_pending
        return self._of(sight, "deliver_trigger") if comes else over

    def _cancel(self, sight: Sight) -> bool:
        task = self.tasks[cast(str, sight.task)]
        for channel in task.inputs:
            self._pass_unseen(channel)
            head = self.head(channel)
            if isinstance(head, CancelBarrier) and head.checkpoint is self.point(sight.checkpoint):
                return self.do("poll_cancel_barrier", ("channel", channel.name))
        return False

    def _begins(self, sight: Sight) -> bool:
        name, number = cast(str, sight.task), cast(int, sight.checkpoint)
        task, point = self.tasks[name], self.point(number)
        if point is None:
            return False
        if self._has_begun(task, point, sight):
            return True
        with self.look():
            open_ = [channel for channel in task.inputs if not channel.ended]
            aligning = task.gate.aligning and task.newest == point
            missing = [channel for channel in open_ if not channel.aligned]
            mail = task.mail.has(point)
        if open_ and aligning and not mail:
            if self.do("time_out", ("task", name)) and self._has_begun(task, point, sight):
                return True
            return all(self.ended(each) for each in missing) and self._has_begun(task, point, sight)
        final = self.sights.final.get(sight.own, number + 1)
        if final <= number and not self.finished(name):
            return False
        if not mail:
            self.refused = self.refused or f"{name} was not called for {number}"
            return False
        return self._runs_trigger(name, number) and self._has_begun(task, point, sight)

    def _confirmed(self, sight: Sight) -> bool:
        task, number = cast(str, sight.task), cast(int, sight.checkpoint)
        point = self.point(number)
        with self.look():
            comes = point is not None and point.confirmations.has(self.tasks[task])
        if comes:
            return self._of(sight, "deliver_confirmation")
        rest = self._next_of(task)
        if rest and rest[0].seen is Seen.GIVEN_UP and self._given_up(rest[0]):
            with self.look():
                return self.tasks[task].confirmed == point
        self.refused = self.refused or f"{task} is not told of {number}"
        return False

    def _given_up(self, sight: Sight) -> bool:
        task, number = cast(str, sight.task), cast(int, sight.checkpoint)
        if (task, number) in self.given_up:
            return True
        if self._of(sight, "deliver_abort"):
            self.given_up.add((task, number))
            return True
        return False

    def _left(self, sight: Sight) -> bool:
        return self.quiesced(cast(str, sight.task))

    def _ended(self, sight: Sight) -> bool:
        return self.closed(cast(str, sight.task))

    def _runs(self, sight: Sight) -> bool:
        task = cast(str, sight.task)
        region = self.protocol.region_of[self.tasks[task]].tasks
        if not any(self.status(each.name) in NO_MORE for each in region):
            self.refused = f"{task} has not failed"
            return False
        self.ready[task] = sight.attempt
        return True

    def _stops(self, sight: Sight) -> bool:
        return not self._is_cancelling() or self._canceled_task(cast(str, sight.task))

    def _lost(self, sight: Sight) -> bool:
        task = cast(str, sight.task)
        if self._is_cancelling():
            return self._canceled_task(task)
        if self.status(task) in NO_MORE:  # it fails again before all run
            self.over[task] = max(self.over[task], sight.attempt)
            self.ready.pop(task, None)
            return True
        return self.status(task) is TaskStatus.CLOSED or self.do(
            "fail_region", ("region", self._region(task))
        )

    def _restored(self, sight: Sight) -> bool:
        meant = self.system.completed(self.here)
        if meant != sight.checkpoint:
            self.refused = f"{sight.checkpoint} is restored, and {meant} is the newest"
        return meant == sight.checkpoint

    def _cancelling(self, _: Sight) -> bool:
        return self.do("request_cancel", ("request", "cancel1"))

    def _canceled(self, _: Sight) -> bool:
        return self.do("finish_cancelling")


__all__ = ["Guide", "Stuck"]
