"""Writes exact counts into a spec if two independent searches agree on the counts.

Only the numbers are touched: comments, order and alignment of the file stay as the user has them.
"""

from __future__ import annotations

import re
from dataclasses import replace

from finale.checker.search.rows import SpecResult, result_of
from finale.checker.search.verdict import Report, Statistics
from finale.checker.spec.claim import ExactCounts, Spec
from finale.checker.spec.key_lines import KeyLines
from finale.model.errors import FinaleError, Place
from finale.model.given import text_of, toml_of
from finale.model.written import write_through

COUNTED_BY = "concrete"


def record(spec: Spec, result: SpecResult) -> SpecResult:
    """The result with the counts now in the file. Raises `counts-disagree`, `no-counts`."""
    found = result.report.statistics
    if not result.report.lists_states:
        raise FinaleError(
            "no-counts",
            "a bounded search has no counts to record: it lists no states",
            place=Place(str(spec.file)),
            advice="leave out --record, or take another --backend",
        )
    if not found.complete:
        raise FinaleError(
            "no-counts",
            f"no counts are recorded, because the search was stopped by {result.report.stopped}",
            place=Place(str(spec.file)),
            advice="raise the limit, or make the bounds of the spec smaller",
        )
    known = spec.counts
    if known is None or (known.states, known.transitions, known.depth) != _numbers(found):
        _refuse_disagreement(spec, found, _second_opinion(spec).statistics)
        counts = ExactCounts(*_numbers(found), COUNTED_BY)
        text = text_of(spec.file)
        _refuse_change(spec, text)
        _write(spec, with_counts(text, counts))
        spec = replace(spec, counts=counts)
    return result_of(spec, result.system, result.report, result.only)


def _numbers(found: Statistics) -> tuple[int, int, int]:
    return found.states, found.transitions, found.depth


def _second_opinion(spec: Spec) -> Report:
    from finale.checker.search.interpreter.search import explore

    with spec.catalogue.blaming_user_code():
        return explore(spec.instance())


def _refuse_disagreement(spec: Spec, one: Statistics, other: Statistics) -> None:
    if _numbers(one) != _numbers(other):
        raise FinaleError(
            "counts-disagree",
            f"states, transitions and depth are {_numbers(one)} by the decision trees and "
            f"{_numbers(other)} by the rules as Python; nothing is recorded",
            place=Place(str(spec.file)),
            advice="one of the two is wrong, or a rule reads something that is not its state",
        )


def _refuse_change(spec: Spec, text: str) -> None:
    """The counts are of the spec as it was read. Raises `unwritable`."""
    if not spec.values and not spec.is_under_variant and toml_of(text) != spec.table:
        raise FinaleError(
            "unwritable",
            "the counts are not written: the file was changed while it was checked",
            place=Place(str(spec.file)),
            advice="run the same command again",
        )


def _write(spec: Spec, text: str) -> None:
    try:
        write_through(spec.file, text)
    except OSError as error:
        raise FinaleError(
            "unwritable",
            f"the counts cannot be written: {error.strerror}",
            place=Place(str(spec.file)),
            advice="check the permission to write there",
        ) from None


def with_counts(text: str, counts: ExactCounts) -> str:
    """The text of a spec with these counts in its [search]."""
    written = {
        "states": str(counts.states),
        "transitions": str(counts.transitions),
        "depth": str(counts.depth),
        "counted_by": f'"{counts.counted_by}"',
    }
    before = toml_of(text)
    changed = _replaced(text, written) if "search" in before else _inserted(text, written)
    after = toml_of(changed)
    values = {key: toml_of(f"v = {value}")["v"] for key, value in written.items()}
    assert after == before | {"search": values}, "only the counts may change"
    return changed


def _replaced(text: str, written: dict[str, str]) -> str:
    places = KeyLines(text)
    lines = text.splitlines(keepends=True)
    for key, value in written.items():
        number = places.of("search", key)
        assert number is not None
        pattern = rf"""((?:^|[.{{,\s])["']?{key}["']?\s*=\s*)([0-9_]+|"[^"]*"|'[^']*')"""
        found = re.search(pattern, lines[number - 1])
        assert found is not None
        lines[number - 1] = found[1].join(
            [lines[number - 1][: found.start()], value + lines[number - 1][found.end() :]]
        )
    return "".join(lines)


def _inserted(text: str, written: dict[str, str]) -> str:
    """A new table before the expectations, or at the end."""
    lines = text.splitlines()
    table = ["[search]", *(f"{key:<11} = {value}" for key, value in written.items())]
    first = KeyLines(text).of("expect", 0)
    if first is None or not lines[first - 1].lstrip().startswith("["):
        # An array of inline tables is a key of the top level: a table may only follow it.
        return "\n".join([*_without_blank_end(lines), "", *table]) + "\n"
    start = first - 1
    while start > 0 and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return "\n".join([*_without_blank_end(lines[:start]), "", *table, "", *lines[start:]]) + "\n"


def _without_blank_end(lines: list[str]) -> list[str]:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines
