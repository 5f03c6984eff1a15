"""What owners of a spread search post to each other: `python -m benchmarks.spreading [SPEC]`.

Without Spark, all owners' work in this process: what is posted, kept and computed is the same
wherever it is done. From these figures docs/pipeline.md reasons about more than one machine.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from rich.console import Console
from rich.table import Table

from finale.checker.report.layout import grouped
from finale.checker.search.distributed.bucket import Bucket, LevelResult, LevelTask
from finale.checker.search.distributed.files import SearchFolder
from finale.checker.search.distributed.local import Local, hand_over
from finale.checker.search.distributed.program import CompiledProgram, program_of
from finale.checker.search.distributed.search import Spread
from finale.checker.search.limits import LimitHit, Limits
from finale.checker.search.native.machine import NativeMachine
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec

EXAMPLE = Path(__file__).parent.parent / "specs" / "yardstick" / "three-checkpoints.toml"
OWNERS = (2, 10, 20, 40, 80)
#: It is handed over at so many states.
STATES_HERE = 1_000
WORD = 8


class Alone:
    """A crew of one process, which does the work of one owner after another."""

    def __init__(self, folder: SearchFolder, code: CompiledProgram) -> None:
        self.folder, self.code = folder, code
        self.buckets: dict[int, Bucket] = {}

    def __call__(self, order: LevelTask) -> list[LevelResult]:
        return [self.done(order, owner) for owner in range(order.owners)]

    def done(self, order: LevelTask, owner: int) -> LevelResult:
        """Do the work of one owner; its states are read from files unless they are in memory."""
        bucket = self.buckets.get(owner)
        if bucket is None or bucket.level > order.level:
            bucket = Bucket(self.code, owner, order.owners, order.memory_max)
            self.buckets[owner] = bucket
        try:
            bucket.catch_up(self.folder, order.level)
            return bucket.work(self.folder, order)
        except LimitHit as limit:
            del self.buckets[owner]
            return LevelResult(owner, stopped=str(limit))


@dataclass(frozen=True)
class Measured:
    """A search spread over so many owners: counts, bytes on their way, seconds of one core."""

    owners: int
    states: int
    transitions: int
    levels: int
    posted: int
    """States that went from one owner to another, those included that several have posted."""
    width: int
    """Words of a state."""
    seconds: float
    memory: int
    """Bytes of all owners together."""

    @property
    def bytes_per_state(self) -> float:
        """What each state costs a network on the average."""
        return self.posted * self.width * WORD / self.states


class Counting:
    """A crew that counts what is posted to others."""

    def __init__(self, crew: Alone) -> None:
        self._crew, self.posted = crew, 0

    def __call__(self, order: LevelTask) -> Sequence[LevelResult]:
        done = self._crew(order)
        for each in done:
            self.posted += sum(count for to, count, _ in each.mail or () if to != each.owner)
        return done


def measured(spec: Path, owners: int, here: int = STATES_HERE) -> Measured:
    """One search, spread over so many owners."""
    system = read_spec(spec, catalogue(None)).system()
    machine = NativeMachine(system)
    with tempfile.TemporaryDirectory() as name:
        folder = SearchFolder(Path(name) / "search")
        with folder.led():
            local = Local(machine, Limits(), None, states_here=here)
            local.run()
            if not local.is_outgrown:
                sys.exit(f"{spec} has no more than {here} states")
            program = program_of(machine)
            search = Spread(folder, hand_over(local, folder, program, owners), Limits())
            crew = Counting(Alone(folder, CompiledProgram(program, level=0)))
            began = process_time()
            search.run(crew)
            seconds = process_time() - began
    found = search.statistics
    assert found.complete
    counts = found.states, found.transitions, len(search.manifest.levels)
    return Measured(owners, *counts, crew.posted, program.width, seconds, search.memory)


def main() -> int:
    """Measure and print."""
    spec = Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLE
    table = Table("owners", "posted a state", "bytes a state", "s of a core", "MB", title=str(spec))
    rows = [measured(spec, owners) for owners in OWNERS]
    for found in rows:
        table.add_row(
            str(found.owners),
            f"{found.posted / found.states:.2f}",
            f"{found.bytes_per_state:.0f}",
            f"{found.seconds:.1f}",
            f"{found.memory / 2**20:.0f}",
        )
    states, transitions = grouped(rows[0].states), grouped(rows[0].transitions)
    table.caption = f"{states} states, {transitions} transitions"
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
