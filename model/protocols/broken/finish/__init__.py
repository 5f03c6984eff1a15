"""Mistakes in finishing: what a task does at its end, and the checkpoints around it."""

from __future__ import annotations

from collections.abc import Mapping

#: By the protocol's key and the variant's: "module:Class" within this package.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "final-checkpoint": {
        "aligns-within-vertex": "aligns_within_vertex:AlignsWithinVertex",
        "answers-after-closing": "answers_after_closing:AnswersAfterClosing",
        "close-aborts-pending": "close_aborts_pending:CloseAbortsPending",
        "closes-before-finish": "closes_before_finish:ClosesBeforeFinish",
        "closes-with-open-inputs": "closes_with_open_inputs:ClosesWithOpenInputs",
        "confirms-aborted": "confirms_aborted:ConfirmsAborted",
        "emits-after-finish": "emits_after_finish:EmitsAfterFinish",
        "ends-abruptly": "ends_abruptly:EndsAbruptly",
        "ends-before-closing": "ends_before_closing:EndsBeforeClosing",
        "ends-before-deferred": "ends_before_deferred:EndsBeforeDeferred",
        "finishes-again": "finishes_again:FinishesAgain",
        "keeps-subsumed": "keeps_subsumed:KeepsSubsumed",
        "no-end-of-data": "no_end_of_data:NoEndOfData",
        "only-sinks-wait": "only_sinks_wait:OnlySinksWait",
        "passes-each-watermark": "passes_each_watermark:PassesEachWatermark",
        "plans-by-end-of-data": "plans_by_end_of_data:PlansByEndOfData",
        "reads-blocked-channels": "reads_blocked_channels:ReadsBlockedChannels",
        "released-by-abort": "released_by_abort:ReleasedByAbort",
        "restarts-as-finished": "restarts_as_finished:RestartsAsFinished",
        "restores-oldest": "restores_oldest:RestoresOldest",
        "stays-blocked": "stays_blocked:StaysBlocked",
        "takes-oldest-for-newest": "takes_oldest_for_newest:TakesOldestForNewest",
        "triggers-all": "triggers_all:TriggersAll",
        "triggers-at-first-end": "triggers_at_first_end:TriggersAtFirstEnd",
        "triggers-once": "triggers_once:TriggersOnce",
        "waits-for-finished-sources": "waits_for_finished_sources:WaitsForFinishedSources",
        "waits-for-lost-ack": "waits_for_lost_ack:WaitsForLostAcknowledgement",
        "waits-for-the-finished": "waits_for_the_finished:WaitsForTheFinished",
        "waits-unconfigured": "waits_unconfigured:WaitsUnconfigured",
        "writes-twice": "writes_twice:WritesTwice",
    },
    "legacy-finish": {
        "commit-on-close": "commit_on_close:CommitOnClose",
    },
}
