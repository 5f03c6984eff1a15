"""Counts what `finale impact` lists for pairs of releases, and which known fixes are listed.

`python -m tests.impact` fetches the jars that are not kept yet. With two releases it counts one
pair.
"""

from __future__ import annotations

import sys
from time import process_time

from finale.checker.impact.builds import build_of
from finale.checker.impact.comparing import impact
from finale.checker.spec.catalogue import catalogue
from tests.impact.fixes import by_pair, is_patch


def main(given: list[str]) -> None:
    """Print a row for each pair, and how many fixes are listed."""
    pairs = by_pair()
    if given:
        pairs = {(given[0], given[1]): pairs.get((given[0], given[1]), ())}
    print("| Pair | Named | Near | No rule | Processor time | Fixes listed |")
    print("|---|--:|--:|--:|--:|---|")
    missed: list[str] = []
    counts = {True: [0, 0], False: [0, 0]}
    for (old, new), fixes in pairs.items():
        start = process_time()
        with build_of(old) as before, build_of(new) as after:
            found = impact(before, after, catalogue(None))
        took = process_time() - start
        listed = [each for each in fixes if each.is_listed(found)]
        missed += [each.key for each in fixes if each not in listed]
        for count, size in enumerate((len(listed), len(fixes))):
            counts[is_patch((old, new))][count] += size
        told = f"{len(listed)} of {len(fixes)}" if fixes else ""
        sizes = f"{len(found.named)} | {len(found.near)} | {len(found.unnamed)}"
        print(f"| {old} → {new} | {sizes} | {took:.1f} s | {told} |", flush=True)
    for is_of_patch, (those, of) in counts.items():
        print(f"{'patch releases' if is_of_patch else 'lines'}: {those} of {of} fixes are listed")
    print(f"not listed: {', '.join(missed) or 'none'}")


if __name__ == "__main__":
    main(sys.argv[1:])
