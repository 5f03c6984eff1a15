"""A source that a stop without drain has suspended took its savepoint before its end of data (S13).

The log is that of a real run (2.3.0): a later savepoint counts the source as finished, between the
ends of two tasks. No line tells that its end of data came behind its part of the first savepoint;
but the kind of that savepoint makes it doubtful.
"""

import lzma
from pathlib import Path

from .edits import found, validated

_SUSPENDED = Path(__file__).parent / "suspended-source.log.xz"
_FLAG = "finished-flag-is-sound"


def _lines() -> list[str]:
    return lzma.decompress(_SUSPENDED.read_bytes()).decode().splitlines()


def test_who_is_suspended_may_count_as_finished_for_nothing(tmp_path: Path) -> None:
    job, told = validated(tmp_path, _lines())
    assert _FLAG in job["undecided"]
    assert found(job) == {}
    assert told.exit == 3


def test_whoever_is_drained_has_a_final_checkpoint(tmp_path: Path) -> None:
    text = "\n".join(_lines()).replace("Suspend Sav", "Terminate Sav")
    job, _ = validated(tmp_path, text.replace("SUSPEND", "TERMINATE").split("\n"))
    assert _FLAG in job["decided"]
