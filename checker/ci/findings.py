"""Lists what a reader of a build must see: failures, open questions, mistakes in the input.

Rows that are as expected are no findings. A violation without an expectation is a warning; with
`--strict` it is a failure.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from finale import model
from finale.checker.report.layout import counted
from finale.checker.report.places import expectation_line, shown_file
from finale.checker.report.results import trace_command
from finale.checker.report.story import BUILT_IN_SENTENCES, Story, story_of
from finale.checker.report.trace import trace_lines
from finale.checker.search.rows import SEARCH, CheckResult, Exit, ResultRow, SpecResult
from finale.checker.search.verdict import Word
from finale.checker.spec.claim import runs_before
from finale.model.errors import Place

#: The folder that Finale itself is installed in: its rules are not in the user's repository.
FINALE = Path(model.__file__).resolve().parent.parent
#: The names of the two folders in SARIF; the first one is what code scanning calls a checkout.
SOURCE_BASE = "%SRCROOT%"
FINALE_BASE = "FINALE"


@dataclass(frozen=True)
class Checkout:
    """The folder of the user's repository."""

    folder: Path

    def path_of(self, file: str | Path) -> str:
        """A file relative to the checkout, if it lies there; with slashes on every system."""
        path = Path(file).resolve()
        inside = path.is_relative_to(self._root)
        return (path.relative_to(self._root) if inside else path).as_posix()

    def uri_of(self, file: str | Path) -> tuple[str, str | None]:
        """A file as a URI, and the name of the base that the URI is relative to, if it is."""
        path = Path(file).resolve()
        for base, name in ((self._root, SOURCE_BASE), (FINALE, FINALE_BASE)):
            if path.is_relative_to(base):
                return quote(path.relative_to(base).as_posix()), name
        return path.as_uri(), None

    @cached_property
    def _root(self) -> Path:
        return self.folder.resolve()


def checkout() -> Checkout:
    """The checkout that a CI server names, or the Git repository around the current folder."""
    named = os.environ.get("GITHUB_WORKSPACE")
    if named:
        return Checkout(Path(named))
    here = Path.cwd()
    around = (each for each in (here, *here.parents) if (each / ".git").exists())
    return Checkout(next(around, here))


#: The width of a counterexample in a document.
WIDTH = 100
_COUNTS = "The exact counts of the full search are those that the spec records."


class Level(enum.Enum):
    """How serious a finding is; its value is what SARIF and GitHub call it."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Annotation:
    """One thing that a reader must see: how serious it is, where, and what it is in a sentence.

    `name` is the property, or the code of a mistake. `told` is the answer, if it is about one.
    """

    level: Level
    name: str
    place: Place
    sentence: str
    told: RowFinding | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is no verdict."""
        return self.told is not None and self.told.row.word is Word.UNKNOWN


@dataclass(frozen=True)
class RowFinding:
    """The answer that a finding is about, with its trace in words."""

    result: SpecResult
    row: ResultRow

    @cached_property
    def story(self) -> Story | None:
        """The trace, told; None if there is none."""
        system, trace = self.result.system, self.row.trace
        if system is None or trace is None:
            return None
        return story_of(system, self.row, runs_before(self.result.spec, trace))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The trace as `finale trace` prints it."""
        if self.story is None:
            return ()
        return tuple(line.plain for line in trace_lines(self.story, self.result.spec, WIDTH))

    @property
    def lines_and_command(self) -> tuple[str, ...]:
        """The trace, and the command that prints it."""
        return (*self.lines, "", f"show it again: {self.again}") if self.lines else ()

    @property
    def again(self) -> str:
        """The command that finds the trace again."""
        return trace_command(self.result, self.row.property)

    def again_in(self, checkout: Checkout) -> str:
        """The same command for a reader who stands in another checkout of the repository."""
        return trace_command(self.result, self.row.property, checkout.path_of)


def findings(outcome: CheckResult) -> Iterator[Annotation]:
    """Return the findings of a check: the specs in their order, then the mistakes."""
    for result in outcome.results:
        for row in result.rows:
            found = finding_of(result, row)
            if found is not None:
                yield found
    for mistake in outcome.mistakes:
        error = mistake.error
        yield Annotation(
            Level.ERROR, error.code, mistake.place, f"{error.message}. Help: {error.advice}."
        )
    if outcome.interrupted:
        yield Annotation(Level.ERROR, "interrupted", Place(), "The check was interrupted.")


def finding_of(result: SpecResult, row: ResultRow) -> Annotation | None:
    """Return the finding of one row; None if the row is as expected."""
    stopped = row.property == SEARCH and result.exit is Exit.LIMIT and bool(result.report.stopped)
    if row.ok and not row.is_unexpected and not stopped:
        return None
    undecided = row.word is Word.UNKNOWN
    level = Level.WARNING if row.ok or undecided else Level.ERROR
    spec = result.spec
    place = Place(str(spec.file), expectation_line(spec, row.property))
    told = RowFinding(result, row)
    return Annotation(level, row.property, place, _sentence(row), told)


def _sentence(row: ResultRow) -> str:
    if row.property == SEARCH:
        head = "The counts differ" if row.word is Word.VIOLATED else "The search was stopped"
        return f"{head}: {row.why}." if row.why else f"{head}."
    steps = "" if row.steps is None else f" after {counted(row.steps, 'step')}"
    told = f"{row.property} {_phrase(row)}{steps}"
    if row.why:
        told += f" ({row.why})"
    if row.expected is None:
        return f"{told}. The spec expects nothing of it."
    if row.expected != row.word:
        return f"{told}. The spec expects: {row.expected}."
    return f"{told}."


def _phrase(row: ResultRow) -> str:
    if row.word is Word.HOLDS:
        return "holds" if row.trace is None else "is reached"
    if row.is_unreached:
        return "is never reached"
    if row.word is Word.DOES_NOT_APPLY:
        return "does not apply"
    return f"is {row.word.replace('-', ' ')}"


def claim_of(result: SpecResult, name: str) -> str:
    """Return what a property says, in a sentence."""
    if name == SEARCH:
        return _COUNTS
    family = next((each for each in result.spec.families if each.name == name), None)
    return family.sentence if family is not None else BUILT_IN_SENTENCES.get(name, name)


def shown(finding: Annotation) -> str:
    """Return the place of a finding as a reader knows it."""
    file = finding.place.file
    return "" if file is None else shown_file(file)
