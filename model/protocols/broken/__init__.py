"""Planted mistakes: each is a small override of a protocol, and names the property that must fall.

To add one, write its class in the module of its protocol, and its key below.
"""

from __future__ import annotations

from collections.abc import Mapping

#: By module and protocol, the keys of the variants. The class of keeps-subsumed is `KeepsSubsumed`.
VARIANTS: Mapping[tuple[str, str], str] = {
    ("two_phase_commit", "two-phase-commit"): """
        commits-unasked commits-with-one presumes-prepared withdraws
    """,
    ("without_jobs", "pipeline"): "drops-when-full",
    ("without_jobs", "barrier-collection"): "takes-one-for-all",
    ("without_jobs", "connector"): "commits-what-was-read producer-hangs",
    ("without_jobs", "local-store"): "runs-unrestored",
    ("without_jobs", "operator-coordinator"): """
        answers-old-requests remembers-asking aborts-keep-gates-closed
    """,
    ("final_checkpoint.finish", "final-checkpoint"): """
        aligns-within-vertex answers-after-closing close-aborts-pending closes-before-finish
        closes-with-open-inputs confirms-aborted emits-after-finish ends-abruptly
        ends-before-closing ends-before-deferred finishes-again keeps-subsumed no-end-of-data
        only-sinks-wait passes-each-watermark plans-by-end-of-data reads-blocked-channels
        released-by-abort restarts-as-finished restores-oldest stays-blocked takes-oldest-for-newest
        triggers-all triggers-at-first-end triggers-once waits-for-finished-sources
        waits-for-lost-ack waits-for-the-finished waits-unconfigured writes-twice
    """,
    ("final_checkpoint.requests", "final-checkpoint"): """
        queues-all requires-pending serves-periodic-first
    """,
    ("final_checkpoint.failures", "final-checkpoint"): """
        counts-savepoints completes-given-up declines-nothing evicts-newest expires-decided
        expires-late forgets-completed keeps-confirmations requires-all-running skips-unreadable
        stays-released subsumes-all takes-while-restoring tells-no-abort
    """,
    ("final_checkpoint.barriers", "final-checkpoint"): """
        cancels-no-further forwards-while-live one-barrier-a-channel resumes-unblocked
        skips-silently
    """,
    ("final_checkpoint.sinks", "final-checkpoint"): """
        acknowledges-before-flush commits-on-acknowledgement commits-only-its-own
        commits-what-is-open counts-what-is-fetched notes-before-commit prepares-twice
    """,
    ("stop_with_savepoint", "stop-with-savepoint"): """
        answers-on-acknowledgements spares-savepoints concludes-with-the-job forgets-why-data-ended
        ignores-stop-at-end opens-for-any-suspension reads-drain-reversed rejects-fatally
        restarts-cancelled released-by-stop starts-over-pending stops-at-first-barrier
        stops-without-end-of-data takes-any-for-its-savepoint
    """,
    ("chained_sources", "chained-sources"): "puts-barriers-on-channels stops-one-chained-source",
    ("sync_savepoint", "sync-savepoint"): """
        keeps-stop-flag repeats-maximal stalls-unnoted wakes-for-any
    """,
    ("legacy_finish", "legacy-finish"): "commit-on-close ignores-ends never-supersedes",
    ("unaligned", "unaligned"): """
        acknowledges-before-logs drops-log-of-ended finishes-before-recovered hangs-at-no-open-input
        logs-again-at-end logs-on obsolete-stops-log reads-before-recovered
    """,
    ("unaligned", "aligned-with-timeout"): "abort-leaves-future loses-alignment-start",
    ("final_checkpoint.barriers", "at-least-once"): "repeats-cancellations takes-at-first-barrier",
    ("restore", "restore"): """
        redistributes-by-index forgets-marks forgets-marks-of-sources keeps-old-keys marks-from-zero
        copies-unaligned keeps-own-union clears-what-is-planned deals-to-the-first
    """,
    ("restore", "restore-unaligned"): "replicates-unfiltered",
    ("regional", "regional-checkpoint"): """
        confirms-to-all keeps-direct-references never-forces-global restores-new-part
    """,
    ("regional", "regional-sources"): "reset-forgets-splits",
}
