"""Bench of the handler that aligns barriers first, and lets them overtake after a timeout.

The clock of the scenario is the only one: time runs from the first that a handler hears of a
checkpoint. Once it is over the handler is told so, as a timer does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from finale.checker.scenario.bench import number_in
from finale.checker.scenario.stimuli import Announcement, BarrierArrives, Stimulus, Time
from finale.model.language.protocol import Setting
from finale.model.protocols.aligned_with_timeout import AlignedWithTimeout
from finale.model.protocols.coordinator.checkpoints import CheckpointKind

from .jobs import two_kinds
from .unaligned import UnalignedHandlerBench

TIMEOUT_MAX = 1 << 20


class TimedHandlerBench(UnalignedHandlerBench):
    """A task T that reads `channels` inputs; without `timeout` time is never over."""

    part = "timed-handler"
    about = "one task and its barrier handler: barriers overtake after a time"
    keys = ("channels", "timeout")
    tokens = ("r", "B", "SB", "UB", "A", "X", "E", "+")
    queries: ClassVar[Mapping[str, str]] = UnalignedHandlerBench.queries
    protocol_key = "aligned-with-timeout"

    clock = 0
    opened = 0
    known = ""

    def setting(self, options: Mapping[str, object]) -> Setting:
        setting = super().setting(options)
        self.limit = number_in(self.case.header, "timeout", TIMEOUT_MAX, TIMEOUT_MAX)
        savepoints = self._savepoints()
        bounds = {"savepoints": len(savepoints)} if savepoints else {}
        return replace(setting, bounds={**setting.bounds, **bounds})

    def prepare(self) -> None:
        """A savepoint is one from its announcement on."""
        super().prepare()
        for number in self._savepoints():
            self.checkpoint(number).kind = CheckpointKind.SAVEPOINT

    def _savepoints(self) -> set[int]:
        """The checkpoints that are savepoints, as all their barriers say. Raises `two-kinds`."""
        found: dict[int, bool] = {}
        for line in self.case.lines:
            for each in line.stimuli:
                if isinstance(each, BarrierArrives):
                    is_one = each.kind == "SB"
                    if found.setdefault(each.checkpoint, is_one) != is_one:
                        raise two_kinds(self.case, line, each.checkpoint)
        return {number for number, is_one in found.items() if is_one}

    def do(self, stimulus: Stimulus) -> None:
        gate = self.protocol.task_of[self.task.subtask].gate
        match stimulus:
            case Time(milliseconds=milliseconds):
                self.clock += milliseconds
                self._time_out()
            case Announcement(checkpoint=number):
                gate.on_announcement(self.checkpoint(number))
            case BarrierArrives(kind="SB"):
                super().do(replace(stimulus, kind="B"))
            case _:
                super().do(stimulus)
        newest = "".join(self.see_latest())
        if newest != self.known:
            self.known, self.opened = newest, self.clock

    def _time_out(self) -> None:
        protocol = self.protocol
        assert isinstance(protocol, AlignedWithTimeout)
        if self.clock - self.opened > self.limit:
            self.possibly(lambda: protocol.time_out(self.task))
