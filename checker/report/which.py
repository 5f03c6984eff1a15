"""Shows the settings for which a property holds, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from finale.checker.search.answer import Holds, NotAsked, Unknown, Vacuous, Violated
from finale.checker.studies.which import PointAnswer, Which

from .layout import columns, counted, joined, paragraph

_STYLES = {"holds": "green", "violated": "red", "vacuous": "yellow", "unknown": "yellow"}


def which_lines(found: Which, width: int) -> list[Text]:
    """Each setting with its verdict, for how many it holds, and the weakest that break it."""
    lines = [Text(found.name, "bold")]
    lines += columns([_cells(each) for each in found.outcomes], width, indent=4)
    total, holding = len(found.outcomes), len(found.those(Holds.word))
    told = [f"holds in {holding} of {counted(total, 'setting')}"]
    for word in (Vacuous.word, Unknown.word, NotAsked.word):
        count = len(found.those(word))
        told += [f"{word} in {count}"] if count else []
    told += [found.stopped]
    lines += paragraph(joined(told), width)
    for each in found.weakest:
        lines += paragraph(Text(f"the weakest that breaks it: {each.setting}"), width)
    return lines


def _cells(outcome: PointAnswer) -> list[Text]:
    answer = outcome.answer
    steps = counted(answer.steps, "step") if answer.steps is not None else ""
    return [
        Text(str(outcome.setting)),
        Text(answer.verdict.word, _STYLES.get(answer.verdict.word, "dim")),
        joined([steps, answer.how if answer.verdict.word != Violated.word else ""]),
    ]


def which_rows(found: Which) -> Iterator[dict[str, object]]:
    """A row for each setting."""
    for each in found.outcomes:
        yield {
            "property": found.name,
            "setting": dict(each.setting.values),
            "verdict": each.answer.verdict.word,
            "steps": each.answer.steps,
            "how": each.answer.how,
            "weakest": each in found.weakest,
        }
