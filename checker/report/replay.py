"""Shows a trace that the engine executed: its steps, and the fate of each record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.text import Text

from finale.checker.conformance.replay import RecordFate, Replayed
from finale.checker.spec.claim import Spec

from .layout import columns, counted, joined

STYLES = {"written": "green", "kept": "yellow", "repeated": "bold red"}
MEANS = {
    "written": "is in the output once",
    "doubled": "is in the output more than once",
    "repeated": "is in the output, and will be written once more",
    "lost": "will never be in the output",
    "kept": "is not in the output yet, and not lost",
}


def replayed_lines(
    spec: Spec, name: str, replayed: Replayed, folder: Path | None, width: int
) -> Iterator[Text]:
    """A replay, from its steps to its files."""
    yield Text(spec.title, "bold")
    further = counted(len(replayed.further), "further step") if replayed.further else ""
    parts = f"{name}, {counted(len(replayed.trace), 'step')}", further
    yield Text("  ") + joined(part for part in parts if part)
    yield Text()
    way = (*replayed.trace, *replayed.further)
    parting = replayed.parting
    last = len(way) if parting is None else parting.position
    for number, step in enumerate(way[:last], 1):
        if number == len(replayed.trace) + 1:
            yield Text("   then, by itself", "dim")
        about = ", ".join(f"{kind} {value}" for kind, value in step.binding)
        yield Text(f"  {number:>4}  {step.name}") + Text(f"  {about}" if about else "", "cyan")
    yield Text()
    if parting is not None:
        yield Text("The engine departs from the trace:", "bold red")
        for what in parting.what:
            yield Text(f"  {what}", "red")
    yield from _damage(replayed, width)
    if folder is not None:
        yield Text()
        yield Text(f"The files are in {folder}.", "dim")


def _damage(replayed: Replayed, width: int) -> Iterator[Text]:
    rows = [[Text(f.record), _word(f), Text(_places(f), "dim")] for f in replayed.fates]
    yield from columns(rows, width, indent=2)
    for gone in replayed.gone:
        yield Text("  gone: ", "bold red") + Text(gone)
    for waits in replayed.waits:
        yield Text("  for ever: ", "bold red") + Text(waits)
    if not replayed.damaged:
        yield Text("No record is lost or duplicated.", "green")


def _word(fate: RecordFate) -> Text:
    return Text(MEANS[fate.word], STYLES.get(fate.word, "bold red"))


def _places(fate: RecordFate) -> str:
    return ", ".join((*fate.written, *fate.elsewhere))
