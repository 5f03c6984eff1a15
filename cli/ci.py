"""Hands the results of `finale check` to a CI server: files, annotations, the summary of a job."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from finale.model.errors import FinaleError, Place

from . import VERSION
from .output import OutputFile, format_of

if TYPE_CHECKING:
    from finale.checker.search.rows import CheckResult


@dataclass(frozen=True)
class CiOutput:
    """What a check hands to a CI server besides its own output."""

    junit: OutputFile | None = None
    sarif: OutputFile | None = None
    page: TextIO | None = None
    """The stream that a runner of GitHub Actions reads, if there is such a runner."""
    summary: Path | None = None
    """The file of the summary of the job."""

    def write(self, outcome: CheckResult) -> None:
        """Write all that is wanted. Raises `unwritable`."""
        if self.junit is not None:
            from finale.checker.ci.junit import junit_of

            self.junit.write(junit_of(outcome))
        if self.sarif is not None:
            from finale.checker.ci.findings import checkout
            from finale.checker.ci.sarif import sarif_of

            self.sarif.write(sarif_of(outcome, checkout(), VERSION))
        if self.page is not None:
            self._to_github(outcome, self.page)

    def _to_github(self, outcome: CheckResult, page: TextIO) -> None:
        from finale.checker.ci.findings import checkout
        from finale.checker.ci.github import annotation_lines, summary_page

        for line in annotation_lines(outcome, checkout()):
            print(line, file=page)
        page.flush()
        if self.summary is not None:
            _append(self.summary, summary_page(outcome))

    @contextmanager
    def guarded(self) -> Generator[None]:
        """Let a runner of GitHub Actions read no commands in what is printed inside."""
        if self.page is None:
            yield
            return
        from finale.checker.ci.github import Guard

        guard = Guard()
        print(guard.begin, file=self.page, flush=True)
        try:
            yield
        finally:
            print(guard.end, file=self.page, flush=True)


@contextmanager
def ci_output(
    junit: Path | None, sarif: Path | None, as_text: bool, inputs: Iterable[Path]
) -> Generator[CiOutput]:
    """Open the files before the work. Raises `unwritable`, `output-clash`, `wrong-ending`."""
    named = {"--junit": junit, "--sarif": sarif}
    given = {flag: path for flag, path in named.items() if path is not None}
    for flag, path in given.items():
        format_of(path, None, (flag.removeprefix("--"),))
    _refuse_clashes(given, inputs)
    with ExitStack() as stack:
        files = {flag: stack.enter_context(OutputFile(path)) for flag, path in given.items()}
        page, summary = None, None
        if is_github():
            # JSON has stdout for itself, and a runner reads both streams.
            page = sys.stdout if as_text else sys.stderr
            name = os.environ.get("GITHUB_STEP_SUMMARY")
            summary = Path(name) if name else None
        if summary is not None:
            _append(summary, "")
        yield CiOutput(files.get("--junit"), files.get("--sarif"), page, summary)


def is_github() -> bool:
    """Whether a runner of GitHub Actions reads the output."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _refuse_clashes(given: dict[str, Path], inputs: Iterable[Path]) -> None:
    taken = {each.resolve(): "is one of the specs" for each in inputs}
    for flag, path in given.items():
        if path.resolve() in taken:
            raise FinaleError(
                "output-clash",
                f"the file of {flag} {taken[path.resolve()]}",
                place=Place(str(path)),
                advice="name another file",
            )
        taken[path.resolve()] = f"is that of {flag} too"


def _append(file: Path, text: str) -> None:
    """Add to a file that other commands of the step add to. Raises `unwritable`."""
    try:
        with file.open("a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise FinaleError(
            "unwritable",
            f"the summary cannot be written: {error.strerror}",
            place=Place(str(file)),
            advice="correct GITHUB_STEP_SUMMARY, or leave it unset",
        ) from None


__all__ = ["CiOutput", "ci_output", "is_github"]
