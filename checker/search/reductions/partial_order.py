"""Partial-order reduction: of steps whose order does not matter, only one order is searched.

In each state a search takes the steps of a *stubborn set* only (Valmari, "Stubborn sets for reduced
state space generation", 1989; by guards as in Laarman, Pater, van de Pol and Hansen, "Guard-based
partial-order reduction", 2016). For each enabled update in it, such a set contains all transitions
that do not commute with the update. For each disabled transition in it, the set contains all
updates that may make true some false literal of its guard. Transitions outside of the set can then
neither disable those inside nor be affected by taking these first. This file finds the relations,
as plain data; the native search computes the sets.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from model.expressions import Expression, integer
from model.system import Kind, System

from .canonical import Reset
from .independence import Bits, MayHold, relations_of
from .kinds import Reduction
from .pairs import Pairs, Step
from .transitions import Guard, Transitions, transitions_of

LIVENESS = (Kind.LEADS_TO, Kind.EVENTUALLY)
NOTHING = "partial-order: every step depends on every other"


@dataclass(frozen=True)
class PartialOrder:
    """What a search needs to compute stubborn sets. Transitions are leaves, then observers.

    `guards` are over the literals of `atoms`. A leaf that changes no state, or that no state leads
    to, is not among `updates`. `Relations` explains `dependent` and `enabling`. `observers` has the
    name of the property that each one observes.
    """

    atoms: tuple[Expression, ...]
    guards: tuple[Guard, ...]
    updates: Bits
    dependent: tuple[Bits, ...]
    enabling: tuple[Bits, ...]
    absorbing: tuple[Bits, ...]
    observers: tuple[str, ...]
    refused: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()

    kind = Reduction.PARTIAL_ORDER

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return len(self.dependent)

    @property
    def reduces(self) -> bool:
        return any(self.updates & ~bits & ~(1 << i) for i, bits in enumerate(self.dependent))

    def refusal(self, name: str) -> str:
        return dict(self.refused).get(name, "")

    def observing(self, names: Collection[str]) -> PartialOrder:
        """Return the same for the properties of these names only."""
        return self._keeping([i for i, name in enumerate(self.observers) if name in names])

    def without_idle_observers(self) -> PartialOrder:
        """Return the same without observers that no update disables: no set needs them."""
        disabled = 0
        for bits in self.dependent:
            disabled |= bits >> self.leaves
        return self._keeping([i for i in range(len(self.observers)) if disabled >> i & 1])

    def _keeping(self, kept: list[int]) -> PartialOrder:
        return replace(
            self,
            guards=(*self.guards[: self.leaves], *(self.guards[self.leaves + i] for i in kept)),
            dependent=tuple(self._narrowed(bits, kept) for bits in self.dependent),
            observers=tuple(self.observers[i] for i in kept),
        )

    def _narrowed(self, bits: Bits, kept: list[int]) -> Bits:
        found = bits & ((1 << self.leaves) - 1)
        for place, observer in enumerate(kept, self.leaves):
            found |= (bits >> (self.leaves + observer) & 1) << place
        return found


def pairs_of(
    system: System, transitions: Transitions, resets: Sequence[Reset] = ()
) -> Pairs:
    """Return the pairs of facts that may hold together in a system, also if cells are reset."""
    found = Pairs(system.cells)
    atoms = transitions.atoms.all
    steps = [
        Step(tuple((atoms[each // 2], bool(each % 2)) for each in leaf.guard), leaf.writes)
        for leaf in transitions.leaves
        if leaf is not None and leaf.writes
    ]
    for reset in resets:
        lowest = {index: integer(system.cells[index].low) for index in reset.cells}
        steps.append(Step(((reset.condition, True),), lowest))
    found.close(system.initial, steps)
    return found


def ordered(
    system: System,
    may_hold: MayHold | None = None,
    pairs: Pairs | None = None,
    resets: Sequence[Reset] = (),
) -> PartialOrder:
    """Return the partial order of a system, with any prover or with none."""
    transitions = transitions_of(system)
    if pairs is None:
        pairs = pairs_of(system, transitions, resets)
    relations = relations_of(transitions, may_hold, pairs, resets)
    leaves = transitions.leaves
    updates = sum(1 << i for i, each in enumerate(leaves) if each is not None and each.writes)
    guards = [each.guard if each is not None else () for each in leaves]
    guards += [each.guard for each in transitions.observers]
    refused = tuple(
        (prop.name, "it speaks of whole runs")
        for prop in system.properties
        if prop.kind in LIVENESS
    )
    found = PartialOrder(
        tuple(transitions.atoms.all),
        tuple(guards),
        updates,
        relations.dependent,
        relations.enabling,
        relations.absorbing,
        tuple(each.name for each in transitions.observers),
        refused,
    )
    found = found.without_idle_observers()
    return found if found.reduces else replace(found, remarks=(NOTHING,))


__all__ = ["PartialOrder", "ordered", "pairs_of"]
