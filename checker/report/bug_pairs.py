"""Shows a bug with its fix: `X.toml` and `fixed/X.toml`, if both were checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.text import Text

from finale.checker.search.rows import ResultRow, SpecResult
from finale.checker.search.verdict import Word

from .layout import counted, flow, paragraph


@dataclass(frozen=True)
class BugPair:
    """A bug and its fix, both as expected; what falls, and what it is with the fix."""

    bug: SpecResult
    fix: SpecResult
    found: ResultRow
    held: ResultRow

    @property
    def witnesses(self) -> list[ResultRow]:
        """The witnesses that both the bug and the fix reach."""
        reached = {row.property for row in self.bug.rows if _is_reached(row)}
        return [row for row in self.fix.rows if _is_reached(row) and row.property in reached]


def pair_of(bug: SpecResult, fix: SpecResult) -> BugPair | None:
    """The two together, if the bug is found and the fix holds, and all else is as expected."""
    if not bug.ok or not fix.ok:
        return None
    held = {row.property: row for row in fix.rows if row.word is Word.HOLDS and row.expected}
    for name in bug.spec.expectations:
        for row in bug.rows:
            if row.property == name and row.word is Word.VIOLATED and name in held:
                return BugPair(bug, fix, row, held[name])
    return None


def _is_reached(row: ResultRow) -> bool:
    return row.word is Word.HOLDS and row.expected is not None and row.steps is not None


def pair_lines(both: BugPair, width: int) -> Iterator[Text]:
    """Show a bug that is found, and its fix that holds."""
    head = Text("✓ ", "bold green") + Text(both.bug.spec.file.stem, "bold")
    fixed = both.bug.spec.fixed_in
    told = (*both.bug.spec.cites[:1], *([f"fixed in {', '.join(fixed)}"] if fixed else []))
    yield head + Text(f"  {', '.join(told)}", "dim")
    yield from paragraph(Text(both.bug.spec.title), width, indent=2)
    steps = counted(both.found.steps, "step") if both.found.steps is not None else ""
    parts = [
        Text("bug ") + Text("✗ ", "bold red") + Text(f"{both.found.property} {steps}".strip()),
        Text("fix ") + Text("✓ ", "bold green") + Text("it holds"),
        *(Text(f"both reach {row.property}", "dim") for row in both.witnesses),
    ]
    yield from flow(parts, width, indent=4)


def pairs_line(count: int) -> Text:
    """Show the summary over all bug pairs."""
    if count == 1:
        return Text("1 bug found, and its fix holds", "bold green")
    return Text(f"{count} bugs found, and each fix holds", "bold green")
