"""Atomic commitment with failures (Babaoglu and Toueg 1993): two phases, blocking or not.

As in the TLA+ examples (`acp/ACP_SB.tla`, `ACP_NB.tla`): the coordinator asks for votes, decides
and broadcasts; any process may die. With the simple broadcast a participant may wait forever for a
decision (TLC counts 54 944 states for three participants). If participants forward the decision
before they decide, none waits forever (4 284 states for two).
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from finale.rules import (
    WEAK,
    AnyOf,
    Bool,
    Bound,
    Entity,
    Enum,
    PerEntity,
    Protocol,
    Range,
    Setting,
    always,
    before,
    define,
    eventually,
    field,
    on_step,
    require,
    rule,
    when,
)

Number = Annotated[int, Range(1, Bound("participants"))]


class Decision(enum.Enum):
    """What is decided, or sent."""

    NONE = 0
    COMMIT = 1
    ABORT = 2


class Answer(enum.Enum):
    """What the coordinator knows of a vote."""

    WAITING = 0
    YES = 1
    NO = 2


class Act(enum.Enum):
    """What a participant can do."""

    VOTE = 0
    ABORT_ON_VOTE = 1
    ABORT_WITHOUT_REQUEST = 2
    DECIDE = 3
    FORWARD = 4
    LEARN_FROM_OTHER = 5
    LEARN = 6
    ABORT_ON_TIMEOUT = 7


class Part(enum.Enum):
    """What the coordinator can do."""

    REQUEST = 0
    COLLECT = 1
    DETECT = 2
    BROADCAST = 3
    DECIDE = 4


class Participant(Entity):
    """A participant, and what the coordinator has sent it and got from it."""

    votes_yes = field(Bool, AnyOf((False, True)))
    has_voted = field(Bool, False)
    decision = field(Enum(Decision), Decision.NONE)
    is_alive = field(Bool, True)
    is_asked = field(Bool, False)
    answer = field(Enum(Answer), Answer.WAITING)
    sent = field(Enum(Decision), Decision.NONE)


@dataclass(frozen=True)
class Options:
    """How a decision is broadcast."""

    #: participants forward a decision before they decide
    forwards: bool = False


@dataclass(frozen=True)
class Sizes:
    """How many take part."""

    #: how many participants there are
    participants: int = 2


class AtomicCommit(Protocol):
    """A coordinator, which is the protocol itself, asks its participants whether to commit."""

    key = "atomic-commit"
    Options = Options
    options: Options
    Sizes = Sizes
    sizes: Sizes

    decision = field(Enum(Decision), Decision.NONE)
    is_alive = field(Bool, True)
    forwarded = field(PerEntity(Participant, PerEntity(Participant, Enum(Decision))), Decision.NONE)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.everybody = tuple(Participant(f"p{n}") for n in range(self.sizes.participants))

    def entities(self) -> Sequence[Entity]:
        return self.everybody

    @define
    def terminal(self) -> bool:
        return all(each.decision != Decision.NONE or not each.is_alive for each in self.everybody)

    @rule
    def coordinator_dies(self) -> None:
        """The coordinator dies."""
        require(self.is_alive)
        self.is_alive = False

    @rule
    def participant_dies(self, participant: Participant) -> None:
        """A participant dies."""
        require(participant.is_alive)
        participant.is_alive = False

    @rule(fair=WEAK)
    def coordinate(self, part: Part, number: Number) -> None:
        """The coordinator asks, collects votes, detects a failure, decides or broadcasts."""
        require(self.is_alive)
        each = self.everybody[number - 1]
        if part == Part.REQUEST:
            require(not each.is_asked)
            each.is_asked = True
        elif part == Part.BROADCAST:
            require(self.decision != Decision.NONE, each.sent == Decision.NONE)
            each.sent = self.decision
        elif part == Part.DECIDE:
            require(number == 1)
            require(self.decision == Decision.NONE)
            require(all(each.answer != Answer.WAITING for each in self.everybody))
            agreed = all(each.answer == Answer.YES for each in self.everybody)
            self.decision = Decision.COMMIT if agreed else Decision.ABORT
        else:
            require(self.decision == Decision.NONE)
            require(all(each.is_asked for each in self.everybody))
            require(each.answer == Answer.WAITING)
            if part == Part.COLLECT:
                require(each.has_voted)
                each.answer = Answer.YES if each.votes_yes else Answer.NO
            else:
                require(not each.is_alive, not each.has_voted)
                self.decision = Decision.ABORT

    @rule(fair=WEAK)
    def act(self, participant: Participant, act: Act, number: Number) -> None:
        """A participant votes, decides, or forwards what it has learned."""
        require(participant.is_alive)
        other = self.everybody[number - 1]
        alone = act not in (Act.FORWARD, Act.LEARN_FROM_OTHER)
        require(number == 1 if alone else other != participant)
        if act == Act.VOTE:
            require(participant.is_asked)
            participant.has_voted = True
        elif act == Act.ABORT_ON_VOTE:
            require(participant.decision == Decision.NONE)
            require(participant.has_voted, not participant.votes_yes)
            participant.decision = Decision.ABORT
        elif act == Act.ABORT_WITHOUT_REQUEST:
            require(participant.decision == Decision.NONE)
            require(not self.is_alive, not participant.is_asked)
            participant.decision = Decision.ABORT
        elif not self.options.forwards:
            require(act == Act.DECIDE)
            require(participant.decision == Decision.NONE, participant.sent != Decision.NONE)
            participant.decision = participant.sent
        else:
            self.forward_or_decide(participant, act, other)

    def forward_or_decide(self, participant: Participant, act: Act, other: Participant) -> None:
        """What a participant does if decisions are forwarded."""
        mine = self.forwarded[participant]
        if act == Act.FORWARD:
            require(mine[participant] != Decision.NONE, mine[other] == Decision.NONE)
            mine[other] = mine[participant]
        elif act == Act.LEARN_FROM_OTHER:
            require(mine[participant] == Decision.NONE)
            require(self.forwarded[other][participant] != Decision.NONE)
            mine[participant] = self.forwarded[other][participant]
        elif act == Act.LEARN:
            require(mine[participant] == Decision.NONE, participant.sent != Decision.NONE)
            mine[participant] = participant.sent
        elif act == Act.DECIDE:
            require(all(mine[each] != Decision.NONE for each in self.everybody))
            participant.decision = mine[participant]
        else:
            require(participant.decision == Decision.NONE, not self.is_alive)
            require(self.nobody_alive_will_learn())
            participant.decision = Decision.ABORT

    @define
    def nobody_alive_will_learn(self) -> bool:
        """Whether no decision is under way from anybody dead to anybody alive."""
        return all(
            not each.is_alive or each.sent == Decision.NONE for each in self.everybody
        ) and all(
            one.is_alive or not each.is_alive or self.forwarded[one][each] == Decision.NONE
            for one in self.everybody
            for each in self.everybody
        )


@always
def participants_agree(state: AtomicCommit, participant: Participant) -> bool:
    """If one commits, none aborts (AC1)."""
    when(participant.decision == Decision.COMMIT)
    return all(each.decision != Decision.ABORT for each in state.everybody)


@always
def commits_need_all_votes(state: AtomicCommit, participant: Participant) -> bool:
    """If one commits, all have voted yes (AC2)."""
    when(participant.decision == Decision.COMMIT)
    return all(each.votes_yes for each in state.everybody)


@always
def aborts_have_a_reason(state: AtomicCommit, participant: Participant) -> bool:
    """If one aborts, one has voted no, or somebody has failed (AC3)."""
    when(participant.decision == Decision.ABORT)
    return not state.is_alive or any(
        not each.votes_yes or not each.is_alive for each in state.everybody
    )


@always
def aborts_need_a_no(state: AtomicCommit, participant: Participant) -> bool:
    """If one aborts, one has voted no: this is too strong."""
    when(participant.decision == Decision.ABORT)
    return any(not each.votes_yes for each in state.everybody)


@on_step
def decisions_stay(state: AtomicCommit, participant: Participant) -> bool:
    """A decision is never changed (AC4)."""
    when(before(lambda: participant.decision != Decision.NONE))
    return participant.decision == before(lambda: participant.decision)


@eventually
def the_living_decide(state: AtomicCommit) -> bool:
    """Everybody decides or dies (AC5)."""
    return all(each.decision != Decision.NONE or not each.is_alive for each in state.everybody)


PROTOCOLS = (AtomicCommit,)
PROPERTIES = (
    participants_agree,
    commits_need_all_votes,
    aborts_have_a_reason,
    aborts_need_a_no,
    decisions_stay,
    the_living_decide,
)
