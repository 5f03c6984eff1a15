from finale.model.protocols.barriers.gate import AlignedGate, GatePorts
from finale.model.protocols.barriers.handler import Arrival, BarrierHandler
from finale.model.protocols.barriers.marker_gate import MarkerGate, Ways
from finale.model.protocols.barriers.overtaking_gate import OvertakingGate, OvertakingPorts
from finale.model.protocols.barriers.tracking_gate import TrackingGate
from finale.model.protocols.committer import CommittableChannel, Committer, Writer
from finale.model.protocols.coordinator.checkpoints import (
    ABORTED,
    COMPLETED,
    PENDING,
    UNUSED,
    Checkpoint,
    CheckpointKind,
    CheckpointStatus,
)
from finale.model.protocols.coordinator.metadata import Encoding, Flags, Snapshot
from finale.model.protocols.failures import Region, RestartScope
from finale.model.protocols.job.channels import Channel, LoggedChannel, TimedChannel
from finale.model.protocols.job.elements import (
    Barrier,
    CancelBarrier,
    CheckpointId,
    Committables,
    Data,
    Datum,
    EndOfData,
    EndOfPartition,
    StopMode,
    Watermark,
)
from finale.model.protocols.persisting import Cut
from finale.model.protocols.requests import (
    CancelRequest,
    CheckpointRequest,
    Request,
    RequestStatus,
    SavepointRequest,
    StopRequest,
)
from finale.model.protocols.sinks import (
    AtLeastOnceSink,
    BufferedSink,
    ExactlyOnceSink,
    Sink,
    TwoPhaseSink,
)
from finale.model.protocols.task.chained import ChainingTask
from finale.model.protocols.task.chained_source import ChainedSource
from finale.model.protocols.task.operators import ParkingTask, StableTask, TickingTask, TimerTask
from finale.model.protocols.task.sources import (
    FetchingSource,
    IterationHead,
    Reader,
    Source,
    ThreadedSource,
)
from finale.model.protocols.task.stateful import Share, Stateful
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.topology import Channel as EdgeChannel
from finale.model.topology import Edge, Job, OperatorKind, Pattern, Subtask, Vertex
from finale.model.topology import Sink as SinkKind

__all__ = [  # noqa: RUF022 - a table of contents, by kind
    # The job graph: docs/specs.md describes it
    "EdgeChannel",
    "Edge",
    "Job",
    "OperatorKind",
    "Pattern",
    "SinkKind",
    "Subtask",
    "Vertex",
    # Tasks
    "Task",
    "TaskStatus",
    "ChainingTask",
    "ChainedSource",
    "ParkingTask",
    "StableTask",
    "TickingTask",
    "TimerTask",
    "FetchingSource",
    "IterationHead",
    "Reader",
    "Source",
    "ThreadedSource",
    "Share",
    "Stateful",
    # Channels, and what they carry
    "Channel",
    "LoggedChannel",
    "TimedChannel",
    "CommittableChannel",
    "Barrier",
    "CancelBarrier",
    "CheckpointId",
    "Committables",
    "Data",
    "Datum",
    "EndOfData",
    "EndOfPartition",
    "StopMode",
    "Watermark",
    # Gates: how a task reads the barriers of its inputs
    "AlignedGate",
    "GatePorts",
    "Arrival",
    "BarrierHandler",
    "MarkerGate",
    "Ways",
    "OvertakingGate",
    "OvertakingPorts",
    "TrackingGate",
    # Checkpoints
    "ABORTED",
    "COMPLETED",
    "PENDING",
    "UNUSED",
    "Checkpoint",
    "CheckpointKind",
    "CheckpointStatus",
    "Encoding",
    "Flags",
    "Snapshot",
    "Cut",
    # Requests of users
    "CancelRequest",
    "CheckpointRequest",
    "Request",
    "RequestStatus",
    "SavepointRequest",
    "StopRequest",
    # Sinks
    "Committer",
    "Writer",
    "BufferedSink",
    "AtLeastOnceSink",
    "ExactlyOnceSink",
    "Sink",
    "TwoPhaseSink",
    # Failures
    "Region",
    "RestartScope",
]
