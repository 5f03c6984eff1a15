"""Two- and three-phase commit when the coordinator may crash (Skeen 1981).

With two phases a participant that has voted yes waits forever for a coordinator that is dead. A
third phase lets the participants go on without it: together, they commit if one of them may have
been prepared. If each decides by itself, some commit and others abort.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from finale.rules import (
    WEAK,
    Bool,
    Entity,
    Enum,
    Protocol,
    Setting,
    always,
    define,
    eventually,
    field,
    require,
    rule,
    when,
)


class Status(enum.Enum):
    """Where a participant is."""

    WORKING = 0
    READY = 1
    PREPARED = 2
    COMMITTED = 3
    ABORTED = 4


class Phase(enum.Enum):
    """Where the coordinator is."""

    COLLECTING = 0
    PREPARING = 1
    COMMITTING = 2
    ABORTING = 3


class Member(Entity):
    """A participant, and what is under way to it."""

    status = field(Enum(Status), Status.WORKING)
    prepare_sent = field(Bool, False)
    outcome_sent = field(Bool, False)


@dataclass(frozen=True)
class Options:
    """How many phases there are, and how participants go on alone."""

    #: there is a third phase
    three_phases: bool = True
    #: participants go on without the coordinator, and ask each other what they know
    together: bool = True


@dataclass(frozen=True)
class Sizes:
    """How many take part."""

    #: how many participants there are
    members: int = 2


class PhasedCommit(Protocol):
    """The coordinator is the protocol itself."""

    key = "phased-commit"
    Options = Options
    options: Options
    Sizes = Sizes
    sizes: Sizes

    phase = field(Enum(Phase), Phase.COLLECTING)
    is_alive = field(Bool, True)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.members = tuple(Member(f"m{n + 1}") for n in range(self.sizes.members))

    def entities(self) -> Sequence[Entity]:
        return self.members

    @define
    def has_ended(self, member: Member) -> bool:
        """Whether a participant knows the outcome."""
        return member.status in (Status.COMMITTED, Status.ABORTED)

    @define
    def terminal(self) -> bool:
        return all(self.has_ended(member) for member in self.members)

    @rule
    def crash(self) -> None:
        """The coordinator crashes."""
        require(self.is_alive)
        self.is_alive = False

    @rule(fair=WEAK)
    def vote(self, member: Member, yes: bool) -> None:
        """A participant votes: no is an abort."""
        require(member.status == Status.WORKING)
        member.status = Status.READY if yes else Status.ABORTED

    @rule(fair=WEAK)
    def decide(self) -> None:
        """The coordinator has all votes: it goes on, or aborts."""
        require(self.is_alive, self.phase == Phase.COLLECTING)
        require(all(member.status != Status.WORKING for member in self.members))
        if any(member.status == Status.ABORTED for member in self.members):
            self.phase = Phase.ABORTING
        elif self.options.three_phases:
            self.phase = Phase.PREPARING
        else:
            self.phase = Phase.COMMITTING

    @rule(fair=WEAK)
    def send_prepare(self, member: Member) -> None:
        """The coordinator tells a participant to prepare."""
        require(self.is_alive, self.phase == Phase.PREPARING, not member.prepare_sent)
        member.prepare_sent = True

    @rule(fair=WEAK)
    def prepare(self, member: Member) -> None:
        """A participant prepares."""
        require(member.prepare_sent, member.status == Status.READY)
        member.status = Status.PREPARED

    @rule(fair=WEAK)
    def decide_commit(self) -> None:
        """The coordinator knows all as prepared, and commits."""
        require(self.is_alive, self.phase == Phase.PREPARING)
        require(all(member.status == Status.PREPARED for member in self.members))
        self.phase = Phase.COMMITTING

    @rule(fair=WEAK)
    def send_outcome(self, member: Member) -> None:
        """The coordinator tells a participant the outcome."""
        require(self.is_alive, not member.outcome_sent)
        require(self.phase in (Phase.COMMITTING, Phase.ABORTING))
        member.outcome_sent = True

    @rule(fair=WEAK)
    def learn(self, member: Member) -> None:
        """A participant gets the outcome."""
        require(member.outcome_sent, not self.has_ended(member))
        member.status = Status.COMMITTED if self.phase == Phase.COMMITTING else Status.ABORTED

    @rule(fair=WEAK)
    def go_on_alone(self, member: Member) -> None:
        """Without a coordinator a participant decides: by itself, or with the others."""
        require(self.options.three_phases, not self.is_alive)
        require(not member.outcome_sent, not self.has_ended(member))
        if self.options.together:
            prepared = any(each.prepare_sent for each in self.members)
        else:
            prepared = member.status == Status.PREPARED
        member.status = Status.COMMITTED if prepared else Status.ABORTED


@always
def members_agree(state: PhasedCommit, member: Member) -> bool:
    """If one commits, none aborts."""
    when(member.status == Status.COMMITTED)
    return all(each.status != Status.ABORTED for each in state.members)


@eventually
def members_end(state: PhasedCommit) -> bool:
    """All participants learn the outcome."""
    return state.terminal()


PROTOCOLS = (PhasedCommit,)
PROPERTIES = (members_agree, members_end)
