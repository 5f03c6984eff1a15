"""Takes the events of the coordinator: they change the job, user requests and checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from finale.checker.logs.lines import CHECKPOINT_BECOMES, SNAPSHOTS
from finale.checker.logs.read.log_events import LogEvent
from finale.checker.logs.read.messages import TERMINAL
from finale.model.protocols.coordinator.checkpoints import (
    ABORTED,
    COMPLETED,
    PENDING,
    UNUSED,
    Checkpoint,
    CheckpointKind,
    CheckpointStatus,
)
from finale.model.protocols.requests import JobStatus, Request, RequestStatus
from finale.model.protocols.task.tasks import TaskStatus
from finale.model.rules import Nothing

from .replay_state import PendingCheckpoint, ReplayState

#: States in which a job is on its way out, for another reason than that its data has ended.
ENDING = ("CANCELLING", "FAILING", "CANCELED", "FAILED", "SUSPENDED")
#: Why checkpoints are given up when no more are to be triggered.
_SUSPENDING = "Checkpoint Coordinator is suspending"


class JobEvents:
    """Takes the events of the coordinator."""

    def __init__(self, state: ReplayState) -> None:
        self.state = state
        self.over = False
        """Whether the job has ended."""
        self._on = False
        self._request_since: str | None = None
        """The request of a user that has ended the triggering of checkpoints, if it was one."""

    def apply(self, event: LogEvent, point: Checkpoint | None) -> None:
        """An event, and the checkpoint that it is about."""
        match event.word:
            case "job-switched":
                self._job_state(event.fields["to"])
            case "scheduler-on":
                self._on = True
            case "scheduler-off":
                self._on, self._request_since = False, None
            case "request_stop" | "request_savepoint":
                self._requested(event.word)
            case "refused" if self._on:
                self.state.monitors.given_up(event.fields["why"], self.state.where)
            case "expire":
                self.state.take("expire", {}, self._expires)
            case "restored" if point is not None:
                self.state.restored, self.state.later = event.checkpoint, frozenset()
                if event.checkpoint not in self.state.begun:
                    self.state.take("resume", {}, lambda: _set_status(point, COMPLETED))
            case "restored-nothing":
                self.state.restored, self.state.later = None, frozenset()
            case _:
                pass
        if point is not None and event.word in CHECKPOINT_BECOMES:
            match CHECKPOINT_BECOMES[event.word]:
                case CheckpointStatus.PENDING:
                    self._triggered(event, point)
                case CheckpointStatus.COMPLETED:
                    self._completed(event, point)
                case _:
                    self._aborted(event, point)

    def crash(self) -> Callable[[], None]:
        """Forget what the coordinator knew, and return what writes the rest: its checkpoints are
        aborted, its requests have failed."""
        begun = [self.state.point(number) for number in self.state.begun]
        self.state.begun.clear()
        self.state.monitors.ending = self._on = self.over = False
        self._request_since = None

        def write() -> None:
            for point in (each for each in begun if each is not None):
                point.status = ABORTED
            for request in self.state.protocol.requests:
                if request.is_admitted:
                    request.status = RequestStatus.FAILED

        return write

    def _expires(self) -> None:
        self.state.protocol.expiries = 1

    def _job_state(self, state: str) -> None:
        self.state.monitors.ending |= state in ENDING
        if state in ("FAILING", "FAILED"):
            self.state.monitors.fails_for_good()
        if state == "CANCELLING":
            self.state.take("request_cancel", {}, self._cancelling)
        if state not in TERMINAL:
            return
        self.over = True

        def write() -> None:
            if state in ("CANCELED", "FAILED"):
                self.state.protocol.job_status = JobStatus[state]
            for request in self.state.protocol.requests:
                if request.is_admitted:
                    succeeded = state == "FINISHED" and request.of != Nothing
                    request.status = RequestStatus.SUCCEEDED if succeeded else RequestStatus.FAILED

        self.state.take("end", {}, write)

    def _cancelling(self) -> None:
        self.state.protocol.job_status = JobStatus.CANCELLING

    # --- requests and checkpoints ----------------------------------------------------------------

    def _requested(self, word: str) -> None:
        if word == "request_stop":
            self._request_since = word
        values = self.state.monitors.values

        def is_unused(request: Request) -> bool:
            return values[request.variables["status"].position] is RequestStatus.UNUSED

        request = next(each for each in self._requests(word) if is_unused(each))
        self.state.take(word, {"request": request.name}, lambda: _set_request(request))

    def _requests(self, word: str) -> Iterable[Request]:
        protocol = self.state.protocol
        return protocol.stop_requests if word == "request_stop" else protocol.savepoint_requests

    def _triggered(self, event: LogEvent, point: Checkpoint) -> None:
        assert event.checkpoint is not None
        snapshot = SNAPSHOTS.get(event.fields.get("kind", ""))
        kind = CheckpointKind.CHECKPOINT if snapshot is None else snapshot.kind
        values = self.state.monitors.values
        down = frozenset(
            task
            for task in self.state.protocol.tasks
            if values[task.variables["status"].position] in (TaskStatus.CLOSED, TaskStatus.FAILED)
        )
        if values[point.variables["status"].position] is not UNUSED:
            return  # it was aborted by another thread before its line was written
        self.state.begun[event.checkpoint] = PendingCheckpoint(down)
        waiting = () if snapshot is None else self._requests(snapshot.request)

        def write() -> None:
            point.status = PENDING
            point.kind = kind
            self.state.protocol.progress = False
            for request in waiting:
                if request.is_admitted and request.of == Nothing:
                    request.of = point
                    break

        self.state.take("trigger_checkpoint", {}, write)

    def _completed(self, event: LogEvent, point: Checkpoint) -> None:
        assert event.checkpoint is not None
        begun = self.state.begun.pop(event.checkpoint, None)
        if begun is not None:
            finished = begun.down - begun.restarted - begun.acknowledged
            if self.state.profile.has("apply_acknowledgement"):
                finished = frozenset(self.state.protocol.tasks) - begun.acknowledged
            else:
                self.state.leave_open(point, "finished", frozenset(self.state.protocol.tasks))

            def plan() -> None:
                for task in finished:
                    point.finished.add(task)

            # The plan was made when it was begun; that it held is known only now.
            self.state.take("know_plan", {}, plan)

        def write() -> None:
            point.status = COMPLETED
            self.state.protocol.progress = True

        for older in (each for each in self.state.begun if each < event.checkpoint):
            self._overtakes(older, event)
        self.state.later |= {event.checkpoint}
        self.state.monitors.completes()
        self.state.take("complete", {"checkpoint": point.name}, write)

    def _overtakes(self, older: int, event: LogEvent) -> None:
        """A newer checkpoint completes: it aborts an older one that is pending, unless either is a
        savepoint."""
        point = self.state.slot.get(older)
        newer = self.state.slot.get(event.checkpoint or 0)
        values = self.state.monitors.values
        kinds = [
            values[each.variables["kind"].position] for each in (point, newer) if each is not None
        ]
        if point is not None and kinds == [CheckpointKind.CHECKPOINT] * 2:
            why = (
                f"checkpoint {event.checkpoint} has completed at line {event.line}, which aborts it"
            )
            self.state.monitors.overdue["checkpoint-ends", (point,)] = why

    def _aborted(self, event: LogEvent, point: Checkpoint) -> None:
        assert event.checkpoint is not None
        self.state.begun.pop(event.checkpoint, None)
        kind, message = event.causes[-1] if event.causes else ("", "")
        by_request = self._request_since if message.startswith(_SUSPENDING) else None
        self.state.take(by_request or "abort", {}, lambda: _set_status(point, ABORTED))

        def fail() -> None:
            for request in self.state.protocol.requests:
                if request.is_admitted and request.of == point:
                    request.status = RequestStatus.FAILED

        self.state.take("savepoint_failed", {}, fail)
        if min(self.state.begun, default=event.checkpoint) >= event.checkpoint:
            # While an older one is pending, all that is waited for may still come with it.
            self.state.monitors.given_up(message or kind, self.state.where)


def _set_status(point: Checkpoint, status: CheckpointStatus) -> None:
    point.status = status


def _set_request(request: Request) -> None:
    request.status = RequestStatus.ADMITTED
