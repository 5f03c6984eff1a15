"""The steps of the coordinator that are one elsewhere: trigger and calls, completion and report.

Models PL-1's "is triggering" and PL-3 of the fact sheet: between the plan and the calls to tasks,
coordinators of operators and master hooks are asked, and meanwhile the checkpoint may be aborted;
what goes on then must look whether it still is pending. And the order of CN-1: a checkpoint is
stored first, and then the future of the one who asked for it completes.
The queue of requests (PL-1) is in `queueing.py`. Left out: time between checkpoints.
"""

from __future__ import annotations

from dataclasses import dataclass

from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.job.elements import CheckpointId
from model.protocols.requests.requests import Request, Requests, RequestStatus, StopRequest
from model.protocols.task.tasks import Task
from model.rules import (
    EMPTY,
    WEAK,
    Nothing,
    Option,
    Ref,
    Set,
    define,
    field,
    require,
    rule,
    step,
)


@dataclass(frozen=True)
class TriggeringOptions:
    """Options of steps that can come apart."""

    #: PL-3: coordinators and hooks are asked between the plan and the calls to tasks
    split_trigger: bool = False
    #: PL-3: what waited for them looks whether its checkpoint is still pending
    rechecks_disposed: bool = True
    #: CN-1: the one who asked for a checkpoint hears of it before it is stored
    reports_before_store: bool = False


class Triggering(Requests):
    """A coordinator that does in several steps what it does in several steps."""

    triggering = field(Option(Ref(CheckpointId)), Nothing, ghost="split-trigger")
    """The checkpoint for which coordinators and hooks are asked."""
    to_call = field(Set(Ref(Task)), EMPTY, ghost="split-trigger")
    """The tasks that are called when they have answered."""

    def keeps(self) -> frozenset[str]:
        own = {"split-trigger"} if self.options.split_trigger else set[str]()
        return super().keeps() | own

    # --- trigger ---------------------------------------------------------------------------------

    @step
    def admit(self) -> None:
        """PL-1: nothing is triggered while something else is."""
        require(self.triggers_nothing())
        super().admit()

    @define
    def triggers_nothing(self) -> bool:
        """PL-1: whether no checkpoint is being triggered."""
        return not self.options.split_trigger or self.triggering == Nothing

    @step
    def compute_plan(self, checkpoint: Checkpoint) -> None:
        """PL-3: the plan is made, and coordinators and hooks are asked before anybody is called."""
        super().compute_plan(checkpoint)
        if self.options.split_trigger:
            self.to_call = checkpoint.triggers
            checkpoint.triggers.clear()
            self.triggering = checkpoint

    def is_to_be_called(self, task: Task, checkpoint: Checkpoint) -> bool:
        """PL-4: whether a call to a task is on its way, or will be."""
        if self.options.split_trigger:
            waits = self.triggering == checkpoint and self.to_call.has(task)
            return waits or super().is_to_be_called(task, checkpoint)
        return super().is_to_be_called(task, checkpoint)

    @rule(fair=WEAK)
    def call_tasks(self, checkpoint: Checkpoint) -> None:
        """PL-3, PL-4: coordinators and hooks have answered: tasks are called."""
        require(self.options.split_trigger, lambda: self.triggering == checkpoint)
        if not self.options.rechecks_disposed or checkpoint.is_pending:
            checkpoint.triggers = self.to_call
        self.to_call.clear()
        self.triggering = Nothing

    @step
    def restart_all(self) -> None:
        """RC-1, RC-2: whoever was asked answers nobody."""
        super().restart_all()
        if self.options.split_trigger:
            self.to_call.clear()
            self.triggering = Nothing

    @define
    def is_unnamed(self, checkpoint: Checkpoint) -> bool:
        """Whether nothing can name a checkpoint again: no trigger under way, either."""
        if self.options.split_trigger:
            return self.triggering != checkpoint and super().is_unnamed(checkpoint)
        return super().is_unnamed(checkpoint)

    # --- completion ------------------------------------------------------------------------------

    @rule(fair=WEAK)
    def report_first(self, request: Request, checkpoint: Checkpoint) -> None:
        """CN-1 the wrong way round: all have acknowledged, and who asked is told so at once."""
        require(self.options.reports_before_store, not isinstance(request, StopRequest))
        require(request.is_admitted)
        require(request.of == checkpoint, checkpoint.is_pending, checkpoint.awaited.is_empty)
        request.status = RequestStatus.SUCCEEDED

    @rule(fair=WEAK)
    def complete(self, checkpoint: Checkpoint) -> None:
        """CN-1, CN-2: all have acknowledged: the checkpoint is durable, its request answered."""
        if self.options.reports_before_store:
            for request in self.requests:
                require(not request.is_admitted or request.of != checkpoint)
        super().complete(checkpoint)
