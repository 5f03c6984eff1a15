"""Snapshots after Chandy and Lamport: the mail thread "Checkpointing under backpressure".

That thread on dev@flink.apache.org (2019, 2020), and rules CL-1 … CL-5 of the fact sheet. One
protocol with five parameters; the schemes that the thread compares are choices of them:

| scheme      | init                | order          | log          | block  | jump   |
|-------------|---------------------|----------------|--------------|--------|--------|
| CL-ASF      | last-marker         | forward-first  | none         | marked | none   |
| CL-SFL      | first-marker        | snapshot-first | until-marker | none   | none   |
| CL-FSL      | first-marker        | forward-first  | until-marker | none   | none   |
| CL-RPC-ALL  | rpc-or-first-marker | snapshot-first | until-marker | any    | none   |
| CL-OVERTAKE | first-marker        | snapshot-first | until-marker | none   | both   |
| CL-LAST     | last-marker         | snapshot-first | until-marker | marked | output |

CL-TIMEOUT, a timeout after which aligned markers overtake, is a protocol of its own. A marker is a
Barrier, the coordinator that of `coordinator/coordinator.py`.
Left out: the end of the job (sources run out of records and wait), and that a task is told of an
abort: it goes on until all markers have come, or one of a newer snapshot.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.barriers.marker_gate import (
    Block,
    Init,
    Jump,
    Log,
    MarkerGate,
    MarkerOrder,
    Ways,
)
from finale.model.protocols.committer import CommittableChannel, LoggedCommittableChannel
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.job.channels import Channel, LoggedChannel
from finale.model.protocols.job.elements import Barrier, CheckpointId, Data, Datum
from finale.model.protocols.sinks import Sink
from finale.model.protocols.task.execution import ChannelStateView
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task
from finale.model.rules import STRONG, define, require, rule, step
from finale.model.topology import OperatorKind
from finale.model.topology import Sink as SinkKind


class Priority(enum.Enum):
    """Which inputs a task reads first while it waits for markers."""

    NONE = "none"
    UNMARKED = "unmarked"


class Replay(enum.Enum):
    """When a restarted task reads what is new: after all logs, or as it comes."""

    LOGS_FIRST = "logs-first"
    MIXED = "mixed"


@dataclass(frozen=True)
class ChandyLamportOptions:
    """The parameters of the family; the defaults are Chandy and Lamport's own (CL-SFL)."""

    #: CL-1: what makes a task take its state and send its markers
    init: Init = Init.FIRST_MARKER
    #: CL-1: which of the two comes first, and whether something may come between
    order: MarkerOrder = MarkerOrder.SNAPSHOT_FIRST
    #: CL-3: which of the records that are processed become part of the snapshot
    log: Log = Log.UNTIL_MARKER
    #: CL-2: whether a channel whose marker has come is read on
    block: Block = Block.NONE
    #: CL-1, CL-2: which queues a marker jumps
    jump: Jump = Jump.NONE
    #: which inputs are read first while markers are missing
    prioritises: Priority = Priority.NONE
    #: CL-5: whether a restarted task reads the logs before all that is new
    replay: Replay = Replay.LOGS_FIRST


class ChandyLamport(ChannelStateView):
    """The family of snapshots in which markers cut the channels and nothing else stops."""

    key = "chandy-lamport"
    Options = ChandyLamportOptions
    options: ChandyLamportOptions
    parts = (*ChannelStateView.parts, LoggedChannel, MarkerGate)

    aborts_carry_latest = False
    unexplored = ("watermarks",)

    @property
    def channel_class(self) -> type[Channel]:
        return LoggedChannel

    @property
    def committable_class(self) -> type[CommittableChannel]:
        return LoggedCommittableChannel

    @property
    def gate_class(self) -> type[AlignedGate]:
        return MarkerGate

    @property
    def task_classes(self) -> Mapping[OperatorKind, type[Task]]:
        # What a writer hands over is not logged.
        return {
            kind: each for kind, each in super().task_classes.items() if kind != OperatorKind.WRITER
        }

    @property
    def sink_classes(self) -> Mapping[SinkKind, type[Sink]]:
        known = super().sink_classes.items()
        return {kind: each for kind, each in known if kind != SinkKind.COMMITTER}

    @property
    def ways(self) -> Ways:
        """The choices of the options that concern a gate."""
        chosen = self.options
        return Ways(chosen.init, chosen.order, chosen.log, chosen.block, chosen.jump)

    @staticmethod
    def gate_of(task: Task) -> MarkerGate:
        """The gate of a task of this protocol."""
        return cast(MarkerGate, task.gate)

    def keeps(self) -> frozenset[str]:
        split = {"split"} if self.ways.is_split else set[str]()
        return super().keeps() | split

    @define
    def terminal(self) -> bool:
        """Whether no record is left or under way, each task runs on, and no snapshot is pending."""
        return (
            all(source.remaining == 0 for source in self.tasks if isinstance(source, Source))
            and all(task.is_running and self.is_recovered(task) for task in self.tasks)
            and all(channel.queue.is_empty and not channel.blocked for channel in self.channels)
            and all(not checkpoint.is_pending for checkpoint in self.checkpoints)
        )

    @rule(fair=STRONG)
    def poll_recovered(self, channel: LoggedChannel) -> None:
        """CL-5, RC-9: a restarted task processes the next record of the log of a channel."""
        require(self.restarts, lambda: not channel.recovered.is_empty)
        self.process_recovered(channel)

    # --- the start of a snapshot -----------------------------------------------------------------

    @define
    def is_head(self, task: Task) -> bool:
        """CL-RPC-ALL: the coordinator calls every task; in the other schemes the sources."""
        if self.options.init in (Init.CALL, Init.CALL_OR_MARKER):
            return True
        return super().is_head(task)

    @rule(fair=STRONG)
    def run_trigger(self, task: Task, checkpoint: Checkpoint) -> None:
        """CL-1: the call of the coordinator is run, between two records."""
        require(task.mail.has(checkpoint), task.is_alive, self.is_recovered(task))
        task.mail.remove(checkpoint)
        task.gate.on_trigger(checkpoint)

    @rule(fair=STRONG)
    def finish_start(self, gate: MarkerGate) -> None:
        """CL-1, split: the second half of the start, and others may have come between."""
        require(gate.is_half_done)
        gate.finish_start()

    # --- ports of the gates ----------------------------------------------------------------------

    @step
    def take_state(self, task: Task, checkpoint: CheckpointId) -> None:
        """CL-1: the task's state becomes part of the checkpoint."""
        self.keep_snapshot(task, checkpoint)
        if task.sink:
            task.sink.snapshot(checkpoint, opens=True)
        if self.observes("taken"):
            task.remember(checkpoint)

    @step
    def send_markers(self, task: Task, checkpoint: CheckpointId) -> None:
        """CL-1: the marker goes out on every output."""
        task.broadcast_event(Barrier(checkpoint))

    # --- markers ---------------------------------------------------------------------------------

    @rule(fair=STRONG)
    def poll_barrier(self, channel: Channel) -> None:
        """CL-2: a marker has its turn; one that was noticed before has done its work."""
        task = self.reader(channel)
        require(task.is_alive, not channel.blocked, channel.queue.head == Barrier)
        require(self.is_recovered(task))
        marker = channel.queue.take()
        assert isinstance(marker, Barrier)
        task.gate.on_barrier(channel, marker.checkpoint, Arrival.IN_ORDER)

    @rule(fair=STRONG)
    def notice_marker(self, channel: LoggedChannel, checkpoint: Checkpoint) -> None:
        """CL-2, CL-OVERTAKE: a marker counts on its arrival, before what is queued before it."""
        require(self.jumps)
        task = self.reader(channel)
        require(task.is_alive, self.is_recovered(task), channel.queue.head == Data)
        require(self.is_unnoticed(channel, checkpoint))
        task.gate.on_barrier(channel, checkpoint, Arrival.IN_ORDER)

    @property
    def jumps(self) -> bool:
        """Whether markers jump queues: a plain truth value."""
        return self.options.jump != Jump.NONE

    @define
    def is_unnoticed(self, channel: LoggedChannel, checkpoint: Checkpoint) -> bool:
        """Whether the marker is in the channel, and still to be counted."""
        task = self.reader(channel)
        counted = channel.aligned and task.newest == checkpoint
        return channel.queue.holds(Barrier(checkpoint)) and not (
            counted or task.gate.is_past(checkpoint)
        )

    # --- records ---------------------------------------------------------------------------------

    @rule(fair=STRONG)
    def poll_data(self, channel: Channel) -> None:
        """CL-3: a task processes the record at the head of a channel, and may log it."""
        task = self.reader(channel)
        require(task.is_alive, channel.queue.head == Data, self.may_read(self.logged(channel)))
        self.process(task, channel)

    @define
    def may_read(self, channel: LoggedChannel) -> bool:
        """Whether the scheme lets a task take the record at the head of a channel now."""
        task = self.reader(channel)
        return (
            (self.options.replay == Replay.MIXED or self.is_recovered(task))
            and (self.options.jump != Jump.OUTPUT or not self.is_jumped(channel))
            and (self.options.prioritises == Priority.NONE or not self.is_put_off(task, channel))
            and (not channel.blocked or self.is_before_marker(task, channel))
        )

    @define
    def is_jumped(self, channel: LoggedChannel) -> bool:
        """CL-LAST: whether a marker has jumped what is queued here, and is the next to come."""
        return any(self.is_unnoticed(channel, checkpoint) for checkpoint in self.checkpoints)

    @define
    def is_put_off(self, task: Task, channel: LoggedChannel) -> bool:
        """Whether the task has started and finds a record on an input without marker."""
        others = self.gate_of(task).inputs
        waits = any(not other.aligned and not other.queue.is_empty for other in others)
        return self.gate_of(task).started and channel.aligned and waits

    @define
    def is_before_marker(self, task: Task, channel: LoggedChannel) -> bool:
        """CL-LAST: whether the head of a blocked channel is before the marker that blocks it."""
        return self.jumps and channel.queue.holds(Barrier(task.newest))

    @step
    def log_record(self, task: Task, channel: Channel, record: Datum) -> None:
        """CL-3: a record that comes before its channel's marker is logged."""
        self.gate_of(task).on_element(self.logged(channel), record)
