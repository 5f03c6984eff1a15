"""What one run of a check found, spec by spec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from finale.checker.search.rows import SpecResult
from finale.model.errors import FinaleError, Place

WhyLeftOut: TypeAlias = Literal["slow", "unchanged"]


@dataclass(frozen=True)
class LeftOut:
    """A spec that was not checked, and is no error."""

    file: Path
    title: str
    why: WhyLeftOut


@dataclass(frozen=True)
class Mistake:
    """A mistake in the input; `file` is the spec that it prevented from being checked."""

    file: Path | None
    error: FinaleError

    @property
    def place(self) -> Place:
        """The place of the mistake: at least the spec, if it is about one."""
        place = self.error.place or Place()
        if place.file is not None or self.file is None:
            return place
        return Place(str(self.file), None, place.key, place.rule)


@dataclass(frozen=True)
class CheckResult:
    """What one run of a check found."""

    results: Sequence[SpecResult]
    mistakes: Sequence[Mistake] = ()
    left_out: Sequence[LeftOut] = ()
    interrupted: bool = False


__all__ = ["CheckResult", "LeftOut", "Mistake", "WhyLeftOut"]
