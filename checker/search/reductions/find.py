"""Maps each reduction to the function that finds it in a system."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from model.system import System

from .dead import dead_variables_of
from .kinds import AppliedReduction, Reduction
from .proven import partial_order_of
from .symmetry import symmetry_of


def find(
    reduction: Reduction, system: System, look: Callable[[], None] = lambda: None
) -> AppliedReduction:
    """Return what a reduction finds in a system. `look` is called now and then, and may raise."""
    look()
    match reduction:
        case Reduction.SYMMETRY:
            return symmetry_of(system)
        case Reduction.DEAD_VARIABLES:
            return dead_variables_of(system)
        case Reduction.PARTIAL_ORDER:
            return partial_order_of(system, look)
        case _:
            assert_never(reduction)


__all__ = ["find"]
