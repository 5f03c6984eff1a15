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

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from finale.model.expressions import Expression
from finale.model.system import System

from .canonical import Canonical, Reset
from .closure import pairs_of
from .independence import Bits, MayHold, relations_of
from .kinds import Reduction
from .onward import onward_of
from .transitions import Guard, transitions_of

NOTHING = "partial-order: every step depends on every other"


@dataclass(frozen=True)
class PartialOrder:
    """What a search needs to compute stubborn sets. Transitions are leaves, then observers.

    `guards` are over the literals of `atoms`. A leaf that changes no state, or that no state leads
    to, is not among `updates`. `Relations` explains `dependent` and `enabling`. The updates in
    `onward` are on no cycle of states. `observers` has the name of the property that each one
    observes.
    """

    atoms: tuple[Expression, ...]
    guards: tuple[Guard, ...]
    updates: Bits
    dependent: tuple[Bits, ...]
    enabling: tuple[Bits, ...]
    absorbing: tuple[Bits, ...]
    onward: Bits
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


def ordered(
    system: System,
    may_hold: MayHold | None = None,
    canonical: Canonical | None = None,
    resets: Sequence[Reset] = (),
    look: Callable[[], None] = lambda: None,
) -> PartialOrder:
    """Return the partial order of a system, with any prover or with none.

    `canonical` is what the search replaces states by; cells are dead where `resets` says so.
    """
    transitions = transitions_of(system)
    pairs = pairs_of(transitions, canonical, look)
    relations = relations_of(transitions, may_hold, pairs, resets)
    leaves = transitions.leaves
    updates = sum(1 << i for i, each in enumerate(leaves) if each is not None and each.writes)
    guards = [each.guard if each is not None else () for each in leaves]
    guards += [each.guard for each in transitions.observers]
    refused = tuple(
        (prop.name, "it speaks of whole runs")
        for prop in system.properties
        if prop.kind.is_liveness
    )
    found = PartialOrder(
        tuple(transitions.atoms.all),
        tuple(guards),
        updates,
        relations.dependent,
        relations.enabling,
        relations.absorbing,
        onward_of(transitions, pairs, canonical),
        tuple(each.name for each in transitions.observers),
        refused,
    )
    found = found.without_idle_observers()
    return found if found.reduces else replace(found, remarks=(NOTHING,))


__all__ = ["PartialOrder", "ordered"]
