"""Symmetry: entities that may change their names without anybody noticing."""

from __future__ import annotations

from dataclasses import dataclass

from model.system import System

from .canonical import Group
from .kinds import Reduction


@dataclass(frozen=True)
class Symmetry:
    """The groups of interchangeable entities of a system."""

    groups: tuple[Group, ...]
    remarks: tuple[str, ...]
    refused: tuple[tuple[str, str], ...] = ()

    kind = Reduction.SYMMETRY

    @property
    def reduces(self) -> bool:
        return bool(self.groups)

    def refusal(self, name: str) -> str:
        return dict(self.refused).get(name, "")


def symmetry_of(system: System) -> Symmetry:
    """The groups of interchangeable entities of a system."""
    return Symmetry((), ("symmetry: nothing is interchangeable",))


__all__ = ["Symmetry", "symmetry_of"]
