"""Animals of the zoo that others have counted: specifications of the TLA+ examples, run by TLC.

github.com/tlaplus/Examples records, for each model, TLC's distinct states, its generated states
(`totalStates`: transitions and initial states) and the depth (`stateDepth`: one more than ours).
"""

import enum
from collections.abc import Mapping, Sequence

from finale.model.rules import (
    WEAK,
    AnyOf,
    Bool,
    Entity,
    Enum,
    Protocol,
    Range,
    Ref,
    Setting,
    always,
    define,
    field,
    leads_to,
    require,
    rule,
    when,
)
from tests.zoo.animal import Animal

# --- DieHard: Lamport's puzzle of the two jugs ---------------------------------------------------


class Jugs(Protocol):
    """A jug of five gallons and one of three; four gallons are wanted."""

    big = field(Range(0, 5), 0)
    small = field(Range(0, 3), 0)

    @rule
    def fill_small(self) -> None:
        """The small jug is filled from the faucet."""
        self.small = 3

    @rule
    def fill_big(self) -> None:
        """The big jug is filled from the faucet."""
        self.big = 5

    @rule
    def empty_small(self) -> None:
        """The small jug is emptied."""
        self.small = 0

    @rule
    def empty_big(self) -> None:
        """The big jug is emptied."""
        self.big = 0

    @rule
    def small_to_big(self) -> None:
        """The small jug is poured into the big one, as far as it takes it."""
        both = self.big + self.small
        self.big = both if both <= 5 else 5
        self.small = 0 if both <= 5 else both - 5

    @rule
    def big_to_small(self) -> None:
        """The big jug is poured into the small one, as far as it takes it."""
        both = self.big + self.small
        self.small = both if both <= 3 else 3
        self.big = 0 if both <= 3 else both - 3


@always
def is_not_solved(jugs: Jugs) -> bool:
    """The big jug does not hold four gallons: the heroes live, after six steps."""
    when(jugs.small >= 0)
    return jugs.big != 4


# TLC: 16 distinct states, 97 generated, depth 8. Each of six actions is always enabled: 16 x 6.
DIE_HARD = Animal(
    Jugs,
    states=16,
    transitions=96,
    depth=7,
    families=(is_not_solved,),
    expected={"is-not-solved": "violated 6"},
)

# --- EWD 840: Dijkstra's termination detection on a ring ------------------------------------------


class Machine(Entity):
    """A node of the ring: it computes or does not; it is black when it has woken a later one."""

    active = field(Bool, AnyOf((False, True)))
    black = field(Bool, AnyOf((False, True)))


class Termination(Protocol):
    """EWD840.tla with N = 3."""

    holder = field(Ref(Machine), lambda self: AnyOf(self.ring))
    token_black = field(Bool, True)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.ring = tuple(Machine(str(number)) for number in range(3))

    def entities(self) -> Sequence[Entity]:
        return self.ring

    @rule(fair=WEAK)
    def initiate_probe(self) -> None:
        """Node 0 passes a white token to the last node and becomes white."""
        first, last = self.ring[0], self.ring[-1]
        require(self.holder == first, self.token_black or first.black)
        self.holder = last
        self.token_black = False
        first.black = False

    @rule(fair=WEAK)
    def pass_token(self, node: Machine) -> None:
        """Another node passes the token on, stained if the node is black, and becomes white."""
        require(node != self.ring[0], self.holder == node)
        require(not node.active or node.black or self.token_black)
        self.holder = self.ring[self.ring.index(node) - 1]
        if node.black:
            self.token_black = True
        node.black = False

    @rule
    def send(self, node: Machine, to: Machine) -> None:
        """An active node wakes another; it becomes black if that is a later one."""
        require(node != to, node.active)
        to.active = True
        if node < to:
            node.black = True

    @rule
    def deactivate(self, node: Machine) -> None:
        """An active node stops."""
        require(node.active)
        node.active = False

    @define
    def terminated(self) -> bool:
        """All nodes have stopped."""
        return all(not node.active for node in self.ring)

    @define
    def detected(self) -> bool:
        """Node 0 knows it."""
        first = self.ring[0]
        white = not self.token_black and not first.black
        return self.holder == first and white and not first.active

    @define
    def terminal(self) -> bool:
        """Whether termination is detected, or a node computes, which it may do for ever."""
        return not self.terminated() or self.detected()


@always
def detection_is_right(ring: Termination) -> bool:
    """TerminationDetection: where it is detected, all have stopped."""
    when(ring.detected())
    return ring.terminated()


@leads_to
def termination_is_detected(ring: Termination) -> bool:
    """Liveness: when all have stopped, that is detected."""
    when(ring.terminated())
    return ring.detected()


# TLC: 302 distinct states, 2001 generated: 192 initial (2³ x 2³ x 3) and 1809 by steps, where it
# generates a state once for each alternative of a guard that is true (`~active[i] or …`): 184 times
# more than there are steps (`alternatives`; a test adds them up). Its depth, 10, was recorded with
# several workers, which do not keep to breadth-first order; the concrete search says 8 + 1, too.
EWD_840 = Animal(
    Termination,
    states=302,
    transitions=2001 - 192 - 184,
    depth=8,
    families=(detection_is_right, termination_is_detected),
)


def alternatives(values: Mapping[str, object], rule: str) -> int:
    """How many alternatives of a rule's guard are true in a state where it is enabled."""
    if rule not in ("initiate_probe", "pass_token"):
        return 1
    node = values["holder"]
    true = [bool(values["token_black"]), bool(values[f"{node}.black"])]
    if rule == "pass_token":
        true.append(not values[f"{node}.active"])
    return sum(true)


# --- Dining philosophers, as Chandy and Misra let them --------------------------------------------


class At(enum.Enum):
    """Where a philosopher's process is: the labels of the PlusCal algorithm."""

    LOOP = 0
    EAT = 1
    THINK = 2


class Philosopher(Entity):
    """Sits between two forks."""

    hungry = field(Bool, True)
    at = field(Enum(At), At.LOOP)

    left: "Fork"
    right: "Fork"


class Fork(Entity):
    """Held by one of the two beside it."""

    holder = field(Ref(Philosopher), lambda fork: fork.first)
    clean = field(Bool, False)

    first: Philosopher


class Dining(Protocol):
    """DiningPhilosophers.tla with NP = 5."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.guests = tuple(Philosopher(f"guest {number}") for number in range(1, 6))
        self.forks = tuple(Fork(f"fork {number}") for number in range(1, 6))
        for number, guest in enumerate(self.guests):
            guest.left = self.forks[number]
            guest.right = self.forks[(number + 1) % 5]
            # Each fork is with the lower numbered of its two philosophers, but fork 1 with guest 1.
            self.forks[number].first = self.guests[0 if number == 1 else number]

    def entities(self) -> Sequence[Entity]:
        return (*self.guests, *self.forks)

    @define
    def can_eat(self, guest: Philosopher) -> bool:
        """Both forks are here, and clean."""
        forks = (guest.left, guest.right)
        return all(fork.holder == guest and fork.clean for fork in forks)

    @rule(fair=WEAK)
    def act(self, guest: Philosopher) -> None:
        """A philosopher's process takes its next step."""
        index = self.guests.index(guest)
        if guest.at == At.LOOP:
            may_eat = self.can_eat(guest)
            if guest.left.holder == guest and not guest.left.clean:
                guest.left.holder = self.guests[index - 1]
                guest.left.clean = True
            elif guest.right.holder == guest and not guest.right.clean:
                guest.right.holder = self.guests[(index + 1) % 5]
                guest.right.clean = True
            hungry = At.EAT if may_eat else At.LOOP
            guest.at = hungry if guest.hungry else At.THINK
        elif guest.at == At.EAT:
            guest.hungry = False
            guest.left.clean = False
            guest.right.clean = False
            guest.at = At.LOOP
        else:
            guest.hungry = True
            guest.at = At.LOOP


@always
def neighbours_do_not_eat_together(dining: Dining, guest: Philosopher) -> bool:
    """ExclusiveAccess: of two who share a fork one eats at a time."""
    when(guest.at == At.EAT)
    return all(
        other.at != At.EAT
        for other in dining.guests
        if other != guest and (other.left == guest.right or other.right == guest.left)
    )


@leads_to
def nobody_starves(dining: Dining, guest: Philosopher) -> bool:
    """NobodyStarves: again and again each is not hungry."""
    when(guest.hungry)
    return not guest.hungry


# TLC: 67 distinct states, 336 generated, depth 29. Each of five always has one step: 67 x 5 = 335.
DINING = Animal(
    Dining,
    states=67,
    transitions=335,
    depth=28,
    families=(neighbours_do_not_eat_together, nobody_starves),
)

CLASSICS = (DIE_HARD, EWD_840, DINING)
