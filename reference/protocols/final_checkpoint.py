"""FLIP-147: a finished task waits for a checkpoint that contains all its output.

The end of the data goes through the job as an element of its own, so that all operators finish
before one checkpoint; tasks close, from the sources on, when it is durable and they know of it.
"""

from __future__ import annotations

from typing import Any

from finale.reference.asking import Asking
from finale.reference.channel import Channel, EndOfData
from finale.reference.operators.base import Word
from finale.reference.steps import Guarded, action
from finale.reference.task import Phase, Task


class FinalCheckpoint(Asking):
    """A job whose tasks end together."""

    key = "final-checkpoint"

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.at_end: set[str] = set()
        """The coordinator knows that their data have ended."""
        self.final_triggered = False
        """It has triggered a checkpoint since all are there."""

    @property
    def after_finish(self) -> bool:
        return self.options.checkpoints_after_finish

    @action("channel")
    def poll_end_of_data(self, channel: Channel) -> Guarded:
        """The data of an input have ended; with the last input's, the task's."""
        task = self.tasks[channel.reader]
        yield isinstance(channel.head, EndOfData) and self.may_poll(task, channel)
        end = channel.take()
        assert isinstance(end, EndOfData)
        channel.data_ended, channel.stopped = True, not end.drain
        if all(each.data_ended for each in task.inputs):
            self.finish(task)
        else:
            self.pass_time(task)

    def call_failed(self, task: Task, checkpoint: int) -> None:
        if self.options.finish_race == "retrigger" and task.phase is Phase.CLOSED:
            self.coordinator.retrigger(task.name, checkpoint)
        else:
            super().call_failed(task, checkpoint)

    def finish(self, task: Task) -> None:
        """The operator emits held records, and the readers of the task receive the end of data.

        An operator of a job that is to go on later does neither: it is not finished.
        """
        drain = not self.was_stopped(task)
        if drain:
            task.operator.last_watermark(task.emit)
            task.operator.finish(task.emit)
        task.broadcast(EndOfData(drain))
        task.phase = Phase.FINISHING
        if drain and self.options.final_trigger:
            self.network.end_reports.add(task.name)

    @action("task")
    def apply_end_report(self, task: Task) -> Guarded:
        """The coordinator learns that a task has reached the end of its data."""
        yield task.name in self.network.end_reports
        self.network.end_reports.discard(task.name)
        self.at_end.add(task.name)

    def may_trigger(self) -> bool:
        return self.options.periodic and super().may_trigger()

    @action()
    def trigger_at_end_of_data(self) -> Guarded:
        """All have come there: the checkpoint that they wait for need not wait for its time."""
        due = not self.final_triggered and len(self.at_end) == len(self.tasks)
        yield due and self.after_finish and super().may_trigger()
        self.coordinator.trigger()
        self.final_triggered = True

    @action("task")
    def learn_finished(self, task: Task) -> Guarded:
        """The calls of a task arrive in their order."""
        if task.name in self.network.end_reports:
            yield False
        yield from super().learn_finished(task)

    def restart(self) -> None:
        super().restart()
        self.at_end.clear()
        self.final_triggered = False

    def seen(self) -> tuple[tuple[str, Word], ...]:
        reports = tuple(sorted(self.network.end_reports)), tuple(sorted(self.at_end))
        return (("end", (*reports, self.final_triggered)), *super().seen())

    @action("task", "checkpoint")
    def lose_acknowledgement(self, task: Task, checkpoint: int) -> Guarded:
        """An acknowledgement is lost; its task sees that if it waits for an answer."""
        happens = self.options.acknowledgement != "reliable" and task.lives
        yield happens and self.may_decline((task.name, checkpoint))
        self.happened.declines += 1
        self.network.acknowledgements.discard((task.name, checkpoint))
        if self.options.acknowledgement == "answered":
            self.network.declines.add(checkpoint)

    @action("task", "checkpoint")
    def find_no_slot(self, task: Task, checkpoint: int) -> Guarded:
        """A call to a task that is known to have FINISHED goes nowhere, and counts as sent."""
        nowhere = self.options.unassigned_counts_as_triggered
        called = (task.name, checkpoint) in self.network.triggers
        yield nowhere and called and task.name in self.coordinator.finished
        self.network.triggers.discard((task.name, checkpoint))

    def was_stopped(self, task: Task) -> bool:
        """Whether the data of a task ended since the job is to go on later."""
        return False

    def is_final(self, task: Task) -> bool:
        """The operator has finished; read otherwise, its inputs have closed, too."""
        early = self.options.final_wait != "after-end-of-partition"
        return task.has_finished and (early or task.gate.all_ended)

    def has_all(self, task: Task) -> bool:
        return not self.options.opens_after_finish and super().has_all(task)

    def secures(self, task: Task, checkpoint: int) -> bool:
        if self.options.release == "first":
            return task.final == checkpoint
        return super().secures(task, checkpoint)

    @action("task")
    def quiesce(self, task: Task) -> Guarded:
        """All inputs have closed, what was emitted is durable, and all who read it have it all."""
        yield task.phase is Phase.FINISHING and self.may_close(task)
        task.phase = Phase.DRAINING

    def may_close(self, task: Task) -> bool:
        """Whether nothing holds a task any more."""
        waits = self.after_finish and self.options.final_wait != "none"
        return task.gate.all_ended and (not waits or (task.secured and self.is_read(task)))

    def is_read(self, task: Task) -> bool:
        """Whether all readers of the task have reached the end of its data."""
        if not self.options.waits_for_acknowledgement:
            return True
        return all(channel.data_ended for channel in task.outputs)
