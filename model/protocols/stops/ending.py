"""A stop that tells the sources to end, and takes no checkpoint.

Models LS-1 of the fact sheet, and F45-1 without retention. A source that is stopped emits no last
watermark; behind it timers never fire, and for the rest tasks end as they would by themselves.
"""

from __future__ import annotations

from finale.model.protocols.job.elements import StopMode
from finale.model.protocols.legacy_finish import LegacyFinish
from finale.model.protocols.requests.requests import RequestStatus, StopRequest
from finale.model.protocols.stops.stopping import Stopping
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task
from finale.model.rules import STRONG, WEAK, require, rule, step


class EndingSources(Stopping, LegacyFinish):
    """Stops that take no checkpoint."""

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
