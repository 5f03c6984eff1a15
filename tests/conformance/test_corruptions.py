"""Corrupted logs of real runs become what `corruptions.toml` says, written before they were judged.

A few of the samples are corrupted each time; hundreds of all runs where the archives are at hand.
"""

import itertools
from collections import Counter
from functools import cache

import pytest

from checker.conformance.acceptance import Accepted
from checker.conformance.flink import accept_run, reject_run
from checker.logs.runs import Run
from checker.question import Limits
from tests.conformance.corrupted import Copy, Original, clusters, originals
from tests.conformance.corruptions import HOW, Kind, copies, kinds
from tests.logs.archive import SAMPLES, archives, needs_archives

KINDS = {kind.name: kind for kind in kinds()}
REJECTED = [name for name, kind in KINDS.items() if kind.is_rejected]
#: So many of a kind, of all runs.
EACH, SEED = 21, 1
#: So many of a kind in runs of the samples in which attempts fail, or users ask for something, and
#: what came of them all.
RESTLESS = 4
FOUND_RESTLESS = Counter(rejected=52, undecided=23)
LIMITS = Limits(states_max=300_000)


@cache
def samples() -> list[Original]:
    return [*originals(clusters(str(SAMPLES)))]


@cache
def everything() -> list[Original]:
    return [*itertools.chain.from_iterable(originals(clusters(path)) for path in archives())]


def check(copy: Copy, kind: Kind) -> None:
    """A corrupted log is rejected, and at the line that is wrong or so many behind it."""
    (run,) = copy.runs()
    rejected = reject_run(run)
    assert copy.wrong is not None
    assert rejected is not None, f"{copy.kind} of {copy.run}: {copy.what} is not rejected"
    told = [event.told.line for event in run.events if event.told.log == copy.wrong[0]]
    between = [line for line in told if copy.wrong[1] <= line < rejected.line]
    late = len(between) if rejected.line in told else len(told)
    assert copy.wrong[1] <= rejected.line, f"{copy.kind} of {copy.run}: {copy.what}: too early"
    assert late <= kind.within, f"{copy.kind} of {copy.run}: {copy.what}: {rejected.line}"


def test_each_kind_is_made_and_most_must_be_rejected() -> None:
    assert set(HOW) == set(KINDS)
    assert len(REJECTED) >= 12
    assert len(REJECTED) / len(KINDS) >= 0.6


@pytest.mark.parametrize("name", REJECTED)
def test_a_sample_is_rejected_at_its_wrong_line(name: str) -> None:
    found = copies(name, samples(), 1, SEED)
    assert found
    for copy in found:
        check(copy, KINDS[name])


@pytest.mark.slow
def test_where_attempts_fail_or_users_ask_most_are_rejected() -> None:
    """Not all: such jobs are looked at less closely. None is explained that must not be."""
    restless = [each.anywhere() for each in samples() if not each.calm]
    found: Counter[str] = Counter()
    for name in REJECTED:
        for copy in copies(name, restless, RESTLESS, SEED):
            (run,) = copy.runs()
            found[_outcome(run)] += 1
    assert found == FOUND_RESTLESS


def _outcome(run: Run) -> str:
    if reject_run(run) is not None:
        return "rejected"
    explained = isinstance(accept_run(run, limits=LIMITS, whole=False).conforms, Accepted)
    return "explained" if explained else "undecided"


@needs_archives
@pytest.mark.slow
@pytest.mark.parametrize("name", REJECTED)
def test_corrupted_runs_are_rejected_at_their_wrong_lines(name: str) -> None:
    found = copies(name, everything(), EACH, SEED)
    assert len(found) == EACH or name == "restored-from-none"  # few runs are restored
    for copy in found:
        check(copy, KINDS[name])
