"""Moves clocks of processes, cuts their files, has `finale validate` judge each copy, and counts.

The runs are those of archives that have a file for each process; without archives, the sample of
the repository.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from pathlib import Path

from tests.cli.running import ROOT
from tests.logs.archive import SAMPLES

from .changes import Changed, copies, runs_of_several, split_runs
from .judging import Row, rows_of

PAGE = ROOT / "docs" / "pipeline.md"
START, END = "<!-- clocks -->\n", "<!-- end of clocks -->\n"
_HEAD = "| change of one file, or two | copies | with a false finding | more is open "


def chosen(run: str, every: Sequence[Changed], each: int | None) -> list[Changed]:
    """So many copies of each kind, those of other files first; or all."""
    by_kind: dict[str, list[Changed]] = defaultdict(list)
    for copy in every:
        by_kind[copy.kind].append(copy)
    turn = sum(map(ord, run))
    return [
        own[(turn + place * max(1, len(own) // (each or 1))) % len(own)]
        for own in by_kind.values()
        for place in range(len(own) if each is None else min(each, len(own)))
    ]


def counted(
    archives: Sequence[Path], flags: str, each: int | None, *, split: bool = False
) -> Iterator[dict[str, Row]]:
    """What is said of the copies of each run, one run after the other."""
    for archive in archives:
        for run, logs in (split_runs if split else runs_of_several)(archive).items():
            todo = chosen(run, [*copies(run, logs)], each)
            with tempfile.TemporaryDirectory() as folder:
                yield rows_of(run, logs, todo, Path(folder), flags)
            print(f"{run}: {len(todo)} copies", file=sys.stderr, flush=True)


def table(found: Sequence[dict[str, Row]], *, accepts: bool) -> str:
    """The table of the page: a row for each kind of change."""
    rows: dict[str, Row] = {}
    for told in found:
        for kind, row in told.items():
            known = rows.get(kind, Row())
            rows[kind] = Row(*map(sum, zip(astuple(known), astuple(row), strict=True)))
    more = "| accepted | undecided | rejected " if accepts else ""
    lines = [f"{_HEAD}{more}|", "|---" + "|--:" * (6 if accepts else 3) + "|"]
    for kind, row in rows.items():
        cells = astuple(row)[: None if accepts else 3]
        lines.append("| " + " | ".join([kind, *map(str, cells)]) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Judge and count. Exit code 1 if a copy has a false finding, or is rejected."""
    options = argparse.ArgumentParser(prog="python -m tests.clocks", description=__doc__)
    options.add_argument("archives", nargs="*", type=Path, default=[SAMPLES])
    options.add_argument("--accept", action="store_true", help="also search for explanations")
    options.add_argument("--sample", type=int, help="copies of each kind and run (default: all)")
    options.add_argument("--split", action="store_true", help="runs of one file, split by subtask")
    options.add_argument("--page", action="store_true", help="write the table into the page")
    given = options.parse_args()
    flags = "--accept" if given.accept else ""
    found = [*counted(given.archives, flags, given.sample, split=given.split)]
    text = table(found, accepts=given.accept)
    print(text, end="")
    if given.page:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
        PAGE.write_text(before + START + text + END + rest.partition(END)[2], encoding="utf-8")
    return int(any(row.wrong or row.rejected for told in found for row in told.values()))


if __name__ == "__main__":
    sys.exit(main())
