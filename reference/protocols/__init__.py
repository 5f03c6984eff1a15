"""How tasks end, one file a protocol; each has the name of its counterpart in the model."""

from __future__ import annotations

from reference.engine import Engine
from reference.protocols.final_checkpoint import FinalCheckpoint
from reference.protocols.legacy_finish import LegacyFinish
from reference.protocols.stop_with_savepoint import StopWithSavepoint
from reference.protocols.sync_savepoint import SyncSavepoint
from reference.protocols.unaligned import Unaligned

ENGINES: dict[str, type[Engine]] = {
    each.key: each
    for each in (FinalCheckpoint, LegacyFinish, StopWithSavepoint, SyncSavepoint, Unaligned)
}

__all__ = ["ENGINES"]
