"""Benches of barrier handlers, for one task with any number of inputs, and of one channel's end.

A sequence of tokens is the order in which the handler is told: each calls its method, also for a
channel that is blocked, as tests of a handler by itself do. A record is polled by the task, so a
blocked channel refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

from finale.checker.scenario.bench import Fields, ProtocolBench, number_in
from finale.checker.scenario.benches.jobs import two_kinds
from finale.checker.scenario.reading import Header
from finale.checker.scenario.stimuli import (
    CHANNELS_MAX,
    Announcement,
    BarrierArrives,
    Cancel,
    ChannelEnds,
    Command,
    EndOfDataArrives,
    RecordArrives,
    Stimulus,
    Time,
)
from finale.model.errors import FinaleError
from finale.model.language.protocol import Setting
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.coordinator.checkpoints import (
    PENDING,
    UNUSED,
    Checkpoint,
    CheckpointKind,
)
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job import elements
from finale.model.protocols.job.channels import Channel, LoggedChannel
from finale.model.protocols.job.elements import CheckpointId, Datum
from finale.model.protocols.persister import Persister
from finale.model.protocols.persisting import Cut
from finale.model.protocols.task.tasks import Task
from finale.model.protocols.unaligned import AlignedWithTimeout, Unaligned
from finale.model.rules import Nothing, require
from finale.model.topology import Edge, Job, Vertex


class RecordingHandler(FinalCheckpoint):
    """The protocol, telling what the handler asks of its task."""

    bench: Any

    def snapshot_taken(self, task: Task, checkpoint: CheckpointId) -> None:
        """Tell it, and take it."""
        self.bench.record("taken", self.bench.number(checkpoint))
        super().snapshot_taken(task, checkpoint)

    def give_up_alignment(self, task: Task, checkpoint: CheckpointId) -> None:
        """Tell it, and give it up."""
        self.bench.record("aborted", self.bench.number(checkpoint))
        super().give_up_alignment(task, checkpoint)


class AlignedHandlerBench(ProtocolBench[FinalCheckpoint]):
    """A task T that reads `channels` inputs, exactly once, with aligned barriers."""

    part = "aligned-handler"
    about = "one task and its barrier handler: exactly once, aligned"
    keys: ClassVar[tuple[str, ...]] = ("channels",)
    tokens: ClassVar[tuple[str, ...]] = ("r", "B", "X", "E")
    events = ("taken", "aborted")
    queries: ClassVar[Mapping[str, str]] = {"blocked": "", "latest": "", "pending": "", "open": ""}
    protocol_key = "final-checkpoint"
    recording: ClassVar[type[Any]] = RecordingHandler

    @classmethod
    def channels_of(cls, header: Header) -> int:
        return number_in(header, "channels", 1, CHANNELS_MAX)

    def setting(self, options: Mapping[str, object]) -> Setting:
        count = self.channels_of(self.case.header)
        sources = [Vertex.source(f"S{n}", records=1) for n in range(count)]
        edges = tuple(Edge(source.name, "T") for source in sources)
        job = Job((*sources, Vertex("T")), edges)
        bounds = {"checkpoints": len(self.numbers), "channel": 2}
        return Setting(job=job, options=options, bounds=bounds)

    @property
    def task(self) -> Task:
        """The task under test."""
        return self.protocol.tasks[-1]

    def do(self, stimulus: Stimulus) -> None:
        assert not isinstance(stimulus, Announcement | Command | EndOfDataArrives | Time)
        channel = self.protocol.channels[stimulus.channel]
        match stimulus:
            case RecordArrives():
                channel.put_record(self.protocol.data[stimulus.channel])
                self.protocol.poll_data(channel)
            case BarrierArrives():
                checkpoint = self.checkpoint(stimulus.checkpoint)
                self.task.gate.on_barrier(channel, checkpoint, Arrival.IN_ORDER)
            case Cancel():
                self.task.gate.on_cancel_barrier(self.checkpoint(stimulus.checkpoint))
            case ChannelEnds():
                self.task.gate.on_end_of_partition(channel)

    def checkpoint(self, number: int) -> Checkpoint:
        """The checkpoint that an id of the scenario stands for."""
        return self.protocol.checkpoints[self.position(number)]

    def see_blocked(self) -> Fields:
        return tuple(str(n) for n, each in enumerate(self.task.inputs) if each.blocked)

    def see_latest(self) -> Fields:
        return self._id(self.task.newest)

    def see_pending(self) -> Fields:
        return self._id(self.task.newest) if self.task.gate.aligning else ()

    def see_open(self) -> Fields:
        return (str(sum(not channel.ended for channel in self.task.inputs)),)

    def _id(self, checkpoint: CheckpointId) -> Fields:
        return () if checkpoint == Nothing else (self.number(checkpoint),)


_BARRIER = re.compile(r"B(\d+)")
_RECORD = re.compile(r"[a-z]\d+")


class UnalignedHandlerBench(AlignedHandlerBench):
    """A task T that reads `channels` inputs, in which barriers may overtake.

    The task polls records as they come. `queue` leaves them in their channel: a barrier behind them
    is noticed ahead of its turn if the rule of the protocol permits that.
    """

    part = "unaligned-handler"
    about = "one task and its barrier handler: exactly once, barriers overtake"
    tokens: ClassVar[tuple[str, ...]] = ("r", "B", "UB", "X", "E")
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {"queue": ("NAME NAMES",)}
    queries: ClassVar[Mapping[str, str]] = {**AlignedHandlerBench.queries, "in-flight": "ID"}
    protocol_key = "unaligned"

    def setting(self, options: Mapping[str, object]) -> Setting:
        """The setting, with unique records, so that a log shows which records it holds."""
        setting = super().setting(options)
        job = setting.job
        assert job is not None
        told = [self._told(at) for at in range(len(job.vertices) - 1)]
        sources = (
            Vertex.source(vertex.name, records=len(names))
            for vertex, names in zip(job.vertices, told, strict=False)
        )
        job = Job((*sources, job.vertices[-1]), job.edges)
        room = max(2, *map(len, told))
        return replace(setting, job=job, bounds={**setting.bounds, "failures": 1, "channel": room})

    def _told(self, at: int) -> list[str]:
        """The names of the records of a channel, in the order in which they come."""
        names: list[str] = []
        for stimulus in self.case.stimuli:
            match stimulus:
                case RecordArrives(name=name, channel=channel) if channel == at:
                    names.append(name)
                case Command(arguments=(channel, *elements)) if channel == str(at):
                    names += [each for each in elements if _RECORD.fullmatch(each)]
                case _:
                    pass
        return names

    @cached_property
    def _names(self) -> dict[Datum, str]:
        """The names of the scenario, in the order in which the records of a channel come."""
        names: dict[Datum, str] = {}
        for at, own in enumerate(self._own):
            names.update(zip(own, self._told(at), strict=True))
        return names

    @cached_property
    def _own(self) -> list[list[Datum]]:
        """The records of each channel."""
        sources = (task.subtask for task in self.protocol.tasks[:-1])
        return [[each for each in self.protocol.data if each.source == one] for one in sources]

    def prepare(self) -> None:
        self.came = dict.fromkeys(range(len(self.protocol.channels)), 0)
        for checkpoint in self.protocol.checkpoints:
            if checkpoint.status == UNUSED:
                checkpoint.status = PENDING  # logs are kept of these alone

    def do(self, stimulus: Stimulus) -> None:
        match stimulus:
            case RecordArrives(channel=at):
                channel = self.protocol.channels[at]
                require(channel.queue.is_empty)
                self._put_record(at)
                self.protocol.poll_data(channel)
            case BarrierArrives(kind="UB", checkpoint=number, channel=at):
                self._notice(self.protocol.channels[at], self.checkpoint(number))
            case Command(arguments=(at, *names)):
                for name in names:
                    self._queue(self._channel(at), name)
            case _:
                super().do(stimulus)

    def _notice(self, channel: Channel, checkpoint: Checkpoint) -> None:
        if channel.queue.is_empty:
            self.task.gate.on_barrier(channel, checkpoint, Arrival.AHEAD)
        else:
            assert isinstance(self.protocol, Unaligned)
            self.protocol.notice_barrier(self.protocol.logged(channel), checkpoint)

    def _put_record(self, at: int) -> None:
        self.protocol.channels[at].put_record(self._own[at][self.came[at]])
        self.came[at] += 1

    def _queue(self, at: int, name: str) -> None:
        barrier = _BARRIER.fullmatch(name)
        if barrier and int(barrier[1]) in self.numbers:
            element = elements.Barrier(self.checkpoint(int(barrier[1])))
            self.protocol.channels[at].put(element)
        elif _RECORD.fullmatch(name):
            self._put_record(at)
        else:
            raise FinaleError(
                "bad-stimulus",
                f'"{name}" cannot be queued',
                advice="write records, as a0, and barriers that are noticed later, as B1",
            )

    def _channel(self, name: str) -> int:
        channels = len(self.protocol.channels)
        if not name.isdecimal() or int(name) >= channels:
            raise FinaleError(
                "unknown-channel",
                f'there is no channel "{name}"',
                advice=f"write a number from 0 to {channels - 1}",
            )
        return int(name)

    def see_in_flight(self, number: str) -> Fields:
        checkpoint = self.checkpoint(int(number))
        found: list[str] = []
        for channel in self.task.inputs:
            assert isinstance(channel, LoggedChannel)
            log = channel.log[checkpoint]
            found += [self._names[log.at(position)] for position in range(log.length)]
        return tuple(found)


TIMEOUT_MAX = 1 << 20


class TimedHandlerBench(UnalignedHandlerBench):
    """A task T that reads `channels` inputs; without `timeout` time is never over.

    Time runs from the first token about a checkpoint. The handler's timer fires when it is over.
    """

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


class TrackerBench(AlignedHandlerBench):
    """A task T that reads `channels` inputs, at least once: it counts barriers and blocks none."""

    part = "tracker"
    about = "one task and its barrier handler: at least once, barriers are counted"
    protocol_key = "at-least-once"

    def see_pending(self) -> Fields:
        gate = self.task.gate
        return tuple(
            self.number(each) for each in self.protocol.checkpoints if gate.awaits_barriers_of(each)
        )


class RecordingPersister(Persister):
    """The protocol, with a record of aborted checkpoints."""

    bench: Any

    def give_up(self, cut: Cut) -> None:
        """Tell it, and give it up."""
        self.bench.record("aborted", self.bench.number(cut))
        super().give_up(cut)


class PersisterBench(ProtocolBench[Persister]):
    """The receiving end of one channel, whose buffers keep all records.

    A token is a step of the network thread, and a command is a step of the task's thread.
    """

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
        return [each.name for each in self.case.stimuli if isinstance(each, RecordArrives)]

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
