"""Shows the damaged places of an event log, and the steps that were filled in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from finale.checker.logs.event_log.judge import JudgedLog
from finale.checker.logs.event_log.missing_events import filled_in, gaps
from finale.checker.logs.event_log.section_search import Accepted

from .layout import counted

#: So many places are told; JSON has all.
PLACES_TOLD = 6


def damage_lines(judged: JudgedLog) -> Iterator[Text]:
    """Show unreadable lines, gaps, and the steps that were filled in."""
    log, conforms = judged.run.log, judged.conforms
    if log.unreadable:
        told = counted(len(log.unreadable), "line")
        yield Text(f"  {told} cannot be read: {_some(log.unreadable)}", "yellow")
    if missing := gaps(judged.run):
        yield Text(f"  something may be missing behind line {_some(missing)}", "yellow")
    steps = filled_in(log, conforms) if isinstance(conforms, Accepted) else []
    for behind, names in steps[:PLACES_TOLD]:
        told = ", ".join(name if n == 1 else f"{n} {name}" for name, n in sorted(names.items()))
        yield Text(f"  filled in behind line {behind}: {told}", "dim")
    if len(steps) > PLACES_TOLD:
        yield Text(f"  and behind {counted(len(steps) - PLACES_TOLD, 'line')} more", "dim")


def _some(lines: Sequence[int]) -> str:
    told = ", ".join(map(str, lines[:PLACES_TOLD]))
    return f"{told} and {len(lines) - PLACES_TOLD} more" if len(lines) > PLACES_TOLD else told
