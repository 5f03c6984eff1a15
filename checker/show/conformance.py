"""What a comparison of model and engine came to."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from checker.conformance.lockstep import Agreement, Disagreement

from .layout import counted, duration, grouped, joined
from .places import shown_file


def compared_lines(file: str, outcome: Agreement | Disagreement, seconds: float) -> Iterator[Text]:
    """One spec: how much agrees, or how to get to where the two part."""
    name = Text(shown_file(file), "bold")
    if isinstance(outcome, Agreement):
        yield Text("✓ ", "bold green") + name
        parts = [
            f"{grouped(outcome.states)} states",
            f"{grouped(outcome.transitions)} transitions",
            f"{grouped(outcome.observations)} observations",
            duration(seconds),
        ]
        yield Text("  ") + joined(parts)
    else:
        yield Text("✗ ", "bold red") + name
        yield from _parting(outcome)


def _parting(outcome: Disagreement) -> Iterator[Text]:
    for number, step in enumerate(outcome.steps, 1):
        yield Text(f"  {number:>4}  {step.name}  ") + Text(
            ", ".join(f"{kind} {value}" for kind, value in step.binding), "cyan"
        )
    yield Text("  then")
    for what in outcome.what:
        yield Text(f"        {what}", "red")


def unbuilt_line(file: str, why: str) -> Text:
    """A spec of a folder that has no counterpart in the engine."""
    return Text(f"–   {shown_file(file)}: {why}", "dim")  # noqa: RUF001 - a dash


def summary_line(agree: int, differ: int, unbuilt: int, states: int) -> Text:
    """What all comparisons came to."""
    parts = [
        f"{counted(agree + differ, 'spec')} compared",
        f"{agree} agree",
        f"{differ} disagree" if differ else "",
        f"{unbuilt} without a counterpart" if unbuilt else "",
        f"{grouped(states)} states in all",
    ]
    return joined(part for part in parts if part)


__all__ = ["compared_lines", "summary_line", "unbuilt_line"]
