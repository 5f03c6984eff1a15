"""Agreement of participants in a decision, and why two-phase commit agrees.

The properties on request are an inductive invariant that implies agreement, for `finale prove`.
"""

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


FAMILIES = (
    agreement,
    commitment,
    commits_are_decided,
    commit_needs_all,
    known_is_said,
    promise_is_kept,
)
