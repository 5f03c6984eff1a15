"""Verdicts with each bound one larger: what is made larger, and what becomes of what held."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.search.limits import Limits
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from tests.bounds.larger import BOUNDS, Repeated, holding, larger, repeat

SPECS = Path(__file__).parent.parent.parent / "specs"

ONLY_SINKS_WAIT = """
title    = "Only two-phase sinks wait, and a channel holds two elements"
protocol = "final-checkpoint"
variant  = "only-sinks-wait"

[job]
shape = "pair"

[bounds]
checkpoints = 2
channel     = 2
failures    = 1

[observe]
effects = true
cut     = true

[[expect]]
property = "consistent-cut"
verdict  = "holds"

[[expect]]
property = "commit-completeness"
verdict  = "holds"
"""


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    file = tmp_path / "only-sinks-wait.toml"
    file.write_text(ONLY_SINKS_WAIT)
    return read_spec(file, catalogue())


def read(name: str) -> Spec:
    return read_spec(SPECS / name, catalogue())


def sizes(spec: Spec) -> list[tuple[str, str, str]]:
    return [(each.bound, each.before, each.after) for each in larger(spec)]


def repeated(spec: Spec, bound: str, limits: Limits | None = None) -> Repeated:
    (made,) = larger(spec, [bound])
    return repeat(made, dict.fromkeys(holding(spec), "holds"), limits)


def test_each_bound_is_one_larger(spec: Spec) -> None:
    assert sizes(spec) == [
        ("channel", "2", "3"),
        ("records", "1", "2"),
        ("checkpoints", "2", "3"),
    ]


def test_a_bound_that_follows_from_the_job_is_larger_by_one() -> None:
    spec = read("final-checkpoint/pair.toml")
    spec = replace(spec, setting=replace(spec.setting, bounds={"checkpoints": 1}))
    assert sizes(spec)[0] == ("channel", "4", "5")


def test_live_checkpoints_are_larger_instead_of_checkpoints() -> None:
    spec = read("stop-with-savepoint/stops-for-aborted.toml")
    assert sizes(spec)[-1] == ("live_checkpoints", "3", "4")


def test_a_protocol_without_a_bound_is_not_asked() -> None:
    assert sizes(read("two-phase-commit/three-managers.toml")) == []


def test_records_can_be_a_bound_of_the_protocol() -> None:
    assert ("records", "1", "2") in sizes(read("yardstick/two-checkpoints.toml"))


def test_what_a_resumed_job_starts_from_is_larger_too() -> None:
    spec = read("restore/new-operator-refused.toml")
    channel, records, _ = larger(spec, BOUNDS)
    assert channel.spec.resumption is not None
    assert records.spec.resumption is not None
    assert channel.spec.resumption.first.setting.bounds["channel"] == 3
    job = records.spec.resumption.first.setting.job
    assert job is not None
    assert [vertex.records for vertex in job.sources] == [(2,), (1,)]


def test_more_records_have_the_room_that_they_need() -> None:
    spec = read("final-checkpoint/buffering.toml")
    spec = replace(spec, setting=replace(spec.setting, bounds={"channel": 2}))
    assert not repeated(spec, "records").refused


def test_two_places_in_a_channel_hide_a_loss(spec: Spec) -> None:
    found = repeated(spec, "channel")
    assert {row.property: (row.word, row.steps) for row in found.changed} == {
        "consistent-cut": ("violated", 10),
        "commit-completeness": ("violated", 28),
    }
    assert not found.undecided


def test_verdicts_that_stay_are_not_told(spec: Spec) -> None:
    sound = replace(spec, protocol=catalogue().protocol("final-checkpoint"), variant=None)
    found = repeated(sound, "channel")
    assert (found.changed, found.undecided, found.stopped) == ((), (), "")


def test_what_a_limit_cuts_short_is_undecided_and_not_the_same(spec: Spec) -> None:
    found = repeated(spec, "channel", Limits(states_max=5))
    assert found.changed == ()
    assert set(found.undecided) == holding(spec)
    assert found.stopped == "the limit of 5 states"


def test_a_bound_that_the_protocol_refuses_is_told(spec: Spec) -> None:
    (made,) = larger(spec, ["channel"])
    too_small = replace(spec.setting, bounds={**spec.setting.bounds, "channel": 1})
    found = repeat(
        replace(made, spec=replace(spec, setting=too_small)), {"consistent-cut": "holds"}
    )
    assert found.refused == "channel-too-small"
