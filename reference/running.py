"""The steps of tasks and coordinator without failures: records, barriers, calls, notifications.

Common to all protocols. How a task ends is the protocol's.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from finale.reference.channel import Channel
from finale.reference.coordinator import CheckpointKind
from finale.reference.engine import Engine
from finale.reference.steps import Guarded, action
from finale.reference.task import Phase, Task

from .channel import Barrier, Buffer, CancelBarrier, EndOfPartition


class Running(Engine):
    """An engine in which nothing fails."""

    #: Whether a task's part of a checkpoint is complete only with what its channels have logged.
    logs: ClassVar[bool] = False

    # --- records ---------------------------------------------------------------------------------

    @action("task")
    def emit(self, task: Task) -> Guarded:
        """A source hands on its next records."""
        source = task.source
        buffer = source.peek() if source is not None else None
        yield buffer is not None and task.phase is Phase.RUNNING
        assert source is not None
        assert buffer is not None
        task.emit(buffer.records, buffer.watermark)
        source.advance()
        source.read_records += len(buffer.records)

    def may_poll(self, task: Task, channel: Channel) -> bool:
        """Whether a task takes the next element of an input when there is one."""
        return task.reads(channel)

    @action("channel")
    def poll_data(self, channel: Channel) -> Guarded:
        """A task works on the records at the head of an input."""
        task, head = self.tasks[channel.reader], channel.head
        yield isinstance(head, Buffer) and self.may_poll(task, channel)
        assert isinstance(head, Buffer)
        channel.take()
        self.work(task, channel, head)

    def work(self, task: Task, channel: Channel, buffer: Buffer) -> None:
        """A task's operator works on records that came over a channel."""
        if buffer.records:
            task.operator.process(channel.port, buffer.records, task.emit)
        if buffer.watermark is not None:
            channel.watermark = buffer.watermark
            self.pass_time(task)

    def pass_time(self, task: Task) -> None:
        """A watermark has come over an input, or the input has ended: time may go on."""
        time = None if task.has_finished else task.watermark_of_inputs
        if time is not None and (task.watermark is None or task.watermark < time):
            task.watermark = time
            task.operator.watermark(time, task.emit)
            task.emit((), time)

    # --- barriers --------------------------------------------------------------------------------

    @action("channel")
    def poll_barrier(self, channel: Channel) -> Guarded:
        task, head = self.tasks[channel.reader], channel.head
        yield isinstance(head, Barrier) and self.may_poll(task, channel)
        assert isinstance(head, Barrier)
        channel.take()
        task.gate.barrier(channel, head.checkpoint)

    @action("channel")
    def poll_cancel_barrier(self, channel: Channel) -> Guarded:
        task, head = self.tasks[channel.reader], channel.head
        yield isinstance(head, CancelBarrier) and self.may_poll(task, channel)
        assert isinstance(head, CancelBarrier)
        channel.take()
        task.gate.cancelled(head.checkpoint)

    @action("channel")
    def poll_end_of_partition(self, channel: Channel) -> Guarded:
        task = self.tasks[channel.reader]
        yield isinstance(channel.head, EndOfPartition) and self.may_poll(task, channel)
        channel.take()
        task.gate.end(channel)
        self.pass_time(task)

    def take_checkpoint(self, task: Task, checkpoint: int) -> None:
        """All barriers are there: pass one on, write down the operator's state, tell of it."""
        if checkpoint in task.given_up:
            task.given_up.discard(checkpoint)
            task.broadcast(CancelBarrier(checkpoint))
            return
        task.broadcast(Barrier(checkpoint))
        state = task.operator.snapshot(checkpoint, last=self.has_all(task))
        if state is not None:
            self.store.put(checkpoint, task.name, {"operator": state})
        if task.was_finished:
            self.store.put_finished(checkpoint, task.name)
        if task.final is None and self.is_final(task):
            task.final = checkpoint
        self.taken(task, checkpoint)
        if not self.logs:
            self.acknowledge(task, checkpoint)

    def acknowledge(self, task: Task, checkpoint: int) -> None:
        """A task's part is complete."""
        if self.coordinator.waits_for(checkpoint):
            self.network.acknowledgements.add((task.name, checkpoint))

    def taken(self, task: Task, checkpoint: int) -> None:
        """A task has taken its part of a checkpoint."""

    def has_all(self, task: Task) -> bool:
        """Whether an earlier checkpoint has all that the operator will ever emit."""
        return task.final is not None

    def is_final(self, task: Task) -> bool:
        """Whether a checkpoint taken now has all that the operator will ever emit."""
        return False

    def give_up_alignment(self, task: Task, checkpoint: int) -> None:
        """A checkpoint can not be completed here: read all inputs, and tell everybody."""
        task.gate.newest = checkpoint
        task.gate.release()
        self.decline(checkpoint)
        task.broadcast(CancelBarrier(checkpoint))

    def decline(self, checkpoint: int) -> None:
        """A task can take no part in a checkpoint."""
        if self.coordinator.waits_for(checkpoint):
            self.network.declines.add(checkpoint)

    def kind_of(self, checkpoint: int) -> CheckpointKind:
        """Return the kind of a checkpoint, as its barriers and calls carry it."""
        known = self.coordinator.checkpoints.get(checkpoint)
        return known.kind if known is not None else CheckpointKind.CHECKPOINT

    # --- the coordinator's calls -----------------------------------------------------------------

    @action()
    def trigger_checkpoint(self) -> Guarded:
        yield self.may_trigger()
        self.coordinator.trigger()

    def may_trigger(self) -> bool:
        """Whether a checkpoint can be triggered, and all that would be in it run."""
        return self.has_numbers_left() and self.all_restored() and self.coordinator.may_trigger()

    def has_numbers_left(self) -> bool:
        """Whether there may be another checkpoint."""
        limit = self.faults.checkpoints
        return limit is None or self.coordinator.last_number < limit

    def all_restored(self) -> bool:
        """Whether no task is still to be started."""
        return all(task.phase is not Phase.RESTORING for task in self.tasks.values())

    @action("task", "checkpoint")
    def deliver_trigger(self, task: Task, checkpoint: int) -> Guarded:
        """A call arrives: the mailbox takes it, or is closed."""
        call = task.name, checkpoint
        yield call in self.network.triggers
        self.network.triggers.discard(call)
        if task.phase not in (Phase.DRAINING, Phase.CLOSED):
            task.mail.add(checkpoint)
        elif not self.options.unanswered_triggers:
            self.call_failed(task, checkpoint)

    def call_failed(self, task: Task, checkpoint: int) -> None:
        """A call finds a task at its end."""
        self.coordinator.task_has_ended(checkpoint)

    @action("task", "checkpoint")
    def run_trigger(self, task: Task, checkpoint: int) -> Guarded:
        yield checkpoint in task.mail and task.lives
        task.mail.discard(checkpoint)
        task.gate.triggered(checkpoint)

    @action("task", "checkpoint")
    def apply_acknowledgement(self, task: Task, checkpoint: int) -> Guarded:
        call = task.name, checkpoint
        yield call in self.network.acknowledgements
        self.network.acknowledgements.discard(call)
        self.coordinator.acknowledged(*call)

    @action("checkpoint")
    def complete(self, checkpoint: int) -> Guarded:
        known = self.coordinator.checkpoints[checkpoint]
        yield self.coordinator.is_complete(known)
        self.coordinator.complete(known)

    @action("checkpoint")
    def apply_decline(self, checkpoint: int) -> Guarded:
        yield checkpoint in self.network.declines
        self.coordinator.abort(checkpoint)

    # --- what tasks are told ---------------------------------------------------------------------

    @action("task", "checkpoint")
    def deliver_confirmation(self, task: Task, checkpoint: int) -> Guarded:
        call = task.name, checkpoint
        known, of_this = self.network.confirmations, self.coordinator.checkpoints[checkpoint]
        earlier = of_this.told_after if self.options.confirmations_in_order else ()
        yield call in known and all((task.name, each) not in known for each in earlier)
        known.discard(call)
        self.confirmed(task, checkpoint)

    @action("task", "checkpoint")
    def deliver_abort(self, task: Task, checkpoint: int) -> Guarded:
        """An abort tells first what had completed, in case that news was lost."""
        yield (task.name, checkpoint) in self.network.aborts
        latest = self.network.aborts.pop((task.name, checkpoint))
        if self.options.aborts_carry_latest and latest is not None:
            self.confirmed(task, latest)
        if task.gate.may_give_up(checkpoint):
            task.given_up.add(checkpoint)

    def confirmed(self, task: Task, checkpoint: int) -> None:
        """A checkpoint is durable: what waits for that happens, in the order of checkpoints."""
        if task.confirmed is not None and task.confirmed >= checkpoint:
            return
        task.confirmed = checkpoint
        task.operator.completed(checkpoint, task.emit)
        task.secured = task.secured or self.secures(task, checkpoint)

    def secures(self, task: Task, checkpoint: int) -> bool:
        """Whether a task need wait for no other checkpoint."""
        return task.final is not None and task.final <= checkpoint

    # --- the end ---------------------------------------------------------------------------------

    @action("task")
    def end_source(self, task: Task) -> Guarded:
        """A source has emitted all that it will."""
        source = task.source
        yield source is not None and task.phase is Phase.RUNNING and self.has_no_more(task)
        self.finish(task)

    def has_no_more(self, task: Task) -> bool:
        """Whether a source has emitted all that it will."""
        return task.source is not None and task.source.has_ended

    @abstractmethod
    def finish(self, task: Task) -> None:
        """The data of a task have ended: its operator emits what it held back."""

    @action("task")
    def close(self, task: Task) -> Guarded:
        """The mailbox is empty: close the operator and all channels."""
        yield task.phase is Phase.DRAINING and not task.mail
        task.broadcast(EndOfPartition())
        self.closing(task)
        task.phase = Phase.CLOSED
        self.network.forget_notices(task.name)

    def closing(self, task: Task) -> None:
        """A task ends: so does its operator."""
        task.operator.close()

    @action("task")
    def learn_finished(self, task: Task) -> Guarded:
        yield task.phase is Phase.CLOSED and task.name not in self.coordinator.finished
        self.coordinator.task_finished(task.name)
