"""A task passes the watermarks of each input on as they come, and does not wait for the least."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Watermark
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class PassesEachWatermark(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "watermarks-rise"

    @step
    def take_watermark(self, task: Task, channel: Channel, time: int) -> None:
        """RC-10, LF-2: a watermark is passed on, whatever the other inputs have said."""
        self.note_watermark(channel, time)
        channel.watermark = max(channel.watermark, time)
        for mark in self.watermarks:
            self.pass_on_if(time == mark.time, task, mark)

    @step
    def pass_on_if(self, wanted: bool, task: Task, mark: Watermark) -> None:
        """The one that came goes out."""
        if wanted:
            self.pass_on(task, mark)
