"""Specs that are resumed from others: initial states, joined traces, mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from finale.checker.report.story import story_json, story_of
from finale.checker.search.run import run
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import runs_before
from finale.checker.spec.reading import read_spec
from finale.model.errors import FinaleError
from finale.model.semantics import steps
from finale.model.trace import replay

FIRST = """title = "first"
protocol = "restore"
[job]
S = { records = 1 }
W = { from = ["S"], kind = "keyed" }
[bounds]
checkpoints = 1
"""
SECOND = """title = "second"
protocol = "restore"
[resume]
from = "first.toml"
[job]
S = { records = 1 }
W = { from = ["S"], kind = "keyed", parallelism = 2 }
"""


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder / "second.toml"


def test_initial_states_are_the_distinct_snapshots(tmp_path: Path) -> None:
    spec = read_spec(write(tmp_path, first=FIRST, second=SECOND), catalogue())
    assert spec.resumption is not None
    snapshots = spec.resumption.snapshots
    # The record is still to come, or it is in the state; or the source has finished its operators.
    assert len(snapshots.found) == 2
    assert len(spec.system().initial) == 2


def test_a_job_that_fails_goes_on_from_each(tmp_path: Path) -> None:
    spec = read_spec(write(tmp_path, first=FIRST, second=SECOND), catalogue())
    system = spec.system()
    for state in system.initial:
        taken = {step.rule.rule.name for step in steps(system, state)}
        assert taken == {"restore"}


def test_a_trace_is_joined_with_the_way_to_its_snapshot(tmp_path: Path) -> None:
    text = SECOND + '[[expect]]\nproperty = "state-is-dealt-out"\nverdict = "holds"\n'
    spec = read_spec(write(tmp_path, first=FIRST, second=text), catalogue())
    result = run(spec, only=("state-is-dealt-out",))
    row = next(row for row in result.rows if row.property == "state-is-dealt-out")
    assert row.trace is not None
    assert result.system is not None
    (way,) = runs_before(spec, row.trace)
    replay(way.system, way.trace)
    assert way.spec.file == tmp_path / "first.toml"
    last = way.system.values(way.trace.states[-1])
    assert last["W.0.share.content"] == ((1,),)
    told = story_json(story_of(result.system, row, [way]))
    (before,) = json.loads(json.dumps(told))["before"]
    assert len(before["steps"]) == way.trace.length > 5
    assert before["steps"][-1]["rule"] == "complete"


def test_a_spec_can_be_resumed_from_one_that_is_resumed(tmp_path: Path) -> None:
    middle = SECOND + "[bounds]\ncheckpoints = 2\n"
    third = SECOND.replace("first.toml", "middle.toml").replace(", parallelism = 2", "")
    spec = read_spec(write(tmp_path, first=FIRST, middle=middle, second=third), catalogue())
    result = run(spec, only=("state-is-dealt-out",))
    row = next(row for row in result.rows if row.property == "state-is-dealt-out")
    assert row.trace is not None
    ways = list(runs_before(spec, row.trace))
    assert [way.spec.file.stem for way in ways] == ["first", "middle"]


@pytest.mark.parametrize(
    ("code", "line", "second"),
    [
        ("missing-key", 3, SECOND.replace('from = "first.toml"', "")),
        ("missing-key", 4, SECOND.replace('"first.toml"', "1", 1)),
        ("unknown-key", 4, SECOND.replace('from = "first.toml"', 'frm = "first.toml"')),
        ("no-such-path", None, SECOND.replace("first.toml", "frist.toml")),
        ("resume-cycle", 4, SECOND.replace("first.toml", "second.toml")),
        ("resume-cycle", 4, SECOND.replace("first.toml", "round.toml")),
        ("resume-from-other", 4, SECOND.replace("first.toml", "other.toml")),
        ("no-resume", 3, SECOND.replace('"restore"', '"final-checkpoint"')),
        ("resume-changes-too-much", 5, SECOND.replace("S", "T")),
        ("resume-changes-too-much", 5, SECOND.replace("records = 1", "records = 2")),
        ("resume-changes-too-much", 5, SECOND.replace("keyed", "split-state")),
        ("resume-changes-too-much", 5, SECOND.replace("= 1 }", "= [1, 1], parallelism = 2 }")),
    ],
)
def test_mistakes(tmp_path: Path, code: str, line: int | None, second: str) -> None:
    around = SECOND.replace("first.toml", "second.toml")
    other = FIRST.replace('"restore"', '"final-checkpoint"')
    file = write(tmp_path, first=FIRST, round=around, other=other, second=second)
    with pytest.raises(FinaleError) as found:
        read_spec(file, catalogue())
    assert found.value.code == code
    assert found.value.place is not None
    assert found.value.place.line == line


@pytest.mark.parametrize(
    ("code", "first"),
    [
        ("resume-empty", FIRST.replace("checkpoints = 1", "live_checkpoints = 1")),
        ("resume-too-large", FIRST),
    ],
)
def test_what_the_first_can_leave_behind(
    tmp_path: Path, code: str, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("finale.checker.spec.snapshots.STATES_MAX", 20)
    if code == "resume-empty":
        first = FIRST + "[options]\nkeeps_coordinator_state = true\nperiodic = false\n"
        monkeypatch.setattr("finale.checker.spec.snapshots.STATES_MAX", 1000)
    spec = read_spec(write(tmp_path, first=first, second=SECOND), catalogue())
    with pytest.raises(FinaleError) as found:
        spec.system()
    assert found.value.code == code
