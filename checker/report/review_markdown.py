"""Shows a review as Markdown for a comment on a pull request: verdicts, a table, the runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from finale.checker.review.review import Review
from finale.checker.review.verdicts import Direction
from finale.checker.search.rows import Exit

from .layout import Cell, counted, text_of
from .markdown import comment, folded, inline
from .places import portable_file
from .review import (
    command_of_finding,
    command_of_flip,
    difference_rows,
    steps_in_words,
    story_of_finding,
    story_of_flip,
    told_of_verdicts,
    tried_settings,
    what_is_missing,
)
from .story import Story

_VERDICTS = {
    Exit.AS_EXPECTED: "✅ No verdict is worse.",
    Exit.FAILED: "❌ A verdict is worse.",
    Exit.LIMIT: "⚠️ It is not known whether a verdict is worse.",
    Exit.BAD_INPUT: "⚠️ A setting was refused with an error.",
    Exit.INTERRUPTED: "⚠️ The review was interrupted.",
}
_REST = "The rest does not fit into a comment: `finale review -o review.html` shows more."


def review_markdown(reviews: Sequence[Review]) -> str:
    """Return a comment for a pull request, shorter than such comments may be."""
    heads = ("\n".join(_head(each)) for each in reviews)
    runs = (run for each in reviews for run in _runs(each))
    return comment([], chain(heads, runs), [], _REST)


def _head(review: Review) -> Iterator[str]:
    yield f"### Review of {inline(str(review.change))}"
    yield ""
    yield f"**{_VERDICTS[review.exit]}**"
    said = (tried_settings(review), *told_of_verdicts(review), *what_is_missing(review))
    yield inline(f"{', '.join(said)}.")
    yield ""
    yield from (f"- {inline(each.message)}" for each in review.remarks)
    yield from [""] if review.remarks else []
    rows = list(difference_rows(review))
    if rows:
        yield "| | Property | What differs |"
        yield "|---|---|---|"
        yield from (f"| {' | '.join(map(_cell, row))} |" for row in rows)
        yield ""


def _cell(cell: Cell) -> str:
    return inline(text_of(cell).plain)


def _runs(review: Review) -> Iterator[str]:
    """The shortest run of each new violation, to be opened."""
    for run in review.runs:
        finding = run[0]
        story = story_of_finding(*finding.first)
        if finding.direction is Direction.VIOLATED and story is not None:
            names = ", ".join(each.property for each in run)
            yield _run(names, story, command_of_finding(finding, path_of=_short))
    for same in review.new_flips:
        again = command_of_flip(same[0], path_of=_short)
        yield _run(same[0].property, story_of_flip(same[0]), again)


def _short(file: Path) -> str:
    return portable_file(file)


def _run(names: str, story: Story, again: str) -> str:
    steps = counted(len(story.steps), "step")
    summary = f"<code>{inline(names)}</code>: the shortest run found has {steps}"
    return folded(summary, (*steps_in_words(story), "", again), "text", [story.sentence])


__all__ = ["review_markdown"]
