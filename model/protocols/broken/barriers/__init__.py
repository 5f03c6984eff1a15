"""Mistakes in handling barriers, logs and what is in flight."""

from __future__ import annotations

from collections.abc import Mapping

#: By the protocol's key and the variant's: "module:Class" within this package.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "final-checkpoint": {
        "cancels-no-further": "cancels_no_further:CancelsNoFurther",
        "forwards-while-live": "forwards_while_live:ForwardsWhileLive",
        "one-barrier-a-channel": "one_barrier_a_channel:OneBarrierAChannel",
        "resumes-unblocked": "resumes_unblocked:ResumesUnblocked",
        "skips-silently": "skips_silently:SkipsSilently",
    },
    "legacy-finish": {
        "ignores-ends": "ignores_ends:IgnoresEnds",
        "never-supersedes": "never_supersedes:NeverSupersedes",
    },
    "aligned-with-timeout": {
        "abort-leaves-future": "abort_leaves_future:AbortLeavesFuture",
        "loses-alignment-start": "loses_alignment_start:LosesAlignmentStart",
    },
    "at-least-once": {
        "repeats-cancellations": "repeats_cancellations:RepeatsCancellations",
        "takes-at-first-barrier": "takes_at_first_barrier:TakesAtFirstBarrier",
    },
    "unaligned": {
        "acknowledges-before-logs": "acknowledges_before_logs:AcknowledgesBeforeLogs",
        "drops-log-of-ended": "drops_log_of_ended:DropsLogOfEnded",
        "finishes-before-recovered": "finishes_before_recovered:FinishesBeforeRecovered",
        "hangs-at-no-open-input": "hangs_at_no_open_input:HangsAtNoOpenInput",
        "logs-again-at-end": "logs_again_at_end:LogsAgainAtEnd",
        "logs-on": "logs_on:LogsOn",
        "obsolete-stops-log": "obsolete_stops_log:ObsoleteStopsLog",
        "reads-before-recovered": "reads_before_recovered:ReadsBeforeRecovered",
    },
}
