"""What symmetry and dead variables find in a system, as plain data for a search."""

from __future__ import annotations

from dataclasses import dataclass

from .canonical import Reset, SymmetryGroup
from .kinds import Reduction
from .renaming import Renaming


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


__all__ = ["DeadVariables", "Symmetry"]
