"""Steps of the coordinator, taken apart: it takes them under its lock, or in its one thread."""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.requests.requests import Requests
from finale.model.protocols.stops.stopping import Stopping
from finale.model.rules import EMPTY, WEAK, PerEntity, Ref, Set, define, field, require, rule, step


class SubsumesLater(Requests):
    """The coordinator subsumes older checkpoints some time after it has completed a newer one."""

    to_subsume = field(PerEntity(Checkpoint, Set(Ref(Checkpoint))), EMPTY)

    @step
    def subsume(self, older: Checkpoint, newer: Checkpoint) -> None:
        """CN-1: an older checkpoint is to be subsumed, if anything names it still."""
        if older < newer and not self.is_unnamed(older):
            self.to_subsume[older].add(newer)

    @define
    def is_unnamed(self, checkpoint: Checkpoint) -> bool:
        """A checkpoint that is to be subsumed, or subsumes another one, is named."""
        waits = not self.to_subsume[checkpoint].is_empty
        subsumes = any(self.to_subsume[older].has(checkpoint) for older in self.checkpoints)
        return not waits and not subsumes and super().is_unnamed(checkpoint)

    @rule(fair=WEAK)
    def subsume_later(self, older: Checkpoint, newer: Checkpoint) -> None:
        """CN-1: an older checkpoint is subsumed, after other steps."""
        require(self.to_subsume[older].has(newer))
        self.to_subsume[older].remove(newer)
        super().subsume(older, newer)


class AbortsLater(Stopping):
    """A stop triggers its savepoint before it aborts what is pending."""

    to_abort = field(Set(Ref(Checkpoint)), EMPTY)

    @step
    def abort_for_stop(self, checkpoint: Checkpoint) -> None:
        """SP-1: what is pending is to be aborted."""
        if checkpoint.is_pending:
            self.to_abort.add(checkpoint)

    @define
    def is_unnamed(self, checkpoint: Checkpoint) -> bool:
        """A checkpoint that is to be aborted is named."""
        return not self.to_abort.has(checkpoint) and super().is_unnamed(checkpoint)

    @rule(fair=WEAK)
    def abort_later(self, checkpoint: Checkpoint) -> None:
        """SP-1: what was pending is aborted, after other steps."""
        require(self.to_abort.has(checkpoint))
        self.to_abort.remove(checkpoint)
        super().abort_for_stop(checkpoint)
