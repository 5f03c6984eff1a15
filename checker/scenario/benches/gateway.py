"""Bench of the gates between an operator coordinator and its subtasks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any, ClassVar

from finale.checker.scenario.bench import Fields, ProtocolBench, number_in
from finale.checker.scenario.stimuli import Command, Stimulus
from finale.model.errors import FinaleError, nearest
from finale.model.language.protocol import Setting
from finale.model.protocols.enumerator import (
    CoordinatorCheckpoint,
    EventPlace,
    ReaderStatus,
    SourceReader,
    Split,
)
from finale.model.protocols.operator_coordinator import OperatorCoordinator

READERS_MAX = 16


class RecordingCoordination(OperatorCoordinator):
    """The protocol, telling what becomes of checkpoints."""

    bench: Any

    def complete(self, checkpoint: CoordinatorCheckpoint) -> None:
        """Complete a checkpoint; the aborts that follow come after the completion."""
        position = len(self.bench.seen)
        super().complete(checkpoint)
        self.bench.record("completed", self.bench.number(checkpoint))
        self.bench.seen.insert(position, self.bench.seen.pop())

    def abort(self, checkpoint: CoordinatorCheckpoint) -> None:
        """Abort it, and tell it."""
        super().abort(checkpoint)
        self.bench.record("aborted", self.bench.number(checkpoint))

    def fail_job(self) -> None:
        """Tell which checkpoints a failure aborts, and fail."""
        for checkpoint in self.checkpoints:
            if checkpoint.is_pending:
                self.bench.record("aborted", self.bench.number(checkpoint))
        super().fail_job()


class GatewayBench(ProtocolBench[OperatorCoordinator]):
    """A coordinator that sends events to subtasks, which are counted from 0."""

    part = "gateway"
    about = "an operator coordinator and its subtasks: the gates that its events pass"
    keys = ("subtasks",)
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "mark": ("ID",),
        "shut": ("ID",),
        "open": ("ID",),
        "trig": ("ID",),
        "state": ("ID",),
        "done": ("ID",),
        "acknowledge": ("ID NAME",),
        "ack": ("ID NAME",),
        "abort": ("ID",),
        "fail": ("",),
        "send": ("NAME NAME",),
        "lose": ("NAME",),
        "end": ("NAME",),
        "signal": ("NAME",),
    }
    events = ("completed", "aborted", "sent", "event-failed")
    queries: ClassVar[Mapping[str, str]] = {"gate": "NAME", "held": "", "called": "ID"}
    protocol_key = "operator-coordinator"
    recording = RecordingCoordination

    def setting(self, options: Mapping[str, object]) -> Setting:
        return Setting(
            sizes={"readers": self._readers, "splits": max(1, len(self._sent))},
            options={"concurrent": len(self.numbers), **options},
            bounds={"checkpoints": len(self.numbers), "losses": 9, "failures": 9, "expiries": 9},
        )

    @cached_property
    def _readers(self) -> int:
        return number_in(self.case.header, "subtasks", 1, READERS_MAX)

    @cached_property
    def _sent(self) -> list[str]:
        """The names of the events, in the order in which they are sent."""
        return self.case.first_arguments("send")

    def do(self, stimulus: Stimulus) -> None:
        assert isinstance(stimulus, Command)
        before = self._places()
        self._command(stimulus.word, *stimulus.arguments)
        if stimulus.word in ("done", "acknowledge"):
            self.possibly(partial(self.protocol.complete, self._checkpoint(stimulus.arguments[0])))
        for name, place in self._places().items():
            if place != before[name] and place == EventPlace.UNDER_WAY:
                self.record("sent", name)
            if place != before[name] and place == EventPlace.FAILED:
                self.record("event-failed", name)

    def _command(self, word: str, first: str = "", second: str = "") -> None:
        protocol = self.protocol
        match word:
            case "mark":
                for each in protocol.readers:
                    self._checkpoint(first).marked.add(each)
            case "shut":
                for each in protocol.readers:
                    protocol.close_gate(each, self._checkpoint(first))
            case "open":
                for each in protocol.readers:
                    protocol.open_gate(each, self._checkpoint(first))
            case "trig":
                protocol.trigger_checkpoint()
            case "state":
                protocol.take_coordinator_state(self._checkpoint(first))
            case "done":
                protocol.finish_coordinator_part(self._checkpoint(first))
            case "acknowledge":
                self._checkpoint(first).acknowledgements.add(self._reader(second))
                protocol.apply_acknowledgement(self._reader(second), self._checkpoint(first))
            case "ack":
                self._checkpoint(first).releases.add(self._reader(second))
                protocol.apply_release(self._reader(second), self._checkpoint(first))
            case "abort":
                protocol.expire(self._checkpoint(first))
            case "fail":
                protocol.fail()
                for each in protocol.readers:
                    protocol.restore(each)
            case "send":
                protocol.emit(self._event(first), self._reader(second))
            case "lose":
                protocol.lose_split(self._event(first))
            case "end":
                self._reader(first).status = ReaderStatus.FINISHED
            case _:
                protocol.emit(self._reader(first).signal, self._reader(first))
                protocol.receive_signal(self._reader(first))

    # --- what the words name ---------------------------------------------------------------------

    def _checkpoint(self, number: str) -> CoordinatorCheckpoint:
        return self.protocol.checkpoints[self.position(int(number))]

    def _event(self, name: str) -> Split:
        if name not in self._sent:
            raise FinaleError(
                "bad-stimulus",
                f'no event "{name}" is sent in this scenario',
                advice=nearest(name, self._sent),
            )
        return self.protocol.splits[self._sent.index(name)]

    def _reader(self, name: str) -> SourceReader:
        if not name.isdecimal() or int(name) >= self._readers:
            raise FinaleError(
                "unknown-task",
                f'there is no subtask "{name}"',
                advice=f"write a number from 0 to {self._readers - 1}",
            )
        return self.protocol.readers[int(name)]

    def _places(self) -> dict[str, EventPlace]:
        """Return the place of each event."""
        named = dict(zip(self._sent, self.protocol.splits, strict=False))
        signals = {f"signal{n}": each.signal for n, each in enumerate(self.protocol.readers)}
        return {name: each.place for name, each in (named | signals).items()}

    # --- queries ---------------------------------------------------------------------------------

    def see_called(self, number: str) -> Fields:
        called = self._checkpoint(number).triggers
        return tuple(str(n) for n, each in enumerate(self.protocol.readers) if called.has(each))

    def see_gate(self, reader: str) -> Fields:
        return ("open" if self._reader(reader).closed.is_empty else "closed",)

    def see_held(self) -> Fields:
        return tuple(name for name, place in self._places().items() if place == EventPlace.HELD)
