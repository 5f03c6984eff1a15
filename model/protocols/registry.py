"""The protocols of this package and their broken variants, by the keys that specs give them.

Classes are named and not imported: a check of one protocol loads no other. To add a protocol, add
its line to `_CLASSES`; to add a variant, its key to `broken.VARIANTS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from . import broken


@dataclass(frozen=True)
class Entry:
    """A protocol: its key in specs, its class as "module:Class", its variants by their keys."""

    key: str
    where: str
    variants: Mapping[str, str] = field(default_factory=dict[str, str])


_CLASSES = {
    "yardstick": "yardstick:Yardstick",
    "two-phase-commit": "two_phase_commit:TwoPhaseCommit",
    "pipeline": "pipeline:Pipeline",
    "barrier-collection": "barrier_collection:BarrierCollection",
    "connector": "connector:Connector",
    "local-store": "local_store:LocalStore",
    "operator-coordinator": "operator_coordinator:OperatorCoordinator",
    "final-checkpoint": "final_checkpoint:FinalCheckpoint",
    "stop-with-savepoint": "stop_with_savepoint:StopWithSavepoint",
    "chained-sources": "chained_sources:ChainedSources",
    "sync-savepoint": "sync_savepoint:SyncSavepoint",
    "stop-with-checkpoint": "stop_with_checkpoint:StopWithCheckpoint",
    "legacy-stop": "legacy_stop:LegacyStop",
    "legacy-finish": "legacy_finish:LegacyFinish",
    "unaligned": "unaligned:Unaligned",
    "aligned-with-timeout": "unaligned:AlignedWithTimeout",
    "at-least-once": "at_least_once:AtLeastOnce",
    "chandy-lamport": "chandy_lamport:ChandyLamport",
    "restore": "restore:Restore",
    "persister": "persister:Persister",
    "restore-unaligned": "restore_unaligned:RestoreUnaligned",
    "restore-timed": "restore_unaligned:RestoreTimed",
}


def _variants(key: str) -> dict[str, str]:
    return {
        variant: f"{broken.__name__}.{module}:{variant.title().replace('-', '')}"
        for (module, protocol), variants in broken.VARIANTS.items()
        if protocol == key
        for variant in variants.split()
    }


PROTOCOLS: tuple[Entry, ...] = tuple(
    Entry(key, f"{__package__}.{where}", _variants(key)) for key, where in _CLASSES.items()
)
