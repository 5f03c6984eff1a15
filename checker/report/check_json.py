"""What one run of `finale check` found, and its JSON: rows from which the schema is generated.

A change that a reader of an older document would misread needs a new number in `FORMAT`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, cast

from finale.checker.search.rows import SEARCH, ResultRow, SpecResult, WhyLeftOut
from finale.checker.search.verdict import Word
from finale.checker.spec.claim import Spec
from finale.checker.spec.releases import ReleaseConfig
from finale.model.errors import FinaleError, Place
from finale.model.language.properties import Family

from .places import expectation_line, shown_file

FORMAT: Literal["finale-check/3"] = "finale-check/3"

VerdictWord: TypeAlias = Literal[
    "holds", "violated", "not-reached", "vacuous", "unknown", "not-asked", "does-not-apply", "error"
]


@dataclass(frozen=True)
class BranchJson:
    """A branch of a rule."""

    file: Annotated[str, "the file of the rule"]
    line: Annotated[int, "the line of the condition"]
    outcome: Annotated[bool, "the outcome of the condition that no transition had"]


@dataclass(frozen=True)
class ErrorJson:
    """A mistake in the input: the spec was not checked, or the command line asks in vain."""

    code: Annotated[str, "the code of the error, as docs/errors.md lists it"]
    message: Annotated[str, "the message"]
    key: Annotated[str | None, "the key of the spec that is wrong, if it is one"]
    rule: Annotated[str | None, "the rule that is wrong, if it is one"]
    advice: Annotated[str, "what to do about it"]


@dataclass(frozen=True)
class RowJson:
    """The answer about one property of one spec, or an error that prevented the answers."""

    spec: Annotated[str | None, "the file; null for an error that is about no file"]
    line: Annotated[int | None, "the line of the expectation; of `title` without one; of an error"]
    property: Annotated[str | None, "the property, or `search` for the counts; null for an error"]
    verdict: Annotated[VerdictWord, "the verdict; for `search`: `holds` if the counts are right"]
    kind: Annotated[str | None, "the kind of the property; null if it is built in"] = None
    expected: Annotated[VerdictWord | None, "the expected verdict, or null"] = None
    ok: Annotated[bool, "whether the verdict is as expected; true without an expectation"] = True
    release: Annotated[str | None, "the release, with --release or if the spec names one"] = None
    scheduler: Annotated[str | None, "the scheduler of that release"] = None
    backend: Annotated[str, "the search that answered; `none` if nothing was searched"] = "none"
    states: Annotated[int, "the number of states of the search that answered"] = 0
    transitions: Annotated[int, "the number of transitions of that search"] = 0
    depth: Annotated[int, "the largest breadth-first distance from an initial state"] = 0
    steps: Annotated[int | None, "the length of the trace, or null"] = None
    seconds: Annotated[float, "how long the search took"] = 0.0
    cached: Annotated[bool, "whether the answer was found before, in those `seconds`"] = False
    how: Annotated[str, "`exhaustive`, or what the search covers"] = "exhaustive"
    dead_branches: Annotated[
        tuple[BranchJson, ...], "for `search`: the branches that no transition took"
    ] = ()
    trace: Annotated[str | None, "the file with the trace, with --trace-dir; else null"] = None
    why: Annotated[str, "the reason of the verdict, or the difference from the expectation"] = ""
    error: Annotated[ErrorJson | None, "the mistake, if the verdict is `error`; else null"] = None


@dataclass(frozen=True)
class LeftOutJson:
    """A spec that was not checked, and is no error."""

    spec: Annotated[str, "the file"]
    why: Annotated[WhyLeftOut, "slow, without --slow; or unchanged since --changed-since"]


@dataclass(frozen=True)
class StepJson:
    """A step towards a smaller setting."""

    part: Annotated[str, "what the step changes: a part of the spec, such as bounds"]
    what: Annotated[str, "the change in words"]
    without: Annotated[str | None, "the verdict after the step; null if the step was taken"] = None


@dataclass(frozen=True)
class MinimisedJson:
    """The smallest setting in which a violated property still falls, with --minimise."""

    spec: Annotated[str, "the file"]
    property: Annotated[str, "the property"]
    states: Annotated[tuple[int, ...], "the states before and after"]
    steps: Annotated[tuple[int, ...], "the length of the counterexample before and after"]
    taken: Annotated[tuple[StepJson, ...], "the steps that were taken"]
    needed: Annotated[
        tuple[StepJson, ...],
        "the steps that were refused; of those to an invalid setting only that without the variant",
    ]
    least: Annotated[bool, "whether every further step was tried"]
    smallest: Annotated[str, "the smallest setting, as the text of a spec"]


@dataclass(frozen=True)
class CheckJson:
    """The result of `finale check --format json`."""

    finale: Annotated[str, "the version of Finale"]
    format: Annotated[Literal["finale-check/3"], "the format of this document, and its version"]
    variant: Annotated[str | None, "the variant of --variant; else null"]
    set: Annotated[tuple[str, ...], "the values of --set, as KEY=VALUE"]
    results: Annotated[tuple[RowJson, ...], "a row for each property of each spec, and each error"]
    left_out: Annotated[tuple[LeftOutJson, ...], "the specs that were not checked"]
    minimised: Annotated[tuple[MinimisedJson, ...], "the smallest settings, with --minimise"]
    interrupted: Annotated[bool, "whether somebody ended the check before its end"]
    exit: Annotated[Literal[0, 1, 2, 3, 130], "the exit code"]
    ok: Annotated[bool, "whether every row is ok, and nobody interrupted the check"]

    @property
    def table(self) -> dict[str, object]:
        """The document as plain data."""
        return asdict(self)


# --- rows ----------------------------------------------------------------------------------------


def json_rows(result: SpecResult, traces: Mapping[str, str]) -> list[RowJson]:
    """The rows of a spec; `traces` are the files in which traces were written, by property."""
    return [_row(result, row, traces) for row in result.rows]


def _row(result: SpecResult, row: ResultRow, traces: Mapping[str, str]) -> RowJson:
    found = result.report.statistics_of(row.property)
    is_search = row.property == SEARCH
    return replace(
        _verdict_row(result.spec, row.property, row.word, result.spec.under),
        expected=None if row.expected is None else _word(result.spec, row.property, row.expected),
        ok=row.ok,
        backend=result.report.backend,
        states=found.states,
        transitions=found.transitions,
        depth=found.depth,
        steps=row.steps,
        seconds=round(found.seconds, 3),
        cached=result.report.cached,
        how=row.how,
        dead_branches=tuple(_branches(result)) if is_search else (),
        trace=traces.get(row.property),
        why=row.why,
    )


def unanswered_row(spec: Spec, under: ReleaseConfig, name: str, why: str) -> RowJson:
    """The row of a property that has no answer under a release."""
    return replace(_verdict_row(spec, name, Word.DOES_NOT_APPLY, under), why=why)


def error_row(file: Path | None, error: FinaleError) -> RowJson:
    """The row of a mistake, in a spec or of the command line."""
    place = error.place or Place()
    told = ErrorJson(error.code, error.message, place.key, place.rule, error.advice)
    name = place.file or file
    where = None if name is None else shown_file(name)
    return RowJson(where, place.line, None, "error", ok=False, error=told)


def _verdict_row(spec: Spec, name: str, verdict: str, under: ReleaseConfig | None) -> RowJson:
    family = _family(spec, name)
    return RowJson(
        shown_file(spec.file),
        expectation_line(spec, name),
        name,
        _word(spec, name, verdict),
        kind=None if family is None else family.kind.value,
        release=None if under is None else under.release.key,
        scheduler=None if under is None else under.scheduler,
    )


def _word(spec: Spec, name: str, verdict: str) -> VerdictWord:
    """The word for a verdict: a witness that no run reaches is no violation."""
    family = _family(spec, name)
    if family is not None and family.kind.is_reachability and verdict == Word.VIOLATED:
        return "not-reached"
    return cast("VerdictWord", verdict)


def _family(spec: Spec, name: str) -> Family | None:
    return next((each for each in spec.families if each.name == name), None)


def _branches(result: SpecResult) -> Iterator[BranchJson]:
    for each in result.dead_branches:
        yield BranchJson(shown_file(each.file), each.line, each.outcome)
