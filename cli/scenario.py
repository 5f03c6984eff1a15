"""`finale scenario`: runs scenarios, and compares the results with the expected ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from finale.checker.report.layout import console, write
from finale.checker.report.scenarios import file_lines, json_rows, summary_line
from finale.checker.scenario.running import CaseRun, run_file
from finale.checker.scenario.running import record as write_down
from finale.checker.search.rows import Exit
from finale.checker.spec.catalogue import catalogue
from finale.model.errors import FinaleError, Place
from finale.model.given import no_such_path

from .errors import print_error
from .output import document, say_json
from .parameters import PLAIN, ProtocolsFolder, TextOrJson

SUFFIX = ".scenario"


def scenario(
    *paths: Annotated[Path, Parameter(help="Scenarios, or folders that contain scenarios.")],
    format: TextOrJson = "text",
    record: Annotated[
        bool,
        PLAIN,
        Parameter(help="Write the results into the scenarios as the expected ones."),
    ] = False,
    protocols: ProtocolsFolder = None,
) -> int:
    """Run scenarios, and compare the results with the expected ones."""
    if not paths:
        raise FinaleError(
            "no-paths",
            "no scenario is given",
            advice="name scenarios, or folders: finale scenario scenarios/",
        )
    known = catalogue(protocols)
    results = Results(format == "text")
    for path in paths:
        try:
            files = list(scenarios_in(path))
        except FinaleError as error:
            results.note(error)
            continue
        for file in files:
            try:
                with known.blaming_user_code():
                    runs = run_file(file, known)
                written = write_down(file, runs) if record else ()
            except FinaleError as error:
                results.note(error)
            else:
                results.add(file, runs, written)
    return results.close()


@dataclass
class Results:
    """The results so far. Each result is printed as soon as it is known."""

    as_text: bool
    runs: list[CaseRun] = field(default_factory=list[CaseRun])
    errors: int = 0
    differing: int = 0

    def note(self, error: FinaleError) -> None:
        """A file that cannot be run. The others still are."""
        self.errors += 1
        print_error(error)

    def add(self, file: Path, runs: list[CaseRun], written: tuple[int, ...]) -> None:
        """The cases of a file, and the lines of it that were written anew."""
        self.runs += runs
        if not written:
            self.differing += sum(bool(run.differences) for run in runs)
        if self.as_text:
            write(console(), file_lines(file, runs, written))

    @property
    def ok(self) -> bool:
        """Whether all results are the expected ones, or were recorded as such."""
        return not self.errors and not self.differing

    def close(self) -> Exit:
        """Print the summary, and return the exit code."""
        if not self.as_text:
            rows = [row for run in self.runs for row in json_rows(run)]
            say_json(document("scenario") | {"results": rows, "ok": self.ok})
        elif self.runs:
            write(console(), [summary_line(len(self.runs), self.differing, self.errors)])
        if self.errors:
            return Exit.BAD_INPUT
        return Exit.AS_EXPECTED if self.ok else Exit.FAILED


def scenarios_in(path: Path) -> Iterator[Path]:
    """A scenario, or all below a folder, sorted. Raises `no-such-path`, `no-scenarios`."""
    if path.is_dir():
        files = sorted(path.rglob(f"*{SUFFIX}"))
        if not files:
            raise FinaleError(
                "no-scenarios",
                "the folder has no scenario in it",
                place=Place(str(path)),
                advice=f"scenarios are files that end in {SUFFIX}",
            )
        yield from files
    elif not path.exists():
        raise no_such_path(path)
    else:
        yield path
