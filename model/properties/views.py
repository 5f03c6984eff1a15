"""Views: what of a protocol a property reads. It applies where the protocol's class names its view.

`JobProtocol` is the view of most: tasks, channels, checkpoints, sinks. The others are narrower. A
feature that has what a property reads can be its view: no view is needed here for it.
"""

from __future__ import annotations

from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.task.execution import TaskExecution


class EndOfDataView(JobProtocol):
    """Protocols in which EndOfData precedes EndOfPartition and is acknowledged (FLIP-147)."""


class WatermarkView(TaskExecution):
    """Protocols that explore watermarks."""


class ChannelStateView(TaskExecution):
    """Protocols whose checkpoints hold records in flight."""
