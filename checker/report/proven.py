"""Shows the proofs of a spec, as text and as JSON, with invariants in the words of the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from finale.checker.proofs.prove import PROVEN, Break, ProofResult, Proven
from finale.checker.search.solving.cubes import Cube
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Verdict, Word
from finale.checker.spec.claim import Spec
from finale.model.system import System
from finale.model.value_text import ARROW

from .layout import Cell, columns, counted, duration, flow, joined, paragraph
from .places import command, shown_file
from .story import BUILT_IN_SENTENCES, changes_of, groups_of
from .words import condition_text, never_together

_STYLES = {PROVEN: "bold green", "violated": "bold red", "unknown": "bold yellow"}


def head_lines(spec: Spec, system: System, width: int) -> Iterator[Text]:
    """Show the spec to be proven."""
    yield from paragraph(Text(spec.title, "bold"), width)
    parts = [
        shown_file(spec.file),
        counted(len(system.rules), "ground rule"),
        f"{system.bits} bits a state",
    ]
    yield from flow([Text(part, "dim") for part in parts], width)


def result_lines(spec: Spec, system: System, result: ProofResult, width: int) -> Iterator[Text]:
    """One property: the verdict, its sentence, and the invariant, or what stands in its way."""
    verdict = result.verdict
    mark = {True: "✓", False: "✗", None: "·"}[is_as_expected(spec, verdict)]
    mark = "!" if verdict.word is Word.UNKNOWN else mark
    head = Text(f"  {mark} ", _STYLES[result.word]) + Text(f"{verdict.property}  ", "bold")
    yield Text()
    yield joined([head + Text(result.word), *_costs(result.proven), duration(result.seconds)])
    sentences = {each.name: each.sentence for each in system.properties} | BUILT_IN_SENTENCES
    yield from paragraph(Text(sentences.get(verdict.property, "")), width, indent=4)
    if result.proven is not None:
        yield from _proven(system, result.proven, verdict.why, width)
    elif verdict.word is Word.VIOLATED:
        steps = command("trace", spec, "--property", verdict.property)
        yield from paragraph(Text(f"its steps: {steps}", "dim"), width, indent=4)
    else:
        told = f"{verdict.why}. Tried: {', '.join(result.tried)}."
        yield from paragraph(Text(told), width, indent=4)
        if result.breaks is not None:
            yield from _break(system, result.breaks, width)


def _costs(proven: Proven | None) -> Iterator[str]:
    if proven is None:
        return
    if proven.over > 1:
        yield f"by induction over {proven.over} steps"
    elif proven.given:
        yield f"with {', '.join(proven.given)}"
    elif proven.cubes or proven.clauses:
        count = len(merged(proven.cubes)) + len(proven.clauses)
        yield f"with {counted(count, 'clause')}"
    else:
        yield "inductive by itself"
    if proven.checked:
        yield f"checked by {counted(proven.checked, 'question')}"


def _proven(system: System, proven: Proven, vacuous: str, width: int) -> Iterator[Text]:
    if vacuous:
        yield Text("    but it is vacuous: ", "bold yellow") + Text(vacuous)
    for cells in merged(proven.cubes):
        line = Text("never ", "dim") + Text(never_together(system, cells))
        yield from paragraph(line, width, indent=6)
    for clause in proven.clauses:
        line = Text("always ", "dim") + Text(condition_text(system, clause))
        yield from paragraph(line, width, indent=6)


def _break(system: System, found: Break, width: int) -> Iterator[Text]:
    note = "It is not inductive: it holds in this state, which may be unreachable,"
    yield from paragraph(Text(note), width, indent=4)
    rows: list[list[Cell]] = [
        [
            Text(group.kind, "dim"),
            ", ".join(filter(None, group.names)),
            "  ".join(f"{name} {value}" for name, value in group.values),
        ]
        for group in groups_of(system, found.state)
    ]
    yield from columns(rows, width, indent=6)
    yield from paragraph(Text(f"but this step violates it: {found.rule}"), width, indent=4)
    if found.after is not None:
        changes = changes_of(system, found.state, found.after)
        lines = [(each.label, f"{each.old} {ARROW} {each.new}") for each in changes]
        yield from columns(lines, width, indent=6)
    if found.excluded is not None:
        words = never_together(system, _cells(found.excluded))
        note = f"It is never reached: no step comes to where {words}."
        yield from paragraph(Text(note), width, indent=4)
    else:
        note = "No inductive invariant was found that excludes this state."
        yield from paragraph(Text(note), width, indent=4)


def summary(spec: Spec, results: Sequence[ProofResult]) -> Text:
    """Show the summary of all proofs."""
    parts = ["1 property" if len(results) == 1 else f"{len(results)} properties"]
    for word in _STYLES:
        count = sum(each.word == word for each in results)
        parts.append(f"{count} {word}" if count else "")
    wrong = sum(is_as_expected(spec, each.verdict) is False for each in results)
    parts.append(f"{wrong} not as expected" if wrong else "")
    return joined([Text(), *parts])


def is_as_expected(spec: Spec, verdict: Verdict) -> bool | None:
    """Whether the spec expects it; None where it expects nothing, or nothing was found."""
    expected = spec.expectations.get(verdict.property)
    word = expected.verdict if expected is not None else None
    if word is None and verdict.property in (WELL_FORMED, NO_DEADLOCK):
        word = Word.HOLDS
    return None if word is None or verdict.word is Word.UNKNOWN else verdict.word == word


# --- clauses -------------------------------------------------------------------------------------


def merged(cubes: Sequence[Cube]) -> list[dict[int, frozenset[int]]]:
    """Cubes that differ in the value of one cell alone as one, where the cell has any of these."""
    found: list[dict[int, frozenset[int]]] = []
    waiting = [_cells(cube) for cube in cubes]
    while waiting:
        cells = waiting.pop(0)
        for number, other in enumerate(found):
            both = _together(other, cells)
            if both is not None:
                del found[number]
                waiting.insert(0, both)
                break
        else:
            found.append(cells)
    return found


def _cells(cube: Cube) -> dict[int, frozenset[int]]:
    return {index: frozenset([value]) for index, value in cube}


def _together(
    one: dict[int, frozenset[int]], other: dict[int, frozenset[int]]
) -> dict[int, frozenset[int]] | None:
    if one.keys() != other.keys():
        return None
    different = [index for index in one if one[index] != other[index]]
    if len(different) != 1:
        return None
    (index,) = different
    return one | {index: one[index] | other[index]}


# --- as JSON -------------------------------------------------------------------------------------


def result_json(spec: Spec, system: System, result: ProofResult) -> dict[str, object]:
    """One property as plain data."""
    verdict, proven = result.verdict, result.proven
    row: dict[str, object] = {
        "spec": shown_file(spec.file),
        "property": verdict.property,
        "verdict": result.word,
        "as_expected": is_as_expected(spec, verdict),
        "seconds": round(result.seconds, 3),
    }
    if proven is not None:
        row["never"] = [never_together(system, cells) for cells in merged(proven.cubes)]
        row["always"] = [condition_text(system, each) for each in proven.clauses]
        row |= {"steps": proven.over, "questions": proven.questions}
        row |= {"given": proven.given, "checked": proven.checked, "vacuous": verdict.why or None}
    elif verdict.word is Word.UNKNOWN:
        found = result.breaks
        row |= {"why": verdict.why, "tried": result.tried}
        row["break"] = None if found is None else _break_json(system, found)
    return row


def _break_json(system: System, found: Break) -> dict[str, object]:
    excluded = found.excluded
    return {
        "state": [
            {"kind": group.kind, "names": group.names, "values": dict(group.values)}
            for group in groups_of(system, found.state)
        ],
        "rule": str(found.rule),
        "never": None if excluded is None else never_together(system, _cells(excluded)),
    }
