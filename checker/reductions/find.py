"""Which file finds what for which reduction."""

from __future__ import annotations

from typing import assert_never

from model.system import System

from .dead import dead_variables_of
from .kinds import Found, Reduction
from .proven import partial_order_of
from .symmetry import symmetry_of


def find(reduction: Reduction, system: System) -> Found:
    """What a reduction finds in a system."""
    match reduction:
        case Reduction.SYMMETRY:
            return symmetry_of(system)
        case Reduction.DEAD_VARIABLES:
            return dead_variables_of(system)
        case Reduction.PARTIAL_ORDER:
            return partial_order_of(system)
        case _:
            assert_never(reduction)


__all__ = ["find"]
