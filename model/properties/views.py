"""Views: what of a protocol a property reads. It applies where the protocol's class names its view.

`JobProtocol` is the view of most: tasks, channels, checkpoints, sinks. The others are narrower. A
part that has what a property reads is its view itself: no view is needed here for it.
"""

from __future__ import annotations

from model.protocols.coordinator.coordinator import JobProtocol


class EndOfDataView(JobProtocol):
    """Protocols in which EndOfData precedes EndOfPartition and is acknowledged (FLIP-147)."""
