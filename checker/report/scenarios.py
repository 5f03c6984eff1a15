"""Shows the result of scenarios: the differences in a terminal, or all cases as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.text import Text

from finale.checker.scenario.running import CaseRun, LineOutcome, text_of_events

from .layout import counted, joined
from .places import shown_file


def file_lines(file: Path, runs: Sequence[CaseRun], written: Sequence[int]) -> Iterator[Text]:
    """One file: nothing more than its name if all was seen that was expected."""
    bad = any(run.differences for run in runs)
    mark = Text("✗ ", "bold red") if bad else Text("✓ ", "bold green")
    yield mark + Text(shown_file(str(file)), "bold")
    for run in runs:
        if run.differences:
            title = run.case.header.values["title"]
            yield Text(f"  {title}{f': {run.case.name}' if run.case.name else ''}")
        for outcome in run.differences:
            yield from _difference(outcome)
    if written:
        lines = ", ".join(str(number) for number in written)
        yield Text(f"  what was seen is written into line{'s'[len(written) < 2 :]} {lines}")


def _difference(outcome: LineOutcome) -> Iterator[Text]:
    number = str(outcome.line.number)
    done = outcome.line.text.partition("=>")[0].rstrip()
    yield Text(f"    {number}  {done}")
    if outcome.wrong is not None:
        start, end = outcome.wrong.start, outcome.wrong.end
        blank = " " * (4 + len(number) + 2 + start)
        yield Text(blank + "^" * (end - start), "bold red")
    yield Text(f"        expected  {text_of_events(outcome.expected)}")
    yield Text(f"        seen      {text_of_events(outcome.found)}", "red")


def summary_line(cases: int, differing: int, errors: int) -> Text:
    """Show the numbers of cases and of differences."""
    parts = [
        f"{counted(cases, 'case')} run",
        f"{cases - differing} as expected",
        f"{differing} not as expected" if differing else "",
        f"{counted(errors, 'file')} with errors" if errors else "",
    ]
    return joined(parts)


def json_rows(run: CaseRun) -> Iterator[dict[str, object]]:
    """A row for each line of a case at which something was expected."""
    for outcome in run.outcomes:
        yield {
            "scenario": shown_file(str(run.case.header.file)),
            "case": run.case.name,
            "line": outcome.line.number,
            "done": outcome.line.text.partition("=>")[0].strip(),
            "expected": [str(each) for each in outcome.expected],
            "seen": [str(each) for each in outcome.found],
            "ok": outcome.agrees,
        }
