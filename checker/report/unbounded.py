"""Shows proofs for runs of any length, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from finale.checker.proofs.unbounded.proof import Obstacle
from finale.checker.proofs.unbounded.prove import ClauseResult, UnboundedProof
from finale.checker.proofs.unbounded.window import IdWindow
from finale.checker.spec.claim import Spec
from finale.model.language.entities import Variable
from finale.model.value_text import ARROW, changes, label_of, value_text

from .layout import columns, counted, duration, flow, joined, paragraph
from .places import shown_file

_STYLES = {"proven": "bold green", "resists": "bold red", "unknown": "bold yellow"}
_MARKS = {"proven": "✓", "resists": "✗", "unknown": "!"}
#: As a search says it.
VACUOUS = "its antecedent is never true"


def head_lines(spec: Spec, width: int) -> Iterator[Text]:
    """Show the spec to be proven."""
    yield from paragraph(Text(spec.title, "bold"), width)
    parts = [shown_file(spec.file), "any number of checkpoint ids, records and failures"]
    yield from flow([Text(part, "dim") for part in parts], width)
    yield Text()


def clause_lines(proven: UnboundedProof, width: int) -> Iterator[Text]:
    """The clauses, each a sentence."""
    if not proven.clauses:
        yield Text("No clause is known to be kept by every rule.", "bold yellow")
        return
    asked = f"checked by {counted(proven.asked, 'question')}"
    yield joined([Text("What every rule keeps", "bold"), f"{len(proven.clauses)} clauses", asked])
    for clause in proven.clauses:
        yield from paragraph(Text(clause.sentence), width, indent=4)


def result_lines(proven: UnboundedProof, width: int) -> Iterator[Text]:
    """The properties, and the clauses that are set aside: each with its verdict."""
    for result in proven.results:
        yield from _result(proven.window, result, width)
    for result in proven.set_aside:
        yield Text(f"Set aside: this clause {_why_aside(result)}.", "bold")
        yield from _result(proven.window, result, width)
    for step in proven.never_taken:
        yield Text(f"The clauses leave no state in which {step} can be taken.", "bold yellow")
    if proven.stopped:
        yield from paragraph(Text(f"Not all was asked: {proven.stopped}", "yellow"), width)


def sum_line(proven: UnboundedProof) -> Text:
    """How many properties are proven, and what became of the others."""
    counts: dict[str, int] = {}
    for each in proven.results:
        word = "vacuous" if each.answer.vacuous else each.word
        counts[word] = counts.get(word, 0) + 1
    parts = [f"{count} {word}" for word, count in counts.items()]
    return Text(" · ".join([f"{len(proven.results)} properties", *parts]), "bold")


def _why_aside(result: ClauseResult) -> str:
    if result.word == "unknown":
        return "is not known to be kept"
    return "is not kept, or rests on one that is not"


def _result(window: IdWindow, result: ClauseResult, width: int) -> Iterator[Text]:
    says_nothing = result.answer.vacuous
    style = "bold yellow" if says_nothing else _STYLES[result.word]
    mark = Text(f"  {'!' if says_nothing else _MARKS[result.word]} ", style)
    name = Text(f"{result.family.name}  ", "bold") + Text(result.word)
    yield joined([mark + name, duration(result.seconds)])
    yield from paragraph(Text(result.family.sentence), width, indent=4)
    if result.answer.vacuous:
        yield Text("    but it is vacuous: ", "bold yellow") + Text(VACUOUS)
    if result.answer.why_unknown:
        why = result.answer.why_unknown
        yield from paragraph(Text(why), width, indent=4)
    for obstacle in result.answer.obstacles[:1]:
        yield from _obstacle(window, obstacle, width)


def _obstacle(window: IdWindow, obstacle: Obstacle, width: int) -> Iterator[Text]:
    about = ", ".join(f"{name} {value}" for name, value in obstacle.binding)
    said = "A state that satisfies the clauses, perhaps never reached, in which it fails"
    if obstacle.step is not None:
        said = "A state that satisfies the clauses, perhaps never reached, and a step after which "
        said += f"it fails: {obstacle.step}"
    ids = ", ".join(each.name for each in window.ids)
    note = f"{said}; for {about}. {ids} stand for any ids in this order, others for those between."
    yield from paragraph(Text(note), width, indent=4)
    yield from columns([*_state(window, obstacle)], width, indent=6)
    if obstacle.after is not None:
        yield Text("    and after it", "dim")
        yield from columns([*_changed(window, obstacle)], width, indent=6)


def _state(window: IdWindow, obstacle: Obstacle) -> Iterator[tuple[str, str]]:
    for variable, value in _values(window, obstacle.before):
        if _says_something(variable, value):
            yield label_of(variable), value_text(variable.domain, value)


def _changed(window: IdWindow, obstacle: Obstacle) -> Iterator[tuple[str, str]]:
    if obstacle.after is None:
        return
    pairs = zip(_values(window, obstacle.before), _values(window, obstacle.after), strict=True)
    for (variable, old), (_, new) in pairs:
        for each in changes(variable, old, new):
            yield each.label, f"{each.old} {ARROW} {each.new}"


def _values(window: IdWindow, state: tuple[int, ...]) -> Iterator[tuple[Variable, object]]:
    for variable in window.world.variables:
        if variable.entity not in window.gaps:
            yield variable, variable.domain.decode([state[index] for index in variable.indices])


def _says_something(variable: Variable, value: object) -> bool:
    return value != variable.domain.decode(variable.domain.filler) and variable.field != "offset"


# --- as JSON -------------------------------------------------------------------------------------


def proven_json(spec: Spec, proven: UnboundedProof) -> dict[str, object]:
    """Return the result as plain data."""
    return {
        "spec": shown_file(spec.file),
        "clauses": [{"name": each.name, "sentence": each.sentence} for each in proven.clauses],
        "proofs": [_result_json(proven.window, each) for each in proven.results],
        "set_aside": [_result_json(proven.window, each) for each in proven.set_aside],
        "never_taken": proven.never_taken,
        "questions": proven.asked,
        "seconds": round(proven.seconds, 3),
        "stopped": proven.stopped or None,
    }


def _result_json(window: IdWindow, result: ClauseResult) -> dict[str, object]:
    row: dict[str, object] = {
        "property": result.family.name,
        "verdict": result.word,
        "seconds": round(result.seconds, 3),
    }
    if result.answer.proven:
        row["vacuous"] = VACUOUS if result.answer.vacuous else None
    if result.word == "unknown":
        row["why"] = result.answer.why_unknown
    for obstacle in result.answer.obstacles[:1]:
        row["break"] = {
            "about": dict(obstacle.binding),
            "state": dict(_state(window, obstacle)),
            "rule": obstacle.step,
            "after": dict(_changed(window, obstacle)),
        }
    return row
