"""What a user waits for: commands, building a system, the readable search; wall time."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rich.table import Table

from finale.checker.search.bfs.search import check
from finale.checker.search.interpreter.search import explore
from finale.checker.search.limits import Limits
from finale.model.language.build import build
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.yardstick import Yardstick
from finale.model.rules import Setting
from finale.model.topology import Job

SMALLEST = "specs/final-checkpoint/final-trigger.toml"
ROOT = Path(__file__).parent.parent


def seconds(action: Callable[[], object], rounds: int) -> float:
    """The median wall time of an action, after a round that warms caches."""
    action()
    times = []
    for _ in range(rounds):
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


def plan_over_sixteen(rounds: int) -> float:
    """Seconds to explore the trigger plan of sixteen subtasks into its decision tree."""
    from finale.model.language.build import bound_rules, ground_rule, world_of

    protocol = sixteen()
    world = world_of(protocol, protocol.keeps())
    (plan,) = [each for each in bound_rules(protocol) if each.rule.name == "trigger_checkpoint"]
    return seconds(lambda: ground_rule(world, plan).tree, rounds)


def measured(rounds: int) -> Table:
    """The table. A command that does not exit as it should raises."""
    protocol = yardstick(1, 2, 2)
    report = check(build(protocol))
    assert (report.statistics.states, report.statistics.transitions) == (111_400, 845_274)
    rate = report.statistics.states / report.statistics.seconds
    plain = explore(yardstick(1, 2, 2), (), Limits(states_max=5_000)).statistics
    smallest = seconds(command("check", SMALLEST), rounds)
    compiled = seconds(command("check", SMALLEST, "--backend", "native"), rounds)
    building = seconds(lambda: build(yardstick(1, 2, 2)), rounds)
    rows = [
        ("finale --help", _milliseconds(seconds(command("--help"), rounds)), "under 200 ms"),
        ("finale check, smallest spec", _milliseconds(smallest), "under 1 s"),
        ("the same, --backend native", _milliseconds(compiled), "under 600 ms"),
        ("trigger plan, 16 subtasks", _milliseconds(plan_over_sixteen(rounds)), "under 50 ms"),
        ("yardstick 1,2,2: build", _milliseconds(building), ""),
        ("yardstick 1,2,2: readable", f"{rate:,.0f} states/s", "at least 20 000"),
        ("yardstick 1,2,2: concrete", f"{plain.states / plain.seconds:,.0f} states/s", ""),
    ]
    table = Table(title=f"wall time, medians of {rounds} rounds", title_justify="left")
    for heading in ("what", "measured", "wanted on an idle machine"):
        table.add_column(heading)
    for row in rows:
        table.add_row(*row)
    return table


def _milliseconds(measured: float) -> str:
    return f"{measured * 1000:.0f} ms"
