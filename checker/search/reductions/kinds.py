"""The reductions by name, and what each one says about a system before a search."""

from __future__ import annotations

import enum
from typing import Protocol


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


__all__ = ["AppliedReduction", "Reduction"]
