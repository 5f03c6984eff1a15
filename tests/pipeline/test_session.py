"""Spark as a user has it: quiet, on loopback, with workers that know this code."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from finale.model.errors import FinaleError
from finale.pipeline.search.run import Tasks, watched
from finale.pipeline.session import LOOPBACK, SparkCluster, cluster_of, session, settings_of

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]


def as_in_a_terminal() -> None:
    """Ctrl-C is heard, though this process may have been started in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def located(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Where a worker has this code from, and how many rows it was given."""
    import time

    import pyarrow

    from finale import model

    for batch in batches:
        time.sleep(0.2)
        yield pyarrow.record_batch({"rows": [batch.num_rows], "file": [model.__file__]})


def test_workers_have_this_python_and_this_code(spark: SparkSession) -> None:
    told: list[Tasks] = []
    with watched(spark, told.append):
        rows = spark.range(0, 40, 1, 4).mapInArrow(located, "rows long, file string").collect()
    assert sum(row.rows for row in rows) == 40
    assert {Path(row.file).resolve() for row in rows} == {ROOT / "model" / "__init__.py"}
    assert max(each.total for each in told) == 4
    assert all(each.done + each.running <= each.total for each in told)


def test_it_listens_on_loopback_only(spark: SparkSession) -> None:
    assert spark.conf.get("spark.driver.host") == LOOPBACK
    assert spark.conf.get("spark.driver.bindAddress") == LOOPBACK
    port = int(spark.conf.get("spark.driver.port") or 0)
    with socket.create_connection((LOOPBACK, port), timeout=5):
        pass
    assert spark.sparkContext.uiWebUrl is None


def test_one_after_the_other_with_other_settings_and_a_quiet_console(java: int) -> None:
    """In a process of its own, since another Spark may run here."""
    assert java
    script = """
import os, signal
from finale.pipeline.session import SparkCluster, session
before, handler = dict(os.environ), signal.getsignal(signal.SIGINT)
for memory in ("500m", "600m"):
    with session(SparkCluster("local[1]", {"spark.driver.memory": memory})) as spark:
        megabytes = spark._jvm.java.lang.Runtime.getRuntime().maxMemory() // 2**20
        print(spark.range(7).count(), megabytes)
print(os.environ == before, signal.getsignal(signal.SIGINT) is handler)
"""
    ran = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={key: value for key, value in os.environ.items() if not key.startswith("SPARK_")},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=as_in_a_terminal,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    first, second, third = ran.stdout.splitlines()
    assert third == "True True", "what was set is taken back: variables, and what Ctrl-C does"
    assert [line.split()[0] for line in (first, second)] == ["7", "7"]
    assert int(first.split()[1]) < int(second.split()[1]), "the second one has a Java of its own"


def test_a_cluster_is_as_the_command_line_says() -> None:
    assert cluster_of(None, [], []) == SparkCluster("local[*]")
    named = cluster_of("spark://127.0.0.1:7077", ["spark.a=b=c"], [])
    assert named.conf == {"spark.a": "b=c"}
    assert named.is_nearby
    assert not named.is_local
    assert not cluster_of("spark://far.example:7077", [], []).is_nearby
    assert not cluster_of("yarn", [], []).is_nearby


def test_what_is_given_wins(tmp_path: Path) -> None:
    options = "spark.driver.extraJavaOptions"
    given = {"spark.ui.enabled": "true", options: "-Xss4m"}
    found = settings_of(SparkCluster("local[1]", given), "a name", tmp_path)
    assert found["spark.ui.enabled"] == "true"
    assert found[options].startswith("-Dlog4j2.configurationFile=file:")
    assert found[options].endswith(" -Xss4m")
    assert "spark.archives" not in found, "workers of this machine have the code"


def test_code_is_shipped_elsewhere_and_nothing_is_bound_to_loopback(tmp_path: Path) -> None:
    found = settings_of(SparkCluster("spark://far.example:7077"), "a name", tmp_path)
    assert found["spark.archives"].endswith("finale-code.zip#finale-code")
    assert found["spark.executorEnv.PYTHONPATH"] == "finale-code"
    assert "spark.driver.host" not in found


@pytest.mark.parametrize(
    ("master", "settings", "code"),
    [
        ("lokal", (), "bad-master"),
        ("local[]", (), "bad-master"),
        ("http://far.example", (), "bad-master"),
        (None, ("spark.driver.memory",), "bad-conf"),
        (None, ("driver.memory=2g",), "bad-conf"),
    ],
)
def test_a_cluster_that_is_none(master: str | None, settings: tuple[str, ...], code: str) -> None:
    with pytest.raises(FinaleError) as raised:
        cluster_of(master, settings, [])
    assert raised.value.code == code


def test_spark_that_does_not_start_says_why(java: int) -> None:
    """In a process of its own, since another Spark may run here."""
    assert java
    script = """
from finale.model.errors import FinaleError
from finale.pipeline.session import SparkCluster, session
for cluster in (
    SparkCluster("local[1]", {"spark.driver.memory": "many"}),
    SparkCluster("local[one]"),
    SparkCluster("spark://127.0.0.1:1"),
):
    try:
        with session(cluster):
            pass
    except FinaleError as error:
        print(error.code, error.message)
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    said = ran.stdout.splitlines()
    assert all(line.startswith("spark-did-not-start Spark did not start on ") for line in said)
    assert "Invalid maximum heap size: -Xmxmany" in said[0]
    assert "Could not parse Master URL: 'local[one]'" in said[1]
    assert said[2].endswith("spark://127.0.0.1:1: nobody answers there")


def test_only_one_at_a_time(spark: SparkSession) -> None:
    assert spark.sparkContext.master == "local[2]"
    with (
        pytest.raises(AssertionError, match="already in this process"),
        session(SparkCluster("local[1]")),
    ):
        pass
    assert os.environ["SPARK_LOCAL_IP"] == LOOPBACK


def processes_of(mark: str) -> list[str]:
    """The processes of this machine that have a word in their command line."""
    found: list[str] = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended in between
            words = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            found += [words] if mark in words else []
    return found


def wait_until(is_so: Callable[[], bool], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(0.02)
    return False


WATCH = [str(Path(sys.executable).with_name("finale")), "watch", "--once", "--master", "local[2]"]


@pytest.mark.slow  # from half a second to ten each
@pytest.mark.parametrize("seconds", [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0])
def test_ctrl_c_at_any_time_ends_java_and_says_nothing(
    seconds: float, java: int, tmp_path: Path
) -> None:
    """So long after Java was started: before it answers, while Spark starts, in its first jobs."""
    assert java
    mark = f"spark.finale.test={tmp_path}"
    process = subprocess.Popen(
        [*WATCH, str(ROOT / "examples"), "--conf", mark],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=as_in_a_terminal,  # noqa: PLW1509 - no threads yet
    )
    others = f"--conf {mark} "
    try:
        assert wait_until(lambda: any(" -cp " in each for each in processes_of(others)))
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, error) == (130, "")
    assert wait_until(lambda: not processes_of(others), 5), processes_of(others)


def test_ctrl_c_in_a_job_ends_it_quietly(java: int) -> None:
    """The thread that waits for Spark is the one that is interrupted."""
    assert java
    script = """
import os, signal, threading, time
from finale.pipeline.session import SparkCluster, session
try:
    with session(SparkCluster("local[1]")) as spark:
        threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        spark.sparkContext.parallelize([60], 1).foreach(time.sleep)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - began < 30)
"""
    ran = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=as_in_a_terminal,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "interrupted True\n", "")


def test_ctrl_c_that_leads_to_an_error_is_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """PySpark tidies up after Ctrl-C, and fails where Java does not answer any more."""
    monkeypatch.setattr("finale.pipeline.session._started", lambda *_: None)
    monkeypatch.setattr("finale.pipeline.session.require_spark", lambda: None)
    monkeypatch.setattr("finale.pipeline.session._context", lambda: NoSpark)

    def interrupted() -> None:
        with session(SparkCluster("local[1]")):
            try:
                raise KeyboardInterrupt
            finally:
                raise ConnectionError("Answer from Java side is empty")

    def failed() -> None:
        with session(SparkCluster("local[1]")):
            raise ConnectionError("Answer from Java side is empty")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with pytest.raises(ConnectionError):
        failed()


class NoSpark:
    """A context of Spark's that was never started."""

    _active_spark_context = _gateway = _jvm = None
