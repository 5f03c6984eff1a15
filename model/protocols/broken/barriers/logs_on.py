"""A channel is logged also after its own barrier, until those of the others are there."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.barriers.logs import LoggedChannel
from finale.model.protocols.job.elements import Datum
from finale.model.protocols.task.tasks import Task
from finale.model.protocols.unaligned import Unaligned
from finale.model.rules import step


class LogsOn(Unaligned):
    """Unaligned with one mistake."""

    must_fall: ClassVar[str] = "consistent-cut"

    @step
    def log_record(self, task: Task, channel: LoggedChannel, record: Datum) -> None:
        """UN-2 without the end that UN-4 puts to it."""
        if self.gate_of(task).started:
            channel.add_to_log(task.newest, record)
