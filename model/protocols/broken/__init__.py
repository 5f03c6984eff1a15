"""Planted mistakes: each is a small override of a protocol, and names the property that must fall.

A module has the mistakes in one protocol. To add one, write its class there, and its key below.
"""

from __future__ import annotations

from collections.abc import Mapping

#: The keys of the variants in each module. The class of keeps-subsumed is `KeepsSubsumed`.
VARIANTS: Mapping[str, str] = {
    "two_phase_commit": "commits-unasked commits-with-one presumes-prepared withdraws",
    "pipeline": "drops-when-full",
    "barrier_collection": "takes-one-for-all",
    "connector": "commits-what-was-read producer-hangs",
    "local_store": "runs-unrestored",
    "operator_coordinator": "answers-old-requests remembers-asking aborts-keep-gates-closed",
    "final_checkpoint.finish": """
        aligns-within-vertex answers-after-closing close-aborts-pending closes-before-finish
        closes-with-open-inputs confirms-aborted emits-after-finish ends-abruptly
        ends-before-closing ends-before-deferred finishes-again keeps-subsumed no-end-of-data
        only-sinks-wait passes-each-watermark plans-by-end-of-data reads-blocked-channels
        released-by-abort restarts-as-finished restores-oldest stays-blocked takes-oldest-for-newest
        triggers-all triggers-at-first-end triggers-once waits-for-finished-sources
        waits-for-lost-ack waits-for-the-finished waits-unconfigured writes-twice
    """,
    "final_checkpoint.requests": "queues-all requires-pending serves-periodic-first",
    "final_checkpoint.failures": """
        counts-savepoints completes-given-up declines-nothing evicts-newest expires-decided
        expires-late forgets-completed keeps-confirmations requires-all-running skips-unreadable
        stays-released subsumes-all takes-while-restoring tells-no-abort
    """,
    "final_checkpoint.barriers": """
        cancels-no-further forwards-while-live one-barrier-a-channel resumes-unblocked
        skips-silently
    """,
    "final_checkpoint.sinks": """
        acknowledges-before-flush commits-on-acknowledgement commits-only-its-own
        commits-what-is-open counts-what-is-fetched notes-before-commit prepares-twice
    """,
    "stop_with_savepoint": """
        answers-on-acknowledgements spares-savepoints concludes-with-the-job forgets-why-data-ended
        ignores-stop-at-end opens-for-any-suspension reads-drain-reversed rejects-fatally
        restarts-cancelled released-by-stop starts-over-pending stops-at-first-barrier
        stops-without-end-of-data takes-any-for-its-savepoint
    """,
    "chained_sources": "puts-barriers-on-channels stops-one-chained-source",
    "sync_savepoint": "keeps-stop-flag repeats-maximal stalls-unnoted wakes-for-any",
    "legacy_finish": "commit-on-close ignores-ends never-supersedes",
    "unaligned": """
        acknowledges-before-logs drops-log-of-ended finishes-before-recovered hangs-at-no-open-input
        logs-again-at-end logs-on obsolete-stops-log reads-before-recovered
    """,
    "aligned_with_timeout": "abort-leaves-future loses-alignment-start",
    "at_least_once": "repeats-cancellations takes-at-first-barrier",
    "restore": """
        redistributes-by-index forgets-marks forgets-marks-of-sources keeps-old-keys marks-from-zero
        copies-unaligned keeps-own-union clears-what-is-planned deals-to-the-first
    """,
    "restore_unaligned": "replicates-unfiltered",
}
