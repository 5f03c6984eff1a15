"""What a review costs: until it shows the first true finding, and in all.

Each change is a planted mistake of this package. Specs of that mistake are left out, as there is
none for a change that somebody proposes today. What is known of the protocol without the change is
in the cache, as in every review but the first one.
"""

from __future__ import annotations

import argparse
import random
import sys
from time import process_time

from rich.console import Console
from rich.table import Table

from finale.checker.cache.store import Store, cache_folder
from finale.checker.review.cases import OWN_SPECS, Case, cases
from finale.checker.review.change import Change, under
from finale.checker.review.code import changed_code
from finale.checker.review.order import in_order
from finale.checker.review.pair import pair_of, searched_within
from finale.checker.review.review import CASES_FIRST, tried_of
from finale.checker.review.verdicts import Direction
from finale.checker.search.limits import Limits
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.files import toml_in
from finale.model.errors import FinaleError
from finale.model.language.explore import Branch

SEED = 7
#: A change that has shown nothing after so many seconds is given up, if only findings are asked.
SECONDS_MAX = 60.0


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


def measured(change: Change, whole: bool) -> tuple[int, int | None, float | None, float]:
    """How many settings there are, which one shows the first new violation, after how many seconds
    of processor time, and the seconds of all of them."""
    kept, bare = catalogue(None, Store(cache_folder())), catalogue()
    files = [
        file
        for file in sorted(OWN_SPECS.rglob("*.toml"))
        if toml_in(file)[0].get("variant") != change.variant
    ]
    began = process_time()
    base, changed = under(Change(change.protocol), kept), under(change, bare)
    found = cases(files, base, changed, change).found
    code = changed_code(changed.variant, base.base)
    order = in_order(found, change, code, bare)
    spent = process_time() - began
    first: tuple[int, float] | None = None
    taken = set[Branch]()
    for number, case in enumerate(order, 1):
        searched_within(case.base, Limits())  # from here on it is known
        seen = frozenset(taken) if number > CASES_FIRST else None
        began = process_time()
        falls = _falls(case, code.files, seen, taken)
        spent += process_time() - began
        if falls and first is None:
            first = number, spent
        if not whole and (first is not None or spent > SECONDS_MAX):
            break
    return len(order), first and first[0], first and first[1], spent


def _falls(
    case: Case, files: frozenset[str], seen: frozenset[Branch] | None, taken: set[Branch]
) -> bool:
    try:
        pair = pair_of(case, files, Limits(), seen=seen)
    except FinaleError:
        return False
    taken |= pair.taken
    return any(each.direction is Direction.VIOLATED for each in tried_of(case, pair).differences)


def main() -> int:
    """Measure and print; the exit code is 1 if a change shows nothing."""
    parser = argparse.ArgumentParser("python -m benchmarks.reviews", description=__doc__)
    parser.add_argument("--count", type=int, default=20, help="how many changes; 0 for all")
    parser.add_argument("--whole", action="store_true", help="all settings of each: minutes")
    parser.add_argument("--variant", help="one change, as PROTOCOL/VARIANT")
    given = parser.parse_args()
    table = Table("change", "settings", "first shown by", "after CPU s", "in all CPU s")
    chosen = changes(given.count)
    if given.variant:
        chosen = [Change(*given.variant.split("/"))]
    silent = 0
    for change in chosen:
        settings, number, seconds, spent = measured(change, given.whole)
        silent += number is None
        shown = ["–", "–"] if number is None else [f"{number}", f"{seconds:.1f}"]  # noqa: RUF001
        print(change, settings, *shown, f"{spent:.1f}", file=sys.stderr, flush=True)
        table.add_row(str(change), str(settings), *shown, f"{spent:.1f}")
    Console(width=120).print(table)
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
