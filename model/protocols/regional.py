"""FLIP-600: regional checkpoints complete with an old part of each region that has failed.

The proposal "Independent Checkpoint Based On Pipeline Region" (June and July 2026), its thread on
the developers' list, and the pull requests 28963 … 28966 as of 13 August 2026. No release has it.
Rules RG-1 … RG-10 over the final checkpoint and the stops; RG-11 is in `regional_sources.py`.

A *region* is a set of tasks that are connected with each other. A task that declines, that is
silent until the time-out, or (as the thread means it) whose attempt fails makes its region *failed*
in the checkpoint. The coordinator waits until all tasks have answered. Then it completes the
checkpoint with the new parts of the other regions, and for the failed ones it refers to the newest
completed checkpoint, whose part may refer to a still older one. A restart of a region follows these
references. Savepoints stay as they are: each of their declines aborts them.
Left out: alignments that are given up, local state, shared files of incremental checkpoints, other
parallelisms, and the metrics.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from finale.model.language.protocol import kept
from finale.model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from finale.model.protocols.coordinator.options import JobBounds
from finale.model.protocols.failures import Region
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.requests import RequestStatus
from finale.model.protocols.sinks import Transaction, TwoPhaseSink
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint, StopWithSavepointOptions
from finale.model.protocols.task.tasks import Task
from finale.model.rules import (
    EMPTY,
    WEAK,
    Bool,
    Bound,
    Entity,
    Nothing,
    Option,
    PerEntity,
    Range,
    Ref,
    Set,
    Setting,
    define,
    field,
    require,
    rule,
    step,
    within,
)


class Fallback(enum.Enum):
    """What a two-phase sink does when it is told that its region's part is an old one (RG-7)."""

    NOTHING = "nothing"
    ROLLS_BACK = "rolls-back"
    COMMITS = "commits"


@dataclass(frozen=True)
class RegionalOptions(StopWithSavepointOptions):
    """The options of the proposal, and what its texts leave open."""

    #: RG-4: how many of 100 regions may have failed (`region.max-failure-ratio`)
    failed_percent: int = 30
    #: RG-1: a region whose attempts fail has declined; else a failure aborts all that is pending
    failed_region_declines: bool = True
    #: RG-1: the other tasks of a region that has failed must answer, too, or time out
    waits_for_failed_regions: bool = True
    #: RG-1: what an attempt acknowledged before it failed still counts as its region's part
    keeps_failed_acknowledgements: bool = False
    #: RG-4: a checkpoint that is aborted for its regions counts as failed, whoever has declined
    aborts_count: bool = True
    #: RG-6: a savepoint that completes ends the row of regional checkpoints, as in the pull request
    savepoint_ends_row: bool = True
    #: RG-7: what a sink does when it is told that its region's part is an old one
    on_fallback: Fallback = Fallback.NOTHING
    #: RG-9: when all sources have finished, the next checkpoint must have the parts of all regions
    global_at_end: bool = True
    #: RG-10: union state is checked by what was acknowledged, before old parts replace it
    union_checked_first: bool = True


@dataclass(frozen=True)
class RegionalBounds(JobBounds):
    """The bounds of jobs, and the limit on regional checkpoints in a row."""

    #: how many regional checkpoints may follow each other (`region.max-consecutive-failures`)
    consecutive: int = 2


class RegionParts(Entity):
    """A pipelined region: who has declined, and which old parts its checkpoints refer to."""

    declines = field(PerEntity(CheckpointId, Set(Ref(Task))), EMPTY, messages="from")
    """Declines under way."""
    failed = field(Set(Ref(CheckpointId)), EMPTY)
    """Pending checkpoints that a task of the region has declined."""
    refers_to = field(PerEntity(CheckpointId, Option(Ref(CheckpointId))), Nothing)
    """For each checkpoint that has an old part of the region: the checkpoint that has this part."""
    told = field(PerEntity(CheckpointId, Set(Ref(Task))), EMPTY, ghost="fallbacks", messages="to")
    """Tasks to which a notification is under way: the region's part is an old one."""

    def __init__(self, name: str, tasks: tuple[Task, ...]) -> None:
        super().__init__(name)
        self.tasks = tasks

    @step
    def forget(self, checkpoint: CheckpointId) -> None:
        """A checkpoint is decided: its declines mean nothing any more."""
        self.declines[checkpoint].clear()
        self.failed.remove(checkpoint)


class RegionalCheckpoint(StopWithSavepoint):
    """The stops and the final checkpoint, with checkpoints that regions may fail in."""

    key = "regional-checkpoint"
    Options = RegionalOptions
    Bounds = RegionalBounds
    options: RegionalOptions  # pyright: ignore[reportIncompatibleVariableOverride]
    bounds: RegionalBounds  # pyright: ignore[reportIncompatibleVariableOverride]
    parts: ClassVar[tuple[type[Entity], ...]] = (*StopWithSavepoint.parts, RegionParts)
    unexplored = ("live_checkpoints",)  # An id that a part refers to is never free.

    in_row = field(Range(0, Bound("consecutive")), 0)
    """How many regional checkpoints have completed since the last global one."""
    forced = field(Bool, False)
    """The next checkpoint must be global."""
    deleted = field(Set(Ref(CheckpointId)), EMPTY)
    """Checkpoints whose files the cleaner has deleted."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.region_parts = tuple(
            RegionParts(f"parts{number}", tasks)
            for number, tasks in enumerate(self.connected(), start=1)
        )
        self.parts_of = {task: parts for parts in self.region_parts for task in parts.tasks}

    def entities(self) -> Sequence[Entity]:
        return (*super().entities(), *self.region_parts)

    def keeps(self) -> frozenset[str]:
        return super().keeps() | kept({"fallbacks": self.tells_fallbacks})

    @property
    def tells_fallbacks(self) -> bool:
        """Whether a fallback has an effect on tasks: a plain truth value."""
        return bool(self.options.on_fallback != Fallback.NOTHING)

    @property
    def failures_decline(self) -> bool:
        """Whether a region that fails has declined what is pending: a plain truth value."""
        return bool(self.options.failed_region_declines)

    # --- declines --------------------------------------------------------------------------------

    @define
    def may_be_regional(self, checkpoint: Checkpoint) -> bool:
        """RG-1: whether regions may fail in a checkpoint: not in a savepoint."""
        return not self.has_kinds or checkpoint.kind == CheckpointKind.CHECKPOINT

    @rule
    def fail_snapshot(self, task: Task, checkpoint: Checkpoint) -> None:
        """AB-1, RG-1: a snapshot fails, and the task declines."""
        if self.may_be_regional(checkpoint):
            require(checkpoint.acknowledgements.has(task), task.is_alive)
            self.count_decline()
            checkpoint.acknowledgements.remove(task)
            self.parts_of[task].declines[checkpoint].add(task)
        else:
            super().fail_snapshot(task, checkpoint)

    @rule(fair=WEAK)
    def buffer_decline(self, task: Task, checkpoint: Checkpoint) -> None:
        """RG-1: a decline arrives; it is kept, and the answers of the others are waited for."""
        parts = self.parts_of[task]
        require(parts.declines[checkpoint].has(task))
        parts.declines[checkpoint].remove(task)
        self.count_as_declined(task, checkpoint)

    @step
    def count_as_declined(self, task: Task, checkpoint: Checkpoint) -> None:
        """RG-1: a task has answered, and its region has failed in a checkpoint: the new parts of
        its region are used for nothing."""
        checkpoint.awaited.remove(task)
        self.parts_of[task].failed.add(checkpoint)
        for each in self.parts_of[task].tasks:
            self.drop_part(each, checkpoint)
            if not self.options.waits_for_failed_regions:
                checkpoint.awaited.remove(each)

    @step
    def trigger_failed(self, task: Task, checkpoint: Checkpoint) -> None:
        """PL-5, RG-1: a task that is closing declines for its region; one that is gone has the
        whole checkpoint aborted, since its trigger fails."""
        if task.is_closed or not self.may_be_regional(checkpoint):
            super().trigger_failed(task, checkpoint)
        elif checkpoint.is_pending:
            self.count_as_declined(task, checkpoint)

    @define
    def is_timed(self, checkpoint: Checkpoint) -> bool:
        """AB-1, RG-3: whether a time-out aborts a checkpoint: a savepoint, and no other."""
        return super().is_timed(checkpoint) and not self.may_be_regional(checkpoint)

    @rule
    def expire_for_some(self, checkpoint: Checkpoint) -> None:
        """RG-3: a checkpoint times out: each task that has not answered counts as declined."""
        require(int(self.bounds.expiries) > 0)
        require(checkpoint.is_pending, self.may_be_regional(checkpoint))
        require(not checkpoint.awaited.is_empty)
        within(self.expiries, self.bounds.expiries)
        self.expiries += 1
        self.count_silent(checkpoint)

    @rule(fair=WEAK)
    def expire_for_ended(self, checkpoint: Checkpoint) -> None:
        """RG-3: a checkpoint that waits for a task that has ended times out, sooner or later."""
        require(checkpoint.is_pending, self.may_be_regional(checkpoint))
        require(any(self.is_awaited_in_vain(task, checkpoint) for task in self.tasks))
        self.count_silent(checkpoint)

    @define
    def is_awaited_in_vain(self, task: Task, checkpoint: Checkpoint) -> bool:
        """RG-3: whether a checkpoint waits for a task that will not answer any more."""
        called = checkpoint.triggers.has(task)
        answers = checkpoint.acknowledgements.has(task)
        return task.is_closed and checkpoint.awaited.has(task) and not (called or answers)

    @step
    def count_silent(self, checkpoint: Checkpoint) -> None:
        """RG-3: each task that has not answered counts as declined."""
        for task in self.tasks:
            self._count_if_silent(task, checkpoint)

    @step
    def _count_if_silent(self, task: Task, checkpoint: Checkpoint) -> None:
        if checkpoint.awaited.has(task):
            self.count_as_declined(task, checkpoint)

    # --- failures of regions ---------------------------------------------------------------------

    @step
    def end_region(self, region: Region) -> None:
        """RC-1, RG-1: the attempts of a region end: in what is pending it has failed."""
        if self.failures_decline:
            for checkpoint in self.checkpoints:
                for task in region.tasks:
                    self._fail_in(task, checkpoint)
        super().end_region(region)

    @step
    def _fail_in(self, task: Task, checkpoint: Checkpoint) -> None:
        """RG-1: an attempt ends, also of a task that had finished: the next one takes no part in
        what is pending."""
        if checkpoint.is_pending and self.may_be_regional(checkpoint):
            checkpoint.acknowledgements.remove(task)
            self.parts_of[task].declines[checkpoint].remove(task)
            if self.is_lost_with_attempt(task, checkpoint):
                checkpoint.finished.remove(task)
                self.count_as_declined(task, checkpoint)

    @define
    def is_lost_with_attempt(self, task: Task, checkpoint: Checkpoint) -> bool:
        """RG-1: whether the part of an attempt that fails does not count any more."""
        return checkpoint.awaited.has(task) or not self.options.keeps_failed_acknowledgements

    @step
    def abort_all_pending(self) -> None:
        """AB-1, RG-1: what a failure aborts: all that is pending, or savepoints only."""
        if self.failures_decline:
            for checkpoint in self.checkpoints:
                self._abort_if_savepoint(checkpoint)
        else:
            super().abort_all_pending()

    @step
    def _abort_if_savepoint(self, checkpoint: Checkpoint) -> None:
        if checkpoint.is_pending and not self.may_be_regional(checkpoint):
            self.abort(checkpoint)

    # --- the decision ----------------------------------------------------------------------------

    @define
    def is_fully_acknowledged(self, checkpoint: Checkpoint) -> bool:
        """AB-2, RG-1: whether all tasks have acknowledged a checkpoint, and none has declined."""
        return super().is_fully_acknowledged(checkpoint) and not self.has_failed(checkpoint)

    @define
    def has_failed(self, checkpoint: Checkpoint) -> bool:
        """RG-2: whether a region has failed in a checkpoint."""
        return any(parts.failed.has(checkpoint) for parts in self.region_parts)

    @rule(fair=WEAK)
    def complete_regionally(self, checkpoint: Checkpoint) -> None:
        """RG-2, RG-4, RG-5: all have answered, and a region has failed: the checkpoint completes
        with its newest old part, or is aborted."""
        require(checkpoint.is_pending, checkpoint.awaited.is_empty, self.has_failed(checkpoint))
        last = self.restore_point()
        if self.unions and not self.options.union_checked_first:
            self.replace_marks(checkpoint, last)
        if self.has_failed_too_often(checkpoint):
            self.abort_as_declined(checkpoint)
        elif self.forced:
            self.end_row()
            self.abort_as_declined(checkpoint)
        elif last == Nothing or self.may_not_complete(checkpoint):
            self.abort_as_declined(checkpoint)
        else:
            self.combine(checkpoint, last)

    @step
    def abort_as_declined(self, checkpoint: Checkpoint) -> None:
        """AB-1, AB-4, RG-4: a checkpoint is aborted as declined, whatever its declines were: that
        counts like a time-out."""
        self.abort(checkpoint)
        if self.options.aborts_count:
            self.count_expired(checkpoint)

    @define
    def has_failed_too_often(self, checkpoint: Checkpoint) -> bool:
        """RG-4: whether too many of the regions that take part have failed, or there is only one.

        A region whose tasks have all finished takes no part, and is not counted.
        """
        failed: int = sum(parts.failed.has(checkpoint) for parts in self.region_parts)
        taking: int = sum(
            any(not checkpoint.finished.has(task) for task in parts.tasks)
            for parts in self.region_parts
        )
        regions = range(2, len(self.region_parts) + 1)
        return not any(
            taking == number and failed <= number * self.options.failed_percent // 100
            for number in regions
        )

    @step
    def replace_marks(self, checkpoint: Checkpoint, last: CheckpointId) -> None:
        """PL-8, RG-10: whether a task's operators had ended is what its old part says."""
        for task in self.tasks:
            self._replace_mark(task, checkpoint, last)

    @step
    def _replace_mark(self, task: Task, checkpoint: Checkpoint, last: CheckpointId) -> None:
        if self.parts_of[task].failed.has(checkpoint):
            checkpoint.operators_finished.remove(task)
            if any(last == each and each.operators_finished.has(task) for each in self.checkpoints):
                checkpoint.operators_finished.add(task)

    @step
    def combine(self, checkpoint: Checkpoint, last: CheckpointId) -> None:
        """RG-2, RG-6: new parts of the healthy regions and old ones of the failed become one."""
        if self.unions:
            self.replace_marks(checkpoint, last)
        for parts in self.region_parts:
            self._refer(parts, checkpoint, last)
        checkpoint.acknowledgements.clear()
        self.store(checkpoint)
        self.note_completion(checkpoint)
        for task in self.tasks:
            self.confirm(task, checkpoint)
        for parts in self.region_parts:
            parts.forget(checkpoint)
        super().completed(checkpoint)
        for request in self.checkpoint_requests:
            self._answer(request, checkpoint, RequestStatus.SUCCEEDED)
        if self.observes("progress"):
            self.progress = True
        self.lengthen_row()

    @step
    def lengthen_row(self) -> None:
        """RG-5: one more regional checkpoint; at the limit the next one must be global."""
        self.in_row += 1
        self.forced = self.in_row == self.bounds.consecutive

    @step
    def _refer(self, parts: RegionParts, checkpoint: Checkpoint, last: CheckpointId) -> None:
        if parts.failed.has(checkpoint):
            parts.refers_to[checkpoint] = last

    @step
    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """1.7, RG-3: a task that takes a checkpoint too late adds nothing to it."""
        super().snapshot_taken(task, checkpoint)
        if self.parts_of[task].failed.has(checkpoint) or self.has_old_part(task, checkpoint):
            self.drop_part(task, checkpoint)

    @step
    def drop_part(self, task: Task, checkpoint: CheckpointId) -> None:
        """RG-2: what a sink has taken is no part of a checkpoint."""
        if isinstance(task.sink, TwoPhaseSink):
            task.sink.listed[checkpoint].clear()

    @step
    def abort(self, checkpoint: Checkpoint) -> None:
        """AB-1: a pending checkpoint is aborted, and its declines are forgotten."""
        super().abort(checkpoint)
        for parts in self.region_parts:
            parts.forget(checkpoint)

    def completed(self, checkpoint: Checkpoint) -> None:
        """RG-5, RG-6: a global checkpoint ends the row of regional ones."""
        super().completed(checkpoint)
        ends = self.options.savepoint_ends_row or self.may_be_regional(checkpoint)
        if checkpoint.is_completed and ends:
            self.end_row()

    @step
    def end_row(self) -> None:
        """RG-5: regional checkpoints are counted anew, and the next one need not be global."""
        self.in_row = 0
        self.forced = False

    @step
    def begin(self, kind: CheckpointKind = CheckpointKind.CHECKPOINT) -> None:
        """PL-1, RG-9: a checkpoint is triggered; it must be global if all sources have finished."""
        super().begin(kind)
        forces = kind == CheckpointKind.CHECKPOINT and self.options.global_at_end
        if forces and all(task.reported_finished for task in self.tasks if not task.inputs):
            self.forced = True

    # --- old parts -------------------------------------------------------------------------------

    @define
    def has_old_part(self, task: Task, checkpoint: CheckpointId) -> bool:
        """RG-2: whether a checkpoint has an old part of a task; a finished task has none."""
        refers = self.parts_of[task].refers_to[checkpoint] != Nothing
        return refers and not self.known(checkpoint).finished.has(task)

    @step
    def confirm(self, task: Task, checkpoint: Checkpoint) -> None:
        """CN-1, RG-7: tasks of healthy regions are told of the completion, the others of the
        fallback. By default a fallback has no effect on them, and is no message here."""
        if not self.has_old_part(task, checkpoint):
            super().confirm(task, checkpoint)
        elif self.tells_fallbacks and not task.is_gone:
            self.parts_of[task].told[checkpoint].add(task)

    @rule(fair=WEAK)
    def deliver_fallback(self, task: Task, checkpoint: Checkpoint) -> None:
        """RG-7: a task learns that its region's part of a checkpoint is an old one."""
        require(self.tells_fallbacks)
        parts = self.parts_of[task]
        require(lambda: parts.told[checkpoint].has(task))
        parts.told[checkpoint].remove(task)
        if self.options.on_fallback == Fallback.COMMITS:
            self.on_confirmation(task, checkpoint)
        elif isinstance(task.sink, TwoPhaseSink):
            self._roll_back(task.sink, checkpoint)

    @step
    def _roll_back(self, sink: TwoPhaseSink, checkpoint: Checkpoint) -> None:
        if sink.transaction[checkpoint] == Transaction.PRECOMMITTED:
            sink.roll_back(checkpoint)

    @define
    def origin(self, task: Task, checkpoint: CheckpointId) -> CheckpointId:
        """RG-8: the checkpoint in which a task took the part that another one refers to, by way of
        others or not."""
        found = checkpoint
        for each in reversed(self.checkpoints):
            is_link = found == each and self.has_old_part(task, each)
            found = self.parts_of[task].refers_to[each] if is_link else found
        return found

    @step
    def restore_from(self, task: Task, checkpoint: CheckpointId) -> None:
        """RC-4, RG-8: a task gets its state from the checkpoint that its part was taken in."""
        super().restore_from(task, self.origin(task, checkpoint))
        if task.confirmed != Nothing:
            task.confirmed = checkpoint

    @step
    def store(self, checkpoint: Checkpoint) -> None:
        """CN-1, RG-8: a checkpoint is complete; what nothing refers to any more is deleted."""
        super().store(checkpoint)
        for older in self.checkpoints:
            self._delete_if_unused(older)

    @step
    def _delete_if_unused(self, checkpoint: Checkpoint) -> None:
        is_old = checkpoint.is_completed and not self.is_in_store(checkpoint)
        if is_old and self.may_be_regional(checkpoint) and not self.is_referred_to(checkpoint):
            self.deleted.add(checkpoint)
            super().discard(checkpoint)

    def discard(self, checkpoint: Checkpoint) -> None:
        """CN-1: what leaves the store is kept until nothing refers to it."""

    @define
    def is_referred_to(self, checkpoint: Checkpoint) -> bool:
        """RG-8: whether a stored checkpoint refers to another, by way of others or not."""
        return any(
            self.is_in_store(newer) and self.leads_to(parts, newer, checkpoint)
            for newer in self.checkpoints
            for parts in self.region_parts
        )

    @define
    def leads_to(self, parts: RegionParts, newer: Checkpoint, older: Checkpoint) -> bool:
        """RG-8: whether the references of a region lead from one checkpoint to an older one."""
        first, last = self.checkpoints.index(older), self.checkpoints.index(newer)
        return parts.refers_to[newer] == older or any(
            parts.refers_to[newer] == between and self.leads_to(parts, between, older)
            for between in self.checkpoints[first + 1 : max(last, first + 1)]
        )
