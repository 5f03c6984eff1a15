"""The coordinator hears of the end of all data, and triggers one checkpoint at once (FC-10).

Each task tells it when its operators have finished (`notifyEndOfData`): a message of its own, which
arrives before the news that the task is FINISHED, since the calls of a task arrive in order (1.6).
A report that an attempt sent before it failed still counts until that attempt is restarted: so it
is in Flink, and with `counts_failed_reports` here. What a failed attempt had under way is lost.
"""

from __future__ import annotations

from dataclasses import dataclass

from model.protocols.failures.failover import Failover, FailoverOptions
from model.protocols.task.tasks import Task
from model.rules import EMPTY, WEAK, Bool, Ref, Set, field, require, rule, step


@dataclass(frozen=True)
class ReportingOptions(FailoverOptions):
    """Options of FC-10."""

    #: FC-10: one checkpoint is triggered when all tasks have reported the end of their data
    final_trigger: bool = False
    #: FC-10: reports of attempts that have failed count until these are restarted, as in Flink
    counts_failed_reports: bool = True


class Reporting(Failover):
    """Reports of the end of data, and the checkpoint that they trigger. Optional."""

    end_reports = field(Set(Ref(Task)), EMPTY, ghost="reports")
    """Reports under way."""
    end_seen = field(Set(Ref(Task)), EMPTY, ghost="reports")
    """Tasks whose report has arrived."""
    final_triggered = field(Bool, False, ghost="reports")
    """The one checkpoint at the end of all data was triggered."""

    def keeps(self) -> frozenset[str]:
        return super().keeps() | frozenset(
            {"reports"} if self.options.final_trigger else set[str]()
        )

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
        require(self.options.final_trigger, self.checkpoints_after_finish)
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
    def attempt_failed(self, task: Task) -> None:
        """What the task had reported is lost, or counts until it is restarted."""
        super().attempt_failed(task)
        if self.options.final_trigger:
            self.end_reports.remove(task)
            if not self.options.counts_failed_reports:
                self.end_seen.remove(task)

    @step
    def start_attempt(self, task: Task) -> None:
        """FC-10: a new attempt will report again, and its report may trigger again."""
        super().start_attempt(task)
        if self.options.final_trigger:
            self.end_reports.remove(task)
            self.end_seen.remove(task)
            self.final_triggered = False
