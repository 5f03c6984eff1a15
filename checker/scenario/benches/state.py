"""State that is dealt out: what some subtasks have reported, and what each has after a restart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from checker.scenario.bench import Fields
from checker.scenario.stimuli import Command, Stimulus
from model.errors import FinaleError
from model.language.protocol import Setting
from model.protocols.parts.checkpoints import COMPLETED
from model.protocols.parts.elements import add_effect
from model.protocols.parts.stateful import Stateful
from model.protocols.restore import Restore

from .jobs import JobBench


class StateBench(JobBench):
    """A job one of whose checkpoints, number 1, some subtasks have reported state for."""

    part = "state"
    about = "operators with state: who has which of it after a restart"
    keys = ("job",)
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "report": ("NAMES",),
        "restart": ("",),
    }
    events = ()
    queries: ClassVar[Mapping[str, int]] = {"state": 1}
    protocol_key = "restore"
    recording: ClassVar[type[Any]] = Restore

    def further_ids(self) -> Sequence[int]:
        return (1,)

    def setting(self, options: Mapping[str, object]) -> Setting:
        setting = super().setting(options)
        return replace(setting, bounds={**setting.bounds, "failures": 1})

    def do(self, stimulus: Stimulus) -> None:
        assert isinstance(stimulus, Command)
        checkpoint = self.protocol.checkpoints[0]
        match stimulus.word:
            case "report":
                for task in self._stateful(stimulus.arguments):
                    for record in task.data:
                        add_effect(task.state, record)
                    self.protocol.keep_snapshot(task, checkpoint)
            case _:
                checkpoint.status = COMPLETED
                self.protocol.fail()
                for each in self.protocol.tasks:
                    self.protocol.restore(each)

    def _stateful(self, names: Sequence[str]) -> list[Stateful]:
        tasks = self.tasks(names)
        for each in tasks:
            if not isinstance(each, Stateful):
                raise FinaleError(
                    "no-state",
                    f'"{each.name}" keeps no state that is dealt out',
                    advice="give its vertex a kind: split-state, union-state, broadcast-state",
                )
        return [task for task in tasks if isinstance(task, Stateful)]

    def see_state(self, name: str) -> Fields:
        (task,) = self._stateful((name,))
        return tuple(
            f"{record.source.name}{'abcdefgh'[record.number - 1]}"
            for record in task.data
            for _ in range(task.state[record])
        )


__all__ = ["StateBench"]
