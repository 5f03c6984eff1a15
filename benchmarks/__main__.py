"""`make bench`: what a user waits for, and our search beside SPIN's and TLC's on the same models.

Machines are shared and noisy: the figures count only on an idle machine. Every engine must count
what is known of a model; where one does not, or fails, or nothing was measured, the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from rich.console import Console

from . import commands
from .comparison import compare, ratios, table
from .measuring import Engine
from .models import MODELS, QUICK, STANDARD, named
from .ours import Ours
from .spin import Spin
from .startup import measured
from .tlc import Tlc

ENGINES: tuple[Engine, ...] = (
    Ours(properties=True),
    Ours(properties=False),
    Spin(by_hand=True, properties=False),
    Spin(by_hand=False, properties=False),
    Spin(by_hand=False, properties=True),
    Tlc(),
)
#: Who is told to be how many times as fast as whom: each pair is asked the same.
AGAINST: tuple[tuple[Engine, Engine], ...] = (
    (Ours(properties=False), Spin(by_hand=True, properties=False)),
    (Ours(properties=True), Tlc()),
)
ROUNDS = 5
#: Of the tables, where they are not printed on a terminal.
WIDTH = 130


def main(arguments: Sequence[str] | None = None, engines: Sequence[Engine] = ENGINES) -> int:
    """Measure and print; the exit code."""
    names = [model.name for model in MODELS]
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--models", nargs="+", choices=names, metavar="MODEL", help=", ".join(names)
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"default {ROUNDS}")
    parser.add_argument("--quick", action="store_true", help="one round on the smallest models")
    parser.add_argument("--no-startup", action="store_true", help="leave the first table out")
    parser.add_argument("--specs", action="store_true", help="check all of specs/, too: minutes")
    given = parser.parse_args(arguments)
    if given.rounds < 1:
        parser.error("--rounds must be above zero")
    rounds = 1 if given.quick else given.rounds
    models = [named(name) for name in given.models or (QUICK if given.quick else STANDARD)]
    page = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    if not given.no_startup:
        page.print(measured(rounds))
        page.print(commands.measured(rounds, whole=given.specs))
    found = compare(engines, models, rounds, lambda line: print(line, file=sys.stderr))
    page.print(table(found))
    for ours, theirs in AGAINST:
        for line in ratios(found, ours.name, theirs.name):
            page.print(line)
    for (model, engine), failure in found.failures.items():
        page.print(f"FAILED: {model}, {engine}: {failure}", style="red", markup=False)
    if found.interrupted:
        page.print(f"interrupted in round {found.rounds + 1} of {rounds}", style="red")
    if not found.samples:
        page.print("FAILED: nothing was measured", style="red")
    return 0 if found.ok else 1


if __name__ == "__main__":
    sys.exit(main())
