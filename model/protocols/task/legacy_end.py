"""How tasks end without a final checkpoint: at the end of their records or of their inputs.

Models LF-1 … LF-5 of the fact sheet. There is no EndOfData: the last watermark and EndOfPartition
travel together, so operators finish and close on EndOfPartition.
"""

from __future__ import annotations

from model.properties.views import WatermarkView
from model.protocols.task.sources import Source
from model.protocols.task.tasks import Task, TaskStatus
from model.rules import STRONG, WEAK, require, rule, step


class LegacyEnd(WatermarkView):
    """Tasks that end as soon as they have nothing more to read."""

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
