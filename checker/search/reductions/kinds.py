"""The reductions by name, and what each finds in a system, as plain data for a search."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol

from finale.checker.search.reductions.canonical import Reset, SymmetryGroup
from finale.checker.search.reductions.renaming import Renaming


class Reduction(enum.Enum):
    """A way to visit fewer states. Reductions are off by default, and can be combined."""

    SYMMETRY = "symmetry"
    PARTIAL_ORDER = "partial-order"
    DEAD_VARIABLES = "dead-variables"


class AppliedReduction(Protocol):
    """What a reduction has found in a system: the verdicts that it keeps or not, and why.

    Each reduction has a class of its own, with the plain data that the native search needs.
    """

    @property
    def kind(self) -> Reduction: ...

    @property
    def reduces(self) -> bool:
        """Whether there is anything to gain; if not, the search is the full one."""
        ...

    @property
    def remarks(self) -> tuple[str, ...]:
        """The remarks for the user: what was found, or what prevents the reduction."""
        ...

    def refusal(self, name: str) -> str:
        """Return why the verdict on a property or row is not kept; empty if it is."""
        ...


@dataclass(frozen=True)
class Symmetry:
    """The groups of interchangeable entities of a system.

    `refused` has the properties whose verdict is not kept, each with the reason. `exchanges` are
    those of neighbours in a group: what else replaces a state must treat members alike.
    """

    groups: tuple[SymmetryGroup, ...]
    remarks: tuple[str, ...]
    refused: tuple[tuple[str, str], ...] = ()
    exchanges: tuple[Renaming, ...] = ()

    kind = Reduction.SYMMETRY

    @property
    def reduces(self) -> bool:
        return bool(self.groups)

    def refusal(self, name: str) -> str:
        return dict(self.refused).get(name, "")


@dataclass(frozen=True)
class DeadVariables:
    """The cells that are dead, with the conditions."""

    resets: tuple[Reset, ...]
    remarks: tuple[str, ...]
    refused: tuple[tuple[str, str], ...] = ()

    kind = Reduction.DEAD_VARIABLES

    @property
    def reduces(self) -> bool:
        return bool(self.resets)

    def refusal(self, name: str) -> str:
        return dict(self.refused).get(name, "")


__all__ = [
    "AppliedReduction",
    "DeadVariables",
    "Reduction",
    "Symmetry",
]
