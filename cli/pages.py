"""Prints the results of `finale check` as they arrive: specs, bugs with their fixes, matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from finale.checker.report.layout import console, write
from finale.checker.report.results import result_lines
from finale.checker.search.rows import SpecResult
from finale.checker.studies.bug_pairs import counterpart_of, is_fix


@dataclass
class ResultPages:
    """Prints each spec when it is checked; a fix, `fixed/X.toml`, with its bug `X.toml`."""

    #: The command that goes on with a spec that was stopped, or nothing.
    again: Callable[[SpecResult], str]
    given: set[Path] = field(default_factory=set[Path])
    #: Bugs and fixes that wait for the other one, by their own file.
    held: dict[Path, SpecResult] = field(default_factory=dict[Path, SpecResult])
    pairs: int = 0
    #: Cells of a matrix, which are printed as a picture; those that have been checked.
    pictured: set[Path] = field(default_factory=set[Path])
    cells: list[SpecResult] = field(default_factory=list[SpecResult])

    def expect(self, path: Path, files: Iterable[Path]) -> None:
        """These will be checked: a spec, or all in a folder."""
        self.given |= {file.resolve() for file in files}
        if path.is_dir():
            from finale.checker.report.matrix import is_cell

            self.pictured |= {file for file in self.given if is_cell(file)}

    def add(self, result: SpecResult) -> None:
        """Print a spec, or hold it back until its counterpart is there."""
        file = result.spec.file.resolve()
        if file in self.pictured:
            self.cells.append(result)
            if not result.ok or result.report.stopped:
                self._print(result)
            return
        counterpart = counterpart_of(file)
        if counterpart in self.held:
            other = self.held.pop(counterpart)
            self._add_pair(*((other, result) if is_fix(file) else (result, other)))
        elif counterpart in self.given:
            self.held[file] = result
        else:
            self._print(result)

    def _add_pair(self, bug: SpecResult, fix: SpecResult) -> None:
        from finale.checker.report.bug_pairs import pair_lines, pair_of

        both = pair_of(bug, fix)
        if both is not None:
            self.pairs += 1
            page = console()
            write(page, [*pair_lines(both, page.width), ""])
        else:
            for each in (fix, bug):
                self._print(each)

    def _print(self, result: SpecResult) -> None:
        page = console()
        write(page, [*result_lines(result, page.width), ""])
        again = self.again(result)
        if again:
            write(page, [f"go on with: {again}", ""])

    def close(self) -> None:
        """Print what still waits, and what the pictures of all specs are."""
        for result in self.held.values():
            self._print(result)
        page = console()
        if self.cells:
            from finale.checker.report.matrix import matrix_lines

            write(page, [*matrix_lines(self.cells, page.width), ""])
        if self.pairs:
            from finale.checker.report.bug_pairs import pairs_line

            write(page, [pairs_line(self.pairs)])


__all__ = ["ResultPages"]
