"""Shows what a hunt has found, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from finale.checker.hunt.hunting import NewSignature
from finale.checker.search.rows import Exit

from .layout import columns, counted, grouped, joined, paragraph


@dataclass(frozen=True)
class Hunted:
    """The findings of a hunt, each with the command that reproduces it, and its numbers.

    `known` is the number of known signatures. Of the known specs, `described_left` were not
    searched, and `described_stopped` came to a limit: what these violate is not known then.
    """

    findings: Sequence[tuple[NewSignature, str]]
    known: int
    searched: int
    refused: int
    stopped: int
    left: int
    described_left: int = 0
    described_stopped: int = 0
    interrupted: bool = False

    @property
    def is_all_refused(self) -> bool:
        """Whether the protocols refuse every setting."""
        return bool(self.refused) and not (self.searched or self.left)

    @property
    def exit(self) -> Exit:
        """The exit code of the hunt."""
        if self.interrupted:
            return Exit.INTERRUPTED
        if self.findings:
            return Exit.FAILED
        if self.is_all_refused:
            return Exit.BAD_INPUT
        return Exit.LIMIT if self.left or self.stopped else Exit.AS_EXPECTED


def hunted_lines(found: Hunted, width: int) -> list[Text]:
    """Each new signature with its command, then how much was searched."""
    lines: list[Text] = []
    for number, (finding, command) in enumerate(found.findings, 1):
        lines += [*_finding(number, finding, command, width), Text()]
    if not found.findings:
        lines += paragraph(Text(_nothing_found(found)), width)
    if found.described_stopped and found.searched:
        specs = counted(found.described_stopped, "known spec")
        told = f"{specs} came to a limit: a violation of these can be listed as new"
        lines += paragraph(Text(told, "yellow"), width)
    parts = [
        counted(found.searched, "setting") + " searched",
        f"{grouped(found.left)} left",
        counted(len(found.findings), "new signature"),
        f"{found.known} known",
    ]
    parts += [f"{found.stopped} stopped by a limit"] if found.stopped else []
    parts += [f"{grouped(found.refused)} refused by the protocol"] if found.refused else []
    parts += ["interrupted"] if found.interrupted else []
    return [*lines, *paragraph(joined(parts), width)]


def _nothing_found(found: Hunted) -> str:
    """What a hunt without a finding says: no more than what was searched."""
    if found.described_left:
        specs = counted(found.described_left, "known spec")
        return f"{specs} left to search: before that, no violation can be called new"
    if not found.searched:
        return "no setting was searched"
    told = "no violation that the specs do not describe"
    is_whole = not (found.left or found.stopped)
    return told if is_whole else f"{told} in the settings that were searched to the end"


def _finding(number: int, finding: NewSignature, command: str, width: int) -> Iterator[Text]:
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
        "known_specs_left": found.described_left,
        "known_specs_stopped": found.described_stopped,
        "interrupted": found.interrupted,
    }
