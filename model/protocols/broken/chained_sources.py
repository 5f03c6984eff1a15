"""Planted mistakes of `chained-sources`."""

from __future__ import annotations

from collections.abc import Mapping

from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.chained_sources import ChainedSources
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId, StopMode
from finale.model.protocols.task.chained import ChainingGate, ChainingTask
from finale.model.protocols.task.tasks import Task
from finale.model.rules import define, each, step
from finale.model.topology import OperatorKind


class _EagerGate(ChainingGate):
    @step
    def on_trigger(self, checkpoint: CheckpointId) -> None:
        """PL-7 without its last sentence."""
        super().on_trigger(checkpoint)
        each(self.task.inputs, lambda channel: self._add_barrier(channel, checkpoint))

    @step
    def _add_barrier(self, channel: Channel, checkpoint: CheckpointId) -> None:
        if not channel.ended:
            self.on_barrier(channel, checkpoint, Arrival.BY_CALL)


class PutsBarriersOnChannels(ChainedSources):
    """PL-7: a call to a task with chained sources puts a barrier on its open channels, too.

    The task's part of the checkpoint is then taken before the barriers of those that it reads.
    """

    variant, must_fall = "puts-barriers-on-channels", "consistent-cut"

    @property
    def gate_class(self) -> type[AlignedGate]:
        return _EagerGate


class _FirstOnly(ChainingTask):
    @step
    def stop_reading(self, mode: StopMode) -> None:
        """SP-4 for one source."""
        self.chained[0].mode = mode

    @property
    @define
    def stops_at_once(self) -> bool:
        return self.chained[0].mode == StopMode.NO_DRAIN


class StopsOneChainedSource(ChainedSources):
    """SP-4: of the sources that are chained into a task a stop tells only the first to end.

    The others go on: what they emit after the savepoint is emitted again when the job is resumed.
    """

    variant, must_fall = "stops-one-chained-source", "nothing-after-the-cut"

    @property
    def task_classes(self) -> Mapping[OperatorKind, type[Task]]:
        return {**super().task_classes, OperatorKind.CHAINED: _FirstOnly}
