"""Writes the observed events into a scenario, right of `=>`, and keeps its stimuli."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from finale.model.errors import FinaleError, Place
from finale.model.given import text_of
from finale.model.written import write_through

from .reading import ARROW
from .running import CaseRun
from .running import text_of as text_of_events


def record(file: Path, runs: Sequence[CaseRun]) -> tuple[int, ...]:
    """Rewrite the lines where something else was seen; their numbers. Raises `unwritable`."""
    changed = [outcome for run in runs for outcome in run.differences]
    if not changed:
        return ()
    lines = text_of(file).splitlines()
    for outcome in changed:
        place = outcome.line.number - 1
        if place >= len(lines) or outcome.line.text not in lines[place]:
            raise FinaleError(
                "unwritable",
                "what was seen is not written: the file was changed meanwhile",
                place=Place(str(file), outcome.line.number),
                advice="run the same command again",
            )
        left, _, right = lines[place].partition(ARROW)
        comment = right.partition(" #")[2]
        seen = f"{left}{ARROW} {text_of_events(outcome.found)}"
        lines[place] = f"{seen}  #{comment}" if comment else seen
    try:
        write_through(file, "\n".join(lines) + "\n")
    except OSError as error:
        raise FinaleError(
            "unwritable",
            f"what was seen cannot be written: {error.strerror}",
            place=Place(str(file)),
            advice="check the permission to write there",
        ) from None
    return tuple(outcome.line.number for outcome in changed)
