"""Handler of barriers: what a task calls when a barrier, an abort or the end of a channel arrives.

Flink calls it `CheckpointBarrierHandler`.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod

from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId
from finale.model.rules import Bool, Entity, field


class Arrival(enum.Enum):
    """How a barrier reaches a gate."""

    IN_ORDER = "in order"
    """Polled from its channel."""
    BY_CALL = "by call"
    """Put there by a trigger (PL-7): nothing follows it that would have to wait."""
    AHEAD = "ahead"
    """Noticed before its turn: it has overtaken what is queued before it (UN-3)."""


class BarrierHandler(Entity, ABC):
    """Decides when a task takes its part of a checkpoint."""

    aligning = field(Bool, False)
    """The task's newest checkpoint is begun, and barriers are missing."""

    @abstractmethod
    def on_barrier(self, channel: Channel, checkpoint: CheckpointId, how: Arrival) -> None:
        """A barrier on a channel."""

    @abstractmethod
    def on_cancel_barrier(self, checkpoint: CheckpointId) -> None:
        """AL-3: the producer aborts a checkpoint."""

    @abstractmethod
    def on_end_of_partition(self, channel: Channel) -> None:
        """AL-2: a channel has ended."""

    @abstractmethod
    def on_trigger(self, checkpoint: CheckpointId) -> None:
        """PL-7: a trigger by RPC."""

    @abstractmethod
    def on_abort(self, checkpoint: CheckpointId) -> None:
        """AB-3: the coordinator aborts a checkpoint."""

    @abstractmethod
    def is_past(self, checkpoint: CheckpointId) -> bool:
        """Whether the checkpoint was taken or aborted here, or a newer one begun."""

    @abstractmethod
    def end_alignment(self) -> None:
        """The alignment ends: all inputs are read again."""

    @abstractmethod
    def awaits_barriers_of(self, checkpoint: CheckpointId) -> bool:
        """Whether the gate still waits for barriers of a checkpoint."""

    @abstractmethod
    def forget(self) -> None:
        """The attempt ends."""
