"""Operators that do more with a record than pass it on."""

from __future__ import annotations

from model.protocols.parts.elements import (
    TOO_OFTEN,
    CheckpointId,
    Datum,
    Effects,
    clear_effects,
)
from model.protocols.parts.tasks import Task
from model.rules import PerEntity, field, step


class Buffering(Task):
    """A task whose operator holds records back until it finishes."""

    buffer = field(Effects, 0)
    buffered = field(PerEntity(CheckpointId, Effects), 0, ghost="recovery")
    """What was held back when a checkpoint was taken."""

    data: tuple[Datum, ...] = ()

    @step
    def flush(self) -> None:
        """Emit what was held back, in the order of the records."""
        for record in self.data:
            for times in range(TOO_OFTEN):
                self._emit_if_held(record, times)
        clear_effects(self.buffer, self.data)

    @step
    def _emit_if_held(self, record: Datum, times: int) -> None:
        if self.buffer[record] > times:
            self.emit(record)
