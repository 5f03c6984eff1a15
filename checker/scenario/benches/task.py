"""A task by itself: calls and notifications from the coordinator, ends of its inputs, its own end.

What the task can do by itself it does at once. Its consumers are silent until the scenario says
that they have seen the end of its data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from checker.scenario.bench import Fields, ProtocolBench, number_in
from checker.scenario.reading import Header
from checker.scenario.stimuli import (
    CHANNELS_MAX,
    Barrier,
    Cancel,
    Command,
    EndOfData,
    EndOfPartition,
    Stimulus,
)
from model.errors import FinaleError
from model.language.protocol import Setting
from model.language.stops import BlockedHere
from model.protocols.final_checkpoint import FinalCheckpoint
from model.protocols.parts import elements
from model.protocols.parts.checkpoints import COMPLETED, PENDING, UNUSED, Checkpoint
from model.protocols.parts.elements import CheckpointId
from model.protocols.parts.tasks import Task, TaskStatus
from model.topology import Edge, Job, Kind, Vertex

OUTPUTS = 2


class RecordingTask(FinalCheckpoint):
    """The protocol, telling what the task under test does."""

    bench: Any

    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """Tell it, and take it."""
        self.bench.record("taken", self.bench.number(checkpoint))
        super().snapshot_taken(task, checkpoint)

    def confirmed(self, task: Task, checkpoint: CheckpointId) -> None:
        """Tell it, and whether the task is released by it."""
        was_released = task.released
        self.bench.record("notified-complete", self.bench.number(checkpoint))
        super().confirmed(task, checkpoint)
        if task.released and not was_released:
            self.bench.record("released")

    def finish_operators(self, task: Task) -> None:
        """Tell it, and finish them."""
        self.bench.record("operators-finished")
        super().finish_operators(task)

    def close_operators(self, task: Task) -> None:
        """Close them, and tell it."""
        super().close_operators(task)
        self.bench.record("closed")


class TaskBench(ProtocolBench[FinalCheckpoint]):
    """A task T with `inputs` inputs and two outputs; the first of two where its state is union."""

    part = "task"
    about = "a task by itself: checkpoints, notifications, and how it ends"
    keys = ("inputs", "kind", "restored")
    tokens = ("B", "X", "D", "E")
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "trigger": ("ID",),
        "complete": ("ID",),
        "abort": ("ID", "ID latest ID"),
        "consumers": ("ack",),
    }
    events = ("taken", "notified-complete", "operators-finished", "released", "closed")
    queries: ClassVar[Mapping[str, int]] = {"out": 0, "acknowledgements": 1, "finishing": 1}
    protocol_key = "final-checkpoint"
    recording = RecordingTask

    @classmethod
    def channels_of(cls, header: Header) -> int:
        return number_in(header, "inputs", 3, CHANNELS_MAX)

    def further_ids(self) -> Sequence[int]:
        restored = number_in(self.case.header, "restored", 0, 1 << 20)
        return (restored,) if restored else ()

    def setting(self, options: Mapping[str, object]) -> Setting:
        header = self.case.header
        word = header.values.get("kind", Kind.PASS_THROUGH.value)
        kinds = {
            kind.value: kind for kind in Kind if kind not in (Kind.SOURCE, Kind.ITERATION_HEAD)
        }
        if word not in kinds:
            raise FinaleError(
                "bad-kind",
                f"{word} is no kind of a task with inputs",
                place=header.place("kind"),
                advice=f"write one of {', '.join(kinds)}",
            )
        parallelism = 2 if kinds[word] is Kind.UNION_STATE else 1
        sources = [Vertex.source(f"S{n}", records=0) for n in range(self.channels_of(header))]
        sinks = [Vertex(f"K{n}") for n in range(OUTPUTS)]
        tested = Vertex("T", kinds[word], parallelism)
        edges = [Edge(source.name, "T") for source in sources]
        edges += [Edge("T", sink.name) for sink in sinks]
        job = Job((*sources, tested, *sinks), tuple(edges))
        bounds = {"checkpoints": len(self.numbers), "failures": 1, "channel": 64}
        return Setting(job=job, options=options, bounds=bounds)

    @property
    def task(self) -> Task:
        """The task under test."""
        return self.protocol.tasks[self.channels_of(self.case.header)]

    def prepare(self) -> None:
        for number in self.further_ids():
            self.checkpoint(number).status = COMPLETED
            self.task.status = TaskStatus.RESTORING
            self.protocol.restore(self.task)

    def checkpoint(self, number: int | str) -> Checkpoint:
        """The checkpoint that an id of the scenario stands for."""
        return self.protocol.checkpoints[self.position(int(number))]

    def do(self, stimulus: Stimulus) -> None:
        match stimulus:
            case Command():
                self._command(stimulus.word, stimulus.arguments)
            case Barrier(checkpoint=number, channel=at):
                self._begin(self.checkpoint(number))
                barrier = elements.Barrier(self.checkpoint(number))
                self._arrives(at, barrier, self.protocol.poll_barrier)
            case Cancel(checkpoint=number, channel=at):
                cancel = elements.CancelBarrier(self.checkpoint(number))
                self._arrives(at, cancel, self.protocol.poll_cancel_barrier)
            case EndOfData(channel=at):
                self._arrives(at, elements.EndOfData(drain=True), self.protocol.poll_end_of_data)
            case EndOfPartition(channel=at):
                self._arrives(at, elements.EndOfPartition(), self.protocol.poll_end_of_partition)
            case _:
                raise AssertionError("no token of this part")
        self._goes_on()

    def _arrives(self, at: int, element: Any, poll: Callable[..., None]) -> None:
        channel = self.task.inputs[at]
        channel.put(element)
        poll(channel)

    def _command(self, word: str, arguments: Fields) -> None:
        task, protocol = self.task, self.protocol
        if word == "consumers":
            for channel in task.outputs:
                channel.end_of_data = True
            return
        checkpoint = self.checkpoint(arguments[0])
        match word:
            case "trigger":
                self._begin(checkpoint)
                checkpoint.triggers.add(task)
                protocol.deliver_trigger(task, checkpoint)
            case "complete":
                checkpoint.confirmations.add(task)
                protocol.deliver_confirmation(task, checkpoint)
            case _:
                checkpoint.aborts.add(task)
                if arguments[1:]:
                    checkpoint.latest = self.checkpoint(arguments[2])
                protocol.deliver_abort(task, checkpoint)

    def _begin(self, checkpoint: Checkpoint) -> None:
        if checkpoint.status == UNUSED:
            checkpoint.status = PENDING
            checkpoint.awaited.add(self.task)

    def _goes_on(self) -> None:
        """The task takes its own steps until it has none."""
        task, protocol = self.task, self.protocol
        own: list[Callable[[], None]] = [
            *(lambda c=each: protocol.run_trigger(task, c) for each in protocol.checkpoints),
            lambda: protocol.quiesce(task),
            lambda: protocol.close(task),
        ]
        while any(self._possible(step) for step in own):
            pass  # what one step makes possible may come before it in the list

    def _possible(self, step: Callable[[], None]) -> bool:
        before = list(self.store.values)
        try:
            step()
        except BlockedHere:
            self.store.values = before
            return False
        return True

    # --- queries ---------------------------------------------------------------------------------

    def see_out(self) -> Fields:
        queues = {tuple(self._elements(channel.queue)) for channel in self.task.outputs}
        return next(iter(queues)) if len(queues) == 1 else ("differs",)

    def _elements(self, queue: Any) -> Sequence[str]:
        return [self._token(queue.at(position)) for position in range(queue.length)]

    def _token(self, element: Any) -> str:
        match element:
            case elements.Barrier(checkpoint=checkpoint):
                return f"B{self.number(checkpoint)}"
            case elements.CancelBarrier(checkpoint=checkpoint):
                return f"X{self.number(checkpoint)}"
            case elements.EndOfData():
                return "D"
            case _:
                return "E"

    def see_acknowledgements(self, number: str) -> Fields:
        return ("T",) if self.checkpoint(number).acknowledgements.has(self.task) else ()

    def see_finishing(self, number: str) -> Fields:
        return ("T",) if self.checkpoint(number).operators_finished.has(self.task) else ()


__all__ = ["TaskBench"]
