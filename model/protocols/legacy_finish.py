"""How jobs finished before FLIP-147: a task ends as soon as its inputs have, without a checkpoint.

"How did Jobs in Flink Finish Before?" of the blog post on FLIP-147 part two (the first of its
lists), and rules LF-1 … LF-7 of the fact sheet: releases up to 1.13, and later ones with
`checkpoints-after-tasks-finish` off. There is no EndOfData: the last watermark and EndOfPartition
travel together, so operators finish and close on EndOfPartition.
Left out: the stop of those releases (LS), operator chains.
"""

from __future__ import annotations

from dataclasses import dataclass

from model.protocols.parts.elements import EndOfPartition
from model.protocols.parts.recovery import Recovery
from model.protocols.parts.tasks import Buffering, Source, Task, TaskStatus
from model.rules import STRONG, WEAK, Setting, require, rule, step


@dataclass(frozen=True)
class LegacyFinishOptions:
    """How many checkpoints may be pending at once; whether aborts carry the newest completed id."""

    #: PL-1: how many checkpoints may be pending at once
    concurrent: int = 1
    #: CN-3: an abort carries the newest completed id
    aborts_carry_latest: bool = True


class LegacyFinish(Recovery):
    """The finish of natural ends without a final checkpoint."""

    key = "legacy-finish"
    Options = LegacyFinishOptions
    options: LegacyFinishOptions

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.checkpoints_after_finish = False
        self.aborts_on_end = True
        self.aborts_carry_latest = self.options.aborts_carry_latest
        self.concurrent = self.options.concurrent

    @rule(fair=WEAK)
    def end_source(self, task: Source) -> None:
        """LF-1, LF-3: a bounded source without further records ends its operators and its task."""
        require(task.subtask.vertex.bounded)
        require(task.is_running, task.remaining == 0)
        self.end_operators(task)

    @rule(fair=WEAK)
    def end_task(self, task: Task) -> None:
        """LF-4: a task all of whose inputs have ended ends its operators and itself."""
        require(task.inputs)
        require(task.is_running, task.inputs_ended)
        self.end_operators(task)

    @step
    def end_operators(self, task: Task) -> None:
        """LF-3: endInput and the old close() of the operators; the mailbox refuses new mail."""
        if isinstance(task, Buffering):
            task.flush()
        task.status = TaskStatus.QUIESCED

    @rule(fair=STRONG)
    def close(self, task: Task) -> None:
        """LF-3, LF-5: with its mailbox empty the task disposes and emits EndOfPartition."""
        require(task.status == TaskStatus.QUIESCED, task.mail.is_empty)
        task.broadcast(EndOfPartition())
        task.status = TaskStatus.CLOSED
        self.close_operators(task)
        self.drop_messages(task)
