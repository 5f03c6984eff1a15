"""A mistake that depends on a layout is not proven, and does not hold by an option."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from tests.symbolic.planted import all_jobs, asking, observing, sound, unbounded
from tests.symbolic.planted.plants import SITES, Plant

#: This reads the state alone, so that the proof is asked, and fails.
ASKED = {"rule-of-2-ids"}
#: A proof takes no window for these.
TOO_MANY = {"rule-of-3-ids"}
#: What the language refuses before a proof could.
REFUSED = {
    "foreign-call", "iterator-kept", "keeps-state", "misses-the-state", "rule-builds-set",
    "rule-mutates", "rule-reads-history", "rule-uses-is", "rule-uses-try", "state-dependent-loop",
    "text-of-state",
}  # fmt: skip
#: A search of one id does not show these: the mistake needs a second checkpoint, or a failure.
MORE: tuple[dict[str, object], ...] = (
    {},
    {"bounds": {"checkpoints": 3, "channel": 3}},
    {"bounds": {"checkpoints": 3}},
)
OF_GATES = {"blocked-for-a-reason", "part-is-taken-with-the-last", "ended-inputs-count"}


def named(plants: list[Plant], of: str = "") -> list[object]:
    slow = pytest.mark.slow
    return [
        pytest.param(p, id=f"{of}{p.name}", marks=slow if p.name in ASKED else ()) for p in plants
    ]


def test_the_page_on_proofs_counts_them() -> None:
    page = (Path(__file__).parents[2] / "docs" / "proofs.md").read_text(encoding="utf-8")
    of_runs = len(unbounded.plants())
    others = (all_jobs.plants(), observing.few_ids(), observing.history())
    assert f"has {of_runs + sum(map(len, others))} variants with a planted mistake" in page
    assert f"Of {of_runs}\nplanted mistakes" in page


@pytest.mark.parametrize("plant", named(unbounded.plants()))
def test_none_is_proven_for_runs_of_any_length(plant: Plant, tmp_path: Path) -> None:
    answer = asking.unbounded(plant, tmp_path)
    if plant.name in ASKED:
        assert answer == "resists"
    elif plant.name in TOO_MANY:
        assert answer == "window-too-small"
    else:
        assert answer == "reads-layout" or answer in REFUSED


@pytest.mark.parametrize("plant", named(all_jobs.plants()))
def test_none_is_proven_for_jobs_of_any_shape(plant: Plant, tmp_path: Path) -> None:
    facts = {SITES[plant.site].falls} if plant.site else OF_GATES
    assert asking.all_jobs(plant, tmp_path, sorted(facts)) in {"reads-layout", *REFUSED}


@pytest.mark.parametrize("plant", named(observing.few_ids()))
def test_none_holds_because_ids_are_given_again(plant: Plant, tmp_path: Path) -> None:
    with pytest.raises(FinaleError) as refused:
        asking.is_violated(plant, tmp_path)
    assert refused.value.code == "reads-layout"


@pytest.mark.parametrize("plant", named(sound.of_ids()))
def test_a_guard_takes_what_is_simple(plant: Plant, tmp_path: Path) -> None:
    assert asking.is_explored(plant, tmp_path)


@pytest.mark.parametrize("plant", named(sound.beside_few_ids()))
def test_a_guard_takes_what_is_simple_beside_few_ids(plant: Plant, tmp_path: Path) -> None:
    assert not asking.is_violated(plant, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("plant", named(sound.of_ids()))
def test_what_is_simple_is_proven(plant: Plant, tmp_path: Path) -> None:
    assert asking.unbounded(plant, tmp_path) == asking.PROVEN


@pytest.mark.slow
@pytest.mark.parametrize("plant", named(sound.of_jobs()))
def test_what_is_simple_is_proven_of_all_jobs(plant: Plant, tmp_path: Path) -> None:
    assert asking.all_jobs(plant, tmp_path, [SITES[plant.site].falls]) == asking.PROVEN


@pytest.mark.parametrize("plant", named(observing.history()))
def test_none_holds_because_history_is_recorded(plant: Plant, tmp_path: Path) -> None:
    with pytest.raises(FinaleError) as refused:
        asking.is_violated(plant, tmp_path)
    assert refused.value.code == "rule-reads-history"


@pytest.mark.slow
@pytest.mark.parametrize("plant", [*named(unbounded.plants()), *named(all_jobs.plants(), "job-")])
def test_each_mistake_is_one(plant: Plant, tmp_path: Path) -> None:
    if not plant.site:
        pytest.skip("a gate: the facts about inputs are no properties of a spec")
    try:
        violated = any(asking.is_violated(plant, tmp_path, **more) for more in MORE)
    except FinaleError as error:
        violated = error.code in REFUSED
    assert violated
