"""The protocols of this package and their broken variants, by the keys that specs give them.

Classes are named and not imported: a check of one protocol loads no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Entry:
    """A protocol: its key in specs, its class as "module:Class", its variants by their keys."""

    key: str
    where: str
    variants: Mapping[str, str] = field(default_factory=dict[str, str])


_BROKEN = "model.protocols.broken."

PROTOCOLS: tuple[Entry, ...] = (
    Entry("yardstick", "model.protocols.yardstick:Yardstick"),
    Entry("two-phase-commit", "model.protocols.two_phase_commit:TwoPhaseCommit"),
    Entry("pipeline", "model.protocols.pipeline:Pipeline"),
    Entry(
        "final-checkpoint",
        "model.protocols.final_checkpoint:FinalCheckpoint",
        {
            "close-aborts-pending": _BROKEN + "close_aborts_pending:CloseAbortsPending",
            "closes-before-finish": _BROKEN + "closes_before_finish:ClosesBeforeFinish",
            "confirms-aborted": _BROKEN + "confirms_aborted:ConfirmsAborted",
            "emits-after-finish": _BROKEN + "emits_after_finish:EmitsAfterFinish",
            "keeps-subsumed": _BROKEN + "keeps_subsumed:KeepsSubsumed",
            "no-end-of-data": _BROKEN + "no_end_of_data:NoEndOfData",
            "plans-by-end-of-data": _BROKEN + "plans_by_end_of_data:PlansByEndOfData",
            "reads-blocked-channels": _BROKEN + "reads_blocked_channels:ReadsBlockedChannels",
            "restores-oldest": _BROKEN + "restores_oldest:RestoresOldest",
            "stays-blocked": _BROKEN + "stays_blocked:StaysBlocked",
            "triggers-all": _BROKEN + "triggers_all:TriggersAll",
            "triggers-once": _BROKEN + "triggers_once:TriggersOnce",
            "waits-for-lost-ack": _BROKEN + "waits_for_lost_ack:WaitsForLostAcknowledgement",
            "writes-twice": _BROKEN + "writes_twice:WritesTwice",
        },
    ),
    Entry(
        "legacy-finish",
        "model.protocols.legacy_finish:LegacyFinish",
        {
            "commit-on-close": _BROKEN + "commit_on_close:CommitOnClose",
        },
    ),
)
