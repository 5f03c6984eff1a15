"""The oldest stop: sources are told to end, and the job finishes as if they had by themselves.

Stoppable functions of releases up to 1.8, and `cancel -s`, still there: rules LS-1 and LS-2
of the fact sheet over the finish of LF. No checkpoint belongs to the stop; who goes on later starts
from the newest checkpoint that was kept, and rewinds.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from finale.model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from finale.model.protocols.job.elements import StopMode
from finale.model.protocols.legacy_finish import LegacyFinish, LegacyFinishOptions
from finale.model.protocols.requests import (
    CancelRequest,
    JobStatus,
    Request,
    RequestStatus,
    StopRequest,
)
from finale.model.protocols.stopping import Stopping
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task
from finale.model.rules import STRONG, WEAK, Setting, define, require, rule, step


class EndingSources(Stopping, LegacyFinish):
    """LS-1: a stop tells the sources to end, and takes no checkpoint.

    A source that is stopped emits no last watermark, so timers behind the source never fire.
    Otherwise tasks end as they would by themselves.
    """

    #: LS-1: a stop is told to the sources; else it is what the protocol says.
    ends_sources: bool = True

    @rule
    def request_stop(self, request: StopRequest, drain: bool) -> None:
        """LS-1: a user stops the job: its sources will be told."""
        if self.ends_sources:
            require(self.is_next(request), self.runs(), not drain)
            request.status = RequestStatus.ADMITTED
        else:
            super().request_stop(request, drain)

    @rule(fair=STRONG)
    def stop_source(self, task: Source) -> None:
        """LS-1: the stop reaches a source."""
        require(self.ends_sources)
        require(any(request.is_admitted for request in self.stop_requests))
        require(task.is_running, task.can_be_stopped, task.mode == StopMode.NONE)
        task.mode = StopMode.NO_DRAIN

    @step
    def end_operators(self, task: Task) -> None:
        """LF-3, LS-1: endInput and close; behind a source that was stopped no last watermark."""
        if self.ends_sources and self.was_stopped(task):
            for channel in task.outputs:
                channel.stopped = True
            task.quiesce_timers()
            task.finish()
            self.refuse_mail(task)
        else:
            super().end_operators(task)

    @rule(fair=WEAK)
    def conclude_without_checkpoint(self, request: StopRequest) -> None:
        """LS-1, F45-5: the job has finished: the stop succeeded."""
        require(self.ends_sources)
        require(request.is_admitted, self.is_finished)
        request.status = RequestStatus.SUCCEEDED


class Stop(enum.Enum):
    """What a stop is: the end of the sources, or a savepoint and then a cancellation."""

    STOP = "stop"
    CANCEL_WITH_SAVEPOINT = "cancel-with-savepoint"


@dataclass(frozen=True)
class LegacyStopOptions(LegacyFinishOptions):
    """What a stop is, and what becomes of savepoints."""

    #: LS-1, LS-2: what a stop is
    stop: Stop = Stop.STOP
    #: CN-2: a savepoint is kept among the checkpoints that a failed job starts again from
    savepoint_stored: bool = True
    #: CN-2: the completion of a savepoint is confirmed to the tasks
    savepoint_confirmed: bool = True


class LegacyStop(EndingSources):
    """The stops of releases up to 1.8."""

    key = "legacy-stop"
    Options = LegacyStopOptions
    calls_in_order = True

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        assert isinstance(self.options, LegacyStopOptions)
        self.ends_sources = self.options.stop == Stop.STOP

    def kind_of_stop(self, *, drain: bool) -> CheckpointKind:
        """LS-2: an ordinary savepoint."""
        return CheckpointKind.SAVEPOINT

    @define
    def is_left(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint outlives the job: a user has kept it, whatever it was for."""
        return checkpoint.is_completed

    # --- cancel with savepoint -------------------------------------------------------------------

    def answered(self, checkpoint: Checkpoint) -> None:
        """LS-2: with the savepoint of a stop that has completed tasks are cancelled."""
        if not self.ends_sources:
            for request in self.stop_requests:
                self._cancel_for(request, checkpoint)

    @step
    def _cancel_for(self, request: StopRequest, checkpoint: Checkpoint) -> None:
        if request.of == checkpoint and self.has_savepoint(request):
            self.job_status = JobStatus.CANCELLING
            self.give_up_pending()

    @step
    def conclude(self, request: Request) -> None:
        """LS-2: a stop that has its savepoint has succeeded, and so has a cancellation."""
        if request.is_admitted:
            won = isinstance(request, CancelRequest) or self.has_savepoint(request)
            request.status = RequestStatus.SUCCEEDED if won else RequestStatus.FAILED
