"""Findings: properties that do not hold of what a log tells, for whom, and since which line."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_property = property  # a finding has a field of that name


class Severity(enum.Enum):
    """What a finding is."""

    VIOLATED = "violated"
    STUCK = "stuck"
    RECOVERED = "recovered"
    """It was stuck, and what must come came later."""
    OVERDUE = "overdue"
    """What must come has not come, though what comes later has."""
    UNANSWERED = "unanswered"
    """What must come has not come by the end, and nothing goes on: it hangs, or the log was cut."""
    OPEN = "open"
    """What must come has not come by the end, and still can."""

    @property
    def is_sure(self) -> bool:
        """Whether the lines show that something is wrong, and not just that something is open."""
        return self not in (Severity.OPEN, Severity.UNANSWERED)


class Coverage(enum.Enum):
    """How much of what happened a log has."""

    COMPLETE = "complete"
    TRUNCATED = "truncated"
    """Its end is missing."""
    GAP = "gap"
    """Its beginning is missing, or something in its midst."""
    DAMAGED = "damaged"
    """Lines are lost, stand twice, or stand elsewhere than they were written."""


# Not frozen: that takes three times as long, and each line has one.
@dataclass(order=True, slots=True, unsafe_hash=True)
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
    until_file: str = ""
    """The name of the file of `until`, if that is another one."""

    @_property
    def line(self) -> int:
        """The number of the line in its file."""
        return self.where.line

    @_property
    def place(self) -> str:
        """The file and the line, as an editor opens them."""
        return f"{self.file}:{self.line}"

    @_property
    def told_until(self) -> str:
        """The line of `until`, with its file if that is another one; empty without such a line."""
        if self.until is None:
            return ""
        return f"line {self.until.line}" + (f" of {self.until_file}" if self.until_file else "")

    def to_plain(self) -> dict[str, object]:
        """As JSON has it: by file and line, whatever logs were read together."""
        return {
            "property": self.property,
            "binding": dict(self.binding),
            "severity": self.severity.value,
            "file": self.file,
            "line": self.line,
            "sentence": self.sentence,
            "why": self.why,
            "until": None if self.until is None else self.until.line,
            "until_file": self.until_file,
            "where": self.place,
        }

    @classmethod
    def of_plain(cls, data: Mapping[str, Any]) -> Finding:
        """Back from JSON. Raises `KeyError`, `TypeError` or `ValueError` if it is none."""
        until = data["until"]
        return cls(
            data["property"],
            tuple(data["binding"].items()),
            Where(0, 0, data["line"]),
            Severity(data["severity"]),
            data["sentence"],
            data["why"],
            None if until is None else Where(0, 0, until),
            data["file"],
            data.get("until_file", ""),
        )


#: Of two findings about one property and binding, the one with the higher rank is kept, or the
#: first of two that are violated.
RANK = {
    severity: rank
    for rank, severity in enumerate(
        (
            Severity.OPEN,
            Severity.UNANSWERED,
            Severity.RECOVERED,
            Severity.OVERDUE,
            Severity.STUCK,
            Severity.VIOLATED,
        )
    )
}
