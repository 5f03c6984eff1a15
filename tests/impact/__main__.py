"""Counts what `finale impact` lists for pairs of releases, and which known fixes are listed.

`python -m tests.impact` fetches the jars that are not kept yet. With two releases it counts one
pair.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from time import process_time

from finale.checker.impact.builds import build_of
from finale.checker.impact.comparing import impact
from finale.checker.spec.catalogue import catalogue

#: Pairs of releases, and of known bugs the methods that the fix between them changed.
PAIRS: Mapping[tuple[str, str], Mapping[str, tuple[str, ...]]] = {
    ("1.20.1", "1.20.2"): {"FLINK-37605": ("SinkWriterOperator.endInput",)},
    ("1.20.0", "1.20.1"): {"FLINK-36287": ("CommitterOperator.processElement",)},
    ("1.16.1", "1.16.2"): {},
    ("1.14.6", "1.15.0"): {"FLINK-25191": ("CheckpointCoordinator.completePendingCheckpoint",)},
    ("2.2.1", "2.3.0"): {"FLINK-39018": ("PipelinedSubpartition.needNotifyPriorityEvent",)},
}


def main(given: list[str]) -> None:
    """Print a row for each pair."""
    pairs = {(given[0], given[1]): PAIRS.get((given[0], given[1]), {})} if given else PAIRS
    print("| Pair | Named | Near | No rule | Processor time | Fixes listed |")
    print("|---|--:|--:|--:|--:|---|")
    for (old, new), fixes in pairs.items():
        start = process_time()
        with build_of(old) as before, build_of(new) as after:
            found = impact(before, after, catalogue(None))
        took = process_time() - start
        listed = {each.title for each in (*found.named, *found.near)}
        seen = [name for name, methods in fixes.items() if listed.intersection(methods)]
        told = f"{len(seen)} of {len(fixes)}" if fixes else ""
        sizes = f"{len(found.named)} | {len(found.near)} | {len(found.unnamed)}"
        print(f"| {old} → {new} | {sizes} | {took:.1f} s | {told} |")


if __name__ == "__main__":
    main(sys.argv[1:])
