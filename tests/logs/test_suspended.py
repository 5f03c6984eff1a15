"""A source that a stop without drain has suspended took its savepoint before its end of data (S13).

The log is that of a real run (2.3.0): a later savepoint counts the source as finished, between the
ends of two tasks. No line tells that its end of data came behind its part of the first savepoint;
but the kind of that savepoint makes it doubtful.
"""

import lzma
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .edits import at, found, validated

_SUSPENDED = Path(__file__).parent / "suspended-source.log.xz"
_FLAG = "finished-flag-is-sound"
#: Lines about checkpoint 1, and where the lines have numbers of checkpoints.
_ABOUT_ONE = r"heckpoint (COMPLETE )?1\b|checkpoint 1@|@ 1\.$|checkpointId=1\b"
_NUMBER = r"(heckpoint (?:COMPLETE |ABORT )?|@ (?=\d\.$)|checkpointId=)(\d+)\b"


def _lines() -> list[str]:
    return lzma.decompress(_SUSPENDED.read_bytes()).decode().splitlines()


def _as_checkpoint(lines: list[str]) -> list[str]:
    """The lines about the savepoint, as those of a checkpoint that is no stop."""
    kind = re.compile(r"SavepointType\{name='Suspend Savepoint'[^}]*\}")
    own = (each for each in lines if re.search(_ABOUT_ONE, each))
    return [kind.sub("CheckpointType{name='Checkpoint'}", each) for each in own]


def _one_later(lines: list[str]) -> list[str]:
    return [re.sub(_NUMBER, lambda m: f"{m[1]}{int(m[2]) + 1}", each) for each in lines]


def _with_a_checkpoint_before() -> list[str]:
    """The savepoint is checkpoint 2, and a checkpoint 1 has completed before it."""
    lines = _lines()
    first, last = at(lines, r"Triggering checkpoint 1 \("), at(lines, "COMPLETE 1 for task K")
    copied = _as_checkpoint(lines[first : last + 1])
    return [*lines[:first], *copied, *_one_later(lines[first:])]


def _with_a_checkpoint_behind() -> list[str]:
    """The source, which waits for its final checkpoint, takes a checkpoint 2."""
    lines = _lines()
    first, end = at(lines, r"Triggering checkpoint 1 \("), at(lines, "Finished operators for task")
    copied = _one_later(_as_checkpoint(lines[first:end]))
    return [*lines[:end], *copied, *_one_later(lines[end:])]


@pytest.mark.parametrize("lines", [_lines, _with_a_checkpoint_before])
def test_a_suspended_source_that_counts_as_finished_is_doubtful(
    lines: Callable[[], list[str]], tmp_path: Path
) -> None:
    job, told = validated(tmp_path, lines())
    assert _FLAG in job["undecided"]
    assert found(job) == {}
    assert told.exit == 3


def test_a_drained_source_has_a_final_checkpoint(tmp_path: Path) -> None:
    text = "\n".join(_lines()).replace("Suspend Sav", "Terminate Sav")
    job, _ = validated(tmp_path, text.replace("SUSPEND", "TERMINATE").split("\n"))
    assert _FLAG in job["decided"]


def test_a_suspended_source_that_takes_a_checkpoint_at_its_end_has_a_final_one(
    tmp_path: Path,
) -> None:
    job, _ = validated(tmp_path, _with_a_checkpoint_behind())
    assert found(job) == {}
    assert _FLAG in job["decided"]
