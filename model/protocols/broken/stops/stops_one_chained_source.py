"""SP-4: of the sources that are chained into a task a stop tells only the first to end.

The others go on: what they emit after the savepoint is emitted again when the job is resumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from finale.model.protocols.chained_sources import ChainedSources
from finale.model.protocols.job.elements import StopMode
from finale.model.protocols.task.chained import ChainingTask
from finale.model.protocols.task.tasks import Task
from finale.model.rules import define, step
from finale.model.topology import OperatorKind


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
    """ChainedSources with one mistake."""

    must_fall: ClassVar[str] = "nothing-after-the-cut"

    @property
    def task_classes(self) -> Mapping[OperatorKind, type[Task]]:
        return {**super().task_classes, OperatorKind.CHAINED: _FirstOnly}
