"""Shows the settings for which a property holds, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from finale.checker.search.verdict import Word
from finale.checker.studies.which import PointVerdict, Which

from .layout import columns, counted, joined, paragraph
from .results import STYLES


def which_lines(found: Which, width: int) -> list[Text]:
    """Each setting with its verdict, for how many it holds, and the weakest that break it."""
    lines = [Text(found.name, "bold")]
    lines += columns([_cells(each) for each in found.outcomes], width, indent=4)
    total, holding = len(found.outcomes), len(found.those(Word.HOLDS))
    told = [f"holds in {holding} of {counted(total, 'setting')}"]
    for word in (Word.VACUOUS, Word.UNKNOWN, Word.NOT_ASKED):
        count = len(found.those(word))
        told += [f"{word} in {count}"] if count else []
    told += [found.stopped]
    lines += paragraph(joined(told), width)
    for each in found.weakest:
        lines += paragraph(Text(f"the weakest that breaks it: {each.setting}"), width)
    return lines


def _cells(outcome: PointVerdict) -> list[Text]:
    verdict = outcome.verdict
    steps = counted(verdict.steps, "step") if verdict.steps is not None else ""
    return [
        Text(str(outcome.setting)),
        Text(verdict.word, STYLES.get(verdict.word, "dim")),
        joined([steps, verdict.how if verdict.word is not Word.VIOLATED else ""]),
    ]


def which_rows(found: Which) -> Iterator[dict[str, object]]:
    """A row for each setting."""
    for each in found.outcomes:
        yield {
            "property": found.name,
            "setting": dict(each.setting.values),
            "verdict": each.verdict.word,
            "steps": each.verdict.steps,
            "how": each.verdict.how,
            "weakest": each in found.weakest,
        }
