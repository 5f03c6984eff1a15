"""Damages logs of real runs, has `finale validate --accept` judge each copy, and counts.

Without archives, the sample of the repository. Each run is copied once for each kind of damage.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from tests.cli.running import ROOT
from tests.cli.running import run as command
from tests.clocks.judging import found
from tests.logs.archive import SAMPLES

from .damage import KINDS, Lines, damaged, logs_of

PAGE = ROOT / "docs" / "pipeline.md"
START, END = "<!-- shippers -->\n", "<!-- end of shippers -->\n"
_HEAD = "| 2 percent of the lines are | jobs | recognised as damaged | with a false finding "


@dataclass
class Row:
    """What is said of the jobs of copies with one kind of damage."""

    jobs: int = 0
    damaged: int = 0
    wrong: int = 0
    """Those with a finding that the run does not have."""
    rejected: int = 0
    accepted: int = 0

    def note(self, job: Any, of_run: Any) -> None:
        """Count what is said of a job of a copy, and of the job as it was."""
        self.jobs += 1
        self.damaged += job["coverage"] == "damaged"
        self.wrong += not found([job]) <= found([of_run] if of_run else [])
        self.rejected += job["conforms"] is not None and job["conforms"]["rejected"]
        self.accepted += job["conforms"] is not None and job["conforms"]["accepted"]


def write(logs: Mapping[str, Lines], folder: Path) -> None:
    """Write the files of a run into a new folder."""
    folder.mkdir(parents=True)
    for name, lines in logs.items():
        (folder / name).write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")


def judged(folder: Path, flags: str = "") -> Iterator[tuple[str, Any]]:
    """The jobs as JSON has them, each with the name of its copy: one command judges all copies."""
    for job in json.loads(command(f"validate {folder} --format json {flags}").stdout)["results"]:
        yield Path(job["logs"]).relative_to(folder).parts[0], job


def rows_of(
    archive: Path, kinds: Sequence[str] = tuple(KINDS), seed: int = 1, step: int = 1
) -> Iterator[tuple[str, str, Any, Any]]:
    """By kind and run each job of a damaged copy, and the job as it was, if it was there."""
    for run, logs in [*logs_of(archive).items()][::step]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write(logs, folder / "run" / "as-it-was")
            for number, kind in enumerate(kinds):
                copy = {file: damaged(lines, kind, seed) for file, lines in logs.items()}
                write(copy, folder / "copies" / str(number))
            own = {job["job"]: job for _, job in judged(folder / "run")}
            for name_of_copy, job in judged(folder / "copies", "--accept"):
                yield kinds[int(name_of_copy)], run, job, own.get(job["job"])
        print(f"{run}: {len(kinds)} copies", file=sys.stderr, flush=True)


def counted(archives: Sequence[Path], seed: int = 1, step: int = 1) -> dict[str, Row]:
    """What is said of all copies, by their kind. Wrong ones are printed."""
    rows = {kind: Row() for kind in KINDS}
    for archive in archives:
        for kind, run, job, own in rows_of(archive, seed=seed, step=step):
            before = astuple(rows[kind])
            rows[kind].note(job, own)
            after = astuple(rows[kind])
            if before[2:4] != after[2:4]:
                why = job["conforms"] and job["conforms"]["why"]
                told = {e["property"] for e in job["findings"] if e["severity"] != "open"}
                print(f"{run}, {kind}: {sorted(told)} {why}", file=sys.stderr, flush=True)
    return rows


def table(rows: Mapping[str, Row]) -> str:
    """The table of the page: a row for each kind of damage."""
    lines = [f"{_HEAD}| rejected | accepted |", "|---" + "|--:" * 5 + "|"]
    lines += [f"| {kind} | {' | '.join(map(str, astuple(row)))} |" for kind, row in rows.items()]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Judge and count. Exit code 1 if a copy has a false finding, or is rejected."""
    options = argparse.ArgumentParser(prog="python -m tests.shippers", description=__doc__)
    options.add_argument("archives", nargs="*", type=Path, default=[SAMPLES])
    options.add_argument("--seed", type=int, default=1, help="which lines are damaged (default: 1)")
    options.add_argument("--step", type=int, default=1, help="each so many runs one (default: 1)")
    options.add_argument("--page", action="store_true", help="write the table into the page")
    given = options.parse_args()
    rows = counted(given.archives, given.seed, given.step)
    text = table(rows)
    print(text, end="")
    if given.page:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
        PAGE.write_text(before + START + text + END + rest.partition(END)[2], encoding="utf-8")
    return int(any(row.wrong or row.rejected for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
