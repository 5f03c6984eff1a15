"""Dead variables: cells whose value nobody will read before it is written again."""

from __future__ import annotations

from dataclasses import dataclass

from model.system import System

from .canonical import Reset
from .kinds import Reduction


@dataclass(frozen=True)
class DeadVariables:
    """Where which cells of a system are dead."""

    resets: tuple[Reset, ...]
    remarks: tuple[str, ...]
    refused: tuple[tuple[str, str], ...] = ()

    kind = Reduction.DEAD_VARIABLES

    @property
    def reduces(self) -> bool:
        return bool(self.resets)

    def refusal(self, name: str) -> str:
        return dict(self.refused).get(name, "")


def dead_variables_of(system: System) -> DeadVariables:
    """Where which cells of a system are dead."""
    return DeadVariables((), ("dead-variables: nothing is ever dead",))


__all__ = ["DeadVariables", "dead_variables_of"]
