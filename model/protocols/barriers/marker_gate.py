"""The gate of Chandy and Lamport's snapshots: when a task takes its state, sends markers and logs.

Models CL-1 … CL-4 of the fact sheet. `started`: the task's state is taken. A channel is `aligned`
once its marker has come, and `blocked` where that keeps its reader from what is behind the marker.
"""

from __future__ import annotations

import enum
import typing
from dataclasses import dataclass

from finale.model.protocols.barriers.gate import AlignedGate, GatePorts
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.job.channels import Channel, LoggedChannel
from finale.model.protocols.job.elements import CheckpointId, Datum
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Bool, Enum, define, field, step


class Init(enum.Enum):
    """What makes a task start its part of a snapshot."""

    FIRST_MARKER = "first-marker"
    LAST_MARKER = "last-marker"
    CALL = "rpc"
    CALL_OR_MARKER = "rpc-or-first-marker"


class MarkerOrder(enum.Enum):
    """Which comes first, the state (S) or the markers (F); split: something may come between."""

    SNAPSHOT_FIRST = "snapshot-first"
    FORWARD_FIRST = "forward-first"
    SPLIT_SNAPSHOT_FORWARD = "split-sf"
    SPLIT_FORWARD_SNAPSHOT = "split-fs"


class Log(enum.Enum):
    """Which records that a task processes become part of its snapshot."""

    NONE = "none"
    UNTIL_MARKER = "until-marker"
    FROM_FIRST_MARKER = "from-first-marker"


class Block(enum.Enum):
    """Whether a channel whose marker has come is read on."""

    NONE = "none"
    MARKED = "marked"


class Jump(enum.Enum):
    """Which queues a marker jumps: it counts when it arrives, and not when its turn comes."""

    NONE = "none"
    OUTPUT = "output"
    BOTH = "both"


class Half(enum.Enum):
    """What is left to do of a start that is split."""

    NONE = "nothing"
    SNAPSHOT = "take the state"
    FORWARD = "send the markers"


@dataclass(frozen=True)
class Ways:
    """A choice of each parameter of the family."""

    init: Init
    order: MarkerOrder
    log: Log
    block: Block
    jump: Jump

    @property
    def is_split(self) -> bool:
        """Whether something may come between the two halves of a start."""
        return self.order in (
            MarkerOrder.SPLIT_SNAPSHOT_FORWARD,
            MarkerOrder.SPLIT_FORWARD_SNAPSHOT,
        )


class MarkerPorts(GatePorts, typing.Protocol):
    """What such a gate asks of its surroundings beyond what every gate does."""

    ways: Ways

    def take_state(self, task: Task, checkpoint: CheckpointId) -> None:
        """The task's state becomes part of the checkpoint."""

    def send_markers(self, task: Task, checkpoint: CheckpointId) -> None:
        """The marker goes out on every output."""

    def acknowledge(self, task: Task, checkpoint: CheckpointId) -> None:
        """The task's part is complete: state and logs."""


class MarkerGate(AlignedGate):
    """What a task knows of the snapshot that it takes part in."""

    started = field(Bool, False)
    """The state is taken: from here on, what comes before its marker is in flight."""
    second_half = field(Enum(Half), Half.NONE, ghost="split")
    """With a start that is split: what is left of it."""

    ports: MarkerPorts

    @property
    def ways(self) -> Ways:
        """The choices of the protocol."""
        return self.ports.ways

    @property
    def inputs(self) -> tuple[LoggedChannel, ...]:
        """The channels that the task reads."""
        return typing.cast(tuple[LoggedChannel, ...], self.task.inputs)

    @property
    @define
    def has_begun(self) -> bool:
        """The start is done, or its first half."""
        return self.started or self.is_half_done

    @property
    @define
    def is_half_done(self) -> bool:
        """The second half of the start is still to come."""
        return self.second_half != Half.NONE if self.ways.is_split else False

    @property
    @define
    def has_all_markers(self) -> bool:
        return all(channel.aligned for channel in self.inputs)

    # --- what comes in ---------------------------------------------------------------------------

    @step
    def on_trigger(self, checkpoint: CheckpointId) -> None:
        """CL-1, CL-RPC-ALL: the coordinator's call starts a task that has not started."""
        if self.is_past(checkpoint):
            return
        self._open(checkpoint)
        if not self.has_begun:
            self._start()
        self._complete_if_all()

    @step
    def on_barrier(self, channel: Channel, checkpoint: CheckpointId, how: Arrival) -> None:
        """CL-2: the marker of a channel; what the channel had before it is logged or processed."""
        if self.is_past(checkpoint):
            return
        self._open(checkpoint)
        channel.aligned = True
        if self.ways.block == Block.MARKED:
            channel.blocked = True
        if self.started:
            self._log_overtaken(channel, checkpoint)
        elif self._starts_on_marker():
            self._start()
        self._complete_if_all()

    @step
    def _log_overtaken(self, channel: Channel, checkpoint: CheckpointId) -> None:
        assert isinstance(channel, LoggedChannel)
        channel.log_overtaken(checkpoint)

    @step
    def on_element(self, channel: LoggedChannel, record: Datum) -> None:
        """CL-3: a record that is processed before its channel's marker, after the start."""
        if self._logs() and not channel.aligned:
            channel.add_to_log(self.task.newest, record)

    @define
    def _logs(self) -> bool:
        if self.ways.log == Log.NONE:
            return False
        if self.ways.log == Log.UNTIL_MARKER:
            return self.started
        return self.aligning

    @define
    def _starts_on_marker(self) -> bool:
        """CL-SFL, CL-OVERTAKE: the first marker starts a task; CL-ASF, CL-LAST: the last one."""
        if self.ways.init == Init.CALL:
            return False
        if self.ways.init == Init.LAST_MARKER:
            return self.has_all_markers and not self.has_begun
        return not self.has_begun

    # --- the start, in one step or two -----------------------------------------------------------

    @step
    def _open(self, checkpoint: CheckpointId) -> None:
        """A snapshot that is newer than the one that is open here takes its place."""
        if self.aligning and self.task.newest != checkpoint:
            self.end_alignment()
            self.forget()
        self.task.newest = checkpoint
        self.aligning = True

    @step
    def _start(self) -> None:
        """CL-1, CL-SFL: take the state, send the marker on all outputs; CL-FSL: first send."""
        match self.ways.order:
            case MarkerOrder.SNAPSHOT_FIRST:
                self._snapshot()
                self._forward()
            case MarkerOrder.FORWARD_FIRST:
                self._forward()
                self._snapshot()
            case MarkerOrder.SPLIT_SNAPSHOT_FORWARD:
                self._snapshot()
                self.second_half = Half.FORWARD
            case MarkerOrder.SPLIT_FORWARD_SNAPSHOT:
                self._forward()
                self.second_half = Half.SNAPSHOT

    @step
    def finish_start(self) -> None:
        """CL-1, split: the second half."""
        if self.second_half == Half.SNAPSHOT:
            self._snapshot()
        else:
            self._forward()
        self.second_half = Half.NONE
        self._complete_if_all()

    @step
    def _forward(self) -> None:
        self.ports.send_markers(self.task, self.task.newest)

    @step
    def _snapshot(self) -> None:
        self.started = True
        self.ports.take_state(self.task, self.task.newest)
        for channel in self.inputs:
            self._log_if_marked(channel)

    @step
    def _log_if_marked(self, channel: LoggedChannel) -> None:
        if channel.aligned:
            channel.log_overtaken(self.task.newest)

    # --- the end ---------------------------------------------------------------------------------

    @step
    def _complete_if_all(self) -> None:
        """CL-4: all markers are there: no more logging, no more blocking, and acknowledge."""
        if self.started and not self.is_half_done and self.has_all_markers:
            self.end_alignment()
            self.started = False
            self.ports.acknowledge(self.task, self.task.newest)

    @step
    def forget(self) -> None:
        """The attempt ends, or a newer snapshot begins."""
        super().forget()
        self.started = False
        if self.ways.is_split:
            self.second_half = Half.NONE
