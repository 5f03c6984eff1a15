"""Watermarks: what a source says of the times that are still to come, and what tasks make of it.

Models RC-10, LF-2 and what 1.5 and S22 of the fact sheet say of watermarks. They travel among the
records, so a barrier may overtake them, and they are logged as records are. A source emits the n-th
one behind its n-th record, in the same step, as long as the bound lasts; at the end of its data it
emits the maximal one. A task is as far as the least of its inputs, which is no state: it begins
anew with each attempt. Without the bound there are no watermarks but the maximal one, which is one
with the end of data (decision 6).
If sources are aligned, they are one group, and a source pauses while it is ahead of the slowest.
Left out: records that come late, watermarks of the clock, inputs that are idle, and watermarks in a
log that is dealt out to other subtasks; of alignment the drift that is allowed, and the time that
a source needs to learn how far the others are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from model.errors import FinaleError, Place
from model.protocols.failures.recovery import Recovery
from model.protocols.job.channels import Channel
from model.protocols.job.elements import CheckpointId, Datum, Watermark
from model.protocols.task.sources import Source
from model.protocols.task.tasks import Task
from model.rules import STRONG, Setting, define, require, rule, step


@dataclass(frozen=True)
class WatermarkOptions:
    """Options of RC-10."""

    #: RC-10: a restarted source says at once how far it was; else it says nothing before its next
    repeats_watermark: bool = False
    #: FC-1: the timers of the maximal watermark fire in a mail of their own, so other mails, and
    #: records of another input, can come before them
    interruptible_timers: bool = False
    #: RC-10: sources read alike: one that is ahead of the slowest pauses (watermark alignment)
    aligns_sources: bool = False


class Watermarks(Recovery):
    """A job with watermarks. Nothing of it is in the system where the bound is 0."""

    explores: ClassVar[tuple[str, ...]] = ("watermarks",)

    #: RC-10: whether a restarted source says at once how far it was.
    repeats_watermark: bool = False
    #: FC-1: whether the timers of the maximal watermark fire in a mail of their own.
    interruptible_timers: bool = False
    #: RC-10: whether a source that is ahead of the slowest pauses.
    aligns_sources: bool = False

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        if self.has_watermarks:
            self._refuse_unmodelled()
        for each in (*self.tasks, *self.channels):
            each.has_watermarks = self.has_watermarks

    def _refuse_unmodelled(self) -> None:
        unmodelled = "writers hand over to committers" if self.tags else ""
        if any(vertex.chained for vertex in self.job.vertices):
            unmodelled = "sources chained into a task emit"
        if unmodelled:
            raise FinaleError(
                "watermarks-not-modelled",
                f"watermarks are not modelled among what {unmodelled}",
                place=Place(key="bounds.watermarks"),
                advice="leave it out, or choose another job",
            )

    @property
    def has_watermarks(self) -> bool:
        """Whether there are watermarks: a plain truth value."""
        return len(self.watermarks) > 0

    @property
    def maximal(self) -> Watermark:
        """The last one of all sources: no time is behind it."""
        return self.watermarks[-1]

    def keeps(self) -> frozenset[str]:
        has = self.has_watermarks or self.observes("watermarks")
        own = {"event-time"} if has else set[str]()
        deferred = {"deferred"} if self.interruptible_timers else set[str]()
        return super().keeps() | own | deferred

    # --- sources ---------------------------------------------------------------------------------

    @step
    def emitted(self, task: Source) -> None:
        """1.5: behind a record follows its watermark, if there is one."""
        if self.has_watermarks:
            self.say_how_far(task)

    @define
    def may_emit(self, task: Source) -> bool:
        """RC-10: a source also pauses while it is ahead of the slowest of its group."""
        if not (self.has_watermarks and self.aligns_sources):
            return super().may_emit(task)
        return super().may_emit(task) and not any(
            self.is_waited_for(other, task) for other in self.tasks if isinstance(other, Source)
        )

    @define
    def is_waited_for(self, slower: Source, task: Source) -> bool:
        """RC-10: whether a source pauses until another one of its group has come as far."""
        return self.holds_group(slower) and slower.watermark < task.watermark

    @define
    def holds_group(self, task: Source) -> bool:
        """RC-10: whether other sources wait for this one: a source reports how far it is with its
        first watermark, and a finished source is never behind."""
        return task.watermark > 0 and not task.has_finished

    @step
    def say_how_far(self, task: Source) -> None:
        """A source emits the watermark behind its last record, if it has not in this attempt.

        That it has emitted the maximal one, as it does when it is to drain, it does not remember.
        """
        emitted = min(len(task.data) - task.remaining, self.maximal.time - 1)
        for mark in self.watermarks[:-1]:
            self.advance_if(emitted == mark.time, task, mark)

    @step
    def restore_from(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-10: watermarks are no state; a source may know from its position how far it was."""
        super().restore_from(task, checkpoint)
        if self.has_watermarks and self.repeats_watermark and isinstance(task, Source):
            self.say_how_far(task)

    @step
    def reach_end_of_time(self, task: Task) -> None:
        """LF-1, FC-1: a source emits the maximal watermark; others have been told, or are now."""
        if not self.has_watermarks:
            task.on_maximal_watermark()
        elif isinstance(task, Source):
            self.pass_on(task, self.maximal)
        elif self.interruptible_timers:
            self.finish_deferred(task)

    # --- all tasks -------------------------------------------------------------------------------

    @step
    def work_on(self, task: Task, channel: Channel, record: Datum) -> None:
        """The operator's work on a record; a watermark among them is not for the operator."""
        if not self.has_watermarks:
            super().work_on(task, channel, record)
        elif record.time > 0:
            self.take_watermark(task, channel, record.time)
        else:
            super().work_on(task, channel, record)
            self.note_time(task, record)

    @step
    def take_watermark(self, task: Task, channel: Channel, time: int) -> None:
        """RC-10, LF-2: a task is as far as the least of its inputs, and passes that on."""
        self.note_watermark(channel, time)
        channel.watermark = max(channel.watermark, time)
        reached = self.least_of(task)
        for mark in self.watermarks:
            self.advance_if(reached == mark.time, task, mark)

    @define
    def least_of(self, task: Task) -> int:
        """How far the inputs of a task are, all of them."""
        return min(channel.watermark for channel in task.inputs)

    @step
    def advance_if(self, wanted: bool, task: Task, mark: Watermark) -> None:
        """A task that has not been so far passes a watermark on; the maximal one fires timers."""
        if wanted and task.watermark < mark.time:
            task.watermark = mark.time
            if mark == self.maximal and self.interruptible_timers:
                task.deferred = True
            else:
                self.reach(task, mark)

    @step
    def reach(self, task: Task, mark: Watermark) -> None:
        """A task has come to a watermark; the maximal one fires timers."""
        if mark == self.maximal:
            task.on_maximal_watermark()
        self.pass_on(task, mark)

    @rule(fair=STRONG)
    def run_deferred(self, task: Task) -> None:
        """FC-1: the mailbox runs the deferred mail: timers fire, and the watermark goes on."""
        require(self.interruptible_timers, lambda: task.deferred, task.is_alive)
        self.run_mail(task)

    @step
    def run_mail(self, task: Task) -> None:
        """What is deferred is done."""
        task.deferred = False
        self.reach(task, self.maximal)

    @step
    def finish_deferred(self, task: Task) -> None:
        """FC-1: what is deferred is done before the operators finish."""
        if task.deferred:
            self.run_mail(task)

    @step
    def pass_on(self, task: Task, mark: Watermark) -> None:
        """A watermark goes to all consumers of a task."""
        for channel in task.outputs:
            channel.put_data(mark)

    @step
    def note_watermark(self, channel: Channel, time: int) -> None:
        """History: which watermark came, and whether the maximal one had come before it."""
        if self.observes("watermarks"):
            channel.last_watermark = time
            if channel.watermark == self.maximal.time:
                channel.after_maximal = True

    @step
    def note_time(self, task: Task, record: Datum) -> None:
        """History: how far the task was when it processed a record."""
        if self.observes("watermarks"):
            task.met[record] = task.watermark
