"""Writes the observed events into a scenario, right of `=>`, and keeps its stimuli."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from finale.model.errors import FinaleError, Place

from .reading import ARROW
from .running import CaseRun, text_of


def record(file: Path, runs: Sequence[CaseRun]) -> tuple[int, ...]:
    """Rewrite the lines where something else was seen; their numbers. Raises `unwritable`."""
    changed = [outcome for run in runs for outcome in run.differences]
    if not changed:
        return ()
    lines = file.read_text(encoding="utf-8").splitlines()
    for outcome in changed:
        place = outcome.line.number - 1
        left, _, right = lines[place].partition(ARROW)
        comment = right.partition(" #")[2]
        seen = f"{left}{ARROW} {text_of(outcome.found)}"
        lines[place] = f"{seen}  #{comment}" if comment else seen
    try:
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise FinaleError(
            "unwritable",
            f"what was seen cannot be written: {error.strerror}",
            place=Place(str(file)),
            advice="check the permission to write there",
        ) from None
    return tuple(outcome.line.number for outcome in changed)
