"""Mistakes in stopping a job and in what users ask for."""

from __future__ import annotations

from collections.abc import Mapping

#: By the protocol's key and the variant's: "module:Class" within this package.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "chained-sources": {
        "puts-barriers-on-channels": "puts_barriers_on_channels:PutsBarriersOnChannels",
        "stops-one-chained-source": "stops_one_chained_source:StopsOneChainedSource",
    },
    "final-checkpoint": {
        "queues-all": "queues_all:QueuesAll",
        "requires-pending": "requires_pending:RequiresPending",
        "serves-periodic-first": "serves_periodic_first:ServesPeriodicFirst",
    },
    "sync-savepoint": {
        "keeps-stop-flag": "keeps_stop_flag:KeepsStopFlag",
        "repeats-maximal": "repeats_maximal:RepeatsMaximal",
        "stalls-unnoted": "stalls_unnoted:StallsUnnoted",
        "wakes-for-any": "wakes_for_any:WakesForAny",
    },
    "stop-with-savepoint": {
        "answers-on-acknowledgements": "answers_on_acknowledgements:AnswersOnAcknowledgements",
        "spares-savepoints": "spares_savepoints:SparesSavepoints",
        "concludes-with-the-job": "concludes_with_the_job:ConcludesWithTheJob",
        "forgets-why-data-ended": "forgets_why_data_ended:ForgetsWhyDataEnded",
        "ignores-stop-at-end": "ignores_stop_at_end:IgnoresStopAtEnd",
        "opens-for-any-suspension": "opens_for_any_suspension:OpensForAnySuspension",
        "reads-drain-reversed": "reads_drain_reversed:ReadsDrainReversed",
        "rejects-fatally": "rejects_fatally:RejectsFatally",
        "restarts-cancelled": "restarts_cancelled:RestartsCancelled",
        "released-by-stop": "released_by_stop:ReleasedByStop",
        "starts-over-pending": "starts_over_pending:StartsOverPending",
        "stops-at-first-barrier": "stops_at_first_barrier:StopsAtFirstBarrier",
        "stops-without-end-of-data": "stops_without_end_of_data:StopsWithoutEndOfData",
        "takes-any-for-its-savepoint": "takes_any_for_its_savepoint:TakesAnyForItsSavepoint",
    },
}
