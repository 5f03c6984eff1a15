"""Failures: regions that restart, a coordinator that crashes, failed checkpoints, and late reports.

**Regions** (RC-1, RC-13). A failure ends the attempts of a *region*: of all tasks connected with
the one that failed, or of all tasks. A task of the region that has closed stays so until it is
restarted with the rest. With a delay, the others are FAILED until then, and the coordinator takes
no periodic checkpoint; what a user asks for, and FC-10's checkpoint, it still admits.

**Failed checkpoints in a row** (AB-4). A snapshot that fails counts, and a checkpoint that expires.
Declines of tasks that end, subsumption, triggers that fail and union state that has finished in
part do not count. A savepoint that expires does not count either; one whose snapshot fails does,
unless it is that of a stop (SP-12, `stopping.py`). A completed checkpoint sets the count
back, and so does the restart that the count itself causes; any other restart leaves the count as it
is. A checkpoint that is held up by records (F6) expires in the end: the one time-out that is
promised.

**Expiry that is owed** (AB-1, `CheckpointCanceller`). The timer fires on a thread of its own and
waits for the coordinator's lock. Meanwhile the checkpoint can complete, be subsumed, or be aborted
by a failure or a stop. The canceller then finds that the checkpoint is decided, and does nothing.

**Reports of the end of data** (FC-10). Each task tells the coordinator when its operators have
finished (`notifyEndOfData`): a message of its own, which arrives before the news that the task is
FINISHED, since the calls of a task arrive in order (1.6). When all have reported, one checkpoint is
triggered at once. A report that an attempt sent before it failed still counts until that attempt is
restarted: so it is in Flink, and with `counts_failed_reports` here. What a failed attempt had under
way is lost.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from finale.model.language.protocol import kept
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.execution import Processing, TaskExecution
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import (
    EMPTY,
    WEAK,
    Bool,
    Bound,
    Entity,
    Range,
    Ref,
    Set,
    Setting,
    assumed,
    define,
    field,
    require,
    rule,
    step,
    within,
)


class RestartScope(enum.Enum):
    """What a failure of one task restarts."""

    GLOBAL = "global"
    REGION = "region"


class FailureReports(enum.Enum):
    """What becomes of the reports of several tasks that saw the same failure.

    MERGED: they are one. The others arrive when the restart is over: FENCED by their attempt, and
    dropped, or UNFENCED, and taken for new failures.
    """

    MERGED = "merged"
    FENCED = "fenced"
    UNFENCED = "unfenced"


@dataclass(frozen=True)
class FailureOptions:
    """Options of failures; by the defaults a failure restarts the job, in one step."""

    #: RC-1: a failure restarts all tasks, or those connected with the one that failed
    restart_scope: RestartScope = RestartScope.GLOBAL
    #: RC-1: failed tasks are restarted later, in a step of its own
    restart_delay: bool = False
    #: RC-1: what becomes of the reports of several tasks that saw the same failure
    failure_reports: FailureReports = FailureReports.MERGED
    #: CN-1: how many checkpoints the store holds
    retained: int = 1
    #: RC-2: a new coordinator knows the completed checkpoints of the one that crashed
    high_availability: bool = True
    #: PL-2.4: FAILED tasks count as finished where some task has FINISHED, as in Flink up to 2.3
    terminal_as_finished: bool = False
    #: AB-4: more failed checkpoints in a row than are tolerable restart the job
    counts_failed_checkpoints: bool = False
    #: AB-1: a timeout passes in one step, and the coordinator acts on it in a later one
    expiry_is_owed: bool = False
    #: FC-10: one checkpoint is triggered when all tasks have reported the end of their data
    final_trigger: bool = False
    #: FC-10: reports of attempts that have failed count until these are restarted, as in Flink
    counts_failed_reports: bool = True


class Region(Entity):
    """Tasks that are restarted together."""

    late = field(Bool, False, ghost="failure-reports")
    """A report of the failure that ended the attempts before is still under way."""

    def __init__(self, name: str, tasks: tuple[Task, ...]) -> None:
        super().__init__(name)
        self.tasks = tasks


class Failures(TaskExecution):
    """Regions and coordinators that fail, and failed checkpoints. Absent unless it is asked for."""

    explores: ClassVar[tuple[str, ...]] = ("crashes", "tolerable")
    parts: ClassVar[tuple[type[Entity], ...]] = (*TaskExecution.parts, Region)

    crashes = field(Range(0, Bound("crashes")), 0, ghost="crashes")
    failed_for_good = field(Bool, False, ghost="crashes", effect=True)
    """The job has FAILED: nothing starts it again."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        whole = self.options.restart_scope == RestartScope.GLOBAL
        among = (self.tasks,) if whole else self.connected()
        self.regions = tuple(
            Region(f"region{number + 1}", tasks)
            for number, tasks in enumerate(among if self.has_regions else ())
        )
        self.region_of = {task: region for region in self.regions for task in region.tasks}

    @property
    def has_regions(self) -> bool:
        """Whether failures are those of regions: a plain truth value."""
        differs = (
            self.options.restart_scope != RestartScope.GLOBAL
            or self.options.restart_delay
            or self.has_late_reports
        )
        return int(self.bounds.failures) > 0 and bool(differs)

    @property
    def has_late_reports(self) -> bool:
        """Whether reports of failures arrive late: a plain truth value."""
        return bool(self.options.failure_reports != FailureReports.MERGED)

    @property
    def restarts_late(self) -> bool:
        """Whether failed tasks wait for their restart: a plain truth value."""
        return self.has_regions and bool(self.options.restart_delay)

    @property
    def crashes_happen(self) -> bool:
        """Whether the coordinator may crash: a plain truth value."""
        return int(self.bounds.crashes) > 0

    @property
    def recovers(self) -> bool:
        counts = bool(self.options.counts_failed_checkpoints)
        return super().recovers or self.crashes_happen or counts

    def entities(self) -> Sequence[Entity]:
        return (*super().entities(), *self.regions)

    def keeps(self) -> frozenset[str]:
        return super().keeps() | kept(
            {
                "crashes": self.crashes_happen,
                "failure-reports": self.has_late_reports,
                "failure-counter": self.options.counts_failed_checkpoints,
                "reports": self.options.final_trigger,
                "owed": self.options.expiry_is_owed,
            }
        )

    @rule
    def fail_region(self, region: Region) -> None:
        """RC-1: a task fails: pending checkpoints are aborted, the attempts of its region end."""
        require(any(not task.is_closed for task in region.tasks))
        require(all(self.is_started(task) for task in region.tasks))
        require(self.goes_on())
        self.count_failure()
        self.end_region(region)

    @define
    def is_started(self, task: Task) -> bool:
        """Its attempt is neither over nor still to begin: it can fail."""
        return task.status not in (TaskStatus.FAILED, TaskStatus.RESTORING)

    @assumed("DefaultCheckpointPlanCalculator.checkTasksStarted")
    @define
    def all_attempts_run(self) -> bool:
        """PL-2, RC-1: whether no failed task waits for its restart."""
        if not (self.has_regions or self.crashes_happen):
            return True
        return all(task.status != TaskStatus.FAILED for task in self.tasks)

    @step
    def task_failed(self, task: Task) -> None:
        """RC-1: a task fails by itself, and its region is restarted."""
        if self.has_regions:
            self.end_region(self.region_of[task])
        else:
            super().task_failed(task)

    @step
    def end_region(self, region: Region) -> None:
        """RC-1: the attempts of a region end, and are restarted now or later."""
        self.abort_all_pending()
        self.refuse_queued()
        for channel in self.channels:
            self._cut(channel, region)
        for task in region.tasks:
            self._end_attempt(task)
        if self.has_late_reports:
            region.late = True
        if not self.options.restart_delay:
            self.end_attempts(region.tasks)

    @step
    def abort_all_pending(self) -> None:
        """AB-1: what is pending is aborted."""
        for checkpoint in self.checkpoints:
            self._abort_if_pending(checkpoint)

    @assumed("CheckpointCoordinator.abortPendingCheckpoint")
    @step
    def _abort_if_pending(self, checkpoint: Checkpoint) -> None:
        """AB-1: a checkpoint that is pending when a task fails is aborted."""
        if checkpoint.is_pending:
            self.abort(checkpoint)

    @step
    def _cut(self, channel: Channel, region: Region) -> None:
        if self.writer(channel) in region.tasks and not self.writer(channel).is_closed:
            channel.reset()

    @step
    def _end_attempt(self, task: Task) -> None:
        for checkpoint in self.checkpoints:
            self.fence_attempt(task, checkpoint)
        if not task.is_closed:
            self.attempt_failed(task)

    @assumed("TaskExecutor.confirmCheckpoint", "TaskExecutor.triggerCheckpoint")
    @step
    def fence_attempt(self, task: Task, checkpoint: Checkpoint) -> None:
        """RC-1: calls to an attempt that ends reach no later attempt."""
        checkpoint.drop(task)
        checkpoint.triggers.remove(task)

    @step
    def attempt_failed(self, task: Task) -> None:
        """RC-1: an attempt ends without having FINISHED; what the task had reported is lost, or
        counts until it is restarted."""
        task.forget()
        task.status = TaskStatus.FAILED
        if self.options.final_trigger:
            self.end_reports.remove(task)
            if not self.options.counts_failed_reports:
                self.end_seen.remove(task)

    @rule(fair=WEAK)
    def restart_region(self, region: Region) -> None:
        """RC-1, RC-13: the tasks of a region start again; what is pending is aborted once more."""
        require(self.options.restart_delay, self.goes_on())
        require(any(task.status == TaskStatus.FAILED for task in region.tasks))
        self.abort_all_pending()
        for checkpoint in self.checkpoints:
            for task in region.tasks:
                self.fence_attempt(task, checkpoint)
        self.end_attempts(region.tasks)

    # --- late reports of a failure ---------------------------------------------------------------

    @rule(fair=WEAK)
    def apply_late_report(self, region: Region) -> None:
        """RC-1: the report of a failure arrives that has been dealt with already."""
        require(self.has_late_reports, self.goes_on())
        require(lambda: region.late, any(task.is_running for task in region.tasks))
        region.late = False
        if self.options.failure_reports == FailureReports.UNFENCED:
            self.end_region(region)

    # --- the coordinator -------------------------------------------------------------------------

    @rule
    def crash_coordinator(self) -> None:
        """RC-2: the coordinator crashes; a new one restarts all, or the job has FAILED."""
        require(self.crashes_happen)
        require(any(not task.reported_finished for task in self.tasks))
        require(not self.has_ended_otherwise())
        within(self.crashes, self.bounds.crashes)
        self.crashes += 1
        self.restart_all()
        if not self.options.high_availability:
            for task in self.tasks:
                task.status = TaskStatus.FAILED
            self.failed_for_good = True

    @define
    def those_wanted_run(self) -> bool:
        """PL-2.4, PL-2.5: a FAILED task does not run, or counts as finished if some other has; a
        checkpoint that no task takes part in is not triggered (PL-3)."""
        if not self.has_regions:
            return super().those_wanted_run()
        failed = any(task.status == TaskStatus.FAILED for task in self.tasks)
        if self.options.terminal_as_finished:
            finished = any(task.reported_finished for task in self.tasks)
            left = any(not self.counts_as_finished(task) for task in self.tasks)
            return super().those_wanted_run() and left and (finished or not failed)
        return super().those_wanted_run() and not failed

    @define
    def counts_as_finished(self, task: Task) -> bool:
        """PL-2.4: whether a task need not take part: it has FINISHED, or in old releases FAILED."""
        if self.has_regions and self.options.terminal_as_finished:
            return super().counts_as_finished(task) or task.status == TaskStatus.FAILED
        return super().counts_as_finished(task)

    @define
    def has_ended_otherwise(self) -> bool:
        """The job was cancelled, or has failed and is not started again."""
        if self.crashes_happen:
            return self.failed_for_good or super().has_ended_otherwise()
        return super().has_ended_otherwise()

    @define
    def terminal(self) -> bool:
        """The job has finished, has failed, or goes on for ever."""
        return super().terminal() or self.has_ended_otherwise()

    failures_in_row = field(Range(0, Bound("tolerable")), 0, ghost="failure-counter")
    failed_snapshots = field(Set(Ref(CheckpointId)), EMPTY, ghost="failure-counter")
    """Checkpoints of which a decline is under way that counts."""

    # --- what counts -----------------------------------------------------------------------------

    @step
    def snapshot_failed(self, checkpoint: Checkpoint) -> None:
        """AB-4: the decline for a failed snapshot counts, and is told apart from others."""
        if self.options.counts_failed_checkpoints:
            self.failed_snapshots.add(checkpoint)
        else:
            super().snapshot_failed(checkpoint)

    @rule(fair=WEAK)
    def apply_failed_snapshot(self, checkpoint: Checkpoint) -> None:
        """AB-1, AB-4: the decline for a failed snapshot arrives, aborts, and counts."""
        require(self.options.counts_failed_checkpoints)
        require(lambda: self.failed_snapshots.has(checkpoint))
        self.abort(checkpoint)
        self.count_failed()

    @rule
    def expire(self, checkpoint: Checkpoint) -> None:
        """AB-1, AB-4: a pending checkpoint times out."""
        require(not self.options.expiry_is_owed)
        super().expire(checkpoint)
        self.count_expired(checkpoint)

    @define
    def counts_on_expiry(self, checkpoint: Checkpoint) -> bool:
        """AB-4: whether a checkpoint that times out counts as failed: savepoints do not."""
        return self.can_be_subsumed(checkpoint)

    @step
    def count_expired(self, checkpoint: Checkpoint) -> None:
        """AB-4: a checkpoint has timed out, which the coordinator alone knows."""
        if self.options.counts_failed_checkpoints and self.counts_on_expiry(checkpoint):
            self.count_failed()

    @define
    def is_held_up(self, checkpoint: Checkpoint) -> bool:
        """F6: whether a checkpoint is pending and records that are not processed hold it up."""
        return checkpoint.is_pending and any(channel.holds_data() for channel in self.channels)

    @rule(fair=WEAK)
    def time_out_under_load(self, checkpoint: Checkpoint) -> None:
        """AB-1, AB-4: a pending checkpoint whose barriers are held up by records times out."""
        require(self.options.counts_failed_checkpoints)
        require(self.processing == Processing.STOPPED_WHILE_PENDING)
        require(self.is_held_up(checkpoint))
        self.abort(checkpoint)
        self.count_expired(checkpoint)

    @step
    def count_failed(self) -> None:
        """AB-4: one more failed checkpoint in a row; one too many restarts the job."""
        if self.failures_in_row == self.bounds.tolerable:
            self.failures_in_row = 0
            self.restart_all()
        else:
            self.failures_in_row += 1

    # --- what ends the count ---------------------------------------------------------------------

    @step
    def abort(self, checkpoint: Checkpoint) -> None:
        """AB-1: dispose of a pending checkpoint and tell those that it waited for."""
        super().abort(checkpoint)
        if self.options.counts_failed_checkpoints:
            self.failed_snapshots.remove(checkpoint)

    @step
    def completed(self, checkpoint: Checkpoint) -> None:
        """AB-4: with a checkpoint that completes the count starts anew."""
        if self.options.counts_failed_checkpoints and checkpoint.is_completed:
            self.failures_in_row = 0

    end_reports = field(Set(Ref(Task)), EMPTY, ghost="reports", messages="from")
    """Reports under way."""
    end_seen = field(Set(Ref(Task)), EMPTY, ghost="reports")
    """Tasks whose report has arrived."""
    final_triggered = field(Bool, False, ghost="reports")
    """The one checkpoint at the end of all data was triggered."""

    @step
    def report_end(self, task: Task) -> None:
        """FC-1: a task whose operators have finished tells the coordinator."""
        if self.options.final_trigger:
            self.end_reports.add(task)

    @rule(fair=WEAK)
    def apply_end_report(self, task: Task) -> None:
        """FC-10: the coordinator learns that a task has come to the end of its data."""
        require(self.options.final_trigger, lambda: self.end_reports.has(task))
        self.end_reports.remove(task)
        self.end_seen.add(task)

    @rule(fair=WEAK)
    def trigger_at_end_of_data(self) -> None:
        """FC-10: once, when every task has reported its end of data, a checkpoint is triggered."""
        require(self.is_configured, self.options.final_trigger, self.checkpoints_after_finish)
        require(not self.final_triggered)
        require(all(self.end_seen.has(task) for task in self.tasks))
        self.admit()
        self.begin()
        self.final_triggered = True

    @rule(fair=WEAK)
    def learn_finished(self, task: Task) -> None:
        """1.8: the coordinator learns that a task is FINISHED, after its report of end of data."""
        if self.options.final_trigger:
            require(not self.end_reports.has(task))
        super().learn_finished(task)

    @step
    def start_attempt(self, task: Task) -> None:
        """FC-10: a new attempt will report again, and its report may trigger again."""
        super().start_attempt(task)
        if self.options.final_trigger:
            self.end_reports.remove(task)
            self.end_seen.remove(task)
            self.final_triggered = False

    owed = field(Set(Ref(CheckpointId)), EMPTY, ghost="owed")
    """Checkpoints whose timeout has passed, and on which the coordinator has not acted."""

    @rule
    def pass_timeout(self, checkpoint: Checkpoint) -> None:
        """AB-1: the timeout of a pending checkpoint passes; its expiry is owed from now on."""
        require(self.options.expiry_is_owed, int(self.bounds.expiries) > 0)
        require(self.is_timed(checkpoint), lambda: not self.owed.has(checkpoint))
        within(self.expiries, self.bounds.expiries)  # pyright: ignore
        self.expiries += 1  # pyright: ignore
        self.owed.add(checkpoint)

    @rule(fair=WEAK)
    def run_owed_expiry(self, checkpoint: Checkpoint) -> None:
        """AB-1, AB-4: the coordinator acts on a timeout, unless the checkpoint is decided."""
        require(self.options.expiry_is_owed, lambda: self.owed.has(checkpoint))
        self.owed.remove(checkpoint)
        if self.is_overdue(checkpoint):
            self.abort(checkpoint)
            self.count_expired(checkpoint)

    @define
    def is_overdue(self, checkpoint: Checkpoint) -> bool:
        """AB-1: whether a checkpoint whose timeout has passed is still to be decided."""
        return checkpoint.is_pending

    @define
    def is_free(self, checkpoint: Checkpoint) -> bool:
        """Whether nothing can name a checkpoint again: no timeout that has passed, either."""
        if self.options.expiry_is_owed:
            return not self.owed.has(checkpoint) and super().is_free(checkpoint)
        return super().is_free(checkpoint)
