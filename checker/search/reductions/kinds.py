"""The reductions by name, and what each one says about a system before a search."""

from __future__ import annotations

import enum
from typing import Protocol


class Reduction(enum.Enum):
    """A way to see fewer states. None is on unless asked for, and all may be combined."""

    SYMMETRY = "symmetry"
    PARTIAL_ORDER = "partial-order"
    DEAD_VARIABLES = "dead-variables"


class AppliedReduction(Protocol):
    """What a reduction has found in a system: what it keeps, what it does not, and why.

    A class of its own for each reduction implements it, with the plain data that the native search
    needs beside this.
    """

    @property
    def kind(self) -> Reduction: ...

    @property
    def reduces(self) -> bool:
        """Whether there is anything to gain; if not, the search is the full one."""
        ...

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a user is told: what was found, or what stands in the way."""
        ...

    def refusal(self, name: str) -> str:
        """Why the verdict on this property, or row, is not kept; empty where it is."""
        ...


__all__ = ["AppliedReduction", "Reduction"]
