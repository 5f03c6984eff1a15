"""A restarted task reads new records while some that were in flight still wait."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.job.channels import Channel
from finale.model.protocols.task.tasks import Task
from finale.model.protocols.unaligned import Unaligned
from finale.model.rules import define


class ReadsBeforeRecovered(Unaligned):
    """Unaligned with one mistake."""

    must_fall: ClassVar[str] = "recovered-first"

    @define
    def reads(self, task: Task, channel: Channel) -> bool:
        """Whether a task takes the next element of a channel, RC-9 left aside."""
        return task.is_alive and not channel.blocked
