"""Shows what a hunt has found, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from finale.checker.hunt.hunting import Finding

from .layout import columns, counted, grouped, joined, paragraph


@dataclass(frozen=True)
class Hunted:
    """The findings of a hunt, each with the command that reproduces it, and its numbers."""

    findings: Sequence[tuple[Finding, str]]
    known: int
    searched: int
    refused: int
    stopped: int
    left: int


def hunted_lines(found: Hunted, width: int) -> list[Text]:
    """Each new signature with its command, then how much was searched."""
    lines: list[Text] = []
    for number, (finding, command) in enumerate(found.findings, 1):
        lines += [*_finding(number, finding, command, width), Text()]
    if not found.findings:
        lines += paragraph(Text("no violation that the specs do not describe"), width)
    parts = [
        counted(found.searched, "setting") + " searched",
        f"{grouped(found.left)} left",
        counted(len(found.findings), "new signature"),
        f"{found.known} known",
    ]
    parts += [f"{found.stopped} stopped by a limit"] if found.stopped else []
    parts += [f"{grouped(found.refused)} refused by the protocol"] if found.refused else []
    return [*lines, *paragraph(joined(parts), width)]


def _finding(number: int, finding: Finding, command: str, width: int) -> Iterator[Text]:
    signature = finding.signature
    head = f"{number}  {signature.property} falls in {counted(finding.steps, 'step')}"
    yield Text(head, "bold")
    yield from columns(
        [
            [Text("effect", "dim"), finding.effect.value],
            [Text("environment", "dim"), ", ".join(signature.environment) or "nothing"],
            [Text("decisive", "dim"), ", ".join(signature.decisive) or "not known"],
            [Text("setting", "dim"), finding.setting.name],
            [Text("shows in", "dim"), counted(finding.settings, "setting")],
        ],
        width,
        indent=2,
    )
    yield Text(f"  {command}", "dim")  # in one line, so that it can be pasted


def hunted_json(found: Hunted) -> dict[str, object]:
    """The same as a part of a JSON document."""
    return {
        "findings": [
            {
                "property": finding.signature.property,
                "effect": finding.effect.name.lower(),
                "steps": finding.steps,
                "environment": list(finding.signature.environment),
                "decisive": list(finding.signature.decisive),
                "setting": finding.setting.name,
                "settings": finding.settings,
                "command": command,
            }
            for finding, command in found.findings
        ],
        "known": found.known,
        "searched": found.searched,
        "refused": found.refused,
        "stopped": found.stopped,
        "left": found.left,
    }
