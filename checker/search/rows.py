"""Compares verdicts with expectations: one row for each property, and one for the exact counts."""

from __future__ import annotations

import builtins
import enum
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from finale.checker.spec.claim import ExactCounts, Expectation, Spec
from finale.model.language.explore import Branch
from finale.model.system import System
from finale.model.trace import Trace

from .answer import (
    NO_DEADLOCK,
    WELL_FORMED,
    Answer,
    DoesNotApply,
    Holds,
    NotAsked,
    Report,
    Unknown,
    Vacuous,
    Verdict,
    Violated,
)

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
class ResultRow:
    """One line of a result. If nothing is expected, `expected` is None and the row is `ok`."""

    property: str
    verdict: str
    expected: str | None
    expected_steps: int | None
    ok: bool
    steps: int | None
    how: str
    why: str
    trace: Trace | None = None
    binding: tuple[tuple[str, str], ...] = ()
    is_claim: bool = False
    bounds: tuple[str, ...] = ()
    """The bounds that alone stand between the search and a verdict."""

    @builtins.property  # the field of that name hides the word
    def is_unreached(self) -> bool:
        """Whether it is a witness that no run reaches: `violated` in a spec, and no violation."""
        return self.verdict == Violated.word and self.trace is None

    @builtins.property
    def is_unexpected(self) -> bool:
        """Whether it is violated and nothing was expected of it."""
        violated = self.verdict == Violated.word and self.trace is not None
        return self.expected is None and violated


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
        if any(row.verdict != Unknown.word for row in wrong):
            return Exit.FAILED
        return Exit.LIMIT if wrong or self.report.stopped else Exit.AS_EXPECTED

    @property
    def dead_branches(self) -> tuple[Branch, ...]:
        """The branches that a full search never took; a partial search says nothing."""
        return self.report.dead_branches if self.report.statistics.complete else ()


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
    answers = {answer.property: answer for answer in report.answers}
    for expected in spec.expectations.values():
        if expected.verdict == DoesNotApply.word and expected.property not in answers:
            why = f'"{spec.protocol.key}" does not implement the view that it reads'
            answers[expected.property] = Answer(expected.property, DoesNotApply(why))
    apply = {WELL_FORMED, NO_DEADLOCK, *(family.name for family in spec.families)}
    for name in spec.waived:
        if name not in apply:
            why = "this setting lacks what it reads: a view of the protocol, or a history"
            answers[name] = Answer(name, DoesNotApply(why))
    for name, answer in answers.items():
        default = None if name in spec.waived else _default(name)
        yield _property_row(answer, spec.expectations.get(name, default))
    yield _search_row(spec.counts, report)


def _default(name: str) -> Expectation | None:
    return Expectation(name, Holds.word) if name in (WELL_FORMED, NO_DEADLOCK) else None


def _property_row(answer: Answer, expected: Expectation | None) -> ResultRow:
    verdict, trace = answer.verdict, trace_of(answer.verdict)
    steps = trace.length if trace is not None else None
    why, ok = why_of(verdict), True
    if expected is not None:
        as_long = not answer.is_shortest or expected.steps in (None, steps)
        ok = verdict.word == expected.verdict and as_long
        if verdict.word == expected.verdict and not as_long:
            why = f"expected {expected.steps} steps, found {'no trace' if steps is None else steps}"
    return ResultRow(
        answer.property,
        verdict.word,
        expected.verdict if expected else None,
        expected.steps if expected else None,
        ok,
        steps,
        answer.how,
        why,
        trace,
        verdict.binding if isinstance(verdict, Violated) else (),
        is_claim=True,
        bounds=verdict.bounds if isinstance(verdict, Unknown) else (),
    )


def trace_of(verdict: Verdict) -> Trace | None:
    """Return the counterexample, or the witness."""
    match verdict:
        case Holds(witness=trace) | Violated(trace=trace) | Unknown(trace=trace):
            return trace
        case _:
            return None


def why_of(verdict: Verdict) -> str:
    """Return the reason that the verdict gives."""
    match verdict:
        case Vacuous(why=why) | Unknown(why=why) | NotAsked(why=why) | DoesNotApply(why=why):
            return why
        case Violated(trace=None):
            return "no reachable state shows it"
        case _:
            return ""


def _search_row(counts: ExactCounts | None, report: Report) -> ResultRow:
    found = report.statistics
    how = next((answer.how for answer in report.answers), "exhaustive")
    if not report.lists_states:
        verdict = Unknown.word if report.stopped else Holds.word
        return ResultRow(SEARCH, verdict, None, None, True, None, how, report.stopped)
    if report.reduced:
        counts = None  # those of the spec are of the full search
        how = (
            f"{'exhaustive' if found.complete else 'partial'} under {' and '.join(report.reduced)}"
        )
    expected = Holds.word if counts is not None else None
    if not found.complete:
        verdict, why = Unknown.word, report.stopped
    elif counts is None:
        verdict, why = Holds.word, "; ".join(report.remarks)
    else:
        pairs = (
            ("states", counts.states, found.states),
            ("transitions", counts.transitions, found.transitions),
            ("depth", counts.depth, found.depth),
        )
        wrong = [f"{name} {want} expected, {got} found" for name, want, got in pairs if want != got]
        verdict, why = Violated.word if wrong else Holds.word, "; ".join(wrong)
    ok = expected is None or verdict == expected
    return ResultRow(SEARCH, verdict, expected, None, ok, None, how, why)
