"""`make bench`: one table of what is fast enough and by how much, medians of several rounds.

Machines are shared and noisy: the figures count only on an idle machine. A harness in which
everything fails must fail: a command that does not exit as it should ends the run.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from checker.concrete.search import explore
from checker.question import Limits
from checker.readable.search import check
from model.language.build import build
from model.protocols.final_checkpoint import FinalCheckpoint
from model.protocols.yardstick import Yardstick
from model.rules import Setting
from model.topology import Job

ROUNDS = 5
SMALLEST = "specs/final-checkpoint/final-trigger.toml"
ROOT = Path(__file__).parent.parent


def seconds(action: Callable[[], object]) -> float:
    """The median wall time of an action, after a round that warms caches."""
    action()
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def command(*arguments: str) -> Callable[[], object]:
    """A run of the command line in a process of its own."""
    line = [str(Path(sys.executable).with_name("finale")), *arguments]
    return lambda: subprocess.run(line, check=True, capture_output=True, cwd=ROOT)


def yardstick(records: int, checkpoints: int, channel: int) -> Yardstick:
    bounds = {"records": records, "checkpoints": checkpoints, "channel": channel}
    return Yardstick(Setting(bounds=bounds))


def sixteen() -> FinalCheckpoint:
    """A chain of four vertices with four subtasks each."""
    table: dict[str, object] = {"S": {"records": 0, "parallelism": 4}}
    for before, name in (("S", "V"), ("V", "W"), ("W", "X")):
        table[name] = {"from": [before], "parallelism": 4}
    return FinalCheckpoint(Setting(job=Job.from_table(table), bounds={"checkpoints": 1}))


def plan_over_sixteen() -> float:
    """Seconds to explore the trigger plan of sixteen subtasks into its decision tree."""
    from model.language.build import bound_rules, tree_of, world_of

    protocol = sixteen()
    world = world_of(protocol, protocol.keeps())
    (plan,) = [each for each in bound_rules(protocol) if each.rule.name == "trigger_checkpoint"]
    return seconds(lambda: tree_of(world, plan))


def main() -> None:
    """Measure and print."""
    rows: list[tuple[str, str, str]] = []
    rows.append(("finale --help", f"{seconds(command('--help')) * 1000:.0f} ms", "under 200 ms"))
    rows.append(
        ("finale check, smallest spec", f"{seconds(command('check', SMALLEST)):.2f} s", "under 1 s")
    )
    rows.append(
        ("trigger plan, 16 subtasks", f"{plan_over_sixteen() * 1000:.0f} ms", "under 50 ms")
    )

    protocol = yardstick(1, 2, 2)
    rows.append(
        (
            "yardstick 1,2,2: build",
            f"{seconds(lambda: build(yardstick(1, 2, 2))) * 1000:.0f} ms",
            "",
        )
    )
    report = check(build(protocol))
    assert (report.statistics.states, report.statistics.transitions) == (111_400, 845_274)
    rate = report.statistics.states / report.statistics.seconds
    rows.append(("yardstick 1,2,2: readable", f"{rate:,.0f} states/s", "at least 20 000"))
    plain = explore(yardstick(1, 2, 2), (), Limits(states_max=5_000)).statistics
    rows.append(("yardstick 1,2,2: concrete", f"{plain.states / plain.seconds:,.0f} states/s", ""))

    table = Table(title=f"medians of {ROUNDS} rounds", title_justify="left")
    for heading in ("what", "measured", "wanted on an idle machine"):
        table.add_column(heading)
    for row in rows:
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
