"""Stops in a job whose pipelines are restarted one by one, or whose coordinator crashes.

Models RC-1 and RC-2 where they meet SP-1, SP-9 and SP-10 of the fact sheet. A task that its
savepoint's abort fails takes its region with it, and no other. A stop waits for the attempts that
there are when it comes, those that have FAILED included, which are to be restarted after a delay:
it cannot succeed any more, and has taken its savepoint all the same.
"""

from __future__ import annotations

from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.failures.failures import Failures, Region
from model.protocols.requests.requests import RequestStatus, StopRequest
from model.protocols.stops.stopping import Stopping
from model.protocols.task.tasks import Task, TaskStatus
from model.rules import WEAK, require, rule, step


class RegionalStops(Stopping, Failures):
    """Stops that meet failures of regions, or a crash. Nothing of it is in the system otherwise."""

    @property
    def stops_meet_failures(self) -> bool:
        """Whether a stop can find tasks that wait for their restart: a plain truth value."""
        return self.stops and self.restarts_late

    def keeps(self) -> frozenset[str]:
        own = {"failed-regions"} if self.stops_meet_failures else set[str]()
        return super().keeps() | own

    @rule
    def request_stop(self, request: StopRequest, drain: bool) -> None:
        """SP-1: a user stops the job: a savepoint is triggered, and all attempts waited for."""
        super().request_stop(request, drain)
        if self.stops_meet_failures:
            failed = any(task.status == TaskStatus.FAILED for task in self.tasks)
            request.met_failure = request.is_admitted and failed

    @rule
    def crash_coordinator(self) -> None:
        """RC-2: the coordinator crashes; a new one knows of no stop, nor of its savepoint."""
        if self.stops:
            for request in self.stop_requests:
                self._forget_request(request)
        super().crash_coordinator()

    @step
    def _forget_request(self, request: StopRequest) -> None:
        if request.is_admitted:
            request.status = RequestStatus.FAILED

    @step
    def end_region(self, region: Region) -> None:
        """RC-1, SP-9: after a stop's savepoint has completed a failure is that of the job."""
        if self.stops and any(self.has_savepoint(request) for request in self.stop_requests):
            self.restart_all()
        else:
            super().end_region(region)

    @step
    def attempt_failed(self, task: Task) -> None:
        """RC-1: an attempt ends without having FINISHED, and what it knew of a stop is gone."""
        super().attempt_failed(task)
        if self.stops:
            self.forget_stop(task)

    @rule(fair=WEAK)
    def miss_failed_attempt(self, request: StopRequest, checkpoint: Checkpoint) -> None:
        """SP-9: all attempts that the stop waits for have ended, one of them had FAILED."""
        require(self.stops_meet_failures)
        require(request.is_admitted, lambda: request.met_failure)
        require(request.of == checkpoint, checkpoint.is_completed, not self.is_finished)
        require(all(task.reported_finished or checkpoint.finished.has(task) for task in self.tasks))
        self.restart_all()
        request.status = RequestStatus.FAILED
