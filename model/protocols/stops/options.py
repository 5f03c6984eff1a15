"""Options of a stop with a savepoint: what the texts leave open, and what other releases do."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from finale.model.protocols.stops.stopping import AfterFailure, ResumeFrom, Retention, Scheduler


class NoDrain(enum.Enum):
    """How a stop without drain works: EndOfData as with drain, or tasks that block (1.14)."""

    UNIFIED = "unified"
    BLOCKING = "blocking"


class StopOrder(enum.Enum):
    """SP-2: without drain, whether a source's snapshot may come before the end of its data."""

    END_FIRST = "end-first"
    EITHER = "either"


class ReleaseOn(enum.Enum):
    """SP-8: what releases a task that knows of the savepoint: it alone, or any final checkpoint,
    too; `MINIMUM` does not know savepoints."""

    EXACT = "exact"
    ANY = "any"
    MINIMUM = "minimum"


class MultiInput(enum.Enum):
    """H7: a task with several inputs ends its data as intended, or as built: not at all if the
    last input to end was stopped."""

    INTENDED = "intended"
    AS_BUILT = "as-built"


class SyncAbort(enum.Enum):
    """SP-10: the abort of a savepoint that a task knows of fails the task, or is forgotten."""

    FAILS = "fails"
    CLEARS = "clears"


class EndDuringSavepoint(enum.Enum):
    """Release 1.14: a source that comes to its end during a savepoint without drain fails, or
    waits for a final checkpoint as if there were no savepoint."""

    FAILS = "fails"
    WAITS = "waits"


@dataclass(frozen=True)
class StopOptions:
    """Options of stops; the defaults are today's Flink as intended."""

    #: SP-1: what a second stop meets
    scheduler: Scheduler = Scheduler.DEFAULT
    #: SP-9: what a failure does after the savepoint has completed
    after_failure: AfterFailure = AfterFailure.FAIL_JOB
    #: SP-11: periodic checkpoints go on after a stop has failed
    resumes_scheduling: bool = True
    #: SP-9: the end of the job and the savepoint's completion are both waited for
    waits_for_both: bool = True
    #: SP-12: a savepoint that a task declines fails the job
    decline_fails: bool = True
    #: SP-2, FC-3: how a stop without drain works
    no_drain: NoDrain = NoDrain.UNIFIED
    #: SP-2: without drain, whether a source's snapshot may come before the end of its data
    stop_order: StopOrder = StopOrder.EITHER
    #: SP-8: what releases a task that knows of the savepoint
    release_on: ReleaseOn = ReleaseOn.EXACT
    #: FC-2, H7: how the data of a task with several inputs end
    multi_input: MultiInput = MultiInput.INTENDED
    #: SP-2: a source also ends its data for a savepoint that it knows to be aborted
    stops_for_aborted: bool = True
    #: SP-10: what the abort of a savepoint does to a task that knows of it
    sync_abort: SyncAbort = SyncAbort.FAILS
    #: V-10: with `no_drain = blocking`, what a source does that ends during the savepoint
    end_during_savepoint: EndDuringSavepoint = EndDuringSavepoint.FAILS
    #: RC-3: after which end of the job its checkpoints are kept
    retention: Retention = Retention.NEVER
    #: F45-7: which of the checkpoints that a job has left a user takes to start it again
    resume_from: ResumeFrom = ResumeFrom.NEWEST
