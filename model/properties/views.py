"""Views: what of a protocol a property reads. It applies where the protocol's class names its view.

`JobProtocol` is the view of most: tasks, channels, checkpoints, sinks. The others are narrower.
"""

from __future__ import annotations

from model.protocols.parts.layout import JobProtocol


class EndOfDataView(JobProtocol):
    """Protocols in which EndOfData precedes EndOfPartition and is acknowledged (FLIP-147)."""
