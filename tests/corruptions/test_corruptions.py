"""`python -m tests.corruptions`: a few copies each time, one of each kind and family on request."""

import itertools
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from finale.checker.logs.flink import judge
from tests.conformance.corrupted import Original, clusters, originals
from tests.conformance.corruptions import HOW, kinds
from tests.corruptions.__main__ import PAGE, table
from tests.corruptions.judging import Family, Outcome, Said, chosen, family_of, judged
from tests.logs.archive import FAILOVERS, REQUESTS, SAMPLES
from tests.logs.edits import edited, number, replaced, validated

#: So many copies of each kind and family, as the page says.
EACH = 1
MUST = {kind.name for kind in kinds() if kind.is_rejected}


@cache
def runs() -> list[Original]:
    archives = map(str, (SAMPLES, REQUESTS, FAILOVERS))
    return [*itertools.chain.from_iterable(originals(clusters(each)) for each in archives)]


def judged_all(each: int, kinds: tuple[str, ...], folder: Path) -> list[Said]:
    copies = sorted(chosen(runs(), each, kinds), key=lambda one: one[1].run)
    return [judged(family, copy, folder / str(n)) for n, (family, copy) in enumerate(copies)]


def test_the_samples_have_runs_of_each_family() -> None:
    found = Counter(map(family_of, runs()))
    assert found == {
        Family.PLAIN: 7,
        Family.FAILOVERS: 5,
        Family.FAILURES: 4,
        Family.STOPS: 9,
        Family.SAVEPOINTS: 1,
        Family.CANCELLED: 3,
    }


def test_a_task_that_dies_is_not_told_of_a_completion_that_was_none(tmp_path: Path) -> None:
    """Also attempts that fail later."""
    families = (Family.FAILURES, Family.FAILOVERS)
    copies = (own for own in chosen(runs(), 1, ("told-of-an-aborted-one",)) if own[0] in families)
    found = [judged(family, copy, tmp_path / family.value) for family, copy in copies]
    assert Counter(each.outcome for each in found) == {Outcome.AT_ITS_LINE: len(families)}
    assert {each.exit for each in found} == {1}


def accepted_without_a_proof(kinds: Iterable[str], folder: Path) -> list[str]:
    """The copies for which the search finds a witness: the proof must not have the last word."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge, "_rejected", lambda *_: None)
        found = judged_all(EACH, tuple(kinds), folder)
    outcomes = (Outcome.ACCEPTED, Outcome.ACCEPTED_FOUND)
    return [each.name for each in found if each.outcome in outcomes]


def test_no_witness_tells_a_task_that_dies_of_a_completion_that_was_none(tmp_path: Path) -> None:
    assert not accepted_without_a_proof(["told-of-an-aborted-one"], tmp_path)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("failover", "COMPLETE 1 for task", "COMPLETE 99 for task"),  # nobody has triggered it
        ("failover", "COMPLETE 1 for task", "ABORT 1 for task"),  # it has completed
        ("H12-01", "ABORT 3 for task", "ABORT 99 for task"),
    ],
)
def test_no_witness_tells_a_task_that_dies_of_an_end_that_was_none(
    name: str, old: str, new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "_rejected", lambda *_: None)
    lines = edited(name, replaced(old, new))
    job, _ = validated(tmp_path, lines, "--accept")
    assert not job["conforms"]["accepted"]
    assert f"line {number(lines, new)}, " in job["conforms"]["why"]


@pytest.mark.slow
def test_no_copy_that_must_be_rejected_has_a_witness(tmp_path: Path) -> None:
    assert not accepted_without_a_proof(MUST, tmp_path)


def test_the_table_counts_by_class_and_family() -> None:
    told = Said("begun-twice", Family.STOPS, "a", Outcome.AT_ITS_LINE, 1, 3, 3)
    rows = table([told]).splitlines()
    assert rows[5] == "| must be rejected | stops | 1 | 1 |  |  |  |  |  |"
    assert rows[2].startswith("| must be rejected | plain | 0 |")


@pytest.mark.slow
def test_the_page_has_what_the_command_says(tmp_path: Path) -> None:
    """No copy that must be rejected is accepted, and at least 90 % are rejected at their lines."""
    found = judged_all(EACH, tuple(HOW), tmp_path)
    must = [each for each in found if each.kind in MUST]
    exact = sum(each.outcome is Outcome.AT_ITS_LINE for each in must)
    assert not [each.name for each in must if each.outcome is Outcome.ACCEPTED]
    assert exact >= 0.9 * len(must)
    assert table(found) in PAGE.read_text(encoding="utf-8")
