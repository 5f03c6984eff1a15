"""Why two-phase commit agrees: what each step keeps, and that together implies agreement.

These are asked on request: they are given to `finale prove` as an invariant.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from finale.model.properties.consistency import AgreementView, Participant
from finale.model.rules import always, when


class Voter(Participant, ABC):
    """A participant who says that it is prepared before it is decided."""

    @property
    @abstractmethod
    def is_working(self) -> bool:
        """Whether it has neither prepared nor ended."""

    @property
    @abstractmethod
    def has_promised(self) -> bool:
        """Whether it has said that it is prepared."""

    @property
    @abstractmethod
    def is_known_to_promise(self) -> bool:
        """Whether who decides has been told so."""


class DecisionView(AgreementView, ABC):
    """A protocol in which one decides for all."""

    @property
    @abstractmethod
    def commits(self) -> bool:
        """Whether it is decided to commit."""

    @property
    @abstractmethod
    def aborts(self) -> bool:
        """Whether it is decided to abort."""


@always(on_request=True)
def commits_are_decided(state: DecisionView, voter: Voter) -> bool:
    """A resource manager commits only when that is decided."""
    when(voter.has_committed)
    return state.commits


@always(on_request=True)
def commit_needs_all(state: DecisionView, voter: Voter) -> bool:
    """It is decided to commit only when each resource manager is known to be prepared."""
    when(state.commits)
    return voter.is_known_to_promise


@always(on_request=True)
def known_is_said(state: DecisionView, voter: Voter) -> bool:
    """A resource manager is known to be prepared only when it has said so."""
    when(voter.is_known_to_promise)
    return voter.has_promised


@always(on_request=True)
def promise_is_kept(state: DecisionView, voter: Voter) -> bool:
    """Who has said to be prepared works no longer, and aborts only when that is decided."""
    when(voter.has_promised)
    return not voter.is_working and not (voter.has_aborted and not state.aborts)


FAMILIES = (commits_are_decided, commit_needs_all, known_is_said, promise_is_kept)
