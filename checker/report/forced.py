"""Shows what a real Flink did with and without an assumption of the rules."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from finale.checker.reproduce.forcing import JudgedForce, Kept
from finale.checker.studies.foreign_step import ForeignStep
from finale.model.language.assumptions import Assumption

from .layout import counted, joined, paragraph
from .places import shown_file

STYLES = {
    Kept.KEPT: "bold green",
    Kept.NOT_KEPT: "bold red",
    Kept.BY_METHOD: "bold green",
    Kept.NOT_BY_METHOD: "bold red",
    Kept.NOT_TAKEABLE: "bold yellow",
}


def forcing_lines(
    title: str, assumption: Assumption, step: ForeignStep, name: str, steps: int, version: str
) -> Iterator[Text]:
    """What is tried: the claim, the assumption, and the step that it forbids."""
    yield Text(title, "bold")
    about = [
        f"without {assumption.name}",
        name or "no property falls",
        f"an order of {counted(steps, 'step')}",
    ]
    yield Text("  ") + joined([*about, f"Flink {version}"])
    yield Text(f"  {assumption.sentence}")
    yield Text(f"  {step} with the assumption")


def force_lines(force: JudgedForce, width: int) -> Iterator[Text]:
    """One run: the verdict, the reasons, and what the method returned."""
    yield Text()
    folder = Text(shown_file(force.judged.run.folder), "dim")
    verdict = Text(force.verdict.value, STYLES[force.verdict])
    yield Text(f"{force.flink}: ") + verdict + Text("  ") + folder
    for each in (*force.why, *force.results):
        yield from paragraph(each, width, indent=2)


def force_json(force: JudgedForce) -> dict[str, object]:
    """One run as plain data."""
    return {
        "engine": force.flink,
        "folder": str(force.judged.run.folder),
        "verdict": force.verdict.value,
        "why": list(force.why),
        "results": list(force.results),
    }


__all__ = ["force_json", "force_lines", "forcing_lines"]
