"""Counterexamples really happen: the engine goes through them, and real files show the damage."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from finale.checker.conformance.replay import EngineReplay, Replayed
from finale.checker.report.replay import replayed_lines
from finale.checker.search.run import run
from finale.cli.replay import replay
from finale.cli.trace import trace
from finale.model.errors import FinaleError
from finale.reference.broken import BROKEN
from finale.reference.formats.files import DiskFiles
from finale.reference.protocols import ENGINES
from tests.protocols.specs import ROOT, spec_of


@dataclass(frozen=True)
class Damage:
    """What a counterexample comes to, in files."""

    property: str
    records: dict[str, tuple[str, tuple[str, ...]]]
    """By record: what has become of it, and each place where it is."""
    gone: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()


LOST = ("lost", ())
DAMAGES = {
    # V-1
    "legacy-finish/natural-end-loses-records": Damage("commit-completeness", {"S#1": LOST}),
    # V-3
    "legacy-finish/broken/commit-on-close": Damage(
        "commit-at-most-once", {"S#1": ("doubled", ("output/K", "output/K"))}
    ),
    # V-6
    "sync-savepoint/terminate-loses-flush": Damage("commit-completeness", {"S#1": LOST}),
    # V-7: first what a suspended job should not have written yet, then what comes of it
    "sync-savepoint/suspend-ends-input": Damage(
        "suspended-records-are-kept", {"S#1": ("repeated", ("output/K", "operator W"))}
    ),
    "sync-savepoint/suspend-ends-input-twice": Damage(
        "suspended-records-are-kept", {"S#1": ("doubled", ("output/K", "output/K"))}
    ),
    # V-11
    "unaligned/without-acknowledgement-loses": Damage("commit-completeness", {"S#1": LOST}),
    # V-16, and with it 42, 43 and 44
    "final-checkpoint/broken/close-aborts-pending": Damage(
        "no-abort-of-recoverable",
        {"S#1": ("written", ("output/K-1",))},
        gone=("pending/K-2, which checkpoint 2 lists",),
    ),
    "final-checkpoint/42-43-44-first-record": Damage(
        "no-release-is-dropped",
        {"S#1": ("written", ("output/K-1",))},
        waits=("task S waits to close", "task K waits to close"),
    ),
    # a task ends while its checkpoint is triggered
    "final-checkpoint/broken/finish-during-trigger-keeps": Damage(
        "checkpoint-ends",
        {"S1#1": ("kept", ("pending/K-1",)), "S2#1": ("kept", ("staging/K",))},
        waits=("checkpoint 1 is pending",),
    ),
}


#: Their counterexamples take seconds to find.
LARGE = {"unaligned/without-acknowledgement-loses", "final-checkpoint/42-43-44-first-record"}


def replayed(name: str, property: str, folder: Path) -> Replayed:
    spec = spec_of(ROOT / f"{name}.toml")
    result = run(spec, only=(property,))
    (row,) = (row for row in result.rows if row.property == property)
    assert row.trace is not None
    assert result.system is not None
    return EngineReplay(spec, result.system, DiskFiles(folder)).run(row.trace)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.slow] if n in LARGE else []) for n in DAMAGES],
)
def test_the_damage_is_in_real_files(name: str, tmp_path: Path) -> None:
    damage = DAMAGES[name]
    outcome = replayed(name, damage.property, tmp_path)
    assert outcome.parting is None
    found = {fate.record: (fate.word, (*fate.written, *fate.elsewhere)) for fate in outcome.fates}
    assert found == damage.records
    assert (outcome.gone, outcome.waits) == (damage.gone, damage.waits)
    assert outcome.damaged
    for fate in outcome.fates:
        for file in fate.written:
            assert fate.record in (tmp_path / file).read_text().splitlines()


def test_a_sound_run_is_without_damage(tmp_path: Path) -> None:
    outcome = replayed("final-checkpoint/pair", "finished", tmp_path)
    assert (outcome.parting, outcome.damaged) == (None, False)
    assert [fate.word for fate in outcome.fates] == ["written"]


def test_what_is_told_has_no_blanks_at_its_end(tmp_path: Path) -> None:
    name = "legacy-finish/natural-end-loses-records"
    outcome = replayed(name, "nothing-pending-at-the-end", tmp_path)
    told = replayed_lines(spec_of(ROOT / f"{name}.toml"), "p", outcome, None, 100)
    lines = [each.plain for each in told]
    assert any(line.endswith("trigger_checkpoint") for line in lines)
    assert all(line == line.rstrip() for line in lines)


def test_an_engine_that_does_not_go_along_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BROKEN, "close-aborts-pending", ENGINES["final-checkpoint"])
    name = "final-checkpoint/broken/close-aborts-pending"
    outcome = replayed(name, "no-abort-of-recoverable", tmp_path)
    assert outcome.parting is not None
    assert outcome.parting.position == len(outcome.trace) == 22
    assert "K.sink.transaction" in outcome.parting.what[0]
    lines = replayed_lines(spec_of(ROOT / f"{name}.toml"), "p", outcome, None, 100)
    assert any("departs from the trace" in line.plain for line in lines)


def test_a_written_trace_is_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec, file, folder = (
        ROOT / "legacy-finish/natural-end-loses-records.toml",
        tmp_path / "t.json",
        tmp_path / "d",
    )
    trace(spec, property="commit-completeness", format="itf", output=file)
    assert replay(file, directory=folder, format="json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["records"] == [{"record": "S#1", "is": "lost", "written": [], "elsewhere": []}]
    assert len(told["steps"]) == 9
    (folder / "a").parent.mkdir(exist_ok=True)
    (folder / "a").write_text("")
    with pytest.raises(FinaleError) as caught:
        replay(file, directory=folder)
    assert caught.value.code == "directory-not-empty"
    file.write_text("{}")
    with pytest.raises(FinaleError) as caught:
        replay(file)
    assert caught.value.code == "not-itf"


def test_a_replay_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    replay(ROOT / "legacy-finish/natural-end-loses-records.toml", property="commit-completeness")
    out = capsys.readouterr().out
    assert "commit-completeness, 9 steps" in out
    assert "S#1  will never be in the output" in out
