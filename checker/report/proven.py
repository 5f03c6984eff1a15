"""Shows the proofs of a spec, as text and as JSON, with invariants in the words of the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from finale.checker.proofs.prove import Break, Inconclusive, Outcome, Proven, Refuted
from finale.checker.search.solving.cubes import Cube
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Word
from finale.checker.spec.claim import Spec
from finale.model.system import System
from finale.model.value_text import ARROW

from .layout import Cell, columns, counted, duration, flow, joined, paragraph
from .places import command, shown_file
from .story import BUILT_IN_SENTENCES, changes_of, groups_of
from .words import condition_text, never_together

_STYLES = {"proven": "bold green", "violated": "bold red", "unknown": "bold yellow"}


def head_lines(spec: Spec, system: System, width: int) -> Iterator[Text]:
    """Show the spec to be proven."""
    yield from paragraph(Text(spec.title, "bold"), width)
    parts = [
        shown_file(spec.file),
        counted(len(system.rules), "ground rule"),
        f"{system.bits} bits a state",
    ]
    yield from flow([Text(part, "dim") for part in parts], width)


def outcome_lines(spec: Spec, system: System, outcome: Outcome, width: int) -> Iterator[Text]:
    """One property: the outcome, its sentence, and the invariant, or what stands in its way."""
    mark = {True: "✓", False: "✗", None: "·"}[is_as_expected(spec, outcome)]
    mark = "!" if isinstance(outcome, Inconclusive) else mark
    head = Text(f"  {mark} ", _STYLES[outcome.word]) + Text(f"{outcome.name}  ", "bold")
    yield Text()
    yield joined([head + Text(outcome.word), *_costs(outcome), duration(outcome.seconds)])
    sentences = {each.name: each.sentence for each in system.properties} | BUILT_IN_SENTENCES
    yield from paragraph(Text(sentences.get(outcome.name, "")), width, indent=4)
    match outcome:
        case Proven():
            yield from _proven(system, outcome, width)
        case Refuted():
            steps = command("trace", spec, "--property", outcome.name)
            yield from paragraph(Text(f"its steps: {steps}", "dim"), width, indent=4)
        case Inconclusive():
            yield from paragraph(
                Text(f"{outcome.why}. Tried: {', '.join(outcome.tried)}."), width, indent=4
            )
            if outcome.breaks is not None:
                yield from _break(system, outcome.breaks, width)


def _costs(outcome: Outcome) -> Iterator[str]:
    if not isinstance(outcome, Proven):
        return
    if outcome.over > 1:
        yield f"by induction over {outcome.over} steps"
    elif outcome.given:
        yield f"with {', '.join(outcome.given)}"
    elif outcome.cubes or outcome.clauses:
        count = len(merged(outcome.cubes)) + len(outcome.clauses)
        yield f"with {counted(count, 'clause')}"
    else:
        yield "inductive by itself"
    if outcome.checked:
        yield f"checked by {counted(outcome.checked, 'question')}"


def _proven(system: System, outcome: Proven, width: int) -> Iterator[Text]:
    if outcome.vacuous:
        yield Text("    but it is vacuous: ", "bold yellow") + Text(outcome.vacuous)
    for cells in merged(outcome.cubes):
        line = Text("never ", "dim") + Text(never_together(system, cells))
        yield from paragraph(line, width, indent=6)
    for clause in outcome.clauses:
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


def summary(spec: Spec, outcomes: Sequence[Outcome]) -> Text:
    """Show the summary of all proofs."""
    parts = ["1 property" if len(outcomes) == 1 else f"{len(outcomes)} properties"]
    for word in ("proven", "violated", "unknown"):
        count = sum(each.word == word for each in outcomes)
        parts.append(f"{count} {word}" if count else "")
    wrong = sum(is_as_expected(spec, each) is False for each in outcomes)
    parts.append(f"{wrong} not as expected" if wrong else "")
    return joined([Text(), *parts])


def is_as_expected(spec: Spec, outcome: Outcome) -> bool | None:
    """Whether the spec expects it; None where it expects nothing, or nothing was found."""
    expected = spec.expectations.get(outcome.name)
    verdict = expected.verdict if expected is not None else None
    if verdict is None and outcome.name in (WELL_FORMED, NO_DEADLOCK):
        verdict = Word.HOLDS
    match outcome:
        case Inconclusive():
            return None
        case _ if verdict is None:
            return None
        case Refuted():
            return verdict == Word.VIOLATED
        case Proven():
            return verdict == (Word.VACUOUS if outcome.vacuous else Word.HOLDS)


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


def outcome_json(spec: Spec, system: System, outcome: Outcome) -> dict[str, object]:
    """One property as plain data."""
    row: dict[str, object] = {
        "spec": shown_file(spec.file),
        "property": outcome.name,
        "verdict": outcome.word,
        "as_expected": is_as_expected(spec, outcome),
        "seconds": round(outcome.seconds, 3),
    }
    match outcome:
        case Proven():
            row["never"] = [never_together(system, cells) for cells in merged(outcome.cubes)]
            row["always"] = [condition_text(system, each) for each in outcome.clauses]
            row |= {"steps": outcome.over, "questions": outcome.questions}
            row |= {
                "given": outcome.given,
                "checked": outcome.checked,
                "vacuous": outcome.vacuous or None,
            }
        case Refuted():
            pass
        case Inconclusive(breaks=found):
            row |= {"why": outcome.why, "tried": outcome.tried, "break": None}
            if found is not None:
                row["break"] = _break_json(system, found)
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
