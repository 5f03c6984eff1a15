"""Small protocols with entities that are, or are not, interchangeable."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Annotated

from finale.model.rules import (
    EMPTY,
    Bool,
    Entity,
    Enum,
    Nothing,
    Option,
    PerEntity,
    Protocol,
    Queue,
    Range,
    Ref,
    Set,
    Setting,
    always,
    before,
    field,
    leads_to,
    on_step,
    reachable,
    require,
    rule,
    when,
)


class Phase(enum.Enum):
    """Where a customer is."""

    AWAY = "away"
    WAITING = "waiting"
    SERVED = "served"


class Customer(Entity):
    """Somebody who waits for a turn."""

    phase = field(Enum(Phase), Phase.AWAY)


class Counter(Protocol):
    """Customers wait in a queue; who is served, who was last and who has paid is kept apart."""

    queue = field(Queue(Ref(Customer), 3), ())
    last = field(Option(Ref(Customer)), Nothing)
    paid = field(Set(Ref(Customer)), EMPTY)
    visits = field(PerEntity(Customer, Range(0, 1)), 0)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.customers = tuple(Customer(f"c{i}") for i in range(3))

    def entities(self) -> Sequence[Entity]:
        return self.customers

    @rule
    def come(self, customer: Customer) -> None:
        """A customer joins the queue."""
        require(customer.phase == Phase.AWAY, self.visits[customer] == 0)
        require(self.queue.has_space)
        customer.phase = Phase.WAITING
        self.visits[customer] = 1
        self.queue.put(customer)

    @rule
    def serve(self) -> None:
        """The first in the queue is served."""
        require(not self.queue.is_empty)
        customer = self.queue.take()
        customer.phase = Phase.SERVED
        self.last = customer

    @rule
    def pay(self, customer: Customer) -> None:
        """A customer who was served pays."""
        require(customer.phase == Phase.SERVED, not self.paid.has(customer))
        self.paid.add(customer)


class Unruly(Counter):
    """A customer may pay who waits, and another one be served again."""

    @rule
    def pay(self, customer: Customer) -> None:
        """A customer pays at any time."""
        require(customer.phase != Phase.AWAY, not self.paid.has(customer))
        self.paid.add(customer)


@always
def pays_when_served(state: Counter, customer: Customer) -> bool:
    """Who has paid was served."""
    when(state.paid.has(customer))
    return customer.phase == Phase.SERVED


@on_step
def last_pays_last(state: Counter, customer: Customer) -> bool:
    """Nobody else is served once the one who was served last has paid."""
    when(before(lambda: state.last == customer and state.paid.has(customer)))
    return state.last == customer


@reachable
def all_have_paid(state: Counter) -> bool:
    """All have paid."""
    return all(state.paid.has(customer) for customer in state.customers)


@always
def first_comes_first(state: Counter) -> bool:
    """The last customer never pays before the first one has come."""
    when(state.paid.has(state.customers[2]))
    return state.customers[0].phase != Phase.AWAY


@leads_to
def waiting_is_served(state: Counter, customer: Customer) -> bool:
    """Who waits is served."""
    when(customer.phase == Phase.WAITING)
    return customer.phase == Phase.SERVED


# --- who names whom ------------------------------------------------------------------------------


class Person(Entity):
    """Somebody who may be known."""


class Friend(Person):
    """Somebody who knows at most one."""

    knows = field(Option(Ref(Person)), Nothing)


class Friends(Protocol):
    """Each gets to know another, or himself."""

    count = 3

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.friends = tuple(Friend(f"f{i}") for i in range(self.count))

    def entities(self) -> Sequence[Entity]:
        return self.friends

    @rule
    def meet(self, one: Friend, other: Friend) -> None:
        """One gets to know another."""
        require(one.knows == Nothing)
        one.knows = other


class TwoFriends(Friends):
    """Of two, who knows the other is told by that."""

    count = 2


# --- where nothing but names changes -------------------------------------------------------------


class Player(Entity):
    """Somebody who may have the ball."""

    has_ball = field(Bool, False)


class Ball(Protocol):
    """A ball is passed on for ever: all states are alike, and none is an end."""

    first = field(Bool, True)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.players = tuple(Player(f"p{i}") for i in range(3))

    def entities(self) -> Sequence[Entity]:
        return self.players

    @rule
    def throw_in(self, player: Player) -> None:
        """Somebody gets the ball first."""
        require(self.first)
        self.first = False
        player.has_ball = True

    @rule
    def give(self, one: Player, other: Player) -> None:
        """The ball is given to another player."""
        require(one.has_ball, one != other)
        one.has_ball = False
        other.has_ball = True


class Dropped(Ball):
    """The ball is kept: that is an end."""

    @rule
    def give(self, one: Player, other: Player) -> None:
        """The ball is given to oneself."""
        require(one.has_ball, one == other)
        other.has_ball = True


class MarkedPlayer(Player):
    """Somebody with a mark that no rule reads."""

    mark = field(Bool, True)


class Marked(Dropped):
    """Players have marks."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.players = tuple(MarkedPlayer(f"p{i}") for i in range(3))


@always
def second_is_marked(ball: Marked) -> bool:
    """The second player has his mark: nobody asks for those of the others."""
    when(not ball.first)
    second = ball.players[1]
    assert isinstance(second, MarkedPlayer)
    return second.mark


# --- where the order shows -----------------------------------------------------------------------


class Ranked(Ball):
    """Only to a later player: who is who shows."""

    @rule
    def give(self, one: Player, other: Player) -> None:
        """The ball is given to a later player."""
        require(one.has_ball, one < other)
        one.has_ball = False
        other.has_ball = True


@always
def first_has_it_first(ball: Ball) -> bool:
    """The second player never has the ball."""
    when(not ball.first)
    return not ball.players[1].has_ball


class Favoured(Ball):
    """Only the first player ever gets the ball."""

    @rule
    def throw_in(self, player: Player) -> None:
        """The favourite gets the ball."""
        require(self.first, player == self.players[0])
        self.first = False
        player.has_ball = True

    @rule
    def give(self, one: Player, other: Player) -> None:
        """The favourite gives it to nobody else."""
        require(one.has_ball, one == other)
        other.has_ball = True


class Kept(Ball):
    """One player may take the ball, and no binding says so."""

    @rule
    def take(self) -> None:
        """The favourite takes the ball."""
        require(self.first)
        self.players[0].has_ball = True


class Shy(Ball):
    """One player throws in later than the others."""

    @rule
    def throw_in(self, player: Player) -> None:
        """The shy one gets the ball once another one has had it."""
        require(self.first == (player != self.players[1]))
        self.first = False
        player.has_ball = True


class Begun(Ball):
    """The first player is another one than the rest from the beginning."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.favourite = self.players[0]

    @rule
    def throw_in(self, player: Player) -> None:
        """The favourite gets the ball first."""
        require(self.first, player == self.favourite)
        self.first = False
        player.has_ball = True


# --- where the order would show if two had the ball ----------------------------------------------


class FirstDrops(Ball):
    """The first player with the ball drops it. With two balls the order would show."""

    @rule
    def drop(self) -> None:
        """Who has the ball drops it."""
        require(not self.first)
        for player in self.players:
            if player.has_ball:
                player.has_ball = False
                break
        self.first = True


class SecondBall(FirstDrops):
    """After many turns there is a second ball."""

    turns = field(Range(0, 40), 0)

    @rule
    def give(self, one: Player, other: Player) -> None:
        """The ball is given to another player, which is a turn."""
        require(self.turns < 40)
        super().give(one, other)
        self.turns += 1

    @rule
    def bring(self, player: Player) -> None:
        """A player brings another ball."""
        require(self.turns == 40)
        player.has_ball = True


# --- where a reset would show who is who ---------------------------------------------------------


class Work(enum.Enum):
    """What a worker does."""

    IDLE = "idle"
    BUSY = "busy"


class Worker(Entity):
    """Somebody who notes whether he may be disturbed: whoever is idle may."""

    work = field(Enum(Work), Work.IDLE)
    note = field(Bool, True)


class Workers(Protocol):
    """All ends as soon as both are idle, and one of them noted it: both always have."""

    over = field(Bool, False)
    asked = 0

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.workers = tuple(Worker(f"w{i}") for i in range(2))

    def entities(self) -> Sequence[Entity]:
        return self.workers

    @rule
    def start(self, worker: Worker) -> None:
        """A worker begins."""
        require(not self.over, worker.work == Work.IDLE)
        worker.work = Work.BUSY
        worker.note = True

    @rule
    def change(self, worker: Worker) -> None:
        """A busy worker does not want to be disturbed."""
        require(not self.over, worker.work == Work.BUSY)
        worker.note = False

    @rule
    def stop(self, worker: Worker) -> None:
        """A worker is idle, and notes it."""
        require(not self.over, worker.work == Work.BUSY)
        worker.work = Work.IDLE
        worker.note = True

    @rule
    def finish(self) -> None:
        """Both are idle, and one of them may be disturbed."""
        one = self.workers[self.asked]
        require(not self.over, one.work == Work.BUSY or one.note)
        require(all(worker.work == Work.IDLE for worker in self.workers))
        self.over = True


class OtherWorkers(Workers):
    """The other one is asked."""

    asked = 1


@reachable
def ends(workers: Workers) -> bool:
    """All is over."""
    return workers.over


# --- dead variables ------------------------------------------------------------------------------


class Mode(enum.Enum):
    """Which of the two phases it is in."""

    LOADING = "loading"
    SENDING = "sending"
    OVER = "over"


class Machine(Protocol):
    """What was loaded is sent; in between, what the register holds does not matter."""

    mode = field(Enum(Mode), Mode.LOADING)
    register = field(Range(0, 3), 0)
    sent = field(Range(0, 3), 0)

    @rule
    def load(self, value: Annotated[int, Range(1, 3)]) -> None:
        """A value is loaded."""
        require(self.mode == Mode.LOADING)
        self.register = value
        self.mode = Mode.SENDING

    @rule
    def send(self) -> None:
        """It is sent."""
        require(self.mode == Mode.SENDING)
        self.sent = self.register
        self.mode = Mode.OVER

    @rule
    def rest(self) -> None:
        """It is forgotten, and another value may be loaded."""
        require(self.mode == Mode.OVER)
        self.sent = 0
        self.mode = Mode.LOADING


class Scribbling(Machine):
    """While nothing is to be sent, the register takes any value: a step that nobody can see."""

    @rule
    def scribble(self, value: Annotated[int, Range(1, 2)]) -> None:
        """The register takes a value."""
        require(self.mode == Mode.OVER)
        self.register = value

    @rule
    def rest(self) -> None:
        """It never goes on."""
        require(self.mode == Mode.OVER, self.sent == 0)
        self.sent = 0
        self.mode = Mode.LOADING


@always
def sends_what_is_loaded(machine: Machine) -> bool:
    """What was sent is still in the register: this reads it where nobody else does."""
    when(machine.mode == Mode.OVER)
    return machine.sent == machine.register


class Passing(Machine):
    """What was loaded is passed on without a look at it."""

    @rule
    def send(self) -> None:
        """It is passed on."""
        require(self.mode == Mode.SENDING)
        self.mode = Mode.OVER

    @rule
    def rest(self) -> None:
        """It is forgotten, and another value may be loaded."""
        require(self.mode == Mode.OVER)
        self.register = 0
        self.mode = Mode.LOADING


@on_step
def never_passes_three(machine: Machine) -> bool:
    """When it is over, the register did not hold three before."""
    when(before(lambda: machine.mode == Mode.SENDING) and machine.mode == Mode.OVER)
    return before(lambda: machine.register) != 3


@on_step
def never_has_passed_three(machine: Machine) -> bool:
    """When it is over, the register does not hold three."""
    when(before(lambda: machine.mode == Mode.SENDING) and machine.mode == Mode.OVER)
    return machine.register != 3


@always
def never_sends_three(machine: Machine) -> bool:
    """Three is never sent."""
    when(machine.mode == Mode.OVER)
    return machine.sent != 3


class Value(Entity):
    """A value that nodes can decide on."""


class Node(Entity):
    """A node with votes and a decision."""

    decision = field(Option(Ref(Value)), Nothing)
    votes = field(Set(Ref(Value)), EMPTY)


class Ballot(Protocol):
    """Each node decides for one of the values that it has voted for."""

    key = "ballot"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.values = tuple(Value(f"v{number}") for number in range(3))
        self.node = Node("n")

    def entities(self) -> Sequence[Entity]:
        return (*self.values, self.node)

    @rule
    def vote(self, value: Value) -> None:
        """The node votes for a value."""
        require(not self.node.votes.has(value))
        self.node.votes.add(value)

    @rule
    def decide(self, value: Value) -> None:
        """The node decides for a value that it has voted for."""
        require(self.node.decision == Nothing, self.node.votes.has(value))
        self.node.decision = value


@on_step
def decision_stays(state: Ballot) -> bool:
    """A decision is kept: the claim is simplified by what the antecedent says."""
    when(before(lambda: state.node.decision != Nothing))
    return state.node.decision == before(lambda: state.node.decision)


@on_step
def decision_never_comes(state: Ballot) -> bool:
    """No step decides."""
    return state.node.decision == before(lambda: state.node.decision)


@on_step
def first_value_is_not_chosen(state: Ballot) -> bool:
    """The first value is never decided for."""
    when(before(lambda: state.node.decision == Nothing))
    return state.node.decision != state.values[0]
