"""Finds reductions in a system: maps each to its function, in the order that they need."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import assert_never

from finale.model.system import System

from .dead import dead_variables_of
from .found import DeadVariables, Symmetry
from .interrupts import Interrupts
from .kinds import AppliedReduction, Reduction
from .proven import partial_order_of
from .symmetry import symmetry_of
from .under import canonical_of

#: Partial order comes last: it depends on how the others replace states.
IN_ORDER = (Reduction.SYMMETRY, Reduction.DEAD_VARIABLES, Reduction.PARTIAL_ORDER)


def find_all(
    reductions: Collection[Reduction], system: System, look: Callable[[], None] = lambda: None
) -> list[AppliedReduction]:
    """Return what reductions find in a system, to be used together or some of them.

    `look` is called again and again, and may raise.
    """
    found: dict[Reduction, AppliedReduction] = {}
    with Interrupts() as interrupts:

        def look_twice() -> None:
            interrupts.look()
            look()

        for each in IN_ORDER:
            if each in reductions:
                look_twice()
                found[each] = _find(each, system, list(found.values()), look_twice)
    return [found[each] for each in Reduction if each in found]


def _find(
    reduction: Reduction,
    system: System,
    others: Sequence[AppliedReduction],
    look: Callable[[], None],
) -> AppliedReduction:
    match reduction:
        case Reduction.SYMMETRY:
            return symmetry_of(system, look)
        case Reduction.DEAD_VARIABLES:
            symmetry = next((each for each in others if isinstance(each, Symmetry)), None)
            exchanges = () if symmetry is None else symmetry.exchanges
            return dead_variables_of(system, look, exchanges)
        case Reduction.PARTIAL_ORDER:
            dead = next((each for each in others if isinstance(each, DeadVariables)), None)
            return partial_order_of(system, look, canonical_of(system, others), dead)
        case _:
            assert_never(reduction)


__all__ = ["find_all"]
