"""Mistakes of the coordinator and of restarting after failures."""

from __future__ import annotations

from collections.abc import Mapping

#: By the protocol's key and the variant's: "module:Class" within this package.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "final-checkpoint": {
        "counts-savepoints": "counts_savepoints:CountsSavepoints",
        "completes-given-up": "completes_given_up:CompletesGivenUp",
        "declines-nothing": "declines_nothing:DeclinesNothing",
        "evicts-newest": "evicts_newest:EvictsNewest",
        "expires-decided": "expires_decided:ExpiresDecided",
        "expires-late": "expires_late:ExpiresLate",
        "forgets-completed": "forgets_completed:ForgetsCompleted",
        "keeps-confirmations": "keeps_confirmations:KeepsConfirmations",
        "requires-all-running": "requires_all_running:RequiresAllRunning",
        "skips-unreadable": "skips_unreadable:SkipsUnreadable",
        "stays-released": "stays_released:StaysReleased",
        "subsumes-all": "subsumes_all:SubsumesAll",
        "takes-while-restoring": "takes_while_restoring:TakesWhileRestoring",
        "tells-no-abort": "tells_no_abort:TellsNoAbort",
    },
}
