"""Sources chained into a task that also may read channels: they share its main loop and its gate.

Models PL-7 (its last sentence), SP-4 and H17 of the fact sheet: Flink's `MultipleInputStreamTask`.
For its gate a chained source is one more input, whose barrier comes by the coordinator's call, and
which never ends: it has no channel in which an EndOfPartition could stand.
"""

from __future__ import annotations

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.job.elements import CheckpointId, Datum, StopMode
from finale.model.protocols.job.layout import chained_in
from finale.model.protocols.task.chained_source import ChainedSource
from finale.model.protocols.task.sources import Reader
from finale.model.rules import define, each, step


class ChainingTask(Reader):
    """A task with sources chained into it."""

    def chain(self, data: tuple[Datum, ...]) -> None:
        """Lay out its sources; they share `data`."""
        self.chained = tuple(
            ChainedSource(name, self.subtask, data[before : before + count])
            for name, before, count in chained_in(self.subtask)
        )

    @step
    def stop_reading(self, mode: StopMode) -> None:
        """SP-4: all its sources are told how to end; an end before it stays."""
        for source in self.chained:
            self._stop_if_reading(source, mode)

    @step
    def _stop_if_reading(self, source: ChainedSource, mode: StopMode) -> None:
        if not source.ended:
            source.mode = mode

    @step
    def read_on(self) -> None:
        for source in self.chained:
            source.mode = StopMode.NONE

    @property
    @define
    def stops_at_once(self) -> bool:
        """SP-4: each of its sources has stopped without drain, or had ended."""
        return all(s.mode == StopMode.NO_DRAIN or s.ended_by_itself() for s in self.chained)

    @step
    def keep(self, checkpoint: CheckpointId) -> None:
        for source in self.chained:
            source.offset[checkpoint] = source.remaining

    @step
    def load(self, checkpoint: CheckpointId, *, finished: bool) -> None:
        for source in self.chained:
            source.restart(0 if finished else source.offset[checkpoint])

    @step
    def start_afresh(self) -> None:
        for source in self.chained:
            source.restart(len(source.data))


class ChainingGate(AlignedGate):
    """An aligned gate; where sources are chained into its task, they are inputs, too."""

    @define
    def is_aligned(self) -> bool:
        """AL-1: all barriers are there, also those of chained sources."""
        return super().is_aligned() and all(source.aligned for source in self.task.chained)

    @step
    def end_alignment(self) -> None:
        """The alignment ends: chained sources emit again."""
        super().end_alignment()
        for source in self.task.chained:
            source.aligned = False

    @step
    def on_trigger(self, checkpoint: CheckpointId) -> None:
        """PL-7, SP-4: a trigger by RPC is the barrier of the chained sources, and of nothing else.

        H17: a channel that has not ended brings its own barrier, or its end, which may take time.
        """
        if self.task.chained:
            each(self.task.chained, lambda source: self._on_barrier_of(source, checkpoint))
        else:
            super().on_trigger(checkpoint)

    @step
    def _on_barrier_of(self, source: ChainedSource, checkpoint: CheckpointId) -> None:
        if not self.is_past(checkpoint):
            self.open(checkpoint)
            source.aligned = True
            self.complete_if_aligned()

    @step
    def forget(self) -> None:
        super().forget()
        for source in self.task.chained:
            source.aligned = False
