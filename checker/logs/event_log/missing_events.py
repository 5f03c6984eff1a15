"""Finds the gaps of an event log, and the steps of a witness that fill them."""

from __future__ import annotations

from collections import Counter

from finale.reference.formats.eventlog import ReadLog

from .section_search import Accepted
from .step_cache.lines import RunLines, SectionSteps


def filled_in(log: ReadLog, accepted: Accepted) -> list[tuple[int, Counter[str]]]:
    """The steps of a witness that have no event, by the line behind which it took them."""
    found: dict[int, Counter[str]] = {}
    for section, moves in zip(log.sections, accepted.witness, strict=True):
        behind = section.line
        for move in moves:
            if move.line is None:
                found.setdefault(behind, Counter())[move.rule.rule.name] += 1
            else:
                behind = move.line
    return sorted(found.items())


def gaps(run: RunLines) -> list[int]:
    """The lines behind which something may be missing; a section without its end is one, too."""
    found: set[int] = set()
    for number, part in enumerate(run.parts):
        found |= {_before(part, place) for place in part.section.lost}
        if not part.section.ended:
            found.add(_before(part, None))
        if part.section.line in run.log.missing:
            found.add(_before(run.parts[number - 1], None) if number else 0)
    return sorted(found)


def _before(part: SectionSteps, place: int | None) -> int:
    """The line that comes before one of the places between events; before None, the last."""
    return max(part.lines[:place], default=part.section.line)
