"""Bench of the at-least-once handler: it counts barriers, and blocks no input."""

from __future__ import annotations

from finale.checker.scenario.bench import Fields

from .handler import AlignedHandlerBench


class TrackerBench(AlignedHandlerBench):
    """A task T that reads `channels` inputs, at least once."""

    part = "tracker"
    about = "one task and its barrier handler: at least once, barriers are counted"
    protocol_key = "at-least-once"

    def see_pending(self) -> Fields:
        gate = self.task.gate
        return tuple(
            self.number(each) for each in self.protocol.checkpoints if gate.refers_to(each)
        )
