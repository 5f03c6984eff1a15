"""Stops in the oldest releases: stop the sources, or take a savepoint and cancel."""

from __future__ import annotations

from finale.reference.asking import Asking, Request, RequestKind, RequestStatus
from finale.reference.coordinator import Checkpoint, CheckpointKind, Status
from finale.reference.settings import EngineOptions
from finale.reference.steps import Guarded, action
from finale.reference.stopping import Stopping
from finale.reference.task import Phase, Task


class LegacyFinish(Asking):
    """Tasks wait for nothing. What a sink has not committed by then is never committed."""

    key = "legacy-finish"

    @property
    def after_finish(self) -> bool:
        return False

    @action("task")
    def end_task(self, task: Task) -> Guarded:
        """All inputs have closed."""
        yield task.phase is Phase.RUNNING and bool(task.inputs) and task.gate.all_ended
        self.finish(task)

    def finish(self, task: Task) -> None:
        task.operator.last_watermark(task.emit)
        task.operator.finish(task.emit)
        task.phase = Phase.DRAINING


class EndingSources(Stopping, LegacyFinish):
    """A job whose stop may be that its sources end: no checkpoint belongs to it."""

    @property
    def ends_sources(self) -> bool:
        """Whether that is what a stop is."""
        return self.options.stop == "stop"

    @property
    def stops_with_savepoint(self) -> bool:
        return not self.ends_sources

    @action("request", "drain")
    def request_stop(self, request: Request, drain: bool) -> Guarded:
        if not self.ends_sources:
            yield from super().request_stop(request, drain)
            return
        yield not drain and self.is_next(request, RequestKind.STOP)
        request.answer = RequestStatus.ADMITTED

    @action("task")
    def stop_source(self, task: Task) -> Guarded:
        """The stop reaches a source."""
        asked = any(request.is_admitted for request in self.requests_for(RequestKind.STOP))
        reads = task.source is not None and task.phase is Phase.RUNNING and task.stopped is None
        yield self.ends_sources and asked and reads
        task.stopped = False

    def finish(self, task: Task) -> None:
        """Behind a source that was stopped there is no last watermark."""
        if not self.ends_sources or not self.was_stopped(task):
            super().finish(task)
            return
        task.operator.finish(task.emit)
        for channel in task.outputs:
            channel.stopped = True
        task.phase = Phase.DRAINING

    @action("request")
    def conclude_without_checkpoint(self, request: Request) -> Guarded:
        """The job has finished."""
        stop = request.kind is RequestKind.STOP and request.is_admitted
        yield self.ends_sources and stop and self.coordinator.job_finished
        request.answer = RequestStatus.SUCCEEDED


class LegacyStop(EndingSources):
    """A job that is stopped, or cancelled with a savepoint that is as any other."""

    key = "legacy-stop"
    usual = EngineOptions(calls_in_order=True, savepoint_stored=True, savepoint_confirmed=True)

    def kind_of_stop(self, *, drain: bool) -> CheckpointKind:
        return CheckpointKind.SAVEPOINT

    def answer(self, checkpoint: Checkpoint) -> None:
        """With its savepoint the job is cancelled."""
        super().answer(checkpoint)
        asked = [
            each.checkpoint for each in self.requests_for(RequestKind.STOP) if each.is_admitted
        ]
        if checkpoint.number in asked and checkpoint.status is Status.COMPLETED:
            self.cancel()

    def won_by_cancellation(self, request: Request) -> bool:
        return super().won_by_cancellation(request) or self.has_savepoint(request)

    def is_left(self, checkpoint: Checkpoint) -> bool:
        """A user has kept them all."""
        return checkpoint.status is Status.COMPLETED
