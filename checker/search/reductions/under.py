"""Gives a search the plain data of the reductions that it runs under."""

from __future__ import annotations

from collections.abc import Sequence

from finale.model.expressions import negation
from finale.model.system import System

from .canonical import Canonical, deadness
from .kinds import AppliedReduction, DeadVariables, Symmetry
from .partial_order import PartialOrder


def canonical_of(system: System, under: Sequence[AppliedReduction]) -> Canonical | None:
    """Return the canonical form of these reductions, if they have one."""
    resets = [reset for each in under if isinstance(each, DeadVariables) for reset in each.resets]
    groups = [group for each in under if isinstance(each, Symmetry) for group in each.groups]
    if not resets and not groups:
        return None
    alive = {index: negation(dead) for index, dead in deadness(resets).items()}
    living = [group.where(alive) for group in groups]
    return Canonical(tuple(cell.low for cell in system.cells), tuple(resets), tuple(living))


def partial_order_among(system: System, under: Sequence[AppliedReduction]) -> PartialOrder | None:
    """Return the partial order among these reductions, if any, for the questions asked."""
    names = {prop.name for prop in system.properties}
    found = next((each for each in under if isinstance(each, PartialOrder)), None)
    return found.observing(names) if found is not None else None


__all__ = ["canonical_of", "partial_order_among"]
