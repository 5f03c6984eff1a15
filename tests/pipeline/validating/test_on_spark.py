"""Judged on Spark, logs come to what they come to in process: verdicts, tables, what is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark import cloudpickle

from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.log_files import LogShelf, RawLog
from finale.pipeline.validating import pieces as cut
from finale.pipeline.validating.judging import JudgingOrder, PieceOutcome
from finale.pipeline.validating.pieces import Piece, pieces_of
from finale.pipeline.validating.run import validated
from finale.pipeline.validating.spark import OnSpark, bundled
from finale.pipeline.validating.store import ResultStore
from finale.pipeline.validating.work import (
    BundleResult,
    Keep,
    Numbered,
    PieceBundle,
    judged_here,
    work,
)
from tests.cli.running import run
from tests.logs.archive import SAMPLES
from tests.pipeline.validating.logs import engine_runs, files_in, rows, unpacked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAMES = ("bounded-01", "H12-00", "H16-00", "multi-cancel-01")
TABLES = ("verdicts", "findings", "events", "rest")


def judged(found: Iterable[PieceOutcome]) -> list[PieceOutcome]:
    return sorted(found, key=lambda each: each.key)


def keep_none(_: object) -> None:
    pass


def numbered(pieces: Sequence[Piece]) -> list[tuple[int, Piece]]:
    return list(enumerate(pieces, 1))


def pieces_in(paths: Sequence[Path], engine: str) -> list[Piece]:
    with LogShelf() as shelf:
        return pieces_of(shelf, shelf.logs(map(str, paths)), engine)


def test_the_same_is_told_and_kept(java: int, tmp_path: Path) -> None:
    assert java
    unpacked(tmp_path, *NAMES)
    (tmp_path / "bounded-01" / "odd.log").write_bytes(b"odd \xff\n")
    command = f"validate {' '.join(NAMES)} --format json"
    here = run(f"{command} --output here", tmp_path)
    there = run(f"{command} --output there --master local[2]", tmp_path)
    assert there == here
    for name in TABLES:
        assert rows(tmp_path / "there", name) == rows(tmp_path / "here", name)
    again = run(f"{command} --output there", tmp_path)
    assert again.stdout == here.stdout.replace('"judged": 4', '"judged": 0').replace(
        '"known": 0', '"known": 4'
    ), "what was judged there is known here"


@pytest.mark.parametrize("ships", [False, True])
def test_pieces_of_archives_and_files_of_many_runs(
    spark: SparkSession, tmp_path: Path, ships: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes that workers do not see are shipped to them: here all, or those in an archive."""
    monkeypatch.setattr(cut, "PIECE_BYTES", 15_000)
    many = tmp_path / "many.ndjson"
    many.write_bytes(b"odd\n" + b"".join(engine_runs(7)))
    for path, engine in ((SAMPLES, "flink"), (many, "finale")):
        pieces = pieces_in([path], engine)[:5]
        assert len(pieces) > 1
        order = JudgingOrder(engine, table("flink-2.3"), keeps=True)

        def search(
            order: JudgingOrder, pieces: Sequence[Numbered], keep: Keep
        ) -> Generator[PieceOutcome]:
            yield from OnSpark(spark, order, ships=ships).judge(pieces, keep)

        with ResultStore(tmp_path / engine, "order") as store:
            found = list(validated(pieces, order, search, store, keep_none))
        assert judged(found) == judged(judged_here(order, numbered(pieces), keep_none))
        assert [each.key for each in found] == [each.key for each in pieces], "in their order"
    assert files_in(tmp_path / "finale") == {str(many): many.read_bytes()}
    assert len(files_in(tmp_path / "flink")) >= 5


def test_what_cannot_be_read_is_told_of_that_alone(spark: SparkSession, tmp_path: Path) -> None:
    unpacked(tmp_path, "bounded-01", "H12-00")
    pieces = pieces_in([tmp_path / "bounded-01", tmp_path / "H12-00"], "flink")
    (tmp_path / "H12-00" / "flink.log").unlink()
    for ships in (False, True):
        order = JudgingOrder("flink", table("flink-2.3"), keeps=True)
        found = OnSpark(spark, order, ships=ships).judge(numbered(pieces), keep_none)
        second, first = judged(found)
        assert (len(first.verdicts), first.errors) == (1, ())
        assert "error[no-such-path]" in second.errors[0]


def deadly(bundle: PieceBundle) -> Iterator[BundleResult]:
    """A worker that dies of one of its pieces."""
    if any("H12" in piece.where for _, piece in bundle.pieces):
        os.kill(os.getpid(), signal.SIGKILL)
    yield from work(bundle)


def wrong(bundle: PieceBundle) -> Iterator[BundleResult]:
    """A mistake of ours."""
    raise AssertionError(bundle)


def test_a_worker_that_dies_takes_one_piece_with_it(spark: SparkSession, tmp_path: Path) -> None:
    by_value: Any = cloudpickle.register_pickle_by_value
    by_value(sys.modules[__name__])
    unpacked(tmp_path, "bounded-01", "H12-00")
    pieces = pieces_in([tmp_path / "bounded-01", tmp_path / "H12-00"], "flink")
    order = JudgingOrder("flink", table("flink-2.3"))
    on_spark = OnSpark(spark, order, ships=False, task=deadly)
    second, first = judged(on_spark.judge(numbered(pieces), keep_none))
    assert (len(first.verdicts), first.errors) == (1, ())
    assert "error[worker-died]" in second.errors[0]
    with pytest.raises(Exception, match="AssertionError"):
        list(OnSpark(spark, order, ships=False, task=wrong).judge(numbered(pieces), keep_none))


#: A daemon of Spark's workers that is killed when it starts for the first time.
_DIES_ONCE = """
import os, runpy, signal
from pathlib import Path

first = Path(__file__).with_name("first")
if first.exists():
    first.unlink()
    os.kill(os.getpid(), signal.SIGKILL)
runpy.run_module("pyspark.daemon", run_name="__main__")
"""


def test_the_daemon_of_workers_may_be_killed_at_its_start(java: int, tmp_path: Path) -> None:
    assert java
    unpacked(tmp_path, *NAMES)
    (tmp_path / "dies_once.py").write_text(_DIES_ONCE)
    (tmp_path / "first").touch()
    command = f"validate {' '.join(NAMES)} --format json"
    there = subprocess.run(
        [Path(sys.executable).with_name("finale"), *command.split(), "--master", "local[2]",
         "--conf", "spark.python.daemon.module=dies_once"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not (tmp_path / "first").exists(), "the daemon was started, and killed"
    here = run(command, tmp_path)
    assert (there.returncode, there.stdout, there.stderr) == (here.exit, here.stdout, here.stderr)


def test_small_pieces_are_bundled_and_none_is_torn() -> None:
    def piece(number: int, size: int) -> Piece:
        return Piece(str(number), (RawLog(()),), size, ())

    sizes = [3, 3, 3, 20, 1, 9, 1]
    bundles = list(bundled([(n, piece(n, size)) for n, size in enumerate(sizes)], 10))
    assert [[each.size for _, each in bundle] for bundle in bundles] == [
        [3, 3, 3],
        [20],
        [1, 9],
        [1],
    ]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("validate logs --conf spark.a=b", "spark-or-not"),
        ("validate logs --master elsewhere", "bad-master"),
        ("validate logs --master local[1] --conf memory=1", "bad-conf"),
    ],
)
def test_bad_input(tmp_path: Path, command: str, code: str) -> None:
    unpacked(tmp_path, "bounded-01")
    (tmp_path / "bounded-01").rename(tmp_path / "logs")
    ran = run(command, tmp_path)
    assert ran.exit == 2
    assert f"error[{code}]" in ran.stderr


def test_without_java_logs_are_judged_in_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked(tmp_path, "bounded-01")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    assert run("validate bounded-01 --output out", tmp_path).exit == 0
    ran = run("validate bounded-01 --master local[1]", tmp_path)
    assert (ran.exit, "error[java-missing]" in ran.stderr) == (2, True)
