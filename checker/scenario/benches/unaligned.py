"""Bench of the handler for overtaking barriers: it snapshots at the first barrier, then logs.

Records are polled as they come. With `queue` they stay in their channel, and a barrier behind them
is noticed ahead of its turn by the rule of the protocol, if it may be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from finale.checker.scenario.bench import Fields
from finale.checker.scenario.stimuli import BarrierArrives, Command, RecordArrives, Stimulus
from finale.model.errors import FinaleError
from finale.model.language.protocol import Setting
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.barriers.logs import LoggedChannel
from finale.model.protocols.coordinator.checkpoints import PENDING, UNUSED, Checkpoint
from finale.model.protocols.job import elements
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Datum
from finale.model.protocols.unaligned import Unaligned
from finale.model.rules import require
from finale.model.topology import Job, Vertex

from .handler import AlignedHandlerBench

_BARRIER = re.compile(r"B(\d+)")
_RECORD = re.compile(r"[a-z]\d+")


class UnalignedHandlerBench(AlignedHandlerBench):
    """A task T that reads `channels` inputs, in which barriers may overtake."""

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
        for stimulus in (each for line in self.case.lines for each in line.stimuli):
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
