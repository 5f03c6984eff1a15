"""Prisoners and two switches (Lamport's version of the riddle): one prisoner counts the others.

As in the TLA+ examples (`Prisoners/Prisoners.tla`): TLC counts 214 states for four prisoners.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from finale.rules import (
    WEAK,
    AnyOf,
    Bool,
    Entity,
    Protocol,
    Range,
    Setting,
    always,
    define,
    eventually,
    field,
    rule,
    when,
)


class Prisoner(Entity):
    """A prisoner who does not count: how often it has turned switch A on."""

    switched = field(Range(0, 2), 0)


@dataclass(frozen=True)
class Sizes:
    """How many prisoners there are."""

    #: how many prisoners there are, without the one who counts
    others: int = 3


class Prisoners(Protocol):
    """Each of the others turns switch A on twice; the counter turns it off, and counts."""

    key = "prisoners"
    Sizes = Sizes
    sizes: Sizes

    a = field(Bool, AnyOf((False, True)))
    b = field(Bool, AnyOf((False, True)))
    count = field(Range(0, 9), 0)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.others = tuple(Prisoner(f"p{n + 2}") for n in range(self.sizes.others))

    def entities(self) -> Sequence[Entity]:
        return self.others

    @define
    def done(self) -> bool:
        """Whether the counter announces that all have been in the room."""
        return self.count == 2 * len(self.others)

    @rule(fair=WEAK)
    def visit(self, prisoner: Prisoner) -> None:
        """A prisoner who does not count visits the room."""
        if not self.a and prisoner.switched < 2:
            self.a = True
            prisoner.switched += 1
        else:
            self.b = not self.b

    @rule(fair=WEAK)
    def count_visit(self) -> None:
        """The counter visits the room."""
        if self.a:
            self.a = False
            self.count += 1
        else:
            self.b = not self.b


@always
def announcement_is_true(state: Prisoners, prisoner: Prisoner) -> bool:
    """When it is announced that all have been in the room, they have."""
    when(state.done())
    return prisoner.switched > 0


@always
def one_visit_is_too_few(state: Prisoners, prisoner: Prisoner) -> bool:
    """The count is below the number of the others while one of them was never in the room."""
    when(prisoner.switched == 0)
    return state.count < len(state.others)


@eventually
def all_is_announced(state: Prisoners) -> bool:
    """It is announced that all have been in the room."""
    return state.done()


PROTOCOLS = (Prisoners,)
PROPERTIES = (announcement_is_true, one_visit_is_too_few, all_is_announced)
