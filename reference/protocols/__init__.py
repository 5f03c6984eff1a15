"""The protocols of the engine, one file each, named as their counterparts in the model."""

from __future__ import annotations

from finale.reference.engine import Engine
from finale.reference.protocols.aligned_with_timeout import AlignedWithTimeout
from finale.reference.protocols.final_checkpoint import FinalCheckpoint
from finale.reference.protocols.legacy_stop import LegacyFinish, LegacyStop
from finale.reference.protocols.stop_with_savepoint import StopWithSavepoint
from finale.reference.protocols.sync_savepoint import StopWithCheckpoint, SyncSavepoint
from finale.reference.protocols.unaligned import Unaligned


class UnalignedStops(Unaligned, StopWithSavepoint):
    """A job with barriers that overtake, which can be stopped: its savepoints are aligned.

    What the model has of that is put together when a log is judged.
    """

    key = "unaligned-stops"


class TimedStops(AlignedWithTimeout, StopWithSavepoint):
    """A stop with a savepoint, with barriers that overtake after a timeout."""

    key = "timed-stops"


ENGINES: dict[str, type[Engine]] = {
    each.key: each
    for each in (
        FinalCheckpoint, Unaligned, AlignedWithTimeout, LegacyFinish, LegacyStop,
        StopWithSavepoint, SyncSavepoint, StopWithCheckpoint,
    )
}  # fmt: skip

#: Jobs that can be stopped, by what their barriers do.
STOPPABLE: dict[str, type[Engine]] = {
    "aligned": StopWithSavepoint,
    "unaligned": UnalignedStops,
    "timeout": TimedStops,
}
