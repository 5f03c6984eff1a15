"""Repeats what specs expect to hold with each bound one larger, and writes docs/bounds.md.

Results are kept in `.bounds_cache`: a run that is killed goes on where it stopped, and a spec is
asked again if its text, its rules or its properties have changed. The cheapest specs come first.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterator
from pathlib import Path

from finale.checker.search.limits import Limits
from finale.model.errors import FinaleError
from tests.bounds.kept import FILE, ROOT, Kept, kept_of, key_of, read, write
from tests.bounds.larger import BOUNDS, Larger, holding, larger, repeat
from tests.bounds.page import written
from tests.protocols.specs import FILES, name_of, spec_of

PAGE = ROOT / "docs" / "bounds.md"


def asked(file: Path, *bounds: str) -> list[Larger]:
    """What is to be asked of a spec; nothing if it expects nothing to hold."""
    spec = spec_of(file)
    return list(larger(spec, bounds or BOUNDS)) if holding(spec) else []


def result(file: Path, bound: str, limits: Limits) -> Kept:
    """The result of one spec with one larger bound."""
    spec = spec_of(file)
    made = next(each for each in larger(spec) if each.bound == bound)
    verdicts = dict.fromkeys(holding(spec), "holds")
    return kept_of(repeat(made, verdicts, limits), key_of(spec))


def _result(task: tuple[Path, str, Limits]) -> Kept:
    return result(*task)


def cheapest_first(files: tuple[Path, ...] = FILES) -> list[Path]:
    """The specs in the order of their states; those without counts last."""

    def cost(file: Path) -> tuple[bool, bool, int]:
        spec = spec_of(file)
        return spec.slow, spec.counts is None, spec.counts.states if spec.counts else 0

    return sorted(files, key=cost)


def left(
    known: dict[tuple[str, str], Kept], limits: Limits, *, undecided: bool = False
) -> Iterator[tuple[Path, str, Limits]]:
    """What is to be searched, channels first: what is not known, or is known of other sources.

    With `undecided`, what a limit has stopped is searched again.
    """
    for bound in BOUNDS:
        for file in cheapest_first():
            for each in asked(file, bound):
                kept = known.get((name_of(file), each.bound))
                is_known = kept is not None and kept.key == key_of(spec_of(file))
                if not is_known or (undecided and kept is not None and kept.stopped):
                    yield file, each.bound, limits


def main() -> int:
    """Search, keep, and write the page. Exit code 1 if a change of a verdict is not explained."""
    options = argparse.ArgumentParser(
        prog="python -m tests.bounds",
        description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    options.add_argument("--seconds", type=float, default=120, help="time limit of a search")
    options.add_argument("--states", type=int, default=2_000_000, help="limit of its states")
    options.add_argument("--workers", type=int, default=1, help="number of processes")
    options.add_argument("--undecided", action="store_true", help="also what a limit has stopped")
    options.add_argument("--page-only", action="store_true", help="write the page alone")
    given = options.parse_args()
    known, limits = read(), Limits(given.states, given.seconds)
    tasks = [] if given.page_only else list(left(known, limits, undecided=given.undecided))
    context = multiprocessing.get_context("fork")
    with context.Pool(given.workers, maxtasksperchild=4) as pool:
        for number, kept in enumerate(pool.imap(_result, tasks), 1):
            write(kept)
            known[kept.place] = kept
            said = ", ".join(f"{each.property} {each.verdict}" for each in kept.changes)
            end = said or kept.refused or kept.stopped or "same"
            line = f"{number}/{len(tasks)}  {kept.spec}  {kept.bound} = {kept.after}  {end}"
            print(line, file=sys.stderr, flush=True)
    specs = {name_of(file): key_of(spec_of(file)) for file in FILES}
    places = {(name_of(file), each.bound) for file in FILES for each in asked(file)}
    text, unexplained = written(known, specs, places)
    PAGE.write_text(text, encoding="utf-8")
    print(f"{PAGE}: {unexplained} changes of verdicts are not explained; results: {FILE}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except FinaleError as error:
        sys.exit(str(error))
