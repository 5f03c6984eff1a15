"""Shows the guards and options that a proof needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.text import Text

from finale.checker.proofs.needed import (
    ClaimPart,
    NeededGuard,
    OptionChoice,
    ProofNeeds,
    Without,
    guard_text,
)
from finale.model.language.guards import Guard, Operand

from .layout import Cell, columns, counted, duration, flow, paragraph

#: What is said where a condition keeps a rule out that the protocol does not have with its options.
NO_SYSTEM = "no system"


def why_lines(why: ProofNeeds, width: int) -> Iterator[Text]:
    """Show the needed guards, the unneeded guards, and the verdicts with other options."""
    needed = [each for each in why.needed if each.without.word != NO_SYSTEM]
    yield Text(f"    why {why.name}", "bold cyan") + Text(f" · {duration(why.seconds)}", "dim")
    if needed:
        yield Text("      without one of these", "bold")
        yield from columns([_needed_cells(each) for each in needed], width, indent=8)
    if why.free:
        yield Text("      it holds without all of these together", "bold")
        yield from columns([_guard_cells(each) for each in why.free], width, indent=8)
    if why.parts:
        yield Text("      of what it claims", "bold")
        yield from columns([_part_cells(each) for each in why.parts], width, indent=8)
    out = len(why.needed) - len(needed)
    if out:
        note = f"{counted(out, 'condition')} more can only keep out a rule that these options have "
        yield from paragraph(Text(f"{note}not.", "dim"), width, indent=6)
    for word, told in (
        ("falls", "violated"),
        ("holds", "proven"),
        ("says nothing", "vacuous"),
        ("is not known", "unknown"),
        ("cannot be asked", NO_SYSTEM),
    ):
        found = [each for each in why.options if each.without.word == told]
        if found:
            yield Text(f"      with another option it {word}", "bold")
            yield from flow([_option(each) for each in found], width, indent=8)
    if why.stopped:
        yield from paragraph(Text(f"not all was asked: {why.stopped}"), width, indent=6)


def _part_cells(part: ClaimPart) -> list[Cell]:
    match part.clauses:
        case None:
            told = "is kept only with the others"
        case 0:
            told = "is kept by itself"
        case count:
            told = f"rests on {counted(count, 'clause')}"
    return [told, guard_text(part.operand)[1]]


def _guard_cells(guard: Guard | Operand) -> list[Cell]:
    where, condition = guard_text(guard)
    return [Text(where, "italic"), condition]


def _needed_cells(needed: NeededGuard) -> list[Cell]:
    return [_told(needed.without), *_guard_cells(needed.guard)]


def _told(without: Without) -> str:
    match without.word:
        case "violated":
            return "it falls" + (f", {counted(without.steps, 'step')}" if without.steps else "")
        case "proven":
            return "it holds for another reason"
        case "vacuous":
            return "it says nothing"
        case _:
            return "is not known"


def _option(chosen: OptionChoice) -> str:
    steps = chosen.without.steps
    told = "" if steps is None else f" ({counted(steps, 'step')})"
    return f"{chosen.name} = {chosen.other}{told}"


# --- as JSON -------------------------------------------------------------------------------------


def why_json(why: ProofNeeds) -> dict[str, object]:
    """Return the result as plain data."""
    return {
        "needed": [_needed_json(each) for each in why.needed],
        "free": [_guard_json(each) for each in why.free],
        "parts": [_part_json(each) for each in why.parts],
        "options": [_chosen_json(each) for each in why.options],
        "seconds": round(why.seconds, 3),
        "stopped": why.stopped or None,
    }


def _needed_json(needed: NeededGuard) -> dict[str, object]:
    return _guard_json(needed.guard) | _without_json(needed.without)


def _part_json(part: ClaimPart) -> dict[str, object]:
    return _guard_json(part.operand) | {"clauses": part.clauses}


def _guard_json(guard: Guard | Operand) -> dict[str, object]:
    where, condition = guard_text(guard)
    name = Path(guard.file).name
    line = guard.lines[guard.number] if isinstance(guard, Operand) else guard.line
    return {"in": where, "condition": condition, "file": name, "line": line}


def _chosen_json(chosen: OptionChoice) -> dict[str, object]:
    words = {"option": chosen.name, "is": chosen.value, "other": chosen.other}
    return words | _without_json(chosen.without)


def _without_json(without: Without) -> dict[str, object]:
    return {"without": without.word, "steps": without.steps}
