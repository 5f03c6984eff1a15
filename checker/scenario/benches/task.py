"""Benches of one task: calls and notifications of the coordinator, ends of inputs, its own end.

What the task can do by itself it does at once. Its consumers are silent until the scenario says
that they have seen the end of its data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar

from finale.checker.scenario.bench import Fields, ProtocolBench, number_in
from finale.checker.scenario.benches.jobs import check_can_be_stopped, two_kinds
from finale.checker.scenario.reading import Header
from finale.checker.scenario.stimuli import (
    CHANNELS_MAX,
    BarrierArrives,
    Cancel,
    ChannelEnds,
    Command,
    EndOfDataArrives,
    RecordArrives,
    Stimulus,
)
from finale.model.errors import FinaleError
from finale.model.language.protocol import Setting
from finale.model.protocols.chained_sources import ChainedSources
from finale.model.protocols.coordinator.checkpoints import (
    COMPLETED,
    PENDING,
    UNUSED,
    Checkpoint,
    CheckpointKind,
)
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job import elements
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.restore import Restore
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.chained_source import ChainedSource
from finale.model.protocols.task.sources import Reader, Source
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.protocols.unaligned import Unaligned
from finale.model.topology import Edge, Job, OperatorKind, Vertex

OUTPUTS = 2
#: Of a checkpoint in which the task had finished.
_FINISHED = " finished"
#: Of inputs on which no barrier overtakes.
_IN_ORDER = " in-order"
_KINDS = {
    "": CheckpointKind.CHECKPOINT,
    "savepoint": CheckpointKind.SAVEPOINT,
    "drain": CheckpointKind.DRAIN,
    "suspend": CheckpointKind.SUSPEND,
    "SB": CheckpointKind.SAVEPOINT,
    "DB": CheckpointKind.DRAIN,
    "NB": CheckpointKind.SUSPEND,
}


_OF_STOPS = {CheckpointKind.DRAIN, CheckpointKind.SUSPEND}


def kind_said(stimulus: Stimulus) -> tuple[int, CheckpointKind] | None:
    """The number of a checkpoint and its kind, of a stimulus that says what it is."""
    match stimulus:
        case BarrierArrives(kind=kind, checkpoint=number) if kind in _KINDS:
            return number, _KINDS[kind]
        case Command(word="trigger" | "sync", arguments=(number, *what)):
            return int(number), _KINDS["".join(what)]
        case _:
            return None


def is_of_a_stop(stimulus: Stimulus) -> bool:
    """Whether a stimulus says that a checkpoint is the savepoint of a stop."""
    said = kind_said(stimulus)
    return said is not None and said[1] in _OF_STOPS


class RecordingTask(FinalCheckpoint):
    """The protocol, telling what the task under test does."""

    bench: Any

    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """Tell it, and take it."""
        self.bench.record("taken", self.bench.number(checkpoint))
        super().snapshot_taken(task, checkpoint)

    def act_on_confirmation(self, task: Task, checkpoint: CheckpointId) -> None:
        """Tell it, if there are operators to be told, and whether the task is released by it."""
        was_released = task.released
        if not self.bench.skips(task):
            self.bench.record("notified-complete", self.bench.number(checkpoint))
        super().act_on_confirmation(task, checkpoint)
        if task.released and not was_released:
            self.bench.record("released")

    def finish_operators(self, task: Task) -> None:
        """Tell it, and finish them, or only end the data."""
        if not self.bench.skips(task):
            self.bench.record("operators-finished" if self.drains(task) else "data-ended")
        super().finish_operators(task)

    def restart_all(self) -> None:
        """Tell it, and fail."""
        self.bench.record("task-failed")
        super().restart_all()

    def end_for_good(self, task: Task) -> None:
        """Tell it, if it is the task under test, and end it."""
        if task is self.bench.task:
            self.bench.record("canceled")
        super().end_for_good(task)

    def close_operators(self, task: Task) -> None:
        """Close them, and tell it."""
        super().close_operators(task)
        self.bench.record("closed")


class TaskBench(ProtocolBench[FinalCheckpoint]):
    """A task T with `inputs` inputs, or a source, and two outputs; of kind union, one of two."""

    part = "task"
    about = "a task by itself: checkpoints, notifications, and how it ends"
    keys: ClassVar[tuple[str, ...]] = ("inputs", "kind", "restored")
    tokens: ClassVar[tuple[str, ...]] = ("B", "SB", "DB", "NB", "X", "D", "N", "E")
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "trigger": ("ID", "ID savepoint"),
        "complete": ("ID",),
        "sync": ("ID drain", "ID suspend"),
        "abort": ("ID", "ID latest ID"),
        "consumers": ("ack",),
        "end": ("",),
        "cancel": ("",),
    }
    events: ClassVar[tuple[str, ...]] = (
        "taken", "notified-complete", "operators-finished", "data-ended", "released", "closed",
        "task-failed", "canceled",
    )  # fmt: skip
    queries: ClassVar[Mapping[str, str]] = {
        "out": "",
        "blocked": "",
        "acknowledgements": "ID",
        "finishing": "ID",
        "skips": "",
        "overtakes": "ID",
        "logs": "ID",
    }
    protocol_key = "final-checkpoint"
    recording = RecordingTask
    #: How many records may come on an input.
    records: ClassVar[int] = 0

    @classmethod
    def channels_of(cls, header: Header) -> int:
        plain = header.values.get("inputs", "3").removesuffix(_IN_ORDER)
        header = replace(header, values={**header.values, "inputs": plain})
        number = number_in(header, "inputs", 3, CHANNELS_MAX)
        return 0 if header.values.get("kind") == OperatorKind.SOURCE.value else number

    @property
    def inputs(self) -> int:
        """Return the number of inputs of the task."""
        return self.channels_of(self.case.header)

    def further_ids(self) -> Sequence[int]:
        header, text = self.case.header, self.case.header.values.get("restored", "")
        number = text.removesuffix(_FINISHED)
        plain = replace(header, values={**header.values, "restored": number}) if text else header
        restored = number_in(plain, "restored", 0, 1 << 20)
        return (restored,) if restored else ()

    def skips(self, task: Task) -> bool:
        """Whether the task was started as finished, and has no operators that run."""
        return isinstance(self.protocol, Restore) and bool(self.protocol.is_skipping(task))

    def setting(self, options: Mapping[str, object]) -> Setting:
        header = self.case.header
        word = header.values.get("kind", OperatorKind.PASS_THROUGH.value)
        of_others = (OperatorKind.ITERATION_HEAD, OperatorKind.CHAINED)
        kinds = {kind.value: kind for kind in OperatorKind if kind not in of_others}
        if word not in kinds:
            raise FinaleError(
                "bad-kind",
                f"{word} is not a kind of task",
                place=header.place("kind"),
                advice=f"write one of {', '.join(kinds)}",
            )
        sources = [Vertex.source(f"S{n}", records=self.records) for n in range(self.inputs)]
        sinks = [Vertex(f"K{n}") for n in range(OUTPUTS)]
        overtakes = not header.values.get("inputs", "").endswith(_IN_ORDER)
        edges = [Edge(source.name, "T", overtakes=overtakes) for source in sources]
        edges += [Edge("T", sink.name) for sink in sinks]
        job = Job((*sources, self.tested(kinds[word]), *sinks), tuple(edges))
        bounds = {"checkpoints": len(self.numbers), "failures": 1, "channel": 64}
        taken = set(self.kinds.values())
        if taken & _OF_STOPS:
            check_can_be_stopped(self.kind, self.case, is_of_a_stop)
            bounds["stops"] = 1
        if CheckpointKind.SAVEPOINT in taken:
            bounds["savepoints"] = 1
        if any(command.word == "cancel" for command in self.case.commands):
            bounds["cancels"] = 1
        return Setting(job=job, options=options, bounds=bounds)

    def tested(self, kind: OperatorKind) -> Vertex:
        """The vertex of the task under test."""
        if kind is OperatorKind.SOURCE:
            return Vertex.source("T", records=1)
        return Vertex("T", kind, 2 if kind is OperatorKind.UNION_STATE else 1)

    @cached_property
    def kinds(self) -> dict[int, CheckpointKind]:
        """Return the kind of each checkpoint, from its call or its barriers. Raises `two-kinds`."""
        found: dict[int, CheckpointKind] = {}
        for line in self.case.lines:
            for number, kind in filter(None, map(kind_said, line.stimuli)):
                if found.setdefault(number, kind) is not kind:
                    raise two_kinds(self.case, line, number)
        return found

    @property
    def task(self) -> Task:
        """The task under test."""
        return self.protocol.tasks[self.inputs]

    def prepare(self) -> None:
        for number in self.further_ids():
            self.checkpoint(number).status = COMPLETED
            if self.case.header.values["restored"].endswith(_FINISHED):
                self.checkpoint(number).finished.add(self.task)
            self.task.status = TaskStatus.RESTORING
            self.protocol.restore(self.task)

    def checkpoint(self, number: int | str) -> Checkpoint:
        """The checkpoint that an id of the scenario stands for."""
        return self.protocol.checkpoints[self.position(int(number))]

    def do(self, stimulus: Stimulus) -> None:
        match stimulus:
            case Command():
                self._command(stimulus.word, stimulus.arguments)
            case BarrierArrives(checkpoint=number, channel=at):
                self._begin(number)
                barrier = elements.Barrier(self.checkpoint(number))
                self._arrives(at, barrier, self.protocol.poll_barrier)
            case Cancel(checkpoint=number, channel=at):
                cancel = elements.CancelBarrier(self.checkpoint(number))
                self._arrives(at, cancel, self.protocol.poll_cancel_barrier)
            case EndOfDataArrives(channel=at, drain=drain):
                self._arrives(at, elements.EndOfData(drain=drain), self.protocol.poll_end_of_data)
            case ChannelEnds(channel=at):
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
        if word == "end":
            if not isinstance(task, Source):
                raise FinaleError(
                    "end-of-a-source",
                    "a task with inputs ends when they end",
                    advice="write D@* and E@*, or kind: source",
                )
            task.remaining = 0
            return
        if word == "cancel":
            protocol.request_cancel(protocol.cancel_requests[0])
            return
        checkpoint = self.checkpoint(arguments[0])
        if word in ("complete", "abort") and task.is_gone:
            return  # nobody hears it
        match word:
            case "trigger" | "sync":
                self._begin(int(arguments[0]))
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

    def _begin(self, number: int) -> None:
        checkpoint = self.checkpoint(number)
        if checkpoint.status == UNUSED:
            checkpoint.status = PENDING
            checkpoint.awaited.add(self.task)
            kind = self.kinds.get(number, CheckpointKind.CHECKPOINT)
            self.protocol.note_kind(checkpoint, kind)

    def _goes_on(self) -> None:
        """Let the task take its own steps until none is enabled."""
        task, protocol = self.task, self.protocol
        own: list[Callable[[], None]] = [
            *(lambda c=each: protocol.run_trigger(task, c) for each in protocol.checkpoints),
            lambda: protocol.quiesce(task),
            lambda: protocol.close(task),
            lambda: protocol.cancel_task(task),
        ]
        if isinstance(task, Source):
            own.append(partial(protocol.end_source, task))
        if isinstance(task, Reader) and isinstance(protocol, StopWithSavepoint):
            for each in protocol.checkpoints:
                own.append(partial(protocol.stop_source, task, each))
                own.append(partial(protocol.perform_savepoint, task, each))
        while any(self.possibly(step) for step in own):
            pass  # what one step makes possible may come before it in the list

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
            case elements.EndOfData(drain=drain):
                return "D" if drain else "N"
            case elements.Data():
                return "r"
            case _:
                return "E"

    def see_overtakes(self, number: str) -> Fields:
        protocol, checkpoint = self.protocol, self.checkpoint(number)
        if not isinstance(protocol, Unaligned):
            return ()
        return ("T",) if all(protocol.overtakes(c, checkpoint) for c in self.task.outputs) else ()

    def see_logs(self, number: str) -> Fields:
        protocol, checkpoint = self.protocol, self.checkpoint(number)
        if not isinstance(protocol, Unaligned):
            return ()
        return ("T",) if protocol.keeps_log_of(checkpoint) else ()

    def see_skips(self) -> Fields:
        return ("T",) if self.skips(self.task) else ()

    def see_blocked(self) -> Fields:
        return tuple(str(n) for n, each in enumerate(self.task.inputs) if each.blocked)

    def see_acknowledgements(self, number: str) -> Fields:
        return ("T",) if self.checkpoint(number).acknowledgements.has(self.task) else ()

    def see_finishing(self, number: str) -> Fields:
        return ("T",) if self.checkpoint(number).operators_finished.has(self.task) else ()


class ChainedTaskBench(TaskBench):
    """A task T with `inputs` inputs, sources with `chained` records each, and two outputs."""

    part = "chained-task"
    about = "a task that sources are chained into, by itself"
    keys = ("inputs", "chained")
    tokens = ("r", *TaskBench.tokens)
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "trigger": ("ID",),
        **{word: TaskBench.commands[word] for word in ("sync", "complete", "consumers")},
        "emit": ("NAME",),
        "end": ("NAME",),
    }
    events = tuple(word for word in TaskBench.events if word != "canceled")
    queries: ClassVar[Mapping[str, str]] = {"out": "", "blocked": "", "acknowledgements": "ID"}
    protocol_key = "chained-sources"
    records = 2

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Return the number of records of each source. Raises `bad-number`."""
        header = self.case.header
        words = header.values.get("chained", "1").split()
        if not words or not all(word.isdecimal() and len(word) < 3 for word in words):
            raise FinaleError(
                "bad-number",
                f"chained cannot be {header.values['chained']}",
                place=header.place("chained"),
                advice="write a number of records for each source: 3 1",
            )
        return tuple(map(int, words))

    def tested(self, kind: OperatorKind) -> Vertex:
        return Vertex("T", OperatorKind.CHAINED, chained=self.counts)

    def source(self, word: str) -> ChainedSource:
        """A source of the task, by its number from 0 on. Raises `unknown-task`."""
        known = [str(number) for number in range(len(self.counts))]
        if word not in known:
            raise FinaleError(
                "unknown-task",
                f'no source chained into the task is "{word}"',
                advice=f"write one of {', '.join(known)}",
            )
        return self.task.chained[int(word)]

    def do(self, stimulus: Stimulus) -> None:
        protocol = self.protocol
        assert isinstance(protocol, ChainedSources)
        match stimulus:
            case RecordArrives(channel=at):
                channel = self.task.inputs[at]
                channel.put_record(protocol.data_at[channel.edge.sender.vertex][0])
                protocol.poll_data(channel)
            case Command(word="emit", arguments=(name,)):
                protocol.emit_chained(self.source(name))
            case Command(word="end", arguments=(name,)):
                source = self.source(name)
                source.remaining = 0
                protocol.end_chained(source)
                self._goes_on()
            case _:
                super().do(stimulus)

    def see_blocked(self) -> Fields:
        """Channels, and then the chained sources as well."""
        chained = enumerate(self.task.chained)
        waiting = (f"source{number}" for number, source in chained if source.aligned)
        return (*super().see_blocked(), *waiting)
