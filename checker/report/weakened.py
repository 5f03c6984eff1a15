"""Shows what each assumption of a spec's rules protects, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.text import Text

from finale.checker.spec.claim import Spec
from finale.checker.studies.effects import Effect
from finale.checker.studies.weaken import Weakened, Weakening

from .layout import columns, counted, joined, paragraph
from .places import command, shown_file

_STYLES = {Effect.LOSS: "bold red", Effect.HANG: "red", Effect.OTHER: "yellow"}


def weakening_lines(found: Weakening, width: int) -> list[Text]:
    """The assumptions by effect, then those that nothing here needs, and how to see a trace."""
    spec = found.spec
    lines = [Text(shown_file(spec.file), "bold"), *paragraph(Text(f"  {spec.title}"), width)]
    for effect in Effect:
        own = [each for each in found.needed if _effect(each) is effect]
        if own:
            lines += [Text(), Text(f"{effect.value} without", _STYLES.get(effect, ""))]
            cells = [row for each in own for row in _needed(each)]
            lines += columns(cells, width, indent=2)
    lines += list(_rest(found, width))
    lines += _summary(found, width)
    first = next(iter(found.needed), None)
    if first is not None and first.first is not None:
        told = f"show it step by step: {command_of(spec, first, first.first.property)}"
        lines.append(Text(told, "dim"))  # in one line, so that it can be pasted
    return lines


def command_of(spec: Spec, found: Weakened, name: str) -> str:
    """The command that prints a counterexample without an assumption."""
    left_out = (*spec.left_out, found.assumption.name)
    return command("trace", replace(spec, left_out=left_out), "--property", name)


def _effect(found: Weakened) -> Effect | None:
    return None if found.first is None else found.first.effect


def _needed(found: Weakened) -> Iterator[list[Text]]:
    first, assumption = found.first, found.assumption
    assert first is not None
    told = f"{first.property} falls in {counted(first.steps, 'step')}"
    more = len(found.falls) - 1
    told += f", and {more} more {'property' if more == 1 else 'properties'}" if more else ""
    yield [Text(assumption.name, "bold"), Text(told)]
    yield [Text(), Text(assumption.sentence)]
    yield [Text(), Text(", ".join(assumption.methods), "dim")]


def _rest(found: Weakening, width: int) -> Iterator[Text]:
    rest = [each for each in found.found if not each.falls]
    kinds: Sequence[tuple[str, list[Weakened]]] = (
        ("nothing differs here without", [each for each in rest if each.is_same]),
        ("a limit ended the search without", [each for each in rest if each.stopped]),
        ("this setting cannot be without", [each for each in rest if each.refused]),
        (
            "no claim falls here without",
            [e for e in rest if not (e.is_same or e.stopped or e.refused)],
        ),
    )
    cells: list[list[str | Text]] = [[Text(word, "dim"), _names(own)] for word, own in kinds if own]
    if found.unjudged:
        cells.append([Text("not looked at", "yellow"), ", ".join(found.unjudged)])
    if cells:
        yield Text()
        yield from columns(cells, width, indent=2)


def _names(found: Sequence[Weakened]) -> str:
    return ", ".join(each.assumption.name for each in found)


def _summary(found: Weakening, width: int) -> list[Text]:
    total = len(found.found) + len(found.unjudged)
    parts = [f"{counted(total, 'assumption')}", f"{len(found.needed)} needed here"]
    parts += ["interrupted"] if found.is_interrupted else []
    return [Text(), *paragraph(joined(parts), width)]


def weakening_json(found: Weakening) -> dict[str, object]:
    """The same as a part of a JSON document."""
    return {
        "spec": shown_file(found.spec.file),
        "complete": found.is_complete and not found.is_interrupted,
        "unjudged": list(found.unjudged),
        "assumptions": [_json(found.spec, each) for each in found.found],
    }


def _json(spec: Spec, found: Weakened) -> dict[str, object]:
    assumption = found.assumption
    return {
        "name": assumption.name,
        "methods": list(assumption.methods),
        "cites": list(assumption.cites),
        "sentence": assumption.sentence,
        "left_out": assumption.leaving.value,
        "falls": [
            {
                "property": each.property,
                "effect": each.effect.name.lower(),
                "steps": each.steps,
                "command": command_of(spec, found, each.property),
            }
            for each in found.falls
        ],
        "same": found.is_same,
        "stopped": found.stopped,
        "refused": found.refused,
    }
