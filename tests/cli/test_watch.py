"""`finale watch` before and after Spark: what is refused, and how records read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from finale.checker.cache.plain_data import plain, typed
from finale.checker.logs.verdicts import JobVerdict
from finale.checker.report.watched import told_lines
from finale.pipeline.watch.journal import Journal, Record
from tests.cli.running import run
from tests.pipeline.test_watch_judging import NOW, content, states


def test_without_java_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    ran = run("watch . --master local[*]", tmp_path)
    assert ran.exit == 2
    assert ran.stderr.startswith("error[java-missing]")


def test_one_machine_s_logs_need_no_spark(tmp_path: Path) -> None:
    """In a process that has no PySpark, the bounded job ends, and nothing is found."""
    (tmp_path / "flink.log").write_bytes(content("bounded-01"))
    hidden = "import sys; sys.modules |= dict.fromkeys(('pyspark', 'pyarrow', 'pandas'))"
    code = f"{hidden}; from finale.cli.main import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", code, "watch", str(tmp_path), "--once"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "1 log · " in ran.stdout
    assert "· 1 job · 0 findings" in ran.stdout
    on_spark = subprocess.run(
        [*words, "--master", "local[1]"], capture_output=True, text=True, check=False
    )
    assert on_spark.returncode == 2
    assert on_spark.stderr.startswith("error[spark-missing]")


def test_settings_of_spark_need_a_master(tmp_path: Path) -> None:
    ran = run("watch . --conf spark.x=1", tmp_path)
    assert ran.exit == 2
    assert ran.stderr.startswith("error[spark-or-not]")


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """A job that shows something falls silent, goes on, ends, and part of it was said too early."""
    folder = tmp_path_factory.mktemp("watch")
    ((word, verdict),) = states("H16-00", folder, 1)[0]
    less = typed(JobVerdict, {**plain(verdict), "findings": [], "state": "RUNNING"})
    with Journal(folder / "kept", {}) as journal:
        journal.note("truncated", less, NOW)
        journal.note("grows", less, NOW)
        journal.note(word, verdict, NOW)
        journal.note(word, less, NOW)
        no_run = {"accepted": False, "lines": 1, "why": "line 2: no", "rejected": True}
        no_run |= {"told": [], "tried": []}
        journal.note(word, typed(JobVerdict, {**plain(less), "conforms": no_run}), NOW)
        journal.note_troubles({"a.log": "it may not be read"}, NOW)
        return list(journal.tell())


def test_records_in_words(records: list[Record]) -> None:
    lines = [line.plain for line in told_lines(records)]
    assert lines[0] == "08:00:00  … H16-00: truncated: nothing more has come"
    assert lines[2] == "08:00:00  … H16-00: goes on"
    (first,) = [n for n, each in enumerate(lines) if "✗" in each and "requests-do-not" in each]
    assert lines[first].endswith("violated requests-do-not-defeat(stop1, checkpoint 3)")
    assert lines[first + 2].strip() == "logs/flink.log:621"
    sentences = [each for each in lines if "an attempt ends only by" in each]
    assert len(sentences) == 1, "of six findings of one property"
    assert "08:00:00  ✗ H16-00: FAILED, 7 findings" in lines
    assert sum("✓ H16-00: not violated" in each for each in lines) == 7
    assert lines[-4:-1] == [
        "08:00:00  ✗ H16-00: rejected",
        "            line 2: no",
        "            logs/flink.log",
    ]
    assert lines[-1] == "08:00:00  ! a.log: it may not be read"


def test_records_are_json(records: list[Record]) -> None:
    assert json.loads(json.dumps(records)) == records
    assert {each["what"] for each in records} == {
        "finding",
        "withdrawn",
        "rejected",
        "job",
        "trouble",
    }
