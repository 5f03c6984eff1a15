"""One run of `finale check`: it checks each file, prints results as they come, and sums them up."""

from __future__ import annotations

import shlex
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from finale.checker.report.layout import console, counted, paragraph, write
from finale.checker.report.places import shown_file
from finale.checker.report.results import compared_line, slow_line, summary_lines
from finale.checker.review.change import read_under
from finale.checker.search.limits import INTERRUPTED, ProgressListener
from finale.checker.search.options import SearchOptions
from finale.checker.search.rows import (
    PRECEDENCE,
    CheckResult,
    Exit,
    LeftOut,
    Mistake,
    SpecResult,
    result_of,
    strictly,
)
from finale.checker.search.run import chosen, run
from finale.checker.search.verdict import Report
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import settings_of
from finale.checker.spec.releases import ReleaseConfig
from finale.checker.studies.bug_pairs import folders_of_bugs, mistakes_in_pairs
from finale.model.errors import FinaleError, Place

from . import VERSION
from .check_options import CheckFlags, CheckOptions
from .errors import print_error, tell
from .meter import Meter
from .output import say_json
from .pages import ResultPages
from .parameters import specs_in
from .project import counting

if TYPE_CHECKING:
    from finale.checker.report.check_json import CheckJson, MinimisedJson, RowJson
    from finale.checker.review.minimise import Minimised


@dataclass
class Checking:
    """One run of the command: the results so far, printed as they come."""

    options: CheckOptions
    as_text: bool
    results: list[SpecResult] = field(default_factory=list[SpecResult])
    rows: list[RowJson] = field(default_factory=list["RowJson"])
    mistakes: list[Mistake] = field(default_factory=list[Mistake])
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])
    answered: set[str] = field(default_factory=set[str])
    smallest: list[Minimised] = field(default_factory=list["Minimised"])
    compared: int = 0
    interrupted: bool = False
    start: float = field(default_factory=time.perf_counter)

    @property
    def flags(self) -> CheckFlags:
        """The flags as they are given."""
        return self.options.flags

    @cached_property
    def pages(self) -> ResultPages:
        """The printer of results."""
        return ResultPages(self._again)

    def files(self, paths: Sequence[Path]) -> list[Path]:
        """The specs, and all in folders, each once."""
        given = (file for path in paths for file in self._files(path))
        files = list({file.resolve(): file for file in given}.values())
        for project in counting().passed_over(files):
            folder = Path(project.shown).parent
            tell(
                f"note: {project.shown} ({', '.join(project.table)}) does not count here, although "
                f"specs below {folder} are checked: name {folder} alone, and it counts"
            )
        return files

    def check(self, files: Sequence[Path], paths: Sequence[Path]) -> None:
        """Check specs. Mistakes in one do not keep the others from it."""
        if not self.options.is_changed:
            self._check_pairs(path for path in paths if path.is_dir())
        if len(files) > 1 and self.options.may_search_beside:
            from finale.checker.search.processes import processors

            jobs = min(self.flags.workers or processors(), len(files))
            if jobs > 1:
                self._check_beside(files, jobs)
                return
        for file in files:
            try:
                self._check_file(file)
            except FinaleError as error:
                self._note(error, file)

    def _check_beside(self, files: Sequence[Path], jobs: int) -> None:
        """Check specs in several processes, and print the results in the order of the files."""
        from finale.checker.search.many import searched

        options = replace(self.options.search, searches=jobs)
        specs: dict[Path, Spec] = {}
        for file in files:
            try:
                spec = self._read(file)
            except FinaleError as error:
                self._note(error, file)
            else:
                if not self._skips(spec):
                    specs[file] = spec

        def search(file: Path) -> Report:
            return self._run(specs[file], self.flags.properties, None, options).report

        with Meter("specs") as meter:
            for file, found in searched([*specs], search, jobs, meter.tell_many):
                if isinstance(found, FinaleError):
                    self._note(found, file)
                    continue
                spec = specs[file]
                families = chosen(spec, self.flags.properties)
                build = None if found.backend == "none" else partial(spec.system, families)
                self._keep(spec, result_of(spec, build, found, self.flags.properties))

    def _files(self, path: Path) -> list[Path]:
        try:
            files = list(specs_in(path))
        except FinaleError as error:
            self._note(error)
            return []
        if not self.options.values:  # bugs with their fixes, and matrices, are what specs expect
            self.pages.expect(path, files)
        return files

    def _check_pairs(self, folders: Iterable[Path]) -> None:
        """In folders each bug has its fix; a spec that is given by itself needs none."""
        found = {each.resolve(): each for path in folders for each in folders_of_bugs(path)}
        for folder in found.values():
            for error in mistakes_in_pairs(folder, self.options.catalogue):
                self._note(error)

    def _note(self, error: FinaleError, file: Path | None = None) -> None:
        self.mistakes.append(Mistake(file, error))
        if not self.as_text:
            from finale.checker.report.check_json import error_row

            self.rows.append(error_row(file, error))
        print_error(error)

    def _read(self, file: Path) -> Spec:
        spec = read_under(file, self.options.catalogue, self.flags.variant, self.options.values)
        spec = replace(spec, asks_all=self.flags.all_properties)
        if self.options.search.storage == "hashed":
            tell_unanswered(spec, self.flags.properties)
        return spec

    def _skips(self, spec: Spec) -> bool:
        """Skip a spec that no change concerns; and a slow one, unless slow ones are asked for."""
        if self.options.changed is not None and not self.options.changed.concern(spec):
            self.left_out.append(LeftOut(spec.file, spec.title, "unchanged"))
            return True
        if not spec.slow or self.flags.slow:
            return False
        self.left_out.append(LeftOut(spec.file, spec.title, "slow"))
        page = console(stderr=not self.as_text)
        write(page, [slow_line(spec.file, spec.title, page.width)])
        return True

    def _check_file(self, file: Path) -> None:
        spec = self._read(file)
        if self._skips(spec):
            return
        if self.options.releases is not None:
            self._compare(spec, self.options.releases)
        else:
            self._keep(spec, self._searched(spec, self.flags.properties))

    def _searched(self, spec: Spec, properties: Collection[str]) -> SpecResult:
        options = self.options
        with Meter(spec.file.name) as meter:
            if options.plan is not None:
                from finale.pipeline.search.run import search

                return search(spec, options.plan, options.limits, meter, properties)
            return self._run(spec, properties, meter, options.search)

    def _run(
        self,
        spec: Spec,
        properties: Collection[str],
        progress: ProgressListener | None,
        how: SearchOptions,
    ) -> SpecResult:
        limits, backend = self.options.limits, self.flags.backend
        return run(spec, limits, progress, properties, backend, self.options.reductions, how)

    def _compare(self, spec: Spec, releases: Sequence[ReleaseConfig]) -> None:
        from finale.checker.report.releases import comparison_lines
        from finale.checker.studies.across_releases import compared

        try:
            found = compared(spec, releases, self.flags.properties, self._searched)
        except FinaleError as error:
            raise error.located(Place(str(spec.file))) from None
        results = [column.result for column in found.columns if column.result is not None]
        self.results += results
        self.compared += 1
        self.answered |= {row.property for result in results for row in result.rows}
        if self.as_text:
            page = console()
            write(page, [*comparison_lines(found, page.width), Text()])
        else:
            from finale.checker.report.releases import comparison_rows

            self.rows += comparison_rows(found)
        if any(result.report.stopped == INTERRUPTED for result in results):
            raise KeyboardInterrupt

    def _keep(self, spec: Spec, result: SpecResult) -> None:
        interrupted = result.report.stopped == INTERRUPTED
        if self.flags.record and not interrupted:
            from finale.checker.studies.recording import record

            result = record(spec, result)
        if self.flags.strict:
            result = strictly(result)
        traces: dict[str, str] = {}
        if self.flags.trace_dir is not None:
            from .traces import write_traces

            traces = write_traces(result, self.flags.trace_dir)
        self.results.append(result)
        self.answered |= {row.property for row in result.rows}
        if not self.as_text:
            from finale.checker.report.check_json import json_rows

            self.rows += json_rows(result, traces)
        else:
            self.pages.add(result)
            if result.report.backend == "spread":
                write(console(), ["searched on Spark"])
        if interrupted:
            raise KeyboardInterrupt
        if self.flags.minimise:
            self._shrink(result)

    def _remark(self) -> None:
        """Tell on stderr how variants of the user's are not what they seem."""
        known = self.options.catalogue
        is_users = known.folder is not None or self.flags.variant is not None
        of_variants = [
            each
            for each in self.results
            if is_users and each.spec.variant is not None and each.report.backend != "none"
        ]
        if self.interrupted or self.compared or not of_variants:
            return
        from finale.checker.report.remarks import remark_lines
        from finale.checker.review.seeming import remarks_on_specs

        page = console(stderr=True)
        write(page, remark_lines(remarks_on_specs(of_variants, known), page.width))

    def _shrink(self, result: SpecResult) -> None:
        """Print the smallest settings of the counterexamples."""
        from finale.checker.report.minimised import minimised_lines

        from .minimising import fallen, shrunk

        for name in fallen(result):
            seconds = self.options.limits.seconds_max
            found = shrunk(result.spec, name, self.options.catalogue, seconds)
            self.smallest.append(found)
            if self.as_text:
                page = console()
                write(page, [*minimised_lines(found, page.width), ""])

    def _again(self, result: SpecResult) -> str:
        """Return the command that continues a stopped search; empty if the search is complete."""
        if not result.report.stopped or self.options.search.resume is None:
            return ""
        slow = ["--slow"] if result.spec.slow else []
        words = ["finale", "check", str(result.spec.file), *slow, *self.options.to_continue]
        return shlex.join(words)

    def _number_left_out(self, why: str) -> int:
        return sum(each.why == why for each in self.left_out)

    def refuse_unused(self) -> None:
        """Report a run that checked nothing, and properties that no spec was asked about.

        A run that checks nothing must not pass for one that found all as expected.
        """
        skipped = self._number_left_out("slow")
        if skipped and not self.results and not self.mistakes:
            few = "the only spec given is" if skipped == 1 else f"all {skipped} specs are"
            self._note(
                FinaleError(
                    "nothing-checked",
                    f"nothing was checked: {few} marked slow",
                    advice="add --slow",
                )
            )
        for name in self.flags.properties:
            if name not in self.answered and self.results:
                self._note(
                    FinaleError(
                        "does-not-apply",
                        f'no spec given has an answer about "{name}"',
                        advice="its protocol does not implement the view that the property reads, "
                        "or [observe] keeps no history for it",
                    )
                )

    def close(self) -> None:
        """Print the summary."""
        if not self.as_text:
            self._remark()
            say_json(self._document().table)
            return
        self.pages.close()
        self._remark()
        seconds = time.perf_counter() - self.start
        page = console()
        errors, unchanged = len(self.mistakes), self._number_left_out("unchanged")
        if self.compared:
            write(page, [compared_line(self.compared, seconds)])
        elif self.results or errors > 1 or self.interrupted or unchanged:
            skipped = self._number_left_out("slow")
            lines = summary_lines(
                self.results, errors, skipped, seconds, self.interrupted, page.width
            )
            write(page, lines)
        if unchanged:
            some = counted(unchanged, "spec")
            write(page, [f"{some} left out: nothing of them has changed"])

    def _document(self) -> CheckJson:
        from finale.checker.report.check_json import FORMAT, CheckJson, LeftOutJson

        left_out = tuple(LeftOutJson(shown_file(each.file), each.why) for each in self.left_out)
        ok = all(row.ok for row in self.rows) and not self.interrupted
        rows = tuple(self.rows)
        smallest = self._smallest_settings()
        return CheckJson(
            VERSION,
            FORMAT,
            self.flags.variant,
            tuple(settings_of(self.options.values)),
            rows,
            left_out,
            smallest,
            self.interrupted,
            self.exit.value,
            ok,
        )

    def _smallest_settings(self) -> tuple[MinimisedJson, ...]:
        if not self.smallest:
            return ()
        from finale.checker.report.minimised import minimised_json

        return tuple(minimised_json(each) for each in self.smallest)

    @property
    def outcome(self) -> CheckResult:
        """All that was found."""
        return CheckResult(self.results, self.mistakes, self.left_out, self.interrupted)

    @property
    def exit(self) -> Exit:
        """The exit code over all specs."""
        codes = {result.exit for result in self.results}
        codes |= {Exit.BAD_INPUT} if self.mistakes else set()
        codes |= {Exit.INTERRUPTED} if self.interrupted else set()
        return next((code for code in PRECEDENCE if code in codes), Exit.AS_EXPECTED)


def tell_unanswered(spec: Spec, properties: Collection[str]) -> None:
    """Tell before the search which answers hashed storage cannot give."""
    asked = chosen(spec, properties)
    names = [each.name for each in asked if each.kind.is_liveness]
    if names:
        page = console(stderr=True)
        told = f"{spec.file.name}: hashed storage keeps no graph, so these stay unknown"
        text = Text(f"{told}: {', '.join(names)}. Store exactly to answer them.", "yellow")
        write(page, paragraph(text, page.width))
