"""Bench of the receiving end of one channel: the buffers that it logs for checkpoints.

Records arrive and stay in the buffers: none is processed. A token is what the network thread does,
a command what the task's thread does.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from finale.checker.scenario.bench import Fields, ProtocolBench
from finale.checker.scenario.stimuli import BarrierArrives, Command, RecordArrives, Stimulus
from finale.model.language.protocol import Setting
from finale.model.protocols.persister import Persister
from finale.model.protocols.persisting import Cut


class RecordingPersister(Persister):
    """The protocol, with a record of aborted checkpoints."""

    bench: Any

    def give_up(self, cut: Cut) -> None:
        """Tell it, and give it up."""
        self.bench.record("aborted", self.bench.number(cut))
        super().give_up(cut)


class PersisterBench(ProtocolBench[Persister]):
    """The receiving end of one channel."""

    part = "persister"
    about = "the receiving end of one channel: what it logs of its buffers for which checkpoint"
    tokens: ClassVar[tuple[str, ...]] = ("r", "B")
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {"start": ("ID",), "stop": ("ID",)}
    events = ("aborted",)
    queries: ClassVar[Mapping[str, str]] = {"in-flight": "ID", "arrived": "ID", "latest": ""}
    protocol_key = "persister"
    recording: ClassVar[type[Any]] = RecordingPersister

    def setting(self, options: Mapping[str, object]) -> Setting:
        bounds = {"records": len(self._records), "checkpoints": len(self.numbers)}
        return Setting(options=options, bounds=bounds)

    @cached_property
    def _records(self) -> list[str]:
        """The names of the records, in the order in which they arrive."""
        stimuli = (each for line in self.case.lines for each in line.stimuli)
        return [each.name for each in stimuli if isinstance(each, RecordArrives)]

    def prepare(self) -> None:
        self.came = 0

    def do(self, stimulus: Stimulus) -> None:
        receiver = self.protocol.receiver
        match stimulus:
            case RecordArrives():
                self.came += 1
                receiver.on_record(self.came)
            case BarrierArrives(checkpoint=number):
                receiver.on_barrier(self._cut(number))
            case Command(word="start", arguments=(number,)):
                self.protocol.take_part(self._cut(number))
            case Command(arguments=(number,)):
                receiver.stop(self._cut(number))
            case _:
                raise AssertionError("no token of this part")

    def _cut(self, number: int | str) -> Cut:
        return self.protocol.cuts[self.position(int(number))]

    def see_in_flight(self, number: str) -> Fields:
        log = self._cut(number).log
        return tuple(self._records[log.at(position) - 1] for position in range(log.length))

    def see_arrived(self, number: str) -> Fields:
        return ("T",) if self._cut(number).arrived else ()

    def see_latest(self) -> Fields:
        newest = self.protocol.receiver.newest
        return (self.number(newest),)
