"""What a review costs: until it shows the first true finding, and in all.

Each change is a planted mistake of this package. Specs of that mistake are left out, as there is
none for a change that somebody proposes today. What is known of the protocol without the change is
in the cache, as in every review but the first one; of the change nothing is.

Costs are processor time of all processes, without the start of Python.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from finale.checker.cache.store import FILE, Store, cache_folder
from finale.checker.review.cases import OWN_SPECS, cases
from finale.checker.review.change import Change, under
from finale.checker.review.pair import known_without
from finale.checker.review.review import Reviewer, Tried
from finale.checker.review.verdicts import Direction
from finale.checker.search.limits import Limits
from finale.checker.search.many import searched
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.files import toml_in

SEED = 7
PROCESSES = 2


def changes(count: int) -> list[Change]:
    """Some planted mistakes, drawn by seed; with 0 all of them."""
    known = catalogue()
    every = [
        Change(*pair)
        for pair in sorted(known.variants)
        if getattr(known.variant(*pair), "must_fall", None)
    ]
    random.Random(SEED).shuffle(every)
    return every[: count or None]


def measured(change: Change, whole: bool, kept: Path) -> tuple[int, int | None, float]:
    """How many settings there are, how many were tried when the first new violation was shown,
    and the seconds of processor time of all that was tried."""
    files = [
        file
        for file in sorted(OWN_SPECS.rglob("*.toml"))
        if toml_in(file)[0].get("variant") != change.variant
    ]
    count = _warmed(change, files, kept)
    first: list[int] = []
    tried: list[Tried] = []
    with TemporaryDirectory() as folder:
        with (
            closing(sqlite3.connect(kept / FILE)) as of_base,
            closing(sqlite3.connect(Path(folder) / FILE)) as copy,
        ):
            of_base.backup(copy)
        _take_loops(kept, Path(folder))
        known = catalogue(None, Store(Path(folder)))
        began = _seconds()

        def is_enough(case: Tried) -> bool:
            tried.append(case)
            if not first and any(a.direction is Direction.VIOLATED for a in case.differences):
                first.append(len(tried))
            return bool(first) and not whole

        reviewer = Reviewer(known, known, files, Limits(), PROCESSES, _silent, until=is_enough)
        reviewer.review(change)
        spent = _seconds() - began
    return count, first[0] if first else None, spent


def _warmed(change: Change, files: list[Path], kept: Path) -> int:
    """Put what is known without the change into the cache; return the number of settings."""
    store = Store(kept)
    known = catalogue(None, store)
    base = under(Change(change.protocol), known)
    found = {each.file: each for each in cases(files, base, under(change, known), change).found}
    for _ in searched(
        [*found], lambda file: known_without(found[file], Limits()), PROCESSES, _silent
    ):
        pass
    store.close()
    return len(found)


def _take_loops(source: Path, target: Path) -> None:
    """Copy the compiled loops of the native search."""
    for file in source.glob("loops-*"):
        shutil.copy(file, target)


def _silent(*_: object) -> None:
    """Nobody watches."""


def _seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main() -> int:
    """Measure and print; the exit code is 1 if a change shows nothing."""
    parser = argparse.ArgumentParser("python -m benchmarks.reviews", description=__doc__)
    parser.add_argument("--count", type=int, default=20, help="how many changes; 0 for all")
    parser.add_argument("--whole", action="store_true", help="all settings of each: minutes")
    parser.add_argument("--variant", help="one change, as PROTOCOL/VARIANT")
    given = parser.parse_args()
    table = Table("change", "settings", "first shown by", "CPU s")
    chosen = changes(given.count)
    if given.variant:
        chosen = [Change(*given.variant.split("/"))]
    silent, users = 0, cache_folder()
    with TemporaryDirectory() as folder:  # what the user's cache has of a change is not asked
        if users is not None:
            _take_loops(users, Path(folder))
        for change in chosen:
            settings, number, spent = measured(change, given.whole, Path(folder))
            silent += number is None
            shown = "none" if number is None else f"{number}"
            row = [str(change), str(settings), shown, f"{spent:.1f}"]
            print(*row, file=sys.stderr, flush=True)
            table.add_row(*row)
    Console(width=120).print(table)
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
