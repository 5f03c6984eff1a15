"""A task goes on reading a channel whose barrier has come, and puts into its copy what it reads.

The copies of broadcast state in one checkpoint then differ (S16), as they do where barriers
overtake records on broadcast edges (V-13).
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Data
from finale.model.protocols.restore import Restore
from finale.model.rules import STRONG, require, rule


class CopiesUnaligned(Restore):
    """Restore with one mistake."""

    must_fall: ClassVar[str] = "broadcast-copies-agree"

    @rule(fair=STRONG)
    def poll_data(self, channel: Channel) -> None:
        """A task processes the record at the head of a channel, blocked or not."""
        task = self.reader(channel)
        require(task.is_alive, channel.queue.head == Data)
        self.process(task, channel)
