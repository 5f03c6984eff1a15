"""Animals of the zoo that tell weak from strong fairness, and what a bound has a part in."""

from collections.abc import Sequence
from dataclasses import dataclass

from finale.model.rules import (
    STRONG,
    UNFAIR,
    WEAK,
    Bool,
    Entity,
    Protocol,
    Range,
    Setting,
    define,
    eventually,
    field,
    leads_to,
    require,
    rule,
    when,
    within,
)
from tests.zoo.animal import Animal


class Lazy(Protocol):
    """Nothing is promised: it may stay where it is, though it could go on."""

    number = field(Range(0, 1), 0)

    @rule
    def tick(self) -> None:
        """On to one."""
        require(self.number == 0)
        self.number = 1

    @define
    def terminal(self) -> bool:
        return self.number == 1


@eventually
def lazy_moves(lazy: Lazy) -> bool:
    """It moves: it need not."""
    return lazy.number == 1


LAZY = Animal(
    Lazy,
    states=2,
    transitions=1,
    depth=1,
    families=(lazy_moves,),
    expected={"lazy-moves": "violated 0"},
)


class Room(Protocol):
    """A light goes on and off; who is in the room may leave while it is on."""

    light = field(Bool, False)
    left = field(Bool, False)

    @define
    def terminal(self) -> bool:
        return self.left

    @rule(fair=WEAK)
    def switch(self) -> None:
        """The light is switched."""
        require(not self.left)
        self.light = not self.light

    @rule(fair=WEAK)
    def leave(self) -> None:
        """Who is in leaves."""
        require(self.light, not self.left)
        self.left = True


class PatientRoom(Room):
    """The same, and who again and again could leave does."""

    @rule(fair=STRONG)
    def leave(self) -> None:
        """Who is in leaves."""
        require(self.light, not self.left)
        self.left = True


@eventually
def leaves(room: Room) -> bool:
    """The room is left."""
    return room.left


@leads_to
def light_leads_out(room: Room) -> bool:
    """After the light is on, the room is left."""
    when(room.light)
    return room.left


@leads_to
def light_goes_off(room: Room) -> bool:
    """A light that is on goes off: not where who leaves leaves it on."""
    when(room.light)
    return not room.light


# (off, in) ⇄ (on, in) → (on, left), where nothing happens any more. In the loop leaving is not
# enabled while the light is off, so weak fairness does not help; strong fairness does. The light is
# on after one step.
ROOM = Animal(
    Room,
    states=3,
    transitions=3,
    depth=2,
    families=(leaves, light_leads_out, light_goes_off),
    expected={
        "leaves": "violated 0",
        "light-leads-out": "violated 1",
        "light-goes-off": "violated 2",
    },
)
PATIENT_ROOM = Animal(
    PatientRoom, states=3, transitions=3, depth=2, families=(leaves, light_leads_out)
)


@dataclass(frozen=True)
class NoBounds:
    """A bound that forbids its rule altogether."""

    exits: int = 0


class BoundedRoom(Room):
    """Leaving is bounded, and the bound is used up."""

    Bounds = NoBounds
    bounds: NoBounds

    @rule(fair=WEAK)
    def leave(self) -> None:
        """Who is in leaves."""
        require(self.light, not self.left)
        within(0, self.bounds.exits)
        self.left = True


class BoundedPatientRoom(BoundedRoom):
    """The same with a strong promise."""

    @rule(fair=STRONG)
    def leave(self) -> None:
        """Who is in leaves."""
        require(self.light, not self.left)
        within(0, self.bounds.exits)
        self.left = True


class BoundedDarkRoom(BoundedRoom):
    """Leaving is bounded only, not tied to the light."""

    @rule(fair=WEAK)
    def leave(self) -> None:
        """Who is in leaves."""
        require(not self.left)
        within(0, self.bounds.exits)
        self.left = True


class BoundedVisit(BoundedRoom):
    """Leaving is bounded and was never promised."""

    @rule(fair=UNFAIR)
    def leave(self) -> None:
        """Who is in leaves."""
        require(not self.left)
        within(0, self.bounds.exits)
        self.left = True


# (off, in) ⇄ (on, in). Without the bound the weak promise would be kept by being off again and
# again: violated with or without the bound. A strong promise would have to be kept but for the
# bound, as would a weak one that the light does not interrupt: unknown. No promise, no matter.
BOUNDED_ROOM = Animal(
    BoundedRoom,
    states=2,
    transitions=2,
    depth=1,
    families=(leaves,),
    expected={"leaves": "violated 0"},
)
BOUNDED_PATIENT_ROOM = Animal(
    BoundedPatientRoom,
    states=2,
    transitions=2,
    depth=1,
    families=(leaves,),
    expected={"leaves": "unknown 0"},
)
BOUNDED_DARK_ROOM = Animal(
    BoundedDarkRoom,
    states=2,
    transitions=2,
    depth=1,
    families=(leaves,),
    expected={"leaves": "unknown 0"},
)
BOUNDED_VISIT = Animal(
    BoundedVisit,
    states=2,
    transitions=2,
    depth=1,
    families=(leaves,),
    expected={"leaves": "violated 0"},
)


@dataclass(frozen=True)
class TickBounds:
    """How far the clock is followed."""

    ticks: int = 2


class Clock(Protocol):
    """Ticks for ever, but is followed only so far."""

    Bounds = TickBounds
    bounds: TickBounds
    number = field(Range(0, 3), 0)

    @rule(fair=WEAK)
    def tick(self) -> None:
        """One more."""
        within(self.number, self.bounds.ticks)
        self.number += 1


@eventually
def strikes_three(clock: Clock) -> bool:
    """It strikes three: the bound forbids to see it."""
    return clock.number == 3


@eventually
def strikes_two(clock: Clock) -> bool:
    """It strikes two."""
    return clock.number == 2


# 0 → 1 → 2, where only the bound blocks: neither a deadlock nor an end.
CLOCK = Animal(
    Clock,
    states=3,
    transitions=2,
    depth=2,
    families=(strikes_three, strikes_two),
    expected={"strikes-three": "unknown 2"},
)


class Worker(Entity):
    """Works well or not."""


class Stages(Protocol):
    """Work with two stages to and fro, and an end."""

    stage = field(Range(0, 2), 0)

    @define
    def terminal(self) -> bool:
        return self.stage == 2


class Work(Stages):
    """Two who work: the first goes to and fro, only the second gets it done."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.workers = (Worker("idler"), Worker("doer"))

    def entities(self) -> Sequence[Entity]:
        return self.workers

    @rule(fair=WEAK)
    def work(self, worker: Worker) -> None:
        """A worker works."""
        require(self.stage != 2)
        self.stage = 1 - self.stage if worker == self.workers[0] else 2


class MoodyWork(Stages):
    """One who works well or not, by choice."""

    @rule(fair=WEAK)
    def work(self, well: bool) -> None:
        """The worker works, well or not."""
        require(self.stage != 2)
        self.stage = 2 if well else 1 - self.stage


@eventually
def gets_done(work: Stages) -> bool:
    """The work gets done."""
    return work.stage == 2


# 0 ⇄ 1, and 2 from both: 4 steps. Each worker is promised a turn, so the doer gets one; of a choice
# it is only promised that something is chosen, for ever the wrong thing, if it pleases.
WORK = Animal(Work, states=3, transitions=4, depth=1, families=(gets_done,))
MOODY_WORK = Animal(
    MoodyWork,
    states=3,
    transitions=4,
    depth=1,
    families=(gets_done,),
    expected={"gets-done": "violated 0"},
)


class Lasso(Protocol):
    """Two steps in, then round and round three places."""

    place = field(Range(0, 5), 0)

    @rule(fair=WEAK)
    def walk(self) -> None:
        """On to the next place, from 4 back to 2."""
        self.place = self.place + 1 if self.place < 4 else 2


@eventually
def arrives(lasso: Lasso) -> bool:
    """It comes to place 5: never."""
    return lasso.place == 5


@leads_to
def returns(lasso: Lasso) -> bool:
    """From 3 it comes back to 1: never; its loop starts where it began to wait."""
    when(lasso.place == 3)
    return lasso.place == 1


@leads_to
def moves_on(lasso: Lasso) -> bool:
    """It does not stay at 3. What the cause says must not be taken for known where the goal is."""
    when(lasso.place == 3)
    return not lasso.place == 3  # noqa: SIM201 - `not` asks for the truth value at once


@leads_to
def goes_round(lasso: Lasso) -> bool:
    """From 3 it comes back to 2."""
    when(lasso.place == 3)
    return lasso.place == 2


LASSO = Animal(
    Lasso,
    states=5,
    transitions=5,
    depth=4,
    families=(arrives, returns, moves_on, goes_round),
    expected={"arrives": "violated 2", "returns": "violated 3"},
)

FAIRNESS = (
    LAZY,
    ROOM,
    PATIENT_ROOM,
    BOUNDED_ROOM,
    BOUNDED_PATIENT_ROOM,
    BOUNDED_DARK_ROOM,
    BOUNDED_VISIT,
    CLOCK,
    WORK,
    MOODY_WORK,
    LASSO,
)
