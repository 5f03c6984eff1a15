"""How much two threads gain: `python -m benchmarks.threads`, on an otherwise idle machine.

Beside them stand two searches that run at once and have nothing in common: where these two slow
each other down, they share caches, memory or a processor, and two threads cannot gain more.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from time import perf_counter

from finale.checker.search.limits import Limits
from finale.checker.search.native.breadth_first import NativeSearch
from finale.checker.search.native.machine import NativeMachine
from finale.checker.search.options import SearchOptions

from .models import named

MODEL, ROUNDS = "yardstick-5,2,3", 9


def main() -> None:
    """Measure by turns, and print medians of wall time."""
    parser = argparse.ArgumentParser("python -m benchmarks.threads", description=__doc__)
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    machine = NativeMachine(named(given.model).system())

    def seconds(threads: int) -> float:
        began = perf_counter()
        NativeSearch(machine, Limits(), None, SearchOptions(threads=threads)).run()
        return perf_counter() - began

    def seconds_of_two() -> float:
        with ThreadPoolExecutor(2) as pool:
            return max(pool.map(seconds, [1, 1]))

    seconds(2)
    rounds = [(seconds(1), seconds(2), seconds_of_two()) for _ in range(given.rounds)]
    one, two, both = (median(column) for column in zip(*rounds, strict=True))
    print(f"one thread {one:.3f} s, two threads {two:.3f} s: {one / two:.2f} times as fast")
    print(f"two searches at once {both:.3f} s: {2 * one / both:.2f} times as much in the time")


if __name__ == "__main__":
    main()
