"""A job that has ended is started again from what it left, at the same shape.

Models F45-7 and the start from a savepoint of RC-4: the new attempt runs in the same system, and
what is visible outside stays. Which checkpoints are left is for the protocol to say. Resuming at
another shape is a system of its own.
"""

from __future__ import annotations

from typing import ClassVar

from model.protocols.parts.checkpoints import Checkpoint
from model.protocols.parts.elements import CheckpointId
from model.protocols.parts.requests import JobStatus
from model.protocols.parts.stopping import Stopping
from model.rules import (
    Bound,
    Nothing,
    Option,
    Range,
    Ref,
    define,
    field,
    require,
    rule,
    within,
)


class Resuming(Stopping):
    """Starting again after the end. Nothing of it is in the system where no resume is allowed."""

    explores: ClassVar[tuple[str, ...]] = ("resumes",)

    resumes = field(Range(0, Bound("resumes")), 0, ghost="resumes")
    resumed_from = field(Option(Ref(CheckpointId)), Nothing, ghost="resumes")
    """What the job was started from; Nothing for its first start."""

    @property
    def can_resume(self) -> bool:
        """Whether resuming is explored: a plain truth value."""
        return int(self.bounds.resumes) > 0

    @property
    def recovers(self) -> bool:
        """A new start needs what a restart needs."""
        return super().recovers or self.can_resume

    def keeps(self) -> frozenset[str]:
        return super().keeps() | frozenset({"resumes"} if self.can_resume else set[str]())

    @rule
    def resume(self, checkpoint: Checkpoint) -> None:
        """F45-7, RC-4: a user starts the job again from the newest that it has left."""
        require(self.can_resume)
        require(self.has_ended())
        require(all(not request.is_admitted for request in self.requests))
        require(self.is_left(checkpoint))
        require(all(newer <= checkpoint or not self.is_left(newer) for newer in self.checkpoints))
        within(self.resumes, self.bounds.resumes)
        self.resumes += 1
        self.restart_all()
        self.resumed_from = checkpoint
        if self.has_job_status:
            self.job_status = JobStatus.RUNNING

    @define
    def has_ended(self) -> bool:
        """Whether the job has finished, or was cancelled."""
        if not self.has_job_status:
            return self.is_finished
        return self.is_finished or self.job_status == JobStatus.CANCELED

    @define
    def is_left(self, checkpoint: Checkpoint) -> bool:
        """RC-3: whether a checkpoint outlives the job: savepoints do."""
        return checkpoint.is_completed and not self.can_be_subsumed(checkpoint)

    @define
    def newest_completed(self) -> CheckpointId:
        """CN-1: the newest checkpoint since the start, else what the job was started from."""
        newest = super().newest_completed()
        if not self.can_resume or self.resumed_from == Nothing:
            return newest
        if newest == Nothing or newest < self.resumed_from:
            return self.resumed_from
        return newest

    @define
    def is_of_this_start(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint was triggered since the job was last started."""
        if not self.can_resume or self.resumed_from == Nothing:
            return True
        return self.resumed_from < checkpoint

    @define
    def is_free(self, checkpoint: Checkpoint) -> bool:
        """Whether nothing can name a checkpoint again: no new start, either."""
        if self.can_resume:
            return False
        return super().is_free(checkpoint)
