"""Where an event log has not all that happened: its damage, and the steps that were filled in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from checker.conformance.acceptance import Accepted, Log
from reference.formats.eventlog import Section

from .layout import counted

#: So many places are told; JSON has all.
PLACES_TOLD = 6


def filled_in(log: Log, accepted: Accepted) -> list[tuple[int, Counter[str]]]:
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


def gaps(log: Log) -> list[int]:
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


def damage_lines(log: Log, accepted: Accepted | None) -> Iterator[Text]:
    """What cannot be read, where something may be missing, and what was filled in."""
    if log.unreadable:
        told = counted(len(log.unreadable), "line")
        yield Text(f"  {told} cannot be read: {_some(log.unreadable)}", "yellow")
    if missing := gaps(log):
        yield Text(f"  something may be missing behind line {_some(missing)}", "yellow")
    steps = filled_in(log, accepted) if accepted is not None else []
    for behind, names in steps[:PLACES_TOLD]:
        told = ", ".join(name if n == 1 else f"{n} {name}" for name, n in sorted(names.items()))
        yield Text(f"  filled in behind line {behind}: {told}", "dim")
    if len(steps) > PLACES_TOLD:
        yield Text(f"  and behind {counted(len(steps) - PLACES_TOLD, 'line')} more", "dim")


def _some(lines: Sequence[int]) -> str:
    told = ", ".join(map(str, lines[:PLACES_TOLD]))
    return f"{told} and {len(lines) - PLACES_TOLD} more" if len(lines) > PLACES_TOLD else told


__all__ = ["damage_lines", "filled_in", "gaps"]
