"""Compares verdicts with expectations: one row for each property, and one for the exact counts."""

from __future__ import annotations

import builtins
import enum
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias

from finale.checker.spec.claim import ExactCounts, Expectation, Spec
from finale.model.errors import FinaleError, Place
from finale.model.language.explore import Branch
from finale.model.system import System

from .verdict import NO_DEADLOCK, WELL_FORMED, Report, Verdict, Word

#: The property name of the row with the exact counts.
SEARCH = "search"


class Exit(enum.IntEnum):
    """Exit codes of the command line. If several apply, the first in `PRECEDENCE` counts."""

    AS_EXPECTED = 0
    FAILED = 1
    BAD_INPUT = 2
    LIMIT = 3
    INTERRUPTED = 130


PRECEDENCE = (Exit.INTERRUPTED, Exit.BAD_INPUT, Exit.FAILED, Exit.LIMIT, Exit.AS_EXPECTED)


@dataclass(frozen=True)
class ResultRow(Verdict):
    """A verdict, compared with the spec. If nothing is expected of it, the row is `ok`."""

    expected: str | None = None
    expected_steps: int | None = None
    ok: bool = True

    @builtins.property  # the field of that name hides the word
    def is_claim(self) -> bool:
        """Whether the row is about a property, and not about the exact counts."""
        return self.property != SEARCH

    @builtins.property
    def is_unexpected(self) -> bool:
        """Whether it is violated and nothing was expected of it."""
        return self.expected is None and self.counterexample is not None


@dataclass(frozen=True)
class SpecResult:
    """The result of one spec. `only` are the properties asked for, if not all.

    `source` is the system, or builds it if the report was kept. There is none if the work ended
    before the system was built.
    """

    spec: Spec
    source: System | Callable[[], System] | None
    report: Report
    rows: tuple[ResultRow, ...]
    only: frozenset[str] = frozenset()

    @cached_property
    def system(self) -> System | None:
        """The system that was searched."""
        return self.source() if callable(self.source) else self.source

    @property
    def ok(self) -> bool:
        """Whether everything is as expected."""
        return all(row.ok for row in self.rows)

    @property
    def exit(self) -> Exit:
        """The exit code of this spec alone."""
        wrong = [row for row in self.rows if not row.ok]
        if any(row.word is not Word.UNKNOWN for row in wrong):
            return Exit.FAILED
        return Exit.LIMIT if wrong or self.report.stopped else Exit.AS_EXPECTED

    @property
    def dead_branches(self) -> tuple[Branch, ...]:
        """The branches that a full search never took; a partial search says nothing."""
        return self.report.dead_branches if self.report.statistics.complete else ()


WhyLeftOut: TypeAlias = Literal["slow", "unchanged"]


@dataclass(frozen=True)
class LeftOut:
    """A spec that was not checked, and is no error."""

    file: Path
    title: str
    why: WhyLeftOut


@dataclass(frozen=True)
class Mistake:
    """A mistake in the input; `file` is the spec that it prevented from being checked."""

    file: Path | None
    error: FinaleError

    @property
    def place(self) -> Place:
        """The place of the mistake: at least the spec, if it is about one."""
        place = self.error.place or Place()
        if place.file is not None or self.file is None:
            return place
        return Place(str(self.file), None, place.key, place.rule)


@dataclass(frozen=True)
class CheckResult:
    """What one run of a check found."""

    results: Sequence[SpecResult]
    mistakes: Sequence[Mistake] = ()
    left_out: Sequence[LeftOut] = ()
    interrupted: bool = False


def result_of(
    spec: Spec,
    source: System | Callable[[], System] | None,
    report: Report,
    only: Collection[str] = (),
) -> SpecResult:
    """Return the rows of a report: all, or those of some properties."""
    rows = [row for row in _rows(spec, report) if not only or row.property in only]
    return SpecResult(spec, source, report, tuple(rows), frozenset(only))


def strictly(result: SpecResult) -> SpecResult:
    """Return the result with a failure in each violated row without an expectation."""
    rows = (replace(row, ok=row.ok and not row.is_unexpected) for row in result.rows)
    return replace(result, rows=tuple(rows))


def _rows(spec: Spec, report: Report) -> Iterator[ResultRow]:
    verdicts = {verdict.property: verdict for verdict in report.verdicts}
    for expected in spec.expectations.values():
        if expected.verdict == Word.DOES_NOT_APPLY and expected.property not in verdicts:
            why = f'"{spec.protocol.key}" does not implement the view that it reads'
            verdicts[expected.property] = Verdict(expected.property, Word.DOES_NOT_APPLY, why=why)
    apply = {WELL_FORMED, NO_DEADLOCK, *(family.name for family in spec.families)}
    for name in spec.waived:
        if name not in apply:
            why = "this setting lacks what it reads: a view of the protocol, or a history"
            verdicts[name] = Verdict(name, Word.DOES_NOT_APPLY, why=why)
    for name, verdict in verdicts.items():
        default = None if name in spec.waived else _default(name)
        yield _property_row(verdict, spec.expectations.get(name, default))
    yield _search_row(spec.counts, report)


def _default(name: str) -> Expectation | None:
    return Expectation(name, Word.HOLDS) if name in (WELL_FORMED, NO_DEADLOCK) else None


def _property_row(verdict: Verdict, expected: Expectation | None) -> ResultRow:
    why = "no reachable state shows it" if verdict.is_unreached else verdict.why
    row = ResultRow(**{**vars(verdict), "why": why})
    if expected is None:
        return row
    is_same_word = row.word == expected.verdict
    as_long = not row.is_shortest or expected.steps in (None, row.steps)
    if is_same_word and not as_long:
        steps = "no trace" if row.steps is None else row.steps
        row = replace(row, why=f"expected {expected.steps} steps, found {steps}")
    return replace(
        row,
        expected=expected.verdict,
        expected_steps=expected.steps,
        ok=is_same_word and as_long,
    )


def _search_row(counts: ExactCounts | None, report: Report) -> ResultRow:
    found = report.statistics
    how = next((verdict.how for verdict in report.verdicts), "exhaustive")
    if not report.lists_states:
        word = Word.UNKNOWN if report.stopped else Word.HOLDS
        return ResultRow(SEARCH, word, why=report.stopped, how=how)
    if report.reduced:
        counts = None  # those of the spec are of the full search
        how = (
            f"{'exhaustive' if found.complete else 'partial'} under {' and '.join(report.reduced)}"
        )
    expected = Word.HOLDS if counts is not None else None
    if not found.complete:
        word, why = Word.UNKNOWN, report.stopped
    elif counts is None:
        word, why = Word.HOLDS, "; ".join(report.remarks)
    else:
        pairs = (
            ("states", counts.states, found.states),
            ("transitions", counts.transitions, found.transitions),
            ("depth", counts.depth, found.depth),
        )
        wrong = [f"{name} {want} expected, {got} found" for name, want, got in pairs if want != got]
        word, why = Word.VIOLATED if wrong else Word.HOLDS, "; ".join(wrong)
    ok = expected is None or word == expected
    return ResultRow(SEARCH, word, why=why, how=how, expected=expected, ok=ok)
