"""A source function moves its position when it fetches a record, outside of the checkpoint lock.

A checkpoint between the fetch and the emission counts a record that was never emitted.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.sources import FetchingSource, Source
from finale.model.rules import step


class HastySource(FetchingSource):
    """A source whose position is behind what it has fetched."""

    @step
    def keep(self, checkpoint: CheckpointId) -> None:
        """The position in the snapshot is the one after the fetch."""
        if self.fetched:
            self.offset[checkpoint] = self.remaining - 1
        else:
            super().keep(checkpoint)


class CountsWhatIsFetched(FinalCheckpoint):
    """FinalCheckpoint with one mistake."""

    must_fall: ClassVar[str] = "commit-completeness"

    @property
    def source_class(self) -> type[Source]:
        return HastySource if self.options.fetches_apart else super().source_class
