"""Findings: properties that do not hold of what a log tells, for whom, and since which line."""

from __future__ import annotations

import enum
from dataclasses import dataclass

_property = property  # a finding has a field of that name


class Severity(enum.Enum):
    """What a finding is."""

    VIOLATED = "violated"
    STUCK = "stuck"
    RECOVERED = "recovered"
    """It was stuck, and what must come came later."""
    OVERDUE = "overdue"
    """What must come has not come, though what comes later has."""
    OPEN = "open"
    """What must come has not come by the end, and still can."""


class Coverage(enum.Enum):
    """How much of what happened a log has."""

    COMPLETE = "complete"
    TRUNCATED = "truncated"
    """Its end is missing."""
    GAP = "gap"
    """Its beginning is missing, or something in its midst."""


@dataclass(frozen=True, order=True)
class Where:
    """A line of a log. `log` and `part` say which of the files that were read."""

    log: int
    part: int
    line: int


@dataclass(frozen=True)
class Finding:
    """A property that does not hold of a run, for whom, and from which line on."""

    property: str
    binding: tuple[tuple[str, str], ...]
    where: Where
    severity: Severity
    sentence: str
    """What the property claims."""
    why: str | None = None
    """Of a stuck obligation, the reason that recurred, or the lines that show it."""
    until: Where | None = None
    """Of a recovered obligation, the line at which the property came to hold again."""
    file: str = ""
    """The name of the file, once it is known."""

    @_property
    def line(self) -> int:
        """The number of the line in its file."""
        return self.where.line

    @_property
    def place(self) -> str:
        """The file and the line, as an editor opens them."""
        return f"{self.file}:{self.line}"


#: Of two findings about one property and binding, the one with the higher rank is kept, or the
#: first of two that are violated.
RANK = {
    severity: rank
    for rank, severity in enumerate(
        (Severity.OPEN, Severity.RECOVERED, Severity.OVERDUE, Severity.STUCK, Severity.VIOLATED)
    )
}
