"""Which file finds what for which reduction, and the canonical form that they come to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from model.errors import FinaleError
from model.system import System

from .canonical import Canonical
from .dead import DeadVariables, dead_variables_of
from .kinds import Found, Reduction
from .symmetry import Symmetry, symmetry_of


def find(reduction: Reduction, system: System) -> Found:
    """What a reduction finds in a system. Raises `no-reduction`."""
    match reduction:
        case Reduction.SYMMETRY:
            return symmetry_of(system)
        case Reduction.DEAD_VARIABLES:
            return dead_variables_of(system)
        case Reduction.PARTIAL_ORDER:
            raise FinaleError(
                "no-reduction",
                f"there is no reduction by {reduction.value} yet",
                advice="leave it out: the full search answers everything",
            )
        case _:
            assert_never(reduction)


def canonical_of(system: System, under: Sequence[Found]) -> Canonical | None:
    """The canonical form that these reductions come to, if they come to one."""
    resets = [reset for each in under if isinstance(each, DeadVariables) for reset in each.resets]
    groups = [group for each in under if isinstance(each, Symmetry) for group in each.groups]
    if not resets and not groups:
        return None
    return Canonical(tuple(cell.low for cell in system.cells), tuple(resets), tuple(groups))


__all__ = ["canonical_of", "find"]
