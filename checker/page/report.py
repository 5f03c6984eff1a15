"""Builds the page of `finale report`: verdicts, and each trace as a diagram and step by step.

Two specs stand beside each other: a base and its variant, or a bug and its fix. More specs are a
table, from which a reader opens one of them: `overview.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import htpy as h

from finale.checker.report.layout import counted
from finale.checker.report.places import command, portable_file, told_setting
from finale.checker.search.rows import ResultRow, SpecResult
from finale.checker.search.verdict import Word
from finale.checker.spec.claim import Spec

from .context import context
from .document import document, fixed
from .ids import ids_section
from .parts import (
    badge,
    beside,
    folded,
    grouped_number,
    heading,
    listing,
    named,
    section,
    table,
    verdict,
    verdict_word,
)
from .told import Told, legend, told_trace

#: A page shows so many steps of a spec at most: a browser draws them all at once.
STEPS_MAX = 1_000


def report_page(results: Sequence[SpecResult], made_by: str, *, traces: bool = True) -> str:
    """The page about one spec, or about two beside each other."""
    title = results[0].spec.title if len(results) == 1 else f"{len(results)} specs"
    facts = spec_facts(results[0]) if len(results) == 1 else ()
    body: list[h.Node] = [heading(title, *facts, f"made by {made_by}")]
    if len(results) == 1:
        body += _spec(results[0], "s1", traces)
    else:
        body += _compared(results, traces)
    whole = fixed(h.fragment[body])
    ids = ids_section(whole, [result.spec for result in results])
    return document(title, [whole, _marks(traces), ids])


def details(result: SpecResult, name: str, traces: bool) -> str:
    """All about one of many specs, as finished markup. Its ids begin with `name`."""
    about = section(result.spec.title, _about(result), name=name)
    return str(h.fragment[about, _spec(result, name, traces), _marks(traces)])


def _marks(traces: bool) -> h.Node:
    return section("Legend", legend(), name="legend") if traces else None


def spec_facts(result: SpecResult) -> Iterator[str]:
    """What a reader must know of a spec: its file, its protocol, its size."""
    spec, seen = result.spec, result.report.statistics
    yield portable_file(spec.file)
    protocol, *changes = told_setting(spec)
    yield from (f"protocol {protocol}", *changes)
    if result.report.lists_states:
        more = "" if seen.complete else " and more"
        states, transitions = map(grouped_number, (seen.states, seen.transitions))
        yield f"{states} states{more}, {transitions} transitions"
    if result.report.stopped:
        yield f"stopped: {result.report.stopped}"


def _about(result: SpecResult) -> h.Renderable:
    return h.p(".facts")[(h.span[each] for each in spec_facts(result))]


# --- verdicts ------------------------------------------------------------------------------------


def verdicts(result: SpecResult, name: str | None) -> h.Renderable:
    """The verdicts of one spec. With a name, a property that has a trace links to the trace."""
    rows = [row for row in result.rows if row.is_claim]
    claimed = result.spec.claimed
    aside = [
        row
        for row in rows
        if row.expected is None and row.trace is None and row.ok and row.property not in claimed
    ]
    told = sorted((row for row in rows if row not in aside), key=_rank)
    head = ("property", "verdict", "expected", "steps", "")
    main = table(head, ([_linked(result.spec, row, name), *_verdict(row)] for row in told))
    if not aside:
        return main
    rest: list[list[h.Node]] = [
        [named(result.spec, row.property), [verdict(row), _why(row)]] for row in aside
    ]
    others = table(head[:2], rest)
    return h.fragment[main, folded(f"others: {len(aside)}", others)]


def _linked(spec: Spec, row: ResultRow, name: str | None) -> h.Node:
    is_told = row.trace is not None and name is not None
    return named(spec, row.property, f"{name}-{row.property}" if is_told else "")


def _verdict(row: ResultRow) -> list[h.Node]:
    expected: h.Node = row.expected
    if not row.ok:
        expected = [row.expected or "no violation", " ", badge("not as expected", "bad")]
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


def _spec(result: SpecResult, name: str, traces: bool) -> Iterator[h.Node]:
    yield section("Verdicts", verdicts(result, name if traces else None))
    yield section("Setting", context(result.spec))
    for row in told_rows(result) if traces else ():
        title: h.Node = [row.property, " ", verdict(row), " ", _length(row)]
        run = _trace(result, row, name)
        if row.witness is not None:
            run = folded("the run", run)
        yield section(title, run, name=f"{name}-{row.property}")


def _length(row: ResultRow) -> h.Node:
    assert row.trace is not None
    if row.trace.loop is None:
        return h.small(".soft")[counted(len(row.trace.rules), "step")]
    return h.small(".soft")[f"{counted(row.trace.loop, 'step')}, then forever"]


def _trace(result: SpecResult, row: ResultRow, name: str) -> h.Node:
    assert row.trace is not None
    before = told_rows(result)
    before = before[: before.index(row)]
    steps = sum(len(each.trace.rules) for each in (*before, row) if each.trace is not None)
    if steps > STEPS_MAX:
        asked = command("trace", result.spec, "--property", row.property, path_of=portable_file)
        more = f"A page shows {grouped_number(STEPS_MAX)} steps of a spec at most. This trace:"
        return h.fragment[h.p[more], listing(asked)]
    assert result.system is not None
    told = Told.of(f"{name}-{row.property}-trace", result.spec, result.system, row)
    return fixed(told_trace(told))


# --- two specs beside each other -----------------------------------------------------------------

MARKS = ("A", "B")
CHANGED, UNSURE = "changed", "unknown on one side"
CHANGES = (CHANGED, UNSURE, "")
_CHANGE_TONES = {CHANGED: "open", UNSURE: "unsure"}
Rows = dict[str, ResultRow]


def _compared(results: Sequence[SpecResult], traces: bool) -> Iterator[h.Node]:
    yield section("Specs", beside(*map(_side, MARKS, results)))
    sides = [{row.property: row for row in result.rows if row.is_claim} for result in results]
    names = list(dict.fromkeys(name for side in sides for name in side))
    names.sort(key=lambda name: CHANGES.index(_change(sides, name)))
    rows: list[list[h.Node]] = []
    for name in names:
        change = _change(sides, name)
        mark = badge(change, _CHANGE_TONES[change]) if change else None
        link = name if traces and any(_has_trace(side, name) for side in sides) else ""
        property_name = named(_spec_of(results, sides, name), name, link)
        rows.append([property_name, *(_cell(side, name) for side in sides), mark])
    yield section("Verdicts", table(("property", *MARKS, ""), rows, caption="changed ones first"))
    for name in names if traces else ():
        if any(_has_trace(side, name) for side in sides):
            yield _both(results, sides, name)


def _side(mark: str, result: SpecResult) -> h.Renderable:
    return h.fragment[h.h3[f"{mark}: {result.spec.title}"], _about(result), context(result.spec)]


def _word(side: Rows, name: str) -> str:
    return verdict_word(side[name]) if name in side else "not asked"


def _has_trace(side: Rows, name: str) -> bool:
    return name in side and side[name].trace is not None


def _spec_of(results: Sequence[SpecResult], sides: Sequence[Rows], name: str) -> Spec:
    return next(result.spec for result, side in zip(results, sides, strict=True) if name in side)


def _cell(side: Rows, name: str) -> h.Node:
    if name not in side:
        return badge("not asked")
    steps = side[name].steps
    return [verdict(side[name]), "" if steps is None else f" {counted(steps, 'step')}"]


def _change(sides: Sequence[Rows], name: str) -> str:
    """How the verdicts differ: what is unknown on one side is not known to differ."""
    words = {_word(side, name) for side in sides}
    if len(words) == 1:
        return ""
    return UNSURE if Word.UNKNOWN.value in words else CHANGED


def _both(results: Sequence[SpecResult], sides: Sequence[Rows], name: str) -> h.Renderable:
    parts: list[h.Node] = []
    for mark, result, side in zip(MARKS, results, sides, strict=True):
        word = verdict(side[name]) if name in side else badge("not asked")
        parts.append(h.h3[f"{mark} ", word])
        if _has_trace(side, name):
            parts.append(_trace(result, side[name], mark))
    if all(_has_trace(side, name) for side in sides):
        parts = [beside(parts[:2], parts[2:])]
    if all(side[name].witness is not None for side in sides if _has_trace(side, name)):
        parts = [folded("the runs", parts)]
    return section(name, parts, name=name)


__all__ = ["details", "report_page", "spec_facts"]
