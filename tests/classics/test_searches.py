"""Every search, storage, reduction and number of threads counts and judges the classics alike."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from finale.checker.search.bfs.search import check
from finale.checker.search.bmc.search import check as check_bounded
from finale.checker.search.interpreter.search import explore
from finale.checker.search.limits import Limits
from finale.checker.search.native.search import check as check_natively
from finale.checker.search.options import SearchOptions, StorageName
from finale.checker.search.reductions.kinds import Reduction
from finale.checker.search.run import run
from finale.checker.search.verdict import Report, Verdict, Word
from tests.agreement.compare import compare
from tests.agreement.test_back_ends import assert_told_alike
from tests.classics.specs import NAMES, spec_of
from tests.reductions.audit import disagreements, told

QUICK, STATES_COMPARED = 500, 1_500


def named(largest: int) -> list[object]:
    """All specs up to a size; those that are not small are slow."""
    sizes = {name: counts.states for name in NAMES if (counts := spec_of(name).counts)}
    return [
        pytest.param(name, marks=() if sizes[name] <= QUICK else pytest.mark.slow)
        for name in NAMES
        if sizes[name] <= largest
    ]


def counts(report: Report) -> tuple[int, int, int]:
    found = report.statistics
    return found.states, found.transitions, found.depth


@pytest.mark.parametrize("name", named(1_000_000))
def test_what_is_expected_is_found(name: str) -> None:
    result = run(spec_of(name))
    assert result.ok
    found = spec_of(name).counts
    assert found is not None
    assert counts(result.report) == (found.states, found.transitions, found.depth)


@pytest.mark.parametrize("name", named(100_000))
def test_searches_agree(name: str) -> None:
    system = spec_of(name).system()
    readable = check(system)
    assert_told_alike(check_natively(system), readable)
    concrete = explore(spec_of(name).instance(), spec_of(name).asked)
    liveness = {prop.name for prop in system.properties if prop.kind.is_liveness}
    safety = [answer for answer in readable.verdicts if answer.property not in liveness]
    assert [each for each in concrete.verdicts if each.property not in liveness] == safety
    assert counts(concrete) == counts(readable)


@pytest.mark.parametrize("name", named(STATES_COMPARED))
def test_rules_and_trees_agree_in_every_state(name: str) -> None:
    assert compare(spec_of(name).instance(), spec_of(name).asked) is None


@pytest.mark.parametrize("storage", ["exact", "compressed", "hashed"])
@pytest.mark.parametrize("name", named(1_000_000))
def test_storages_and_threads_agree(name: str, storage: StorageName) -> None:
    system = spec_of(name).system()
    full = check_natively(system)
    for threads in (1, 2, 3):
        report = check_natively(system, options=SearchOptions(storage, threads))
        assert counts(report) == counts(full)
        for one, other in zip(full.verdicts, report.verdicts, strict=True):
            assert_as_sure(one, other, storage)


def assert_as_sure(full: Verdict, other: Verdict, storage: StorageName) -> None:
    """Hashes answer no question about whole runs, and say so."""
    if storage == "hashed" and other.word is Word.UNKNOWN:
        assert "hash" in other.why
    else:
        assert told(full) == told(other)


def differing(name: str, reductions: Sequence[Reduction]) -> list[tuple[Verdict, Verdict]]:
    """Answers that differ; partial order claims no shortest traces, and proves nothing vacuous."""
    pairs = disagreements(spec_of(name).system(), reductions)
    if Reduction.PARTIAL_ORDER not in reductions:
        return pairs
    return [(full, reduced) for full, reduced in pairs if not _differs_by_order(full, reduced)]


def _differs_by_order(full: Verdict, reduced: Verdict) -> bool:
    if reduced.word is Word.UNKNOWN:
        return full.word is Word.VACUOUS
    alike = full.word == reduced.word and not reduced.is_shortest
    return alike and (full.steps or 0) <= (reduced.steps or 0)


@pytest.mark.parametrize("reduction", Reduction, ids=lambda each: each.value)
@pytest.mark.parametrize("name", named(100_000))
def test_reductions_agree(name: str, reduction: Reduction) -> None:
    assert differing(name, [reduction]) == []


@pytest.mark.parametrize("name", named(1_000_000))
def test_all_reductions_together_agree(name: str) -> None:
    assert differing(name, list(Reduction)) == []


@pytest.mark.parametrize("name", named(QUICK))
def test_the_solver_finds_what_falls(name: str) -> None:
    spec = spec_of(name)
    system = spec.system()
    steps = [each.steps for each in spec.expectations.values() if each.steps is not None]
    full = check_natively(system)
    bounded = check_bounded(system, Limits(steps_max=min(max([1, *steps]), 12)))
    for one, other in zip(full.verdicts, bounded.verdicts, strict=True):
        if other.word is not Word.UNKNOWN:
            assert told(one) == told(other)
