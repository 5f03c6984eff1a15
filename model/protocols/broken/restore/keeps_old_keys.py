"""Keyed state outlives the attempt: what was processed since the checkpoint is processed again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from finale.model.protocols.restore import Restore
from finale.model.protocols.task.stateful import Stateful
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step
from finale.model.topology import OperatorKind


class Lasting(Stateful):
    """Stateful with one mistake."""

    @step
    def start_afresh(self) -> None:
        """Nothing is cleared for a new attempt."""


class KeepsOldKeys(Restore):
    """Restore with the mistake of its keyed operators."""

    must_fall: ClassVar[str] = "each-key-at-its-owner"

    @property
    def task_classes(self) -> Mapping[OperatorKind, type[Task]]:
        return {**super().task_classes, OperatorKind.KEYED: Lasting}
