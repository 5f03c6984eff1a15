"""Raft's leader election (Ongaro and Ousterhout 2014): at most one leader in a term.

Requests and granted votes are sets that only grow, so that they arrive in any order, twice, or
never. A server that restarts must remember for whom it has voted.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from finale.rules import (
    EMPTY,
    Bound,
    Entity,
    Enum,
    Nothing,
    Option,
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
    within,
)

Term = Annotated[int, Range(1, Bound("terms"))]


class Role(enum.Enum):
    """What a server is."""

    FOLLOWER = 0
    CANDIDATE = 1
    LEADER = 2


class Server(Entity):
    """A server of the cluster; `granted` are those who voted for it in its term."""


class Request(Record):
    """A candidate asks for votes."""

    candidate: Server = part(Ref(Server))
    term: int = part(Range(1, Bound("terms")))


class Vote(Record):
    """A server votes for a candidate."""

    voter: Server = part(Ref(Server))
    candidate: Server = part(Ref(Server))
    term: int = part(Range(1, Bound("terms")))


class Voter(Server):
    """A server with its state."""

    term = field(Range(0, Bound("terms")), 0)
    role = field(Enum(Role), Role.FOLLOWER)
    voted_for = field(Option(Ref(Server)), Nothing)
    granted = field(Set(Ref(Server)), EMPTY)


@dataclass(frozen=True)
class Options:
    """What survives a restart."""

    #: a server remembers for whom it has voted
    remembers: bool = True


@dataclass(frozen=True)
class Sizes:
    """How large the cluster is."""

    #: how many servers there are
    servers: int = 3


@dataclass(frozen=True)
class Bounds:
    """How much is explored."""

    #: how many terms there are
    terms: int = 2
    #: how many servers restart
    restarts: int = 1


class RaftElection(Protocol):
    """A server that hears nothing becomes a candidate of the next term."""

    key = "raft-election"
    Options = Options
    options: Options
    Sizes = Sizes
    sizes: Sizes
    Bounds = Bounds
    bounds: Bounds

    requests = field(Set(RecordOf(Request)), EMPTY)
    votes = field(Set(RecordOf(Vote)), EMPTY)
    restarted = field(Range(0, Bound("restarts")), 0)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.servers = tuple(Voter(f"s{n + 1}") for n in range(self.sizes.servers))

    def entities(self) -> Sequence[Entity]:
        return self.servers

    @define
    def has_majority(self, server: Voter) -> bool:
        """Whether more than half have voted for a server."""
        return server.granted.size >= len(self.servers) // 2 + 1

    @rule
    def time_out(self, server: Voter) -> None:
        """A server that is no leader becomes a candidate, and votes for itself."""
        require(server.role != Role.LEADER)
        within(server.term, self.bounds.terms)
        server.term += 1
        server.role = Role.CANDIDATE
        server.voted_for = server
        server.granted.clear()
        server.granted.add(server)
        self.requests.add(Request(candidate=server, term=server.term))

    @rule
    def grant(self, server: Voter, candidate: Voter, term: Term) -> None:
        """A server votes for the first candidate of a term that asks it."""
        require(server != candidate)
        require(self.requests.has(Request(candidate=candidate, term=term)))
        require(term > server.term or (term == server.term and server.voted_for == Nothing))
        if term > server.term:
            server.term = term
            server.role = Role.FOLLOWER
            server.granted.clear()
        server.voted_for = candidate
        self.votes.add(Vote(voter=server, candidate=candidate, term=term))

    @rule
    def collect(self, server: Voter, voter: Voter, term: Term) -> None:
        """A candidate gets a vote of its term."""
        require(server.role == Role.CANDIDATE, server.term == term)
        require(self.votes.has(Vote(voter=voter, candidate=server, term=term)))
        require(not server.granted.has(voter))
        server.granted.add(voter)

    @rule
    def win(self, server: Voter) -> None:
        """A candidate with a majority becomes leader."""
        require(server.role == Role.CANDIDATE, self.has_majority(server))
        server.role = Role.LEADER

    @rule
    def restart(self, server: Voter) -> None:
        """A server restarts as a follower."""
        require(server.role != Role.FOLLOWER or server.voted_for != Nothing)
        within(self.restarted, self.bounds.restarts)
        self.restarted += 1
        server.role = Role.FOLLOWER
        server.granted.clear()
        if not self.options.remembers:
            server.voted_for = Nothing


@always(witness="leader-is-elected")
def one_leader_in_a_term(state: RaftElection, server: Voter) -> bool:
    """Two servers are never leaders of the same term."""
    when(server.role == Role.LEADER)
    return all(
        other.role != Role.LEADER or other.term != server.term
        for other in state.servers
        if other != server
    )


@reachable
def leader_is_elected(state: RaftElection) -> bool:
    """A leader can be elected."""
    return any(server.role == Role.LEADER for server in state.servers)


PROTOCOLS = (RaftElection,)
PROPERTIES = (one_leader_in_a_term, leader_is_elected)
