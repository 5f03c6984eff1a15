"""Which tasks a failure restarts and when, and the coordinator's own crash.

Models RC-1 (regional restart, and the delay before it), RC-2 and RC-13 of the fact sheet. A failure
ends the attempts of a *region*: of all tasks connected with the one that failed, or of all tasks.
One of them that has closed stays so until it is restarted with the rest. With a delay, the others
are FAILED until then, and the coordinator takes no periodic checkpoint; what a user asks for, and
FC-10's checkpoint, it still admits.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from model.protocols.coordinator.checkpoints import Checkpoint
from model.protocols.job.channels import Channel
from model.protocols.task.execution import TaskExecution
from model.protocols.task.tasks import Task, TaskStatus
from model.rules import (
    WEAK,
    Bool,
    Bound,
    Entity,
    Range,
    Setting,
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
class FailoverOptions:
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


class Region(Entity):
    """Tasks that are restarted together."""

    late = field(Bool, False, ghost="failure-reports")
    """A report of the failure that ended the attempts before is still under way."""

    def __init__(self, name: str, tasks: tuple[Task, ...]) -> None:
        super().__init__(name)
        self.tasks = tasks


class Failover(TaskExecution):
    """Regions and coordinators that fail. Nothing of it is in the system unless it is asked for."""

    explores: ClassVar[tuple[str, ...]] = ("crashes",)
    parts: ClassVar[tuple[type[Entity], ...]] = (*TaskExecution.parts, Region)

    crashes = field(Range(0, Bound("crashes")), 0, ghost="crashes")
    failed_for_good = field(Bool, False, ghost="crashes")
    """The job has FAILED: nothing starts it again."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.retained = self.options.retained
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
        return super().recovers or self.crashes_happen

    def entities(self) -> Sequence[Entity]:
        return (*super().entities(), *self.regions)

    def keeps(self) -> frozenset[str]:
        own = {"crashes"} if self.crashes_happen else set[str]()
        own |= {"failure-reports"} if self.has_late_reports else set[str]()
        return super().keeps() | own

    # --- a region --------------------------------------------------------------------------------

    @rule
    def fail(self) -> None:
        """RC-1: a task fails: pending checkpoints are aborted, and all attempts end."""
        require(not self.has_regions, int(self.bounds.failures) > 0)
        super().fail()

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

    @step
    def _abort_if_pending(self, checkpoint: Checkpoint) -> None:
        if checkpoint.is_pending:
            self.abort(checkpoint)

    @step
    def _cut(self, channel: Channel, region: Region) -> None:
        if self.writer(channel) in region.tasks and not self.writer(channel).is_closed:
            channel.reset()

    @step
    def _end_attempt(self, task: Task) -> None:
        for checkpoint in self.checkpoints:
            checkpoint.drop(task)
            checkpoint.triggers.remove(task)
        if not task.is_closed:
            self.attempt_failed(task)

    @step
    def attempt_failed(self, task: Task) -> None:
        """RC-1: an attempt ends without having FINISHED."""
        task.forget()
        task.status = TaskStatus.FAILED

    @rule(fair=WEAK)
    def restart_region(self, region: Region) -> None:
        """RC-1, RC-13: the tasks of a region start again; what is pending is aborted once more."""
        require(self.options.restart_delay, self.goes_on())
        require(any(task.status == TaskStatus.FAILED for task in region.tasks))
        self.abort_all_pending()
        for checkpoint in self.checkpoints:
            for task in region.tasks:
                checkpoint.drop(task)
                checkpoint.triggers.remove(task)
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

    # --- what the coordinator knows of failed tasks ----------------------------------------------

    @rule(fair=WEAK)
    def trigger_checkpoint(self) -> None:
        """PL-1, PL-2, PL-3: the coordinator plans the next checkpoint and makes it pending."""
        if self.has_regions or self.crashes_happen:
            require(all(task.status != TaskStatus.FAILED for task in self.tasks))
        super().trigger_checkpoint()

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
