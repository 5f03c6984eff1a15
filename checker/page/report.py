"""Builds the page of `finale report`: verdicts, and each trace as a diagram and step by step.

Two specs stand beside each other: a base and its variant, or a bug and its fix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import htpy as h

from finale.checker.report.job import job_lines
from finale.checker.report.layout import counted
from finale.checker.report.places import shown_file, told_setting
from finale.checker.search.rows import ResultRow, SpecResult
from finale.checker.search.verdict import Word
from finale.model.errors import FinaleError, Place

from .document import document, fixed
from .parts import (
    badge,
    beside,
    folded,
    grouped_number,
    heading,
    listing,
    section,
    table,
    verdict,
    verdict_word,
)
from .told import Told, told_trace

#: A page shows so many steps at most: a browser draws them all at once.
STEPS_MAX = 1_000
_JOB_WIDTH = 100


def report_page(results: Sequence[SpecResult], made_by: str) -> str:
    """The page about some specs. Raises `page-too-large`."""
    _refuse_too_large(results)
    title = results[0].spec.title if len(results) == 1 else f"{len(results)} specs"
    body: list[h.Node] = [heading(title, *_facts(results), f"made by {made_by}")]
    if len(results) == 2:
        body += _compared(results)
    else:
        for number, result in enumerate(results):
            head = None if len(results) == 1 else section(result.spec.title, _about(result))
            body += [head, *_spec(result, f"s{number + 1}")]
    return document(title, body)


def _facts(results: Sequence[SpecResult]) -> Iterator[h.Node]:
    if len(results) == 1:
        yield from _spec_facts(results[0])


def _spec_facts(result: SpecResult) -> Iterator[str]:
    spec, seen = result.spec, result.report.statistics
    yield shown_file(spec.file)
    protocol, *changes = told_setting(spec)
    yield from (f"protocol {protocol}", *changes)
    if result.report.lists_states:
        more = "" if seen.complete else " and more"
        states, transitions = map(grouped_number, (seen.states, seen.transitions))
        yield f"{states} states{more}, {transitions} transitions"
    if result.report.stopped:
        yield f"stopped: {result.report.stopped}"


def _about(result: SpecResult) -> h.Renderable:
    return h.p(".facts")[(h.span[each] for each in _spec_facts(result))]


def _job(result: SpecResult) -> h.Node:
    job = result.spec.setting.job
    if job is None:
        return None
    text = "\n".join(line.plain.rstrip() for line in job_lines(job, _JOB_WIDTH, indent=0))
    return folded("the job", listing(text))


def _refuse_too_large(results: Sequence[SpecResult]) -> None:
    for result in results:
        steps = sum(len(row.trace.rules) for row in told_rows(result) if row.trace is not None)
        if steps > STEPS_MAX:
            raise FinaleError(
                "page-too-large",
                f"the traces have {steps} steps, and a page shows {STEPS_MAX} at most",
                place=Place(str(result.spec.file)),
                advice="ask for one property with --property, or take smaller bounds",
            )


# --- verdicts ------------------------------------------------------------------------------------


def verdicts(result: SpecResult, name: str) -> h.Renderable:
    """The verdicts of one spec. A property that has a trace links to the trace."""
    rows = [row for row in result.rows if row.is_claim]
    claimed = result.spec.claimed
    aside = [
        row
        for row in rows
        if row.expected is None and row.trace is None and row.ok and row.property not in claimed
    ]
    told = sorted((row for row in rows if row not in aside), key=_rank)
    head = ("property", "verdict", "expected", "steps", "")
    main = table(head, ([_linked(row, name), *_verdict(row)] for row in told))
    if not aside:
        return main
    others = table(head[:2], ([row.property, [verdict(row), _why(row)]] for row in aside))
    return h.fragment[main, folded(f"others: {len(aside)}", others)]


def _linked(row: ResultRow, name: str) -> h.Node:
    if row.trace is None:
        return row.property
    return h.a(href=f"#{name}-{row.property}")[row.property]


def _verdict(row: ResultRow) -> list[h.Node]:
    expected: h.Node = row.expected
    if not row.ok:
        expected = badge(row.expected or "nothing", "bad")
    return [verdict(row), expected, "" if row.steps is None else str(row.steps), _why(row)]


def _why(row: ResultRow) -> h.Node:
    return row.why and h.span(".soft")[" ", row.why]


def told_rows(result: SpecResult) -> list[ResultRow]:
    """The rows that have a trace: first what is not as expected, then violations, expected ones
    before others."""
    return sorted((row for row in result.rows if row.is_claim and row.trace is not None), key=_rank)


def _rank(row: ResultRow) -> tuple[bool, bool, bool]:
    return row.ok, row.word is not Word.VIOLATED, row.expected is None


# --- traces --------------------------------------------------------------------------------------


def _spec(result: SpecResult, name: str) -> Iterator[h.Node]:
    yield section("Verdicts", verdicts(result, name), _job(result))
    for row in told_rows(result):
        title: h.Node = [row.property, " ", verdict(row), " ", _length(row)]
        yield section(title, _trace(result, row, name), name=f"{name}-{row.property}")


def _length(row: ResultRow) -> h.Node:
    assert row.trace is not None
    if row.trace.loop is None:
        return h.small(".soft")[counted(len(row.trace.rules), "step")]
    return h.small(".soft")[f"{counted(row.trace.loop, 'step')}, then forever"]


def _trace(result: SpecResult, row: ResultRow, name: str) -> h.Node:
    assert row.trace is not None
    assert result.system is not None
    told = Told(f"{name}-{row.property}-trace", result.spec, result.system, row)
    return fixed(told_trace(told))


# --- two specs beside each other -----------------------------------------------------------------

MARKS = ("A", "B")
Rows = dict[str, ResultRow]


def _compared(results: Sequence[SpecResult]) -> Iterator[h.Node]:
    yield section("Specs", beside(*map(_side, MARKS, results)))
    sides = [{row.property: row for row in result.rows if row.is_claim} for result in results]
    names = list(dict.fromkeys(name for side in sides for name in side))
    changed = [name for name in names if len({_word(side, name) for side in sides}) > 1]
    names.sort(key=lambda name: name not in changed)
    rows = [
        [_name(sides, name), *(_cell(side, name) for side in sides), _change(name in changed)]
        for name in names
    ]
    yield section("Verdicts", table(("property", *MARKS, ""), rows, caption="changed ones first"))
    for name in names:
        if any(_has_trace(side, name) for side in sides):
            yield _both(results, sides, name)


def _side(mark: str, result: SpecResult) -> h.Renderable:
    return h.fragment[h.h3[f"{mark}: {result.spec.title}"], _about(result), _job(result)]


def _word(side: Rows, name: str) -> str:
    return verdict_word(side[name]) if name in side else "not asked"


def _has_trace(side: Rows, name: str) -> bool:
    return name in side and side[name].trace is not None


def _name(sides: Sequence[Rows], name: str) -> h.Node:
    return h.a(href=f"#{name}")[name] if any(_has_trace(s, name) for s in sides) else name


def _cell(side: Rows, name: str) -> h.Node:
    steps = side[name].steps if name in side else None
    return [badge(_word(side, name)), "" if steps is None else f" {counted(steps, 'step')}"]


def _change(is_changed: bool) -> h.Node:
    return badge("changed", "open") if is_changed else None


def _both(results: Sequence[SpecResult], sides: Sequence[Rows], name: str) -> h.Renderable:
    parts: list[h.Node] = []
    for mark, result, side in zip(MARKS, results, sides, strict=True):
        parts.append(h.h3[f"{mark} ", badge(_word(side, name))])
        if _has_trace(side, name):
            parts.append(_trace(result, side[name], mark))
    if all(_has_trace(side, name) for side in sides):
        parts = [beside(parts[:2], parts[2:])]
    return section(name, parts, name=name)


__all__ = ["report_page"]
