"""How many states fewer are searched under all reductions: `python -m benchmarks.reductions`.

Each spec is searched in full, and under symmetry, dead variables and partial order together. Asked
are the safety properties that the spec expects a verdict of, or all with `--all-properties`;
liveness is always searched in full. A state inside of a chain of single steps is not stored, and
not counted. Seconds of the searches are of the clock, without compiling;
those of the proofs are of the processor: what finding the reductions costs before the search.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from time import process_time

from rich.console import Console
from rich.table import Table

from finale.checker.search.limits import Limits
from finale.checker.search.native.search import searched
from finale.checker.search.options import SearchOptions
from finale.checker.search.reductions.find import find_all
from finale.checker.search.reductions.kinds import Reduction
from finale.checker.search.verdict import NO_DEADLOCK
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from finale.model.system import Kind, System

SPECS = Path(__file__).parent.parent / "specs"
#: What is measured: all specs of four protocols with at least 50 000 states. `sync-savepoint` and
#: `legacy-finish` are other protocols.
MEASURED = (
    "final-checkpoint/figure-two-checkpoints",
    "final-checkpoint/four-inputs",
    "final-checkpoint/union-state-finished-only",
    "final-checkpoint/42-43-44-first-record",
    "final-checkpoint/broken/tells-no-abort",
    "final-checkpoint/goes-on",
    "matrix/fc-aligned/s01",
    "matrix/fc-aligned/s03",
    "matrix/fc-aligned/s06",
    "matrix/fc-aligned/s07",
    "matrix/fc-aligned/s11",
    "matrix/fc-aligned/s18",
    "failures/terminal-in-a-manual-checkpoint",
    "failures/terminal-in-a-savepoint",
    "failures/terminal-is-refused",
    "stop-with-savepoint/multi-input-parallel",
    "stop-with-savepoint/declined-though-tolerated",
    "stop-with-savepoint/two-stops-cancelled",
    "stop-with-savepoint/one-sink-leaves-a-transaction",
    "stop-with-savepoint/restarts-from-its-savepoint",
    "stop-with-savepoint/resumes-behind-its-savepoint",
    "restore/broken/forgets-marks-of-sources",
    "unaligned/broken/logs-again-at-end",
)
ALONE = SearchOptions(threads=1)


@dataclass(frozen=True)
class Measured:
    """States and seconds of a search in full, and under all reductions."""

    full: int
    reduced: int
    seconds: float
    proofs: float
    searching: float

    @property
    def factor(self) -> float:
        return self.full / self.reduced


def asked(spec: Spec, every: bool) -> System:
    """Return the system with the properties that all reductions keep: of the spec, or all."""
    system = spec.system()
    safety = [p for p in system.properties if p.kind not in (Kind.LEADS_TO, Kind.EVENTUALLY)]
    if every:
        return replace(system, properties=tuple(safety))
    names = {p.name for p in safety if p.name in spec.expectations}
    names |= {p.witness for p in safety if p.name in names and p.witness is not None}
    return replace(system, properties=tuple(p for p in safety if p.name in names))


def measured(system: System) -> Measured:
    """Search a system twice."""
    full = searched(system, Limits(), None, (), ALONE)
    began = process_time()
    found = find_all(list(Reduction), system)
    proofs = process_time() - began
    names = [NO_DEADLOCK, *(prop.name for prop in system.properties)]
    # What a reduction does not keep is left to the full search by `check_reduced`.
    under = [
        each for each in found if each.reduces and not any(each.refusal(name) for name in names)
    ]
    reduced = searched(system, Limits(), None, under, ALONE)
    states = full.statistics.states, reduced.statistics.states
    return Measured(*states, full.seconds, proofs, reduced.seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the exit code."""
    parser = argparse.ArgumentParser("python -m benchmarks.reductions", description=__doc__)
    parser.add_argument("specs", nargs="*", help="paths below specs/, without .toml")
    parser.add_argument("--all-properties", action="store_true")
    given = parser.parse_args(arguments)
    table = Table("spec", "full", "reduced", "times fewer", "s full", "s proofs", "s reduced")
    for column in table.columns[1:]:
        column.justify = "right"
    factors: list[float] = []
    for name in given.specs or MEASURED:
        spec = read_spec(SPECS / f"{name}.toml", catalogue())
        found = measured(asked(spec, given.all_properties))
        factors.append(found.factor)
        seconds = (f"{each:.2f}" for each in (found.seconds, found.proofs, found.searching))
        row = [name, str(found.full), str(found.reduced), f"{found.factor:.1f}", *seconds]
        table.add_row(*row)
        print(*row, file=sys.stderr, flush=True)
    mean = prod(factors) ** (1 / len(factors))
    table.add_row("geometric mean", "", "", f"{mean:.1f}", "", "", "")
    (Console() if sys.stdout.isatty() else Console(width=120)).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
