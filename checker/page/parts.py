"""The parts that pages are made of: a heading, sections, verdicts, tables, source texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import htpy as h

from finale.checker.report.layout import grouped
from finale.checker.report.story import BUILT_IN_SENTENCES
from finale.checker.search.rows import ResultRow
from finale.checker.search.verdict import Word
from finale.checker.spec.claim import Spec

#: How a verdict, or any other word of a result, is coloured; words that are not here are plain.
TONES = {
    "holds": "good",
    "reached": "good",
    "violated": "bad",
    "unknown": "open",
    "vacuous": "open",
}


def heading(title: str, *facts: h.Node) -> h.Renderable:
    """The head of a page: its title, and short facts below it."""
    return h.header[h.h1[title], facts and h.p(".facts")[(h.span[each] for each in facts)]]


def section(title: h.Node, *content: h.Node, name: str | None = None) -> h.Renderable:
    """A section of a page; with a `name`, links reach it, and give it the focus."""
    return h.section(id=name, tabindex=name and "-1")[h.h2[title], content]


def grouped_number(value: int) -> str:
    """A number in groups of three digits, which no line end parts."""
    return grouped(value).replace(" ", "\N{NO-BREAK SPACE}")


def badge(word: str, tone: str | None = None) -> h.Renderable:
    """A word of a result in its colour."""
    chosen = TONES.get(word, "plain") if tone is None else tone
    return h.span(class_=["badge", chosen])[word]


def named(spec: Spec, name: str, anchor: str = "") -> h.Renderable:
    """A property by its name, with its sentence on hover; with an anchor as a link."""
    sentences = BUILT_IN_SENTENCES | {each.name: each.sentence for each in spec.families}
    about = sentences.get(name)
    return h.a(href=f"#{anchor}", title=about)[name] if anchor else h.span(title=about)[name]


def verdict_word(row: ResultRow) -> str:
    """The verdict in one word: a witness is `reached` or `not reached`."""
    return row.shown if row.witness is None else "reached"


def verdict(row: ResultRow) -> h.Renderable:
    """The verdict of a row in its colour: a violation is red if it is not as expected."""
    word = verdict_word(row)
    if word != Word.VIOLATED.value or not row.ok:
        return badge(word)
    return badge(word, "open" if row.expected is None else "known")


def table(
    head: Sequence[h.Node], rows: Iterable[Sequence[h.Node]], *, caption: str = ""
) -> h.Renderable:
    """A table; on a narrow screen it scrolls inside itself and the page does not."""
    # Who uses only the keyboard can scroll the box if it can have the focus.
    box = h.div(".scroll", tabindex="0", role="region", aria_label=caption or "table")
    return box[
        h.table[
            caption and h.caption[caption],
            h.thead[h.tr[(h.th(scope="col")[each] for each in head)]],
            h.tbody[(h.tr[map(_cell, row, head)] for row in rows)],
        ]
    ]


def _cell(content: h.Node, head: h.Node) -> h.Renderable:
    """A cell, with the head of its column for narrow screens, which show no heads."""
    return h.td(data_label=head if isinstance(head, str) and head else None)[content]


def pairs(rows: Iterable[tuple[h.Node, h.Node]]) -> h.Renderable:
    """Names with their values, below each other."""
    return h.dl[([h.dt[name], h.dd[value]] for name, value in rows)]


def listing(text: str) -> h.Renderable:
    """A text as it is, in the width of its letters."""
    return h.pre(tabindex="0")[h.code[text]]


def folded(summary: h.Node, *content: h.Node, is_open: bool = False) -> h.Renderable:
    """A part that opens on demand; on paper it is open."""
    return h.details(open=is_open)[h.summary[summary], content]


def beside(*columns: h.Node) -> h.Renderable:
    """Parts beside each other, on a narrow screen below each other."""
    return h.div(".beside")[(h.div[each] for each in columns)]


__all__ = [
    "badge",
    "beside",
    "folded",
    "grouped_number",
    "heading",
    "listing",
    "named",
    "pairs",
    "section",
    "table",
    "verdict",
    "verdict_word",
]
