"""Records on their way: through a pipeline in order, and in the logs of a channel (S1)."""

from __future__ import annotations

from abc import ABC, abstractmethod

from finale.model.rules import Entity, always, reachable, when


class ChannelCut(Entity, ABC):
    """One checkpoint at one channel: what its two ends have taken and logged for it."""

    @property
    @abstractmethod
    def is_complete(self) -> bool:
        """Whether the snapshot of the receiver and both parts of the log are there."""

    @property
    @abstractmethod
    def is_exact(self) -> bool:
        """Whether the log is what the sender had sent and the receiver had not processed."""

    @property
    @abstractmethod
    def is_split(self) -> bool:
        """Whether each side has logged something."""

    @property
    @abstractmethod
    def is_under_way(self) -> bool:
        """Whether its barrier is on its way to the receiver."""

    @property
    @abstractmethod
    def is_begun(self) -> bool:
        """Whether the receiver has taken its snapshot."""


class PersistingView:
    """A protocol in which both ends of a channel log for checkpoints."""


@always
def log_is_exact(state: PersistingView, cut: ChannelCut) -> bool:
    """What a channel has logged is what was sent before the sender's snapshot and not processed
    before the receiver's, in order (S1)."""
    when(cut.is_complete)
    return cut.is_exact


@reachable
def both_sides_log(state: PersistingView, cut: ChannelCut) -> bool:
    """A log has a part of the receiver and one of the sender (UN-1, UN-2)."""
    return cut.is_complete and cut.is_split


@reachable
def obsolete_barrier_comes(state: PersistingView, older: ChannelCut, newer: ChannelCut) -> bool:
    """The barrier of a checkpoint is on its way when the receiver has begun a newer one (UN-8)."""
    return older < newer and older.is_under_way and newer.is_begun


class LastStage(Entity, ABC):
    """The stage that takes what comes out of a pipeline."""

    @property
    @abstractmethod
    def finds_record(self) -> bool:
        """Whether a record is about to be taken."""

    @property
    @abstractmethod
    def finds_next(self) -> bool:
        """Whether that record is the one after all that were taken."""

    @property
    @abstractmethod
    def has_all(self) -> bool:
        """Whether it is done with all records."""


class PipelineView:
    """A protocol in which records pass through one stage after the other."""


@always
def records_arrive_in_order(state: PipelineView, stage: LastStage) -> bool:
    """Records come out of the pipeline as they went in: in order, none twice, none left out."""
    when(stage.finds_record)
    return stage.finds_next


@reachable
def all_records_arrive(state: PipelineView, stage: LastStage) -> bool:
    """The last record comes out of the pipeline."""
    return stage.has_all


FAMILIES = (
    log_is_exact,
    both_sides_log,
    obsolete_barrier_comes,
    records_arrive_in_order,
    all_records_arrive,
)
