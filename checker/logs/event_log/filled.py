"""Where an event log has not all that happened: where lines are missing, and what fills them in."""

from __future__ import annotations

from collections import Counter

from reference.formats.eventlog import ReadLog, Section

from .search import Accepted


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


def gaps(log: ReadLog) -> list[int]:
    """The lines behind which something may be missing; a section without its end is one, too."""
    found: set[int] = set()
    for number, section in enumerate(log.sections):
        found |= {_before(section, place) for place in section.lost}
        if not section.ended:
            found.add(_before(section, len(section.events)))
        if section.line in log.missing:
            found.add(_before(log.sections[number - 1], None) if number else 0)
    return sorted(found)


def _before(section: Section, place: int | None) -> int:
    """The line that comes before one of the places between events; before None, the last."""
    events = section.events if place is None else section.events[:place]
    return max((event.line for event in events), default=section.line)


__all__ = ["filled_in", "gaps"]
