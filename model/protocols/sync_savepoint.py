"""FLIP-34: a stop takes a savepoint on which tasks stall, and ends the job when it has completed.

"FLIP-34: Terminate/Suspend Job with Savepoint" (releases 1.9 to 1.13, without drain also 1.14), and
rules SS-1 … SS-9 of the fact sheet over the finish of LF: the operators end, and flush, after the
savepoint. What a task does is in `stops/synchronous.py`, what the coordinator does in
`stops/stopping.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from model.protocols.legacy_finish import LegacyFinish, LegacyFinishOptions
from model.protocols.stops.stopping import AfterFailure, Scheduler
from model.protocols.stops.synchronous import Resets
from model.protocols.task.threads import SourceThread, ThreadedSource, Threads
from model.rules import define


@dataclass(frozen=True)
class SyncSavepointOptions(LegacyFinishOptions):
    """The toggles that concern stops; the defaults are release 1.13, the last that had it whole."""

    #: SS-1: what a second stop meets
    scheduler: Scheduler = Scheduler.DEFAULT
    #: SS-9: what a failure does after the savepoint has completed
    after_failure: AfterFailure = AfterFailure.RESTART
    #: SS-7: periodic checkpoints go on after a stop has failed
    resumes_scheduling: bool = True
    #: SS-7: a savepoint that a task declines fails the job
    decline_fails: bool = True
    #: SS-6: operators end their input also where the job is to go on later, as in 1.9
    end_input_on_suspend: bool = False
    #: SS-2: a source stalls, as it was meant to
    source_blocks: bool = False
    #: SS-7: the abort of the savepoint wakes tasks
    abort_releases: bool = True
    #: SS-7: which abort makes a task forget the savepoint that it waits for
    resets: Resets = Resets.MATCHING
    #: SS-5: the savepoint's completion ends a source
    stop_ends_source: bool = True
    #: SS-4: a savepoint is kept among the checkpoints that a failed job starts again from
    savepoint_stored: bool = True
    #: CN-2: the completion of a savepoint is confirmed to the tasks
    savepoint_confirmed: bool = True
    #: 1.7: a source's own thread, and what its end is to a task that a stop ends
    source_thread: SourceThread = SourceThread.NONE


class SyncSavepoint(Threads, LegacyFinish):
    """The stop of FLIP-34."""

    key = "sync-savepoint"
    Options = SyncSavepointOptions
    parts = (*LegacyFinish.parts, ThreadedSource)
    calls_in_order = True

    @property
    def source_thread(self) -> SourceThread:
        assert isinstance(self.options, SyncSavepointOptions)
        return self.options.source_thread

    @define
    def is_stored(self, checkpoint: Checkpoint) -> bool:
        """SS-4, CN-2: in these releases savepoints are stored, those of a stop, too."""
        if not self.has_kinds:
            return True
        return self.savepoint_stored or checkpoint.kind == CheckpointKind.CHECKPOINT
