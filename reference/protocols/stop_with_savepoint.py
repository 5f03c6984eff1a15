"""FLIP-147: a stop takes a savepoint that ends the job, for good or to be resumed.

A source that hears of it ends its data, as at its natural end; with drain operators finish, without
they keep what they hold. Whoever takes the savepoint waits for it, and for no other checkpoint.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Any

from reference.coordinator import Kind, Status
from reference.operators.base import Word
from reference.protocols.final_checkpoint import FinalCheckpoint, FinalCheckpointOptions
from reference.steps import Guarded, action
from reference.task import Phase, Task


class Answer(enum.Enum):
    """What has become of a user's request."""

    UNUSED = "unused"
    ADMITTED = "admitted"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


@dataclass(eq=False)
class Stop:
    """A user's request to stop the job."""

    answer: Answer = Answer.UNUSED
    savepoint: int | None = None

    @property
    def is_admitted(self) -> bool:
        return self.answer is Answer.ADMITTED


@dataclass(frozen=True)
class StopWithSavepointOptions(FinalCheckpointOptions):
    """What is left open where a job is stopped."""

    calls_in_order: bool = False
    """The calls to a task arrive, and are run, in their order."""


class StopWithSavepoint(FinalCheckpoint):
    """A job whose tasks end together, by themselves or because it is stopped."""

    key = "stop-with-savepoint"
    Options = StopWithSavepointOptions

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        assert isinstance(self.options, StopWithSavepointOptions)
        self.calls_in_order = self.options.calls_in_order
        self.stops = {f"stop{number + 1}": Stop() for number in range(self.faults.stops)}
        self.periodic = True
        """Checkpoints are triggered again and again."""
        self.failed = False
        """The job has failed, and is not started again."""

    def runs(self) -> bool:
        """The job has not ended."""
        return not self.failed and not self.coordinator.job_finished

    def seen(self) -> tuple[tuple[str, Word], ...]:
        stops = ((name, (s.answer.value, s.savepoint)) for name, s in self.stops.items())
        return (("periodic", self.periodic), ("failed", self.failed), *stops)

    def ends_the_job(self, checkpoint: int) -> bool:
        known = self.coordinator.checkpoints.get(checkpoint)
        return known is not None and known.kind.ends_the_job

    # --- the request and its answer --------------------------------------------------------------

    def new_stop(self) -> str:
        """One more request than was foreseen; its name."""
        self.faults = replace(self.faults, stops=self.faults.stops + 1)
        name = f"stop{len(self.stops) + 1}"
        self.stops[name] = Stop()
        return name

    @action("request", "drain")
    def request_stop(self, request: str, drain: bool) -> Guarded:
        """What is pending is aborted, and a savepoint triggered if one can be."""
        names = list(self.stops)
        earlier = names[: names.index(request)]
        unused = self.stops[request].answer is Answer.UNUSED
        turn = unused and all(self.stops[each].answer is not Answer.UNUSED for each in earlier)
        admitted = self.all_restored() and self.coordinator.may_plan()
        yield turn and self.runs() and (self.has_numbers_left() or not admitted)
        self.coordinator.abort_all()
        stop = self.stops[request]
        if not admitted:
            stop.answer = Answer.FAILED
            return
        self.periodic = False
        stop.answer = Answer.ADMITTED
        stop.savepoint = self.coordinator.trigger(Kind.DRAIN if drain else Kind.SUSPEND).number

    def may_trigger(self) -> bool:
        return self.periodic and self.runs() and super().may_trigger()

    @action("request", "checkpoint")
    def conclude_stop(self, request: str, checkpoint: int) -> Guarded:
        """The savepoint is complete, and the job has finished."""
        stop, known = self.stops[request], self.coordinator.checkpoints[checkpoint]
        done = known.status is Status.COMPLETED and self.coordinator.job_finished
        yield stop.is_admitted and stop.savepoint == checkpoint and done
        stop.answer = Answer.SUCCEEDED

    @action("request", "checkpoint")
    def savepoint_failed(self, request: str, checkpoint: int) -> Guarded:
        """The savepoint is aborted: so is the stop, and checkpoints go on."""
        stop, known = self.stops[request], self.coordinator.checkpoints[checkpoint]
        aborted = known.status is Status.ABORTED
        yield stop.is_admitted and stop.savepoint == checkpoint and aborted
        stop.answer = Answer.FAILED
        self.periodic = True

    # --- at a task -------------------------------------------------------------------------------

    @action("task", "checkpoint")
    def deliver_trigger(self, task: Task, checkpoint: int) -> Guarded:
        earlier = any((task.name, each) in self.network.triggers for each in range(checkpoint))
        if self.calls_in_order and earlier:
            yield False
        yield from super().deliver_trigger(task, checkpoint)

    @action("task", "checkpoint")
    def run_trigger(self, task: Task, checkpoint: int) -> Guarded:
        if not self.is_in_turn(task, checkpoint) or self.is_to_stop(task, checkpoint):
            yield False
        yield from super().run_trigger(task, checkpoint)

    def is_in_turn(self, task: Task, checkpoint: int) -> bool:
        """The calls that a mailbox has are run in order, but a source takes its savepoint later."""
        if not self.calls_in_order:
            return True
        return all(each >= checkpoint or each == task.ending for each in task.mail)

    def is_to_stop(self, task: Task, checkpoint: int) -> bool:
        """Whether a call tells a source to end its data; what is aborted does not."""
        ends = self.ends_the_job(checkpoint) and checkpoint not in task.given_up
        return task.source is not None and ends

    @action("task", "checkpoint")
    def stop_source(self, task: Task, checkpoint: int) -> Guarded:
        """A source stops reading. It takes the savepoint later, for its data end first."""
        called = task.lives and checkpoint in task.mail and task.ending != checkpoint
        stops = called and self.is_to_stop(task, checkpoint)
        yield stops and self.is_in_turn(task, checkpoint)
        if task.phase is Phase.DRAINING:
            task.mail.discard(checkpoint)
            self.decline(checkpoint)
        elif task.ending is not None:
            self.restart()
        else:
            task.ending = checkpoint
            if task.phase is Phase.RUNNING:
                task.stopped = self.coordinator.checkpoints[checkpoint].kind is Kind.DRAIN

    @action("task", "checkpoint")
    def perform_savepoint(self, task: Task, checkpoint: int) -> Guarded:
        """A source that has stopped takes the savepoint; with drain its data have ended before."""
        called = task.lives and checkpoint in task.mail and task.ending == checkpoint
        may = task.has_finished or task.stopped is False
        yield called and may and self.is_to_stop(task, checkpoint)
        task.mail.discard(checkpoint)
        task.gate.triggered(checkpoint)

    def taken(self, task: Task, checkpoint: int) -> None:
        """Whoever takes the savepoint knows of it; a second one is more than it can bear."""
        if not self.ends_the_job(checkpoint):
            return
        if task.ending not in (None, checkpoint):
            self.restart()
        else:
            task.ending = checkpoint

    def decline(self, checkpoint: int) -> None:
        """A task can take no part in a checkpoint."""
        if self.coordinator.waits_for(checkpoint):
            self.network.declines.add(checkpoint)

    # --- the end ---------------------------------------------------------------------------------

    @action("task")
    def emit(self, task: Task) -> Guarded:
        if task.stopped is not None:
            yield False
        yield from super().emit(task)

    def has_no_more(self, task: Task) -> bool:
        stopped = task.source is not None and task.stopped is not None
        return stopped or super().has_no_more(task)

    def was_stopped(self, task: Task) -> bool:
        if task.source is not None:
            return task.stopped is False
        return any(channel.stopped for channel in task.inputs)

    def has_all(self, task: Task) -> bool:
        """What is not finished may always have something more."""
        return super().has_all(task) and not self.was_stopped(task)

    def secures(self, task: Task, checkpoint: int) -> bool:
        if task.ending is not None:
            return task.ending == checkpoint
        return super().secures(task, checkpoint)

    def may_close(self, task: Task) -> bool:
        waits = task.ending is not None and not task.secured
        return not waits and super().may_close(task)

    # --- what fails ------------------------------------------------------------------------------

    def call_failed(self, task: Task, checkpoint: int) -> None:
        """A task that is about to close declines the savepoint; one that has closed aborts it."""
        if self.ends_the_job(checkpoint) and task.phase is Phase.DRAINING:
            self.decline(checkpoint)
        else:
            super().call_failed(task, checkpoint)

    @action("checkpoint")
    def apply_decline(self, checkpoint: int) -> Guarded:
        """A savepoint that is to end the job, and is declined, fails it."""
        ends = self.ends_the_job(checkpoint)
        yield from super().apply_decline(checkpoint)
        if ends:
            self.restart()

    @action("task", "checkpoint")
    def deliver_abort(self, task: Task, checkpoint: int) -> Guarded:
        """A task that knows of the savepoint cannot go on without it."""
        fails = task.ending == checkpoint and self.runs()
        yield from super().deliver_abort(task, checkpoint)
        if fails:
            self.restart()

    def restart(self) -> None:
        """All attempts end. If the savepoint is complete the job has ended, and not well."""
        over = [stop for stop in self.stops.values() if self.has_savepoint(stop)]
        super().restart()
        self.periodic = True
        if not over:
            return
        for stop in over:
            stop.answer = Answer.FAILED
        self.failed, self.periodic = True, False
        for task in self.tasks.values():
            task.phase = Phase.FAILED
            self.network.forget_notices(task.name)

    def has_savepoint(self, stop: Stop) -> bool:
        if not stop.is_admitted or stop.savepoint is None:
            return False
        return self.coordinator.checkpoints[stop.savepoint].status is Status.COMPLETED

    @action()
    def fail(self) -> Guarded:
        if not self.runs():
            yield False
        yield from super().fail()
