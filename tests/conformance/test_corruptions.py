"""`finale validate --accept` says of corrupted logs of real runs what `corruptions.toml` expects.

The expectations were written before any copy was judged. A few copies are made of the samples each
time; hundreds are made of all runs if the archives are at hand.
"""

import itertools
from functools import cache
from pathlib import Path

import pytest

from finale.checker.logs.event_log.acceptance import Undecided
from finale.checker.logs.flink.judge import accept_run
from tests.cli.running import run
from tests.conformance.corrupted import Copy, Original, clusters, originals
from tests.conformance.corruptions import HOW, Kind, copies, kinds
from tests.corruptions.judging import SEED, answer, write
from tests.logs.archive import SAMPLES, archives, needs_archives

KINDS = {kind.name: kind for kind in kinds()}
REJECTED = [name for name, kind in KINDS.items() if kind.is_rejected]
#: To reject such a copy takes more than ten seconds: most runs of the model explain it for long.
LONG = ("completed-twice", "restored-from-none", "trigger-removed")
#: So many of a kind, of all runs.
EACH = 21


@cache
def samples() -> list[Original]:
    return [*originals(clusters(str(SAMPLES)))]


@cache
def everything() -> list[Original]:
    return [*itertools.chain.from_iterable(originals(clusters(path)) for path in archives())]


def assert_rejected(copy: Copy, kind: Kind, folder: Path) -> None:
    """Assert that a corrupted log is rejected, at the wrong line or so many lines behind it."""
    job, code, line = answer(copy, folder)
    name = copy.name
    (own,) = copy.runs()
    assert copy.wrong is not None
    assert job["conforms"]["rejected"], f"{name} is not rejected"
    assert code == 1, name
    assert line is not None
    told = [event.log_event.line for event in own.events if event.log_event.log == copy.wrong[0]]
    between = [each for each in told if copy.wrong[1] <= each < line]
    late = len(between) if line in told else len(told)
    assert copy.wrong[1] <= line, f"{name}: too early"
    assert late <= kind.within, f"{name}: {line}"


def test_each_kind_is_made_and_most_must_be_rejected() -> None:
    assert set(HOW) == set(KINDS)
    assert len(REJECTED) >= 12
    assert len(REJECTED) / len(KINDS) >= 0.6


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=pytest.mark.slow if each in LONG else ()) for each in REJECTED],
)
def test_a_sample_is_rejected_at_its_wrong_line(name: str, tmp_path: Path) -> None:
    (copy,) = copies(name, samples(), 1, SEED)
    assert_rejected(copy, KINDS[name], tmp_path)


def test_the_command_names_the_wrong_line(tmp_path: Path) -> None:
    (copy,) = copies("told-before-it-completes", samples(), 1, SEED)
    assert copy.wrong is not None
    write(copy, tmp_path)
    text = run(f"validate {tmp_path} --accept")
    assert text.exit == 1
    assert f"line {copy.wrong[1]}, " in text.stdout.partition("rejected: ")[2]


@pytest.mark.parametrize("name", ["stop-race-06", "H16-04", "H12-00", "H6-01"])
def test_no_witness_explains_an_attempt_that_never_began(name: str) -> None:
    """The search is asked without the proof, as where lines are missing."""
    own = next(each for each in samples() if each.name == name)
    (copy,) = copies("attempt-changed", [own.anywhere()], 1, SEED)
    (told,) = copy.runs()
    conforms = accept_run(told, whole=False).conforms
    assert isinstance(conforms, Undecided)
    assert "attempt 7" in conforms.why


@needs_archives
@pytest.mark.slow
@pytest.mark.parametrize("name", REJECTED)
def test_corrupted_runs_are_rejected_at_their_wrong_lines(name: str, tmp_path: Path) -> None:
    found = copies(name, everything(), EACH, SEED)
    assert len(found) == EACH or name == "restored-from-none"  # few runs are restored
    for number, copy in enumerate(found):
        assert_rejected(copy, KINDS[name], tmp_path / str(number))
