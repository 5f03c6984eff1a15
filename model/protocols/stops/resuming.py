"""A job that has ended is started again from what it left, at the same shape.

Models F45-7, RC-3 and the start from a savepoint of RC-4: the new attempt runs in the same system,
and what is visible outside stays. Which checkpoints are left is for the protocol to say. Resuming
at another shape is a system of its own.
"""

from __future__ import annotations

import enum
from typing import ClassVar

from model.protocols.coordinator.checkpoints import UNUSED, Checkpoint
from model.protocols.job.elements import CheckpointId
from model.protocols.requests.requests import JobStatus
from model.protocols.stops.stopping import Stopping
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
    step,
    within,
)


class Retention(enum.Enum):
    """RC-3: after which end of a job its checkpoints are kept, each beside those before it.

    In Flink none is kept after a job has finished; FLIP-45 wants that.
    """

    NEVER = "never"
    ON_FAILURE = "on-failure"
    ON_CANCELLATION = "on-cancellation"
    ON_FINISH = "on-finish"


class ResumeFrom(enum.Enum):
    """F45-7: which of the checkpoints that a job has left a user takes to start it again."""

    NEWEST = "newest"
    ANY = "any"


class Resuming(Stopping):
    """Starting again after the end. Nothing of it is in the system where no resume is allowed."""

    explores: ClassVar[tuple[str, ...]] = ("resumes",)

    #: RC-3: after which end of the job its checkpoints are kept.
    retention: Retention = Retention.NEVER
    #: F45-7: which of those that are left a user takes.
    resume_from: ResumeFrom = ResumeFrom.NEWEST

    resumes = field(Range(0, Bound("resumes")), 0, ghost="resumes")
    resumed_from = field(Option(Ref(CheckpointId)), Nothing, ghost="resumes")
    """What the job was started from; Nothing for its first start."""
    used_before = field(Option(Ref(CheckpointId)), Nothing, ghost="resumes")
    """The newest id that was given before the job was last started."""

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
        """F45-7, RC-4: a user starts the job again from a checkpoint that it has left."""
        require(self.can_resume)
        require(self.has_ended())
        require(all(not request.is_admitted for request in self.requests))
        require(self.is_left(checkpoint))
        if self.resume_from == ResumeFrom.NEWEST:
            require(all(new <= checkpoint or not self.is_left(new) for new in self.checkpoints))
        within(self.resumes, self.bounds.resumes)
        self.resumes += 1
        self.restart_all()
        self.resumed_from = checkpoint
        for used in self.checkpoints:
            self._note_use(used)
        if self.has_job_status:
            self.job_status = JobStatus.RUNNING

    @step
    def _note_use(self, checkpoint: Checkpoint) -> None:
        if checkpoint.status != UNUSED:
            self.used_before = checkpoint

    @define
    def has_ended(self) -> bool:
        """Whether the job has finished, was cancelled, or has failed for good."""
        return self.is_finished or self.has_ended_otherwise()

    # --- what is left ----------------------------------------------------------------------------

    @define
    def is_left(self, checkpoint: Checkpoint) -> bool:
        """RC-3: whether a checkpoint outlives the job: savepoints do, others by its policy."""
        savepoint = not self.can_be_subsumed(checkpoint)
        return checkpoint.is_completed and (savepoint or self.is_retained(checkpoint))

    @define
    def is_retained(self, checkpoint: Checkpoint) -> bool:
        """RC-3, CN-1: whether the store holds a checkpoint, and what it holds is kept."""
        return self.keeps_after_end() and self.is_in_store(checkpoint)

    @define
    def keeps_after_end(self) -> bool:
        """RC-3: whether the policy keeps checkpoints after this end of the job."""
        if self.is_finished:
            return self.retention == Retention.ON_FINISH
        if self.has_job_status and self.job_status == JobStatus.CANCELED:
            return self.retention in (Retention.ON_CANCELLATION, Retention.ON_FINISH)
        return self.retention != Retention.NEVER

    # --- the new start ---------------------------------------------------------------------------

    @define
    def newest_completed(self) -> CheckpointId:
        """CN-1: the newest checkpoint since the start, else what the job was started from."""
        newest = super().newest_completed()
        if not self.can_resume or self.resumed_from == Nothing:
            return newest
        if newest == Nothing or newest <= self.used_before:
            return self.resumed_from
        return newest

    @define
    def is_of_this_start(self, checkpoint: Checkpoint) -> bool:
        """Whether a checkpoint was triggered since the job was last started."""
        if not self.can_resume or self.resumed_from == Nothing:
            return True
        return self.used_before < checkpoint

    @define
    def is_unnamed(self, checkpoint: Checkpoint) -> bool:
        """Whether nothing can name a checkpoint again: no new start, either."""
        if self.can_resume:
            return False
        return super().is_unnamed(checkpoint)
