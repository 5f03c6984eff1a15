"""A ping that may get lost, and a pong that answers it: a protocol for trying the command line."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from finale.rules import (
    WEAK,
    Bool,
    Bound,
    Entity,
    Enum,
    Protocol,
    Queue,
    Range,
    Record,
    Setting,
    Union,
    always,
    before,
    eventually,
    field,
    leads_to,
    on_step,
    part,
    reachable,
    require,
    rule,
    when,
    within,
)


class Status(enum.Enum):
    """The life cycle of a peer."""

    IDLE = "idle"
    WAITING = "waiting"
    DONE = "done"


class Answer(enum.Enum):
    """What a peer does with a ping."""

    ALWAYS = "always"
    MAYBE_LATER = "maybe-later"


class Ping(Record):
    """A question, with its number."""

    number: int = part(Range(1, Bound("pings")))


class Pong(Record):
    """An answer."""

    last: bool = part(Bool)


class Peer(Entity):
    """One of the two."""

    status = field(Enum(Status), Status.IDLE)
    answers = field(Range(0, Bound("pings")), 0, ghost="answers")


class Wire(Entity):
    """A channel."""

    queue = field(Queue(Union(Ping, Pong), Bound("room")), ())


@dataclass(frozen=True)
class Options:
    """How the peers behave."""

    answer: Answer = Answer.ALWAYS
    """What the second peer does with a ping."""
    lossy: bool = False
    #: How a ping is repeated.
    repeat: Literal["never", "once"] = "never"
    patience: int = 1


@dataclass(frozen=True)
class Bounds:
    """How much is explored."""

    pings: int = 2
    room: int = 1
    losses: int = 0


class PingPong(Protocol):
    """Two peers and two wires."""

    key = "ping-pong"
    Options = Options
    Bounds = Bounds
    ghosts = ("answers",)

    sent = field(Range(0, Bound("pings")), 0)
    losses = field(Range(0, Bound("losses")), 0)
    repeated = field(Bool, False)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.asker, self.answerer = Peer("A"), Peer("B")
        self.out, self.back = Wire("A→B"), Wire("B→A")

    def entities(self) -> Sequence[Entity]:
        return (self.asker, self.answerer, self.out, self.back)

    def terminal(self) -> bool:
        return self.asker.status == Status.DONE

    @rule(fair=WEAK)
    def ask(self) -> None:
        """PP-1: an idle peer sends a ping and waits."""
        require(self.asker.status == Status.IDLE, self.out.queue.has_space)
        within(self.sent, self.bounds.pings)
        if self.losses > 0:
            self.repeated = True
        self.sent += 1
        self.out.queue.put(Ping(self.sent))
        self.asker.status = Status.WAITING

    @rule
    def lose(self) -> None:
        """PP-2: a ping gets lost."""
        require(self.options.lossy, not self.out.queue.is_empty)
        within(self.losses, self.bounds.losses)
        self.losses += 1
        self.out.queue.take()

    @rule(fair=WEAK)
    def answer(self, last: bool) -> None:
        """PP-3: the other peer answers, and says whether that was its last answer."""
        require(not self.out.queue.is_empty, self.back.queue.has_space)
        self.out.queue.take()
        self.reply(last)

    def reply(self, last: bool) -> None:
        """Put the answer on the wire."""
        self.back.queue.put(Pong(last))
        if self.observes("answers"):
            self.answerer.answers += 1

    @rule(fair=WEAK)
    def receive(self) -> None:
        """PP-4: the answer arrives; after the last one the peer is done."""
        require(not self.back.queue.is_empty)
        pong = self.back.queue.take()
        self.asker.status = Status.DONE if pong.last else Status.IDLE


class AnswersTwice(PingPong):
    """The answer is put on the wire twice, whether it has room or not."""

    must_fall: ClassVar[str] = "well-formed"

    def reply(self, last: bool) -> None:
        super().reply(last)
        self.back.queue.put(Pong(last))


class Forgets(PingPong):
    """A peer that has an answer goes on waiting."""

    must_fall: ClassVar[str] = "no-deadlock"

    @rule(fair=WEAK)
    def receive(self) -> None:
        """PP-4: the answer arrives and is forgotten."""
        require(not self.back.queue.is_empty)
        self.back.queue.take()


class AsksAgain(PingPong):
    """A ping is sent, and taken back, over and over."""

    must_fall: ClassVar[str] = "ends"

    @rule
    def take_back(self) -> None:
        """PP-5: the peer takes its ping back."""
        require(not self.out.queue.is_empty)
        self.out.queue.take()
        self.asker.status = Status.IDLE
        self.sent = self.sent - 1


@always
def one_at_a_time(state: PingPong) -> bool:
    """A ping and a pong are never under way together."""
    when(not state.out.queue.is_empty)
    return state.back.queue.is_empty


@always
def never_done(state: PingPong) -> bool:
    """Nobody is ever done."""
    when(state.sent > 0)
    return state.asker.status != Status.DONE


@on_step
def counts_up(state: PingPong) -> bool:
    """The number of pings never goes down."""
    return state.sent >= before(lambda: state.sent)


@leads_to
def answered(state: PingPong) -> bool:
    """Whoever waits is answered."""
    when(state.asker.status == Status.WAITING)
    return state.asker.status != Status.WAITING


@eventually
def ends(state: PingPong) -> bool:
    """The peer is done some day."""
    return state.asker.status == Status.DONE


@reachable
def two_pings(state: PingPong) -> bool:
    """A second ping is sent."""
    return state.sent == 2


@always(needs="answers")
def few_answers(state: PingPong) -> bool:
    """There are never more answers than pings."""
    when(state.sent > 0)
    return state.answerer.answers <= state.sent


PROTOCOLS = (PingPong,)
VARIANTS = {"answers-twice": AnswersTwice, "forgets": Forgets, "asks-again": AsksAgain}
PROPERTIES = (one_at_a_time, never_done, counts_up, answered, ends, two_pings, few_answers)
