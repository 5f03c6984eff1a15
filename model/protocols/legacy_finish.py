"""How jobs finished before FLIP-147: a task ends as soon as its inputs have, without a checkpoint.

"How did Jobs in Flink Finish Before?" of the blog post on FLIP-147 part two (the first of its
lists), and rules LF-1 … LF-7 of the fact sheet: releases up to 1.13, and later ones with
`checkpoints-after-tasks-finish` off. There is no EndOfData: the last watermark and EndOfPartition
travel together, so operators finish and close on EndOfPartition.
Left out: the stop of those releases (LS), operator chains.
"""

from __future__ import annotations

from dataclasses import dataclass

from finale.model.protocols.task.execution import WatermarkView
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import STRONG, WEAK, require, rule, step


@dataclass(frozen=True)
class LegacyFinishOptions:
    """The toggles that concern checkpoints near the end of a task."""

    #: PL-1: how many checkpoints may be pending at once
    concurrent: int = 1
    #: CN-3: an abort carries the newest completed id
    aborts_carry_latest: bool = True
    #: LF-7: a trigger that finds its task ended gets no answer, up to 1.13: only time helps then
    unanswered_triggers: bool = False


class LegacyFinish(WatermarkView):
    """The finish of natural ends without a final checkpoint."""

    key = "legacy-finish"
    Options = LegacyFinishOptions
    options: LegacyFinishOptions
    checkpoints_after_finish = False

    @rule(fair=WEAK)
    def end_source(self, task: Source) -> None:
        """LF-1, LF-3: a bounded source without further records ends its operators and its task."""
        require(task.is_running, self.has_no_more(task))
        self.end_operators(task)

    @rule(fair=WEAK)
    def end_task(self, task: Task) -> None:
        """LF-4: a task all of whose inputs have ended ends its operators and itself."""
        require(task.inputs)
        require(task.is_running, task.inputs_ended)
        self.end_operators(task)

    @step
    def end_operators(self, task: Task) -> None:
        """LF-2, LF-3: the last watermark, endInput, the old close(); no new mail is taken."""
        self.reach_end_of_time(task)
        task.quiesce_timers()
        task.finish()
        self.refuse_mail(task)

    @step
    def refuse_mail(self, task: Task) -> None:
        """LF-3: its operators have ended: the mailbox takes nothing new, and runs what it has."""
        task.status = TaskStatus.QUIESCED

    @rule(fair=STRONG)
    def close(self, task: Task) -> None:
        """LF-3, LF-5: with its mailbox empty the task disposes and emits EndOfPartition."""
        require(task.status == TaskStatus.QUIESCED, task.mail.is_empty)
        self.close_task(task)
