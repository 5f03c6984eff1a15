"""Finds the partial order of a system with the help of z3, before any search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from finale.checker.search.answer import NO_DEADLOCK
from finale.checker.search.solving.prover import Prover
from finale.model.system import System

from .canonical import Canonical
from .dead import dead_variables_of
from .found import DeadVariables
from .partial_order import PartialOrder, ordered


def partial_order_of(
    system: System,
    look: Callable[[], None] = lambda: None,
    canonical: Canonical | None = None,
    dead: DeadVariables | None = None,
) -> PartialOrder:
    """Return the partial order of a system, found with z3; `look` is called at each question.

    `canonical` is what the search replaces states by; `dead` is known if it was found before.
    """
    dead = dead or dead_variables_of(system, look)
    # Where a step may change only dead cells, states that differ in these are not all ends.
    resets = () if dead.refusal(NO_DEADLOCK) else dead.resets
    prover = Prover(look=look)
    found = ordered(system, prover.may_hold, canonical, resets, look)
    if not prover.undecided:
        return found
    remark = (
        f"partial-order: {prover.undecided} questions about pairs of steps were given up, "
        "and these steps are taken to depend on each other"
    )
    return replace(found, remarks=(*found.remarks, remark))


__all__ = ["partial_order_of"]
