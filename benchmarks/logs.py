"""How fast logs of Flink are judged: `python -m benchmarks.logs ARCHIVE [--only NAME …]`.

ARCHIVE has the logs of real runs, a folder each. The figures are of the command itself, in a
process of its own with all its imports: processor time, the lines judged in a second of it, and the
most memory that it has at once.

- `archive`: all of the archive.
- `accept`: the same with --accept, of the folders whose jobs are all accepted.
- `tiny`: 1 000 folders with the first 17 lines of a run each.
- `large`: copies of the runs in folders of their own, GIGABYTES together.
- `spark`: the same on Spark, all its processes together; its verdicts must be the same.

A loop of Python that counts to 5 million stands before and behind each figure: on a machine with
other work it takes longer, and so does all else.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import run
from time import process_time

COUNT, TINY, LINES_OF_TINY = 5_000_000, 1_000, 17


@dataclass(frozen=True)
class Judged:
    """What the command printed, and what it cost. Memory is in megabytes."""

    page: dict[str, object]
    seconds: float
    memory: float

    @property
    def lines(self) -> int:
        """The lines that were read."""
        told = self.page["lines"]
        assert isinstance(told, dict)
        return int(told["read"])

    def __str__(self) -> str:
        rate = self.lines / self.seconds
        return (
            f"{self.lines:>9,} lines {self.seconds:>7.2f} CPU s {rate:>9,.0f} lines a CPU s"
            f" {self.memory:>5,.0f} MB at most"
        )


def loop_seconds() -> float:
    """The processor time of a loop, which tells how busy the machine is."""
    began, total = process_time(), 0
    for number in range(COUNT):
        total += number * number
    return process_time() - began


def judged(*arguments: str) -> Judged:
    """Run `finale validate` with these arguments, in a process that waits for all its children."""
    code = (
        "import sys; from resource import *; from subprocess import run\n"
        "done = run(sys.argv[1:], capture_output=True, text=True)\n"
        "used = getrusage(RUSAGE_CHILDREN)\n"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)\n"
        "print(done.stdout)"
    )
    command = [str(Path(sys.executable).with_name("finale")), "validate", *arguments]
    done = run(
        [sys.executable, "-c", code, *command, "--format", "json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    used, _, page = done.stdout.partition("\n")
    seconds, memory = map(float, used.split())
    return Judged(json.loads(page), seconds, memory)


def rows_of(found: Judged) -> list[dict[str, object]]:
    """The verdicts on jobs."""
    rows = found.page["results"]
    assert isinstance(rows, list)
    return rows


def unpacked(archive: Path, folder: Path) -> list[Path]:
    """The folders of an archive that have logs."""
    with tarfile.open(archive) as inside:
        inside.extractall(folder, filter="data")
    return sorted({each.parent for each in folder.rglob("*.log")})


def accepted(folders: Sequence[Path], into: Path) -> list[str]:
    """The folders whose jobs are all accepted, and how that was told."""
    del into
    found = judged("--accept", *map(str, folders))
    bad = {
        str(row["logs"])
        for row in rows_of(found)
        if not isinstance(told := row["conforms"], dict) or not told["accepted"]
    }
    return [str(each) for each in folders if not any(str(each) in name for name in bad)]


def tiny(folders: Sequence[Path], into: Path) -> list[str]:
    """1 000 folders with the first lines of runs."""
    for number in range(TINY):
        source = next(iter(sorted(folders[number % len(folders)].glob("*.log"))))
        lines = source.read_bytes().splitlines(keepends=True)[:LINES_OF_TINY]
        folder = into / f"tiny-{number:04}"
        folder.mkdir()
        (folder / "flink.log").write_bytes(b"".join(lines))
    return [str(into)]


def large(folders: Sequence[Path], into: Path, gigabytes: float) -> list[str]:
    """Copies of runs, so many gigabytes together."""
    size, number = 0.0, 0
    while size < gigabytes * 1e9:
        source = folders[number % len(folders)]
        for log in source.glob("*.log"):
            target = into / f"copy-{number:06}"
            target.mkdir(exist_ok=True)
            shutil.copy(log, target)
            size += log.stat().st_size
        number += 1
    return [str(into)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the exit code is 1 if Spark says anything else."""
    parser = argparse.ArgumentParser("python -m benchmarks.logs", description=__doc__)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--only", nargs="*", default=["archive", "accept", "tiny", "large"])
    parser.add_argument("--gigabytes", type=float, default=1.0)
    given = parser.parse_args(arguments)
    ok = True
    with tempfile.TemporaryDirectory() as temporary:
        made = Path(temporary)
        folders = unpacked(given.archive, made / "unpacked")
        ways: dict[str, Callable[[Path], Sequence[str]]] = {
            "archive": lambda _: [str(given.archive)],
            "accept": lambda into: ["--accept", *accepted(folders, into)],
            "tiny": lambda into: tiny(folders, into),
            "large": lambda into: large(folders, into, given.gigabytes),
            "spark": lambda into: large(folders, into, given.gigabytes),
        }
        for name in given.only:
            into = made / name
            into.mkdir()
            paths, before = ways[name](into), loop_seconds()
            found = judged(*paths)
            print(f"{name:<8} {found}; loop {before:.2f} and {loop_seconds():.2f} s", flush=True)
            if name == "spark":
                there = judged(*paths, "--master", "local[2]")
                ok = ok and rows_of(there) == rows_of(found)
                print(f"  on Spark {there}; {there.seconds / found.seconds:.2f} times", flush=True)
            shutil.rmtree(into)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
