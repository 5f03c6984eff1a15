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
    variants: Mapping[str, str] = field(default_factory=dict)


PROTOCOLS: tuple[Entry, ...] = (
    Entry("yardstick", "model.protocols.yardstick:Yardstick"),
    Entry("two-phase-commit", "model.protocols.two_phase_commit:TwoPhaseCommit"),
    Entry(
        "final-checkpoint",
        "model.protocols.final_checkpoint:FinalCheckpoint",
        {
            "close-aborts-pending": "model.protocols.broken.close_aborts_pending:CloseAbortsPending",
            "closes-before-finish": "model.protocols.broken.closes_before_finish:ClosesBeforeFinish",
            "confirms-aborted": "model.protocols.broken.confirms_aborted:ConfirmsAborted",
            "emits-after-finish": "model.protocols.broken.emits_after_finish:EmitsAfterFinish",
            "keeps-subsumed": "model.protocols.broken.keeps_subsumed:KeepsSubsumed",
            "no-end-of-data": "model.protocols.broken.no_end_of_data:NoEndOfData",
            "plans-by-end-of-data": "model.protocols.broken.plans_by_end_of_data:PlansByEndOfData",
            "reads-blocked-channels": "model.protocols.broken.reads_blocked_channels:ReadsBlockedChannels",
            "stays-blocked": "model.protocols.broken.stays_blocked:StaysBlocked",
            "triggers-all": "model.protocols.broken.triggers_all:TriggersAll",
            "waits-for-lost-ack": "model.protocols.broken.waits_for_lost_ack:WaitsForLostAcknowledgement",
        },
    ),
    Entry(
        "legacy-finish",
        "model.protocols.legacy_finish:LegacyFinish",
        {
            "commit-on-close": "model.protocols.broken.commit_on_close:CommitOnClose",
        },
    ),
)
