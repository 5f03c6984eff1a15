"""Bench of a sink behind one source: which records become visible, and when."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from finale.checker.scenario.bench import Fields, ProtocolBench
from finale.checker.scenario.stimuli import Command, Stimulus
from finale.model.errors import FinaleError
from finale.model.language.protocol import Setting
from finale.model.protocols.committer import CommittableChannel, Committer
from finale.model.protocols.coordinator.checkpoints import ABORTED, COMPLETED, PENDING, Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.sinks import Transaction, TwoPhaseSink
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task
from finale.model.topology import Edge, Job, OperatorKind, Sink, Vertex


class SinkBench(ProtocolBench[FinalCheckpoint]):
    """A source S and a sink K, in two phases or at least once, or a writer W and a committer K."""

    part = "sink"
    about = "a sink: its transactions, and the records that it makes visible"
    keys = ("sink",)
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "record": ("NAME",),
        "snap": ("ID",),
        "complete": ("ID",),
        "abort": ("ID",),
        "finish": ("",),
        "close": ("",),
        "restore": ("ID",),
    }
    events = ("written", "precommitted", "committed", "rolled-back")
    queries: ClassVar[Mapping[str, str]] = {"transactions": "", "visible": ""}
    protocol_key = "final-checkpoint"
    recording = FinalCheckpoint

    def setting(self, options: Mapping[str, object]) -> Setting:
        header = self.case.header
        word = header.values.get("sink", Sink.TWO_PHASE.value)
        kinds = {kind.value: kind for kind in Sink if kind is not Sink.NONE}
        if word not in kinds:
            raise FinaleError(
                "bad-sink",
                f"{word} is not a kind of sink",
                place=header.place("sink"),
                advice=f"write one of {', '.join(kinds)}",
            )
        source = Vertex.source("S", records=max(1, len(self._written)))
        job = Job((source, Vertex("K", sink=kinds[word])), (Edge("S", "K"),))
        if kinds[word] is Sink.COMMITTER:
            writer, committer = Vertex("W", OperatorKind.WRITER), Vertex("K", sink=Sink.COMMITTER)
            job = Job((source, writer, committer), (Edge("S", "W"), Edge("W", "K")))
        bounds = {"checkpoints": len(self.numbers), "failures": 1, "channel": 3}
        return Setting(job, options=options, bounds=bounds, observe=frozenset({"effects"}))

    @property
    def _written(self) -> list[str]:
        """The names of the records, in the order in which they are written."""
        return self.case.first_arguments("record")

    @property
    def source(self) -> Source:
        """The source, which emits what is written."""
        source = self.protocol.tasks[0]
        assert isinstance(source, Source)
        return source

    @property
    def task(self) -> Task:
        """The task of the sink."""
        return self.protocol.tasks[-1]

    def checkpoint(self, number: str) -> Checkpoint:
        """The checkpoint that an id of the scenario stands for."""
        return self.protocol.checkpoints[self.position(int(number))]

    def do(self, stimulus: Stimulus) -> None:
        assert isinstance(stimulus, Command)
        before, visible = self._transactions(), self._visible()
        self._command(stimulus.word, *stimulus.arguments)
        for number, state in self._transactions().items():
            if state != before[number] and state in _EVENTS:
                self.record(_EVENTS[state], number)
        shown = [
            name for name, times in self._visible().items() for _ in range(times - visible[name])
        ]
        if shown:
            self.record("committed" if self._transactions() else "written", *shown)

    def _command(self, word: str, argument: str = "") -> None:
        protocol, task = self.protocol, self.task
        match word:
            case "record":
                self._record(argument)
            case "finish":
                protocol.finish_operators(self.source)
                for channel in protocol.channels:
                    self._hand_over()
                    protocol.poll_end_of_data(channel)
            case "close":
                protocol.close_operators(task)
            case "snap":
                self.checkpoint(argument).status = PENDING
                for each in protocol.tasks:
                    each.before_barrier(self.checkpoint(argument))
                    self._hand_over()
                    protocol.snapshot_taken(each, self.checkpoint(argument))
            case "complete":
                self.checkpoint(argument).confirmations.add(task)
                protocol.deliver_confirmation(task, self.checkpoint(argument))
            case "abort":
                self.checkpoint(argument).aborts.add(task)
                protocol.deliver_abort(task, self.checkpoint(argument))
            case _:
                self._restore(self.checkpoint(argument))

    def _hand_over(self) -> None:
        """A committer is handed what its writer has for it."""
        for channel in self.protocol.channels:
            if isinstance(channel, CommittableChannel):
                self.possibly(partial(self.protocol.poll_committables, channel))

    def _record(self, name: str) -> None:
        """The source emits its next record, and the sink processes it."""
        emitted = len(self._written) - self.source.remaining
        if self._written[emitted : emitted + 1] != [name]:
            told = f"the next record is {self._written[emitted]}" if self.source.remaining else ""
            raise FinaleError(
                "record-order",
                f"{name} is not the next record of the source",
                advice=told or "each record is written once, and again only after a restore",
            )
        self.protocol.emit(self.source)
        self.protocol.poll_data(self.protocol.channels[0])

    def _restore(self, checkpoint: Checkpoint) -> None:
        """All attempts end, and begin again from a checkpoint."""
        for each in self.protocol.checkpoints:
            each.status = COMPLETED if each == checkpoint else ABORTED
        self.protocol.fail()
        for task in self.protocol.tasks:
            self.protocol.restore(task)

    # --- queries ---------------------------------------------------------------------------------

    def _visible(self) -> dict[str, int]:
        """Return how many times each record is visible."""
        visible = self.protocol.sinks[0].visible
        return {
            name: visible[datum]
            for name, datum in zip(self._written, self.protocol.data, strict=False)
        }

    def _transactions(self) -> dict[str, Transaction]:
        """Return the transaction of each checkpoint, if the sink has transactions."""
        sink = self.protocol.sinks[0]
        if isinstance(sink, Committer):
            names = (*map(self.number, self.protocol.checkpoints), "last")
            tags = zip(names, sink.tags, strict=True)
            return {name: sink.transaction[tag] for name, tag in tags}
        if not isinstance(sink, TwoPhaseSink):
            return {}
        return {self.number(each): sink.transaction[each] for each in self.protocol.checkpoints}

    def see_visible(self) -> Fields:
        return tuple(name for name, times in self._visible().items() for _ in range(times))

    def see_transactions(self) -> Fields:
        waiting = [
            number
            for number, state in self._transactions().items()
            if state == Transaction.PRECOMMITTED
        ]
        is_open = self._transactions() and self.protocol.opens_transaction(self.task)
        return (*waiting, *(("open",) if is_open else ()))


_EVENTS: Mapping[Transaction, str] = {
    Transaction.PRECOMMITTED: "precommitted",
    Transaction.ABORTED: "rolled-back",
}
