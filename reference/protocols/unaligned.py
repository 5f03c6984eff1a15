"""FLIP-76: barriers overtake records, and the checkpoint stores the overtaken records.

A barrier keeps its place in the queue, and its reader may notice it ahead of its turn. Into tasks
with an input that is pointwise or broadcast barriers come in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from finale.model.topology import Channel as Wire
from finale.model.topology import Job, Pattern
from finale.reference.channel import Barrier, Buffer, Channel
from finale.reference.coordinator import CheckpointKind
from finale.reference.engine import BoundTo
from finale.reference.formats.inflight import recovered, told
from finale.reference.formats.metadata import CHANNELS
from finale.reference.overtaking import LoggedChannel, OvertakingGate
from finale.reference.protocols.final_checkpoint import FinalCheckpoint
from finale.reference.steps import Guarded, action
from finale.reference.task import Task


class Unaligned(FinalCheckpoint):
    """A job whose checkpoints have what is in flight."""

    key = "unaligned"
    logs = True
    channel_class = LoggedChannel
    gate_class = OvertakingGate

    def __init__(self, job: Job, *args: Any) -> None:
        super().__init__(job, *args)
        in_order = {wire.receiver.name for wire in job.channels if not _is_unordered(wire)}
        self.overtaken = frozenset(
            channel.name for channel in self.channels.values() if channel.reader not in in_order
        )
        """The channels on which barriers overtake."""
        for task in self.tasks.values():
            gate = self.gate_of(task)
            gate.overtakes = self.overtakes
            gate.done = BoundTo(self.complete_part, task)

    @staticmethod
    def gate_of(task: Task) -> OvertakingGate:
        return cast(OvertakingGate, task.gate)

    def overtakes(self, checkpoint: int, channel: Channel) -> bool:
        """Whether the barrier of a checkpoint need not wait its turn."""
        return self.may_overtake(checkpoint, channel)

    def may_overtake(self, checkpoint: int, channel: Channel) -> bool:
        """Whether it ever need not: a savepoint's does wait."""
        return (
            channel.name in self.overtaken and self.kind_of(checkpoint) is CheckpointKind.CHECKPOINT
        )

    @action("channel", "checkpoint")
    def notice_barrier(self, channel: LoggedChannel, checkpoint: int) -> Guarded:
        """A barrier is noticed ahead of what it has overtaken; none overtakes an earlier one."""
        task = self.tasks[channel.reader]
        its_turn = channel.head == Barrier(checkpoint) and task.reads(channel)
        ready = self.is_recovered(task)
        earlier = (each for each in self.coordinator.checkpoints if each < checkpoint)
        yield (
            task.lives
            and self.is_ahead(task, channel, checkpoint)
            and not (its_turn and ready)
            and not any(self.is_ahead(task, channel, each) for each in earlier)
        )
        self.gate_of(task).barrier(channel, checkpoint, ahead=True)

    def in_use(self) -> Iterator[int]:
        """Also those whose barriers are under way."""
        yield from super().in_use()
        queued = (element for channel in self.channels.values() for element in channel.queue)
        yield from (each.checkpoint for each in queued if isinstance(each, Barrier))

    def is_ahead(self, task: Task, channel: LoggedChannel, checkpoint: int) -> bool:
        """Whether a barrier that need not wait its turn would count."""
        on_its_way = channel.holds(checkpoint) and self.overtakes(checkpoint, channel)
        return on_its_way and self.gate_of(task).awaits(channel, checkpoint)

    # --- logs ------------------------------------------------------------------------------------

    def work(self, task: Task, channel: Channel, buffer: Buffer) -> None:
        """Log in-flight records of the cut before the task processes them."""
        gate = self.gate_of(task)
        if gate.logs(channel) and gate.newest is not None:
            cast(LoggedChannel, channel).log.setdefault(gate.newest, []).append(buffer)
        super().work(task, channel, buffer)

    def complete_part(self, task: Task, checkpoint: int) -> None:
        """A task has its state and all that its inputs have logged."""
        logs = {
            channel.name: channel.log.pop(checkpoint, []) for channel in self.gate_of(task).inputs
        }
        if any(logs.values()):
            self.store.put(checkpoint, task.name, told(logs), CHANNELS)
        for channel in self.gate_of(task).inputs:
            channel.log = {c: log for c, log in channel.log.items() if c > checkpoint}
        self.acknowledge(task, checkpoint)

    # --- after a restart -------------------------------------------------------------------------

    def is_recovered(self, task: Task) -> bool:
        """Whether what was in flight is processed: nothing new is read before."""
        return not any(channel.recovered for channel in self.gate_of(task).inputs)

    def may_poll(self, task: Task, channel: Channel) -> bool:
        return self.is_recovered(task) and super().may_poll(task, channel)

    @action("task", "checkpoint")
    def run_trigger(self, task: Task, checkpoint: int) -> Guarded:
        if not self.is_recovered(task):
            yield False
        yield from super().run_trigger(task, checkpoint)

    @action("channel")
    def poll_recovered(self, channel: LoggedChannel) -> Guarded:
        """A restarted task works on the next of what was in flight."""
        task = self.tasks[channel.reader]
        yield task.lives and bool(channel.recovered)
        self.work(task, channel, channel.recovered.pop(0))

    @action("task")
    def restore(self, task: Task) -> Guarded:
        """With the state comes what was in flight."""
        yield from super().restore(task)
        checkpoint = self.store.newest
        if checkpoint is None:
            return
        logs = self.store.load(checkpoint, task.name, CHANNELS)
        for channel in self.gate_of(task).inputs:
            channel.recovered = recovered(logs, channel.name)


def _is_unordered(wire: Wire) -> bool:
    edge = wire.edge
    return edge.pattern is Pattern.ALL_TO_ALL and not edge.broadcast and edge.overtakes
