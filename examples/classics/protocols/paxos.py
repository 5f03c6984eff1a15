"""Paxos for one value (Lamport, "The Part-Time Parliament", 1998): at most one value is chosen.

As in the TLA+ examples (`Paxos/Paxos.tla`): messages are a set that only grows. TLC counts 25
states for one acceptor, one value and two ballots.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from finale.rules import (
    EMPTY,
    Bound,
    Entity,
    Protocol,
    Range,
    Record,
    RecordOf,
    Ref,
    Set,
    Setting,
    always,
    define,
    field,
    part,
    reachable,
    require,
    rule,
    when,
)

BallotRange = Range(0, Bound("ballots") - 1)
ValueRange = Range(1, Bound("values"))
Ballot = Annotated[int, BallotRange]
Value = Annotated[int, ValueRange]


class Acceptor(Entity):
    """An acceptor: the largest ballot that it knows, and its last vote (ballot -1 is none)."""

    largest = field(Range(-1, Bound("ballots") - 1), -1)
    vote_ballot = field(Range(-1, Bound("ballots") - 1), -1)
    vote_value = field(Range(0, Bound("values")), 0)


class Promise(Record):
    """Phase 1b: an acceptor takes part in a ballot, and says how it voted last."""

    acceptor: Acceptor = part(Ref(Acceptor))
    ballot: int = part(BallotRange)
    vote_ballot: int = part(Range(-1, Bound("ballots") - 1))
    vote_value: int = part(Range(0, Bound("values")))


class Proposal(Record):
    """Phase 2a: a value is proposed in a ballot."""

    ballot: int = part(BallotRange)
    value: int = part(ValueRange)


class Accepted(Record):
    """Phase 2b: an acceptor votes."""

    acceptor: Acceptor = part(Ref(Acceptor))
    ballot: int = part(BallotRange)
    value: int = part(ValueRange)


@dataclass(frozen=True)
class Options:
    """What a proposer looks at."""

    #: a proposer proposes the value of the newest vote that it was told of
    heeds_votes: bool = True


@dataclass(frozen=True)
class Sizes:
    """How large it is."""

    #: how many acceptors there are
    acceptors: int = 3
    #: how many values can be proposed
    values: int = 2
    #: how many ballots there are
    ballots: int = 2


class Paxos(Protocol):
    """Anybody begins ballots; acceptors promise and vote; a majority chooses."""

    key = "paxos"
    Options = Options
    options: Options
    Sizes = Sizes
    sizes: Sizes

    begun = field(Set(BallotRange), EMPTY)
    promises = field(Set(RecordOf(Promise)), EMPTY)
    proposals = field(Set(RecordOf(Proposal)), EMPTY)
    accepted = field(Set(RecordOf(Accepted)), EMPTY)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.acceptors = tuple(Acceptor(f"a{n + 1}") for n in range(self.sizes.acceptors))
        majority = len(self.acceptors) // 2 + 1
        self.quorums = tuple(itertools.combinations(self.acceptors, majority))
        self.values = tuple(range(1, int(self.sizes.values) + 1))
        self.ballots = tuple(range(int(self.sizes.ballots)))

    def entities(self) -> Sequence[Entity]:
        return self.acceptors

    def told(self, acceptor: Acceptor, ballot: int, vote: int, value: int) -> bool:
        """Whether an acceptor has promised a ballot, and told this last vote."""
        promise = Promise(acceptor=acceptor, ballot=ballot, vote_ballot=vote, vote_value=value)
        return self.promises.has(promise)

    @define
    def has_promised(self, acceptor: Acceptor, ballot: Ballot) -> bool:
        """Whether an acceptor takes part in a ballot."""
        return self.told(acceptor, ballot, -1, 0) or any(
            self.told(acceptor, ballot, vote, value)
            for vote in self.ballots
            for value in self.values
        )

    def may_propose(self, quorum: Sequence[Acceptor], ballot: int, value: int) -> bool:
        """Whether the promises of a quorum allow a value: no vote is newer than one for it."""
        none = all(self.told(acceptor, ballot, -1, 0) for acceptor in quorum)
        return none or any(
            any(self.told(acceptor, ballot, newest, value) for acceptor in quorum)
            and not any(
                self.told(acceptor, ballot, vote, each)
                for acceptor in quorum
                for vote in self.ballots
                if vote > newest
                for each in self.values
            )
            for newest in self.ballots
        )

    @define
    def is_safe(self, ballot: Ballot, value: Value) -> bool:
        """Whether some quorum has promised a ballot, and allows a value in it."""
        return any(
            all(self.has_promised(acceptor, ballot) for acceptor in quorum)
            and (not self.options.heeds_votes or self.may_propose(quorum, ballot, value))
            for quorum in self.quorums
        )

    @define
    def is_chosen(self, value: Value) -> bool:
        """Whether a quorum has voted for a value in one ballot."""
        return any(
            all(
                self.accepted.has(Accepted(acceptor=acceptor, ballot=ballot, value=value))
                for acceptor in quorum
            )
            for quorum in self.quorums
            for ballot in self.ballots
        )

    @rule
    def begin(self, ballot: Ballot) -> None:
        """Phase 1a: a ballot begins."""
        self.begun.add(ballot)

    @rule
    def promise(self, acceptor: Acceptor, ballot: Ballot) -> None:
        """Phase 1b: an acceptor promises to ignore older ballots, and tells its last vote."""
        require(self.begun.has(ballot), ballot > acceptor.largest)
        acceptor.largest = ballot
        self.promises.add(
            Promise(
                acceptor=acceptor,
                ballot=ballot,
                vote_ballot=acceptor.vote_ballot,
                vote_value=acceptor.vote_value,
            )
        )

    @rule
    def propose(self, ballot: Ballot, value: Value) -> None:
        """Phase 2a: a value that is safe is proposed, one in each ballot."""
        require(not any(self.proposals.has(Proposal(ballot=ballot, value=v)) for v in self.values))
        require(self.is_safe(ballot, value))
        self.proposals.add(Proposal(ballot=ballot, value=value))

    @rule
    def accept(self, acceptor: Acceptor, ballot: Ballot, value: Value) -> None:
        """Phase 2b: an acceptor votes, if it has promised no newer ballot."""
        require(self.proposals.has(Proposal(ballot=ballot, value=value)))
        require(ballot >= acceptor.largest)
        acceptor.largest = ballot
        acceptor.vote_ballot = ballot
        acceptor.vote_value = value
        self.accepted.add(Accepted(acceptor=acceptor, ballot=ballot, value=value))


@always(witness="value-is-chosen")
def one_value_is_chosen(state: Paxos) -> bool:
    """Two values are never chosen."""
    when(any(state.is_chosen(value) for value in state.values))
    return sum(1 if state.is_chosen(value) else 0 for value in state.values) == 1


@reachable
def value_is_chosen(state: Paxos) -> bool:
    """A value can be chosen."""
    return any(state.is_chosen(value) for value in state.values)


PROTOCOLS = (Paxos,)
PROPERTIES = (one_value_is_chosen, value_is_chosen)
