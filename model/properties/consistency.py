"""Agreement of those who take part in a decision."""

from __future__ import annotations

from abc import ABC, abstractmethod

from finale.model.rules import Entity, always, reachable, when


class Participant(Entity, ABC):
    """Someone who ends by committing or aborting."""

    @property
    @abstractmethod
    def has_committed(self) -> bool:
        """Whether it has committed, for good."""

    @property
    @abstractmethod
    def has_aborted(self) -> bool:
        """Whether it has aborted, for good."""


class AgreementView:
    """A protocol whose participants decide together."""


@always
def agreement(state: AgreementView, one: Participant, other: Participant) -> bool:
    """No participant commits while another aborts."""
    when(one.has_committed)
    return not other.has_aborted


@reachable
def commitment(state: AgreementView, one: Participant) -> bool:
    """Some participant commits."""
    return one.has_committed


FAMILIES = (agreement, commitment)
