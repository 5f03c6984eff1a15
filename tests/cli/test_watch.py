"""`finale watch` before and after Spark: what is refused, and how records read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from finale.checker.cache.plain_data import plain, typed
from finale.checker.logs.verdicts import JobVerdict
from finale.checker.report.watched import told_lines
from finale.pipeline.watch.journal import Journal, Record
from tests.cli.running import run
from tests.pipeline.test_watch_judging import NOW, states


def test_without_java_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    ran = run("watch .", tmp_path)
    assert ran.exit == 2
    assert ran.stderr.startswith("error[java-missing]")


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
