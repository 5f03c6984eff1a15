"""The protocols of this package and their broken variants, by the keys that specs give them.

Classes are named and not imported: a check of one protocol loads no other. To add a protocol, add
its line to `_CLASSES`; to add a variant, its key to `broken.VARIANTS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from finale.model.language.decorators import ids_in
from finale.model.language.protocol import Protocol

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
    "regional-sources": "regional_sources:RegionalSources",
    "regional-checkpoint": "regional:RegionalCheckpoint",
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


#: All rules of the sheet's section 2, in its order.
RULE_IDS: tuple[str, ...] = (
    "LF-1", "LF-2", "LF-3", "LF-4", "LF-5", "LF-6", "LF-7",
    "LS-1", "LS-2",
    "SS-1", "SS-2", "SS-3", "SS-4", "SS-5", "SS-6", "SS-7", "SS-8", "SS-9",
    "F45-1", "F45-2", "F45-3", "F45-4", "F45-5", "F45-6", "F45-7", "F45-8",
    "FC-1", "FC-2", "FC-3", "FC-4", "FC-5", "FC-6", "FC-7", "FC-8", "FC-9", "FC-10", "FC-11",
    "FC-12",
    "SP-1", "SP-2", "SP-3", "SP-4", "SP-5", "SP-6", "SP-7", "SP-8", "SP-9", "SP-10", "SP-11",
    "SP-12", "SP-13",
    "PL-1", "PL-2", "PL-3", "PL-4", "PL-5", "PL-6", "PL-7", "PL-8", "PL-9",
    "AL-1", "AL-2", "AL-3", "AL-4", "AL-5",
    "UN-1", "UN-2", "UN-3", "UN-4", "UN-5", "UN-6", "UN-7", "UN-8",
    "AT-1", "AT-2", "AT-3", "AT-4", "AT-5", "AT-6", "AT-7",
    "TR",
    "CL-1", "CL-2", "CL-3", "CL-4", "CL-5", "CL-ASF", "CL-SFL", "CL-FSL", "CL-RPC-ALL",
    "CL-OVERTAKE", "CL-LAST", "CL-TIMEOUT",
    "CN-1", "CN-2", "CN-3", "CN-4", "CN-5", "CN-6", "CN-7",
    "AB-1", "AB-2", "AB-3", "AB-4", "AB-5", "AB-6",
    "RC-1", "RC-2", "RC-3", "RC-4", "RC-5", "RC-6", "RC-7", "RC-8", "RC-9", "RC-10", "RC-11",
    "RC-12", "RC-13",
    "RG-1", "RG-2", "RG-3", "RG-4", "RG-5", "RG-6", "RG-7", "RG-8", "RG-9", "RG-10", "RG-11",
)  # fmt: skip


def cited_ids(kind: type[Protocol]) -> frozenset[str]:
    """The ids of section 2 that a protocol says it models.

    They stand in the docstrings of its classes and their methods, and of its `parts`.
    """
    kinds = (*kind.__mro__, *(base for part in kind.parts for base in part.__mro__))
    texts = (text for each in kinds for text in _docstrings(each))
    return frozenset(name for text in texts for name in ids_in(text)) & frozenset(RULE_IDS)


def _docstrings(kind: type) -> list[str]:
    described = [kind, *vars(kind).values()]
    texts = [each.__doc__ for each in described if callable(each) or isinstance(each, property)]
    return [text for text in texts if text]
