"""Cells searched in several processes come to what they come to in one; a death costs one cell."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from finale.pipeline.sweep.cells import SweepCell
from finale.pipeline.sweep.processes import in_processes
from finale.pipeline.sweep.run import order_of
from finale.pipeline.sweep.work import CellResult, SweepOrder
from tests.pipeline.sweep.matrices import CELLS, MATRIX, plan_in, written

FINALE = str(Path(sys.executable).with_name("finale"))


def timeless(results: Sequence[CellResult]) -> dict[str, CellResult]:
    """By key, without what takes another time each time."""
    return {
        done.key: replace(
            done, seconds=0.0, rows=tuple(replace(row, seconds=0.0) for row in done.rows)
        )
        for done in results
    }


def test_as_in_one(tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    order = order_of(plan, None)
    one = timeless(list(in_processes(plan.cells, order, 1)))
    assert len(one) == CELLS
    assert timeless(list(in_processes(plan.cells, order, 2))) == one
    cell = one[plan.cells[3].key]
    assert [(row.property, row.verdict, row.states, row.steps) for row in cell.rows] == [
        ("agreement", "holds", 12, None),
        ("commitment", "holds", 12, 4),
        ("no-deadlock", "holds", 12, None),
    ]


def test_what_cannot_be_searched_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    wrong = replace(plan.cells[0], table={**plan.cells[0].table, "protocol": "none-such"})
    found = timeless(list(in_processes([wrong, *plan.cells[1:3]], order_of(plan, None), 2)))
    assert found[wrong.key].error.startswith("error[unknown-protocol]")
    assert [len(found[cell.key].rows) for cell in plan.cells[1:3]] == [3, 3]


def test_a_property_of_another_protocol_does_not_apply(tmp_path: Path) -> None:
    plan = plan_in(tmp_path, MATRIX.replace('"commitment"', '"commit-completeness"'))
    [done] = in_processes(plan.cells[:1], order_of(plan, None), 1)
    assert [row.verdict for row in done.rows] == ["holds", "does-not-apply", "holds"]


def test_a_limit_is_told(tmp_path: Path) -> None:
    plan = plan_in(tmp_path, MATRIX + "[limits]\nstates = 5\n")
    [done] = in_processes(plan.cells[2:3], order_of(plan, None), 1)
    assert done.stopped == "the limit of 5 states"
    assert done.limits == (5, None, None)
    assert done.rows[0].verdict == "unknown"
    assert "5 states" in done.rows[0].why


def fatal(cells: Sequence[SweepCell], order: SweepOrder) -> Iterator[CellResult]:
    """Kills the first worker that it finds, as one that has no memory left is killed."""
    search = in_processes(cells, order, 2)
    yield next(search)
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    workers = [int(each) for each in children if is_worker(int(each))]
    os.kill(workers[0], signal.SIGKILL)
    yield from search


def is_worker(process: int) -> bool:
    return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc to find processes in")
def test_a_worker_that_dies_costs_one_cell(tmp_path: Path) -> None:
    text = MATRIX.replace("[1, 2, 3]", "[1, 2, 3, 4, 5]")
    plan = plan_in(tmp_path, text)
    found = list(fatal(plan.cells, order_of(plan, None)))
    assert {done.key for done in found} == {cell.key for cell in plan.cells}
    [lost] = [done for done in found if done.error]
    assert lost.error.startswith("error[worker-died]: the process that searched this cell ended")
    assert "signal 9" in lost.error


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc to find processes in")
def test_workers_end_with_whoever_asked(tmp_path: Path) -> None:
    """The sweep is killed with its cells half done: nobody works on for nobody."""
    written(tmp_path, MATRIX.replace("[1, 2, 3]", "[6, 7]").replace("[2, 3]", "[6]"))
    command = [FINALE, "sweep", "matrix.toml", "--workers", "2"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    workers: list[int] = []
    try:
        for _ in range(300):
            told = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            workers = [int(each) for each in told if is_worker(int(each))]
            if len(workers) == 2:
                break
            time.sleep(0.1)
    finally:
        process.kill()
        process.wait()
    assert len(workers) == 2
    for _ in range(300):
        if not any(is_there(each) for each in workers):
            break
        time.sleep(0.1)
    assert not [each for each in workers if is_there(each)]


def is_there(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
