"""A task goes on processing a channel whose barrier has arrived while it waits for the others.

The at-least-once tracker does so (TR); with exactly-once it breaks the cut.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Data
from finale.model.rules import WEAK, require, rule


class ReadsBlockedChannels(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "consistent-cut"

    @rule(fair=WEAK)
    def poll_data(self, channel: Channel) -> None:
        """A task processes the record at the head of a channel, blocked or not."""
        task = self.reader(channel)
        require(task.is_alive, channel.queue.head == Data)
        self.process(task, channel)
