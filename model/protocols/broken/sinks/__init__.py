"""Mistakes of sinks, sources and coordinators of operators, and where there are no jobs."""

from __future__ import annotations

from collections.abc import Mapping

#: By the protocol's key and the variant's: "module:Class" within this package.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "final-checkpoint": {
        "acknowledges-before-flush": "acknowledges_before_flush:AcknowledgesBeforeFlush",
        "commits-on-acknowledgement": "commits_on_acknowledgement:CommitsOnAcknowledgement",
        "commits-only-its-own": "commits_only_its_own:CommitsOnlyItsOwn",
        "commits-what-is-open": "commits_what_is_open:CommitsWhatIsOpen",
        "counts-what-is-fetched": "counts_what_is_fetched:CountsWhatIsFetched",
        "notes-before-commit": "notes_before_commit:NotesBeforeCommit",
        "prepares-twice": "prepares_twice:PreparesTwice",
    },
    "two-phase-commit": {
        "commits-unasked": "commits_unasked:CommitsUnasked",
        "commits-with-one": "commits_with_one:CommitsWithOne",
        "presumes-prepared": "presumes_prepared:PresumesPrepared",
        "withdraws": "withdraws:Withdraws",
    },
    "pipeline": {
        "drops-when-full": "drops_when_full:DropsWhenFull",
    },
    "connector": {
        "commits-what-was-read": "commits_what_was_read:CommitsWhatWasRead",
        "producer-hangs": "producer_hangs:ProducerHangs",
    },
    "operator-coordinator": {
        "answers-old-requests": "answers_old_requests:AnswersOldRequests",
        "remembers-asking": "remembers_asking:RemembersAsking",
        "aborts-keep-gates-closed": "aborts_keep_gates_closed:AbortsKeepGatesClosed",
    },
    "barrier-collection": {
        "takes-one-for-all": "takes_one_for_all:TakesOneForAll",
    },
    "local-store": {
        "runs-unrestored": "runs_unrestored:RunsUnrestored",
    },
}
