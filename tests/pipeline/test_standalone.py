"""On a real cluster: the code is shipped, a worker may be lost, and the results are the same."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any
from unittest import mock

import pytest
from pyspark import cloudpickle

from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.log_files import LogShelf
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.pipeline.search.run import SearchPlan, search
from finale.pipeline.session import SparkCluster, session
from finale.pipeline.sweep.cells import planned
from finale.pipeline.sweep.matrix import read_matrix
from finale.pipeline.sweep.processes import in_processes
from finale.pipeline.sweep.run import order_of
from finale.pipeline.sweep.spark import on_spark
from finale.pipeline.validating.judging import JudgingOrder, PieceOutcome
from finale.pipeline.validating.pieces import pieces_of
from finale.pipeline.validating.spark import OnSpark
from finale.pipeline.validating.work import BundleResult, judged_here
from tests.cli.running import HERE
from tests.logs.archive import SAMPLES
from tests.pipeline.standalone import CONF, Standalone, standalone
from tests.pipeline.sweep.matrices import MATRIX, plan_in
from tests.pipeline.sweep.test_processes import timeless
from tests.pipeline.sweep.test_sweep import OWN, RESUMED
from tests.pipeline.test_explore import levels_of

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
LARGER = MATRIX.replace("[1, 2, 3]", "[1, 2, 3, 4, 5, 6]").replace("[2, 3]", "[5, 6]")


@pytest.fixture
def cluster(java: int, tmp_path: Path) -> Iterator[Standalone]:
    """A master and two workers; a session here has the Python of theirs."""
    assert java
    with (
        standalone(tmp_path) as started,
        mock.patch.dict(os.environ, {"PYSPARK_PYTHON": started.python}),
    ):
        yield started


def where(numbers: Iterable[int]) -> Iterator[tuple[str, str]]:
    """Where a worker has this code from, and which of its folders it works in."""
    import finale.pipeline.sweep.work  # noqa: F401 - it can be imported, with all that it needs
    from finale import model

    time.sleep(0.5)
    yield model.__file__, str(Path.cwd())


def test_code_is_shipped(cluster: Standalone) -> None:
    by_value: Any = cloudpickle.register_pickle_by_value
    by_value(sys.modules[__name__])  # workers lack this file too
    with session(SparkCluster(cluster.master, CONF)) as spark:
        found = spark.sparkContext.parallelize(range(8), 8).mapPartitions(where).collect()
    assert len({folder for _, folder in found}) == 2, "both workers had tasks"
    for file, folder in found:
        assert Path(file).is_relative_to(folder)
        assert not Path(file).is_relative_to(ROOT)


def test_a_sweep_with_a_worker_killed(cluster: Standalone, tmp_path: Path) -> None:
    plan = plan_in(tmp_path, LARGER)
    order = order_of(plan, None)
    expected = timeless(list(in_processes(plan.cells, order, 1)))
    killed: list[float] = []
    found = []
    with session(SparkCluster(cluster.master, CONF)) as spark:
        for done in on_spark(spark, plan.cells, order):
            found.append(done)
            if not killed:
                killed.append(time.monotonic())
                Thread(target=cluster.kill_worker, args=(0,)).start()
    assert killed
    assert cluster.workers[0].poll() is not None
    assert len(found) == len(expected), "no cell twice"
    assert timeless(found) == expected


@pytest.mark.parametrize("level", [9, 24])
def test_a_search_with_a_worker_killed(cluster: Standalone, level: int, tmp_path: Path) -> None:
    """The counts and verdicts are those of the spec, which a search in process has, too."""
    spec = read_spec(ROOT / "specs" / "yardstick" / "five-records.toml", catalogue(None))
    folder = tmp_path / "kept"
    killed: list[int] = []

    def kill() -> None:
        while levels_of(folder) < level:
            time.sleep(0.01)
        killed.append(levels_of(folder))
        cluster.kill_worker(0)

    killing = Thread(target=kill, daemon=True)
    killing.start()
    plan = SearchPlan(SparkCluster(cluster.master, CONF), folder, states_here=100, owners=3)
    found = search(spec, plan)
    killing.join(timeout=0)
    assert killed, "it was over before a worker was killed"
    assert killed[0] < levels_of(folder), "it was at work when the worker was killed"
    assert cluster.workers[0].poll() is not None
    assert found.ok, found.rows
    assert "search" in {row.property for row in found.rows}, "the counts are compared"


def test_specs_and_protocols_are_shipped(cluster: Standalone, tmp_path: Path) -> None:
    """The folder of one's own protocols, and what cells are resumed from, are hidden from here."""
    folder = tmp_path / "given"
    shutil.copytree(HERE / "inputs", folder)
    for name in ("history", "restore"):
        shutil.copytree(ROOT / "specs" / name, folder / "specs" / name)
    hidden = tmp_path / "hidden"
    for text, protocols in ((OWN, folder / "protocols"), (RESUMED, None)):
        (folder / "matrix.toml").write_text(text)
        known = catalogue(protocols)
        plan = planned(read_matrix(folder / "matrix.toml", known), known, "1")
        order = order_of(plan, None if protocols is None else str(protocols))
        expected = timeless(list(in_processes(plan.cells, order, 1)))
        folders = (*([protocols] if protocols else []), *plan.folders)
        with session(SparkCluster(cluster.master, CONF, folders)) as spark:
            folder.rename(hidden)
            found = timeless(list(on_spark(spark, plan.cells, order)))
            hidden.rename(folder)
        assert found == expected
        assert not [done for done in found.values() if done.error]


def test_logs_that_workers_do_not_see_with_a_worker_killed(cluster: Standalone) -> None:
    """Their bytes are shipped; what the lost one was at is judged again."""
    with LogShelf() as shelf:
        pieces = pieces_of(shelf, shelf.logs([str(SAMPLES)]), "flink")
    order, numbered = (
        JudgingOrder("flink", table("flink-2.3"), keeps=True),
        list(enumerate(pieces, 1)),
    )
    kept: list[BundleResult] = []
    found: list[PieceOutcome] = []
    killed: list[Thread] = []
    with session(SparkCluster(cluster.master, CONF)) as spark:
        for outcome in OnSpark(spark, order, ships=True).judge(numbered, kept.append):
            found.append(outcome)
            if not killed:
                killed.append(Thread(target=cluster.kill_worker, args=(0,)))
                killed[0].start()
    killed[0].join()
    assert cluster.workers[0].poll() is not None
    expected = judged_here(order, numbered, lambda _: None)
    assert sorted(found, key=lambda each: each.key) == sorted(expected, key=lambda each: each.key)
    assert sorted(number for result in kept for number, *_ in result.judged) == [
        number for number, _ in numbered
    ]
