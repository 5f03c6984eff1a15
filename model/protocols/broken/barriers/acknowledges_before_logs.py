"""A task acknowledges when its snapshot is taken, and does not wait for what its inputs log."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.unaligned import Unaligned


class AcknowledgesBeforeLogs(Unaligned):
    """Unaligned with one mistake."""

    must_fall: ClassVar[str] = "acknowledged-with-channel-state"
    acknowledges_snapshots = True
