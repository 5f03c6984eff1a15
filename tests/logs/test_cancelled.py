"""A job that is cancelled while its stop waits for the savepoint: tasks may fail (SP-10, SP-13).

The log is that of a real run (2.3.0, stop with drain). The cancellation aborts the savepoint, and
the abort reaches both tasks before they are cancelled: they fail with "Stop-with-savepoint failed".
"""

import lzma
from pathlib import Path

from .edits import dropped, found, number, validated

_CANCELLED = Path(__file__).parent / "cancelled-stop.log.xz"


def _lines() -> list[str]:
    return lzma.decompress(_CANCELLED.read_bytes()).decode().splitlines()


def test_tasks_that_fail_in_a_cancelled_job_break_nothing(tmp_path: Path) -> None:
    job, told = validated(tmp_path, _lines(), "--accept")
    assert job["state"] == "CANCELED"
    assert found(job) == {}
    assert not job["conforms"]["rejected"]
    assert told.exit == 0


def test_the_same_failures_break_a_job_that_nobody_cancels(tmp_path: Path) -> None:
    lines = dropped("RUNNING to CANCELLING")(_lines())
    job, told = validated(tmp_path, lines)
    each, *others = found(job, "violated")["legal-never-fails"]
    assert each["line"] == number(lines, r"S \(1/1\)#0 .*RUNNING to FAILED")
    assert len(others) == 1
    assert told.exit == 1
