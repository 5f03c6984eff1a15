"""Animals of the zoo: numbers, free choices, several initial states; every kind of property."""

import enum
from collections.abc import Sequence

from finale.model.rules import (
    WEAK,
    AnyOf,
    Bool,
    Entity,
    Enum,
    Protocol,
    Range,
    Setting,
    Taken,
    always,
    before,
    define,
    eventually,
    field,
    leads_to,
    on_step,
    reachable,
    require,
    rule,
    when,
)
from tests.zoo.animal import Animal


class Counter(Protocol):
    """Counts to three and stops there."""

    number = field(Range(0, 3), 0)

    @define
    def terminal(self) -> bool:
        return self.number == 3

    @rule(fair=WEAK)
    def tick(self) -> None:
        """One more."""
        require(self.number < 3)
        self.number += 1


@always(witness="reaches-two")
def stays_below_three(counter: Counter) -> bool:
    """The counter stays below three."""
    return counter.number < 3


@always
def is_small_when_even(counter: Counter) -> bool:
    """An even number is below three."""
    when(counter.number in (0, 2))
    return counter.number < 3


@always
def says_nothing(counter: Counter) -> bool:
    """Of numbers that are two different ones, everything is true."""
    when(counter.number == 1)
    when(counter.number + 1 == 3)
    return False


@always(witness="reaches-four")
def is_witnessed_by_nothing(counter: Counter) -> bool:
    """True, but its witness is never seen."""
    return counter.number >= 0


@reachable
def reaches_two(counter: Counter) -> bool:
    """The counter reaches two."""
    return counter.number == 2


@reachable
def reaches_four(counter: Counter) -> bool:
    """The counter reaches four: it does not."""
    return counter.number - 1 == 3


@on_step
def goes_up(counter: Counter) -> bool:
    """Each step adds one."""
    return counter.number == before(lambda: counter.number) + 1


@on_step
def skips_two(counter: Counter, step: Taken) -> bool:
    """No tick leads to two."""
    when(step.rule == "tick")
    return counter.number != 2


@on_step
def resets_to_zero(counter: Counter, step: Taken) -> bool:
    """There is no such rule."""
    when(step.rule == "reset")
    return counter.number == 0


@eventually
def gets_there(counter: Counter) -> bool:
    """The counter reaches three."""
    return counter.number == 3


@eventually
def gets_there_from_one(counter: Counter) -> bool:
    """If it starts with one: it does not."""
    when(counter.number == 1)
    return counter.number == 3


@leads_to
def two_leads_to_one(counter: Counter) -> bool:
    """After two comes one: it does not."""
    when(counter.number == 2)
    return counter.number == 1


# 0 → 1 → 2 → 3. The run that waits after 2 for 1 stays in 3 for ever: its stem is the whole run,
# for in 2 a fair rule is enabled.
COUNTER = Animal(
    Counter,
    states=4,
    transitions=3,
    depth=3,
    families=(
        stays_below_three,
        is_small_when_even,
        says_nothing,
        is_witnessed_by_nothing,
        reaches_two,
        reaches_four,
        goes_up,
        skips_two,
        resets_to_zero,
        gets_there,
        gets_there_from_one,
        two_leads_to_one,
    ),
    expected={
        "stays-below-three": "violated 3",
        "says-nothing": "vacuous",
        "is-witnessed-by-nothing": "vacuous",
        "reaches-two": "holds 2",
        "reaches-four": "violated",
        "skips-two": "violated 2",
        "resets-to-zero": "vacuous",
        "gets-there-from-one": "vacuous",
        "two-leads-to-one": "violated 3",
    },
)


class Dial(Protocol):
    """Turns both ways; only forward is promised."""

    number = field(Range(0, 3), 0)

    @rule(fair=WEAK)
    def forward(self) -> None:
        """One on, from three to zero."""
        self.number = self.number + 1 if self.number < 3 else 0

    @rule
    def backward(self) -> None:
        """One back, from zero to three."""
        self.number = self.number - 1 if self.number > 0 else 3


@leads_to
def zero_leads_to_two(dial: Dial) -> bool:
    """After zero comes two: not if it turns to and fro."""
    when(dial.number == 0)
    return dial.number == 2


@on_step
def never_falls(dial: Dial) -> bool:
    """The number does not fall: the step from 1 back to a known state shows that it does."""
    when(before(lambda: dial.number) == 1)
    return dial.number > 1


# A ring of four: two ways out of each; the opposite one is two steps away. 0 → 1 → 0 takes the
# promised rule again and again and never comes to 2, so the stem is empty.
DIAL = Animal(
    Dial,
    states=4,
    transitions=8,
    depth=2,
    families=(zero_leads_to_two, never_falls),
    expected={"zero-leads-to-two": "violated 0", "never-falls": "violated 2"},
)


class Coin(Entity):
    """Lies heads or tails, to begin with as well."""

    heads = field(Bool, AnyOf((False, True)))


class Coins(Protocol):
    """Two coins, each flipped at any time."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.coins = (Coin("penny"), Coin("dime"))

    def entities(self) -> Sequence[Entity]:
        return self.coins

    @rule
    def flip(self, coin: Coin) -> None:
        """A coin is flipped."""
        coin.heads = not coin.heads


@always
def dime_follows(coins: Coins) -> bool:
    """With the penny on heads the dime is, too: the third initial state has it otherwise."""
    when(coins.coins[0].heads)
    return coins.coins[1].heads


@eventually
def penny_falls(coins: Coins) -> bool:
    """A penny that starts on heads falls on tails some time: nobody promises to flip it."""
    when(coins.coins[0].heads)
    return not coins.coins[0].heads


# All 4 states are initial; in each both coins can be flipped.
COINS = Animal(
    Coins,
    states=4,
    transitions=8,
    depth=0,
    families=(dime_follows, penny_falls),
    expected={"dime-follows": "violated 0", "penny-falls": "violated 0"},
)


class Colour(enum.Enum):
    """What the painter has."""

    RED = 0
    BLUE = 1
    GREEN = 2


class Painter(Protocol):
    """Paints in another colour, bright or not, as it likes."""

    colour = field(Enum(Colour), Colour.RED)
    bright = field(Bool, False)

    @rule
    def paint(self, colour: Colour, bright: bool) -> None:
        """Another colour."""
        require(self.colour != colour)
        self.colour = colour
        self.bright = bright


# 3 x 2 states; from each 2 other colours, bright or not: 24. Bright red is two steps from red.
PAINTER = Animal(Painter, states=6, transitions=24, depth=2)


VALUES = (COUNTER, DIAL, COINS, PAINTER)
