"""Messages between the coordinator and the tasks: each arrives some time later, or never."""

from __future__ import annotations

from dataclasses import dataclass, field

Call = tuple[str, int]
"""A task, and the checkpoint that the message speaks of."""


@dataclass(eq=False)
class Network:
    """The messages under way. Each exists at most once; kinds do not wait for each other."""

    triggers: set[Call] = field(default_factory=set[Call])
    acknowledgements: set[Call] = field(default_factory=set[Call])
    declines: set[int] = field(default_factory=set[int])
    confirmations: set[Call] = field(default_factory=set[Call])
    #: With the newest checkpoint that had completed when the abort was sent, if there was one.
    aborts: dict[Call, int | None] = field(default_factory=dict[Call, int | None])
    end_reports: set[str] = field(default_factory=set[str])

    def forget_answers(self, checkpoint: int) -> None:
        """The coordinator does not wait for a checkpoint any more: answers to it are ignored."""
        self.acknowledgements = {c for c in self.acknowledgements if c[1] != checkpoint}
        self.declines.discard(checkpoint)

    def forget_notices(self, task: str) -> None:
        """Drop the notifications for a task that is gone; its calls still fail."""
        self.confirmations = {c for c in self.confirmations if c[0] != task}
        self.aborts = {call: latest for call, latest in self.aborts.items() if call[0] != task}

    def clear(self) -> None:
        """All connections break."""
        for each in (self.triggers, self.acknowledgements, self.declines, self.confirmations):
            each.clear()
        self.aborts.clear()
        self.end_reports.clear()
