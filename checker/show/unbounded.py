"""What was proven of runs of any length, as a page: the clauses, what follows, what resists."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from checker.symbolic.unbounded.proof import Obstacle
from checker.symbolic.unbounded.prove import Proven, Result
from checker.symbolic.unbounded.window import Window
from model.language.entities import Variable

from .layout import columns, counted, duration, joined, paragraph
from .values import ARROW, changes, label_of, value_text

_STYLES = {"proven": "bold green", "resists": "bold red", "unknown": "bold yellow"}
_MARKS = {"proven": "✓", "resists": "✗", "unknown": "!"}


def clause_lines(proven: Proven, width: int) -> Iterator[Text]:
    """The clauses, each a sentence."""
    asked = f"checked by {counted(proven.asked, 'question')}"
    yield joined([Text("What every rule keeps", "bold"), f"{len(proven.clauses)} clauses", asked])
    for clause in proven.clauses:
        yield from paragraph(Text(clause.sentence), width, indent=4)


def result_lines(proven: Proven, width: int) -> Iterator[Text]:
    """The properties, and the clauses that are set aside: each with its verdict."""
    for result in proven.results:
        yield from _result(proven.window, result, width)
    for result in proven.set_aside:
        yield Text("Set aside: this clause is not kept, or rests on one that is not.", "bold")
        yield from _result(proven.window, result, width)
    for step in proven.never_taken:
        yield Text(f"The clauses leave no state in which {step} can be taken.", "bold yellow")


def _result(window: Window, result: Result, width: int) -> Iterator[Text]:
    mark = Text(f"  {_MARKS[result.verdict]} ", _STYLES[result.verdict])
    name = Text(f"{result.family.name}  ", "bold") + Text(result.verdict)
    yield joined([mark + name, duration(result.seconds)])
    yield from paragraph(Text(result.family.sentence), width, indent=4)
    if result.answer.why_unknown:
        yield from paragraph(Text(result.answer.why_unknown), width, indent=4)
    for obstacle in result.answer.obstacles[:1]:
        yield from _obstacle(window, obstacle, width)


def _obstacle(window: Window, obstacle: Obstacle, width: int) -> Iterator[Text]:
    about = ", ".join(f"{name} {value}" for name, value in obstacle.binding)
    said = "A state that satisfies the clauses, perhaps never reached, in which it fails"
    if obstacle.step is not None:
        said = "A state that satisfies the clauses, perhaps never reached, and a step after which "
        said += f"it fails: {obstacle.step}"
    ids = ", ".join(each.name for each in window.ids)
    note = f"{said}; for {about}. {ids} stand for any ids in this order, others for those between."
    yield from paragraph(Text(note), width, indent=4)
    rows = [
        (label_of(variable), value_text(variable.domain, value))
        for variable, value in _values(window, obstacle.before)
        if _says_something(variable, value)
    ]
    yield from columns(rows, width, indent=6)
    if obstacle.after is not None:
        yield Text("    and after it", "dim")
        pairs = zip(_values(window, obstacle.before), _values(window, obstacle.after), strict=True)
        changed = [
            (each.label, f"{each.old} {ARROW} {each.new}")
            for (variable, old), (_, new) in pairs
            for each in changes(variable, old, new)
        ]
        yield from columns(changed, width, indent=6)


def _values(window: Window, state: tuple[int, ...]) -> Iterator[tuple[Variable, object]]:
    for variable in window.world.variables:
        if variable.entity not in window.gaps:
            yield variable, variable.domain.decode([state[index] for index in variable.indices])


def _says_something(variable: Variable, value: object) -> bool:
    return value != variable.domain.decode(variable.domain.filler) and variable.field != "offset"


__all__ = ["clause_lines", "result_lines"]
