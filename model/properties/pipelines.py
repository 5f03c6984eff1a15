"""What comes out of a pipeline of stages."""

from __future__ import annotations

from abc import ABC, abstractmethod

from finale.model.rules import Entity, always, reachable, when


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


FAMILIES = (records_arrive_in_order, all_records_arrive)
