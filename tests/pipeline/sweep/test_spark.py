"""Cells searched on Spark come to what they come to in process; bins are about equally heavy."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finale.pipeline.sweep.cells import SweepCell
from finale.pipeline.sweep.run import JOURNAL, SweepStore
from finale.pipeline.sweep.spark import packed_evenly
from tests.cli.running import run
from tests.pipeline.sweep.matrices import CELLS, MATRIX, written
from tests.pipeline.sweep.test_sweep import FINALE, lines_of, searched, table_in


@given(st.lists(st.floats(0.01, 50), min_size=1, max_size=60), st.integers(1, 20))
def test_bins_have_each_cell_once_and_even_weights(weights: list[float], count: int) -> None:
    cells = [SweepCell((), {}, str(number), weight) for number, weight in enumerate(weights)]
    bins = packed_evenly(cells, count)
    assert sorted(cell.key for part in bins for cell in part) == sorted(c.key for c in cells)
    assert len(bins) == min(count, len(cells))
    loads = [sum(cell.weight for cell in part) for part in bins]
    assert loads == sorted(loads, reverse=True)
    assert loads[0] <= sum(weights) / len(bins) + max(weights) + 1e-6


def test_on_spark_as_in_process(java: int, tmp_path: Path) -> None:
    assert java
    written(tmp_path)
    assert run("sweep matrix.toml --workers 1 --output here", tmp_path).exit == 0
    ran = run("sweep matrix.toml --master local[2] --output there", tmp_path)
    assert (ran.exit, ran.stderr) == (0, "")
    assert searched(ran) == CELLS
    assert table_in(tmp_path / "there") == table_in(tmp_path / "here")
    again = run("sweep matrix.toml --master local[2] --output there", tmp_path)
    assert searched(again) == 0, "and Spark is not started for nothing"


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_ended_on_spark_and_gone_on_with(how: signal.Signals, java: int, tmp_path: Path) -> None:
    """The driver is ended with bins half done: what was known is kept, and nobody works on."""
    assert java
    written(tmp_path, MATRIX.replace("[1, 2, 3]", "[1, 2, 3, 4, 5, 6]"))
    journal = tmp_path / "there" / JOURNAL
    command = [FINALE, "sweep", "matrix.toml", "--master", "local[1]", "--output", "there"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        while process.poll() is None and lines_of(journal) < 4:
            time.sleep(0.02)
        process.send_signal(how)
        assert process.wait(timeout=60) == (130 if how is signal.SIGINT else -how)
    finally:
        process.kill()
        process.wait()
    with SweepStore(journal.parent) as store:
        kept = len(store.known)
    assert 3 <= kept < 16
    ran = run("sweep matrix.toml --workers 1 --output there", tmp_path)
    assert searched(ran) == 16 - kept
    assert run("sweep matrix.toml --workers 1 --output here", tmp_path).exit == 0
    assert table_in(journal.parent) == table_in(tmp_path / "here")
