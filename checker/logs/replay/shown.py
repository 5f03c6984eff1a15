"""What a run shows: findings, and the lines that they are about."""

from __future__ import annotations

from dataclasses import dataclass

from checker.logs.findings import Severity


@dataclass(frozen=True)
class Where:
    """A line of a log: which file of those that were read, and its number."""

    log: int
    part: int
    line: int


@dataclass(frozen=True)
class Shown:
    """What a run shows: a property that does not hold of it, for whom, and from which line on."""

    property: str
    binding: tuple[tuple[str, str], ...]
    where: Where
    severity: Severity
    sentence: str
    why: str | None = None
    """Of what is stuck, the reason that was given again and again, or the lines that show it."""
    until: Where | None = None
    """Of what has recovered, the line at which the property came to hold again."""


#: Of two findings about one property and binding, the one with the higher rank is kept, or the
#: first of two that are violated.
RANK = {
    severity: rank
    for rank, severity in enumerate(
        (Severity.OPEN, Severity.RECOVERED, Severity.OVERDUE, Severity.STUCK, Severity.VIOLATED)
    )
}

__all__ = ["RANK", "Shown", "Where"]
