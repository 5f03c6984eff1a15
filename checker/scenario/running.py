"""Runs a scenario: applies each stimulus, and compares the events with the expected events.

`record` writes the observed events into the scenario, right of `=>`, and keeps the stimuli.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from finale.checker.scenario.bench import Bench, BenchEvent
from finale.checker.scenario.benches import BENCHES
from finale.checker.scenario.reading import ARROW, NOTHING, Case, CaseLine, Expected, drafts_of
from finale.checker.scenario.stimuli import Span, Stimulus
from finale.checker.spec.catalogue import Catalogue
from finale.model.errors import FinaleError, Place, nearest
from finale.model.given import text_of
from finale.model.written import write_through


@dataclass(frozen=True)
class LineOutcome:
    """The events since the previous line with `=>`, and the answers of queries.

    `wrong` is the stimulus that caused the first event that was not expected, if one did.
    """

    line: CaseLine
    expected: tuple[Expected, ...]
    found: tuple[Expected, ...]
    agrees: bool
    wrong: Span | None


@dataclass(frozen=True)
class CaseRun:
    """One case that was run."""

    case: Case
    outcomes: tuple[LineOutcome, ...]

    @property
    def differences(self) -> tuple[LineOutcome, ...]:
        """The lines where something else was seen than expected."""
        return tuple(outcome for outcome in self.outcomes if not outcome.agrees)


def run_file(file: Path, catalogue: Catalogue) -> list[CaseRun]:
    """Run all cases of a file. Raises coded errors with file and line."""
    runs: list[CaseRun] = []
    for draft in drafts_of(file):
        part = draft.header.required("part")
        if part not in BENCHES:
            raise FinaleError(
                "unknown-part",
                f'there is no part "{part}"',
                place=draft.header.place("part"),
                advice=nearest(part, BENCHES),
            )
        bench = BENCHES[part]
        runs.append(run_case(bench(bench.read(draft), catalogue)))
    return runs


def run_case(bench: Bench) -> CaseRun:
    """Run one case on a bench made for it."""
    return CaseRun(bench.case, tuple(_outcomes(bench)))


def _outcomes(bench: Bench) -> Iterator[LineOutcome]:
    causes: list[Span | None] = []
    events: list[BenchEvent] = []
    for line in bench.case.lines:
        causes = [None] * len(causes)  # a stimulus of an earlier line is not underlined in this one
        for stimulus in line.stimuli:
            bench.seen.clear()
            _apply(bench, line, stimulus)
            events += bench.seen
            causes += [stimulus.span] * len(bench.seen)
        if line.expected is not None:
            try:
                yield _compare(bench, line, line.expected, events, causes)
            except FinaleError as error:
                raise error.located(Place(str(bench.case.header.file), line.number)) from None
            events, causes = [], []


def _apply(bench: Bench, line: CaseLine, stimulus: Stimulus) -> None:
    try:
        bench.apply(stimulus)
    except FinaleError as error:
        raise error.located(Place(str(bench.case.header.file), line.number)) from None


def _compare(
    bench: Bench,
    line: CaseLine,
    expected: tuple[Expected, ...],
    events: list[BenchEvent],
    causes: list[Span | None],
) -> LineOutcome:
    wanted = [each for each in expected if each.word not in bench.queries]
    found = [Expected(event.word, event.fields) for event in events]
    same = [
        one.word == two.word and _normal(bench, one) == _normal(bench, two)
        for one, two in zip(wanted, found, strict=False)
    ]
    agrees = all(same) and len(wanted) == len(found)
    first = same.index(False) if not all(same) else len(same)
    wrong = causes[first] if not agrees and first < len(causes) else None
    answers = [_answer(bench, each) for each in expected if each.word in bench.queries]
    asked = [each for each in expected if each.word in bench.queries]
    agrees = agrees and all(
        _normal(bench, one) == _normal(bench, two) for one, two in zip(asked, answers, strict=True)
    )
    return LineOutcome(line, expected, (*found, *answers), agrees, wrong)


def _normal(bench: Bench, each: Expected) -> tuple[str, ...]:
    fields = tuple(field for field in each.fields if field != NOTHING)
    return bench.normal(each.word, fields)


def _answer(bench: Bench, asked: Expected) -> Expected:
    given = asked.fields[: len(bench.queries[asked.word].split())]
    return Expected(asked.word, (*given, *(bench.answer(asked.word, given) or (NOTHING,))))


def text_of_events(observations: tuple[Expected, ...]) -> str:
    """Return events in the words of scenarios."""
    return "; ".join(str(each) for each in observations) or NOTHING


def record(file: Path, runs: Sequence[CaseRun]) -> tuple[int, ...]:
    """Rewrite the lines where something else was seen; their numbers. Raises `unwritable`."""
    changed = [outcome for run in runs for outcome in run.differences]
    if not changed:
        return ()
    lines = text_of(file).splitlines()
    for outcome in changed:
        place = outcome.line.number - 1
        if place >= len(lines) or outcome.line.text not in lines[place]:
            raise FinaleError(
                "unwritable",
                "what was seen is not written: the file was changed meanwhile",
                place=Place(str(file), outcome.line.number),
                advice="run the same command again",
            )
        left, _, right = lines[place].partition(ARROW)
        comment = right.partition(" #")[2]
        seen = f"{left}{ARROW} {text_of_events(outcome.found)}"
        lines[place] = f"{seen}  #{comment}" if comment else seen
    try:
        write_through(file, "\n".join(lines) + "\n")
    except OSError as error:
        raise FinaleError(
            "unwritable",
            f"what was seen cannot be written: {error.strerror}",
            place=Place(str(file)),
            advice="check the permission to write there",
        ) from None
    return tuple(outcome.line.number for outcome in changed)
