"""Builds the page of `finale impact`: what a change of Flink touches, both codes side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import htpy as h

from finale.checker.impact.comparing import Change, Impact
from finale.checker.report.impact import (
    LINES,
    NAMED,
    NEAR,
    UNNAMED,
    UNSEEN,
    build_words,
    classes_of,
    effect_words,
    line_words,
    names_of,
    same_version,
    short,
    summary_line,
    unseen_sentences,
)
from finale.checker.studies.effects import Effect

from .document import document
from .parts import badge, beside, folded, heading, listing, section, table

_TONES = {Effect.LOSS: "bad", Effect.HANG: "bad", Effect.OTHER: "open", Effect.FAULT: "open"}


def impact_page(impact: Impact, made_by: str) -> str:
    """The page about two builds."""
    title = f"Impact: {build_words(impact.old)} → {build_words(impact.new)}"
    said = same_version(impact)
    facts = [summary_line(impact), *([said] if said else []), f"made by {made_by}"]
    return document(
        title,
        [
            heading(title, *facts),
            section(NAMED.capitalize(), *(_or_none(map(_named, impact.named)))),
            section(NEAR.capitalize(), *(_or_none(map(_near, impact.near)))),
            section(LINES.capitalize(), _lines(impact)),
            section(UNNAMED.capitalize(), *_unnamed(impact.unnamed)),
            section(UNSEEN.capitalize(), h.ul[(h.li[e] for e in unseen_sentences(impact))]),
        ],
    )


def _or_none(parts: Iterator[h.Renderable]) -> list[h.Renderable]:
    return list(parts) or [h.p["none"]]


def _named(change: Change) -> h.Renderable:
    tone = "plain" if change.effect is None else _TONES[change.effect]
    head: list[h.Node] = [h.code[change.title], " ", badge(change.how.value, "plain"), " "]
    if change.effect is not None:
        head.append(badge(change.effect.value, tone))
    about = [
        h.ul[
            (h.li[each] for each in (*names_of(change), effect_words(change), change.note) if each)
        ],
        h.ul[(h.li[f"{n.told}: {n.sentence}"] for n in change.named_by if n.sentence)],
    ]
    return folded(head, *about, *_codes(change))


def _near(change: Change) -> h.Renderable:
    head: list[h.Node] = [h.code[change.title], " ", badge(change.how.value, "plain"), " "]
    head += change.near[:1]
    return folded(head, h.ul[(h.li[each] for each in change.near)], *_codes(change))


def _codes(change: Change) -> Iterator[h.Renderable]:
    yield listing("\n".join(map(short, change.diff)))
    yield folded("both codes", beside(*(listing(_code(c)) for c in (change.old, change.new))))


def _code(lines: Sequence[str]) -> str:
    return "\n".join(map(short, lines)) or "the build has no such method"


def _lines(impact: Impact) -> h.Renderable:
    if not impact.lines:
        return h.p["none"]
    rows = ((each.event, each.logger.replace("/", "."), line_words(each)) for each in impact.lines)
    return table(("Event", "Logger", "What became of it"), rows, caption="log lines")


def _unnamed(changes: Sequence[Change]) -> Iterator[h.Renderable]:
    if not changes:
        yield h.p["none"]
        return
    yield table(("Class", "", "Methods"), classes_of(changes), caption="classes without a rule")
    for change in changes:
        yield folded([h.code[change.title], " ", badge(change.how.value, "plain")], *_codes(change))


__all__ = ["impact_page"]
