"""Planted mistakes of `regional-checkpoint` and `regional-sources`."""

from __future__ import annotations

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.enumerator import SourceReader, Split
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.regional import RegionalCheckpoint, RegionParts
from finale.model.protocols.regional_sources import RegionalSources
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import define, step


class ConfirmsToAll(RegionalCheckpoint):
    """Tasks of failed regions are told of the completion like all others.

    Their sinks commit transactions that are in no part of the checkpoint.
    """

    variant, must_fall = "confirms-to-all", "commit-only-durable"

    @step
    def confirm(self, task: Task, checkpoint: Checkpoint) -> None:
        """CN-1 as without regions."""
        StopWithSavepoint.confirm(self, task, checkpoint)


class KeepsDirectReferences(RegionalCheckpoint):
    """The cleaner keeps what a stored checkpoint refers to, and not what this one refers to."""

    variant, must_fall = "keeps-direct-references", "old-parts-are-kept"

    @define
    def leads_to(self, parts: RegionParts, newer: Checkpoint, older: Checkpoint) -> bool:
        """Nobody follows a reference further."""
        return parts.refers_to[newer] == older


class NeverForcesGlobal(RegionalCheckpoint):
    """Regional checkpoints are not counted: a region can stay old for ever."""

    variant, must_fall = "never-forces-global", "old-parts-are-not-too-old"

    @step
    def lengthen_row(self) -> None:
        """Nobody counts."""


class RestoresNewPart(RegionalCheckpoint):
    """A restart takes what the failed region took for the checkpoint, and not its old part.

    The transactions that the old part lists are rolled back.
    """

    variant, must_fall = "restores-new-part", "old-transactions-stay"

    @define
    def origin(self, task: Task, checkpoint: CheckpointId) -> CheckpointId:
        """References are not followed."""
        return checkpoint


class ResetForgetsSplits(RegionalSources):
    """A reader is restored from its old part, and its later splits are handed back to nobody."""

    variant, must_fall = "reset-forgets-splits", "splits-are-read-once"

    @step
    def _hand_back(self, split: Split, reader: SourceReader) -> None:
        if split.receiver == reader:
            super()._hand_back(split, reader)
