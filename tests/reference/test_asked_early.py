"""Requests that come before a run is ready for them, or meet the end of a process."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.reference.formats.control import Control, Said, ask
from finale.reference.formats.faultlist import PlannedFault
from finale.reference.formats.folder import locked, name_of_run
from finale.reference.formats.jobfile import read_job
from finale.reference.formats.requests import WHY_CUT
from finale.reference.runner import Orders, RunEnd, run

from .test_cuts import is_whole, job_in

SAVEPOINT = {"what": "savepoint"}
SUSPEND, DRAIN = ({"what": "stop", "drain": drain} for drain in (False, True))


def crash(after: str) -> PlannedFault:
    return PlannedFault("crash-coordinator", after=after)


@pytest.mark.parametrize(
    ("fault", "asked", "done"),
    [
        (crash("request_savepoint"), SAVEPOINT, False),
        (crash("deliver_trigger"), SAVEPOINT, False),
        (crash("complete"), SAVEPOINT, True),
        (crash("deliver_trigger"), DRAIN, False),
        (crash("conclude_stop"), SUSPEND, False),
        (PlannedFault("killed", nth=24), SAVEPOINT, False),
        (PlannedFault("disk-full", nth=24), SAVEPOINT, False),
    ],
)
def test_a_request_is_answered_when_its_process_ends(
    tmp_path: Path, fault: PlannedFault, asked: Said, *, done: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is done is told; what is not is to be asked again, for the job goes on."""
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 1_000)
    monkeypatch.setattr("finale.reference.formats.control.SECONDS_BETWEEN_LOOKS", 0.0)
    job = read_job(job_in(tmp_path, "aligned", lines=500, width=40, checkpoints=1))
    state, sent = tmp_path / "state", list[Path]()

    def look(_: object) -> None:
        if not sent:
            place = state / "control" / str(name_of_run(state))
            (place / "draft").write_text(json.dumps(asked))
            sent.append((place / "draft").rename(place / "1.ask"))

    ended = run(job, state, look, Orders(faults=(fault,)))
    assert ended.struck == (1,)
    assert ended.end is RunEnd.FINISHED
    is_whole(tmp_path, state)
    answer = json.loads(sent[0].with_suffix(".answer").read_text())
    assert answer["ok"] is done
    assert answer["why"] != WHY_CUT if done else answer["why"] == WHY_CUT


def test_what_is_asked_when_a_process_has_ended_is_for_the_next(tmp_path: Path) -> None:
    control = Control(tmp_path, "it")
    for name in ("1", "2"):
        (control.folder / f"{name}.ask").write_text(json.dumps(SAVEPOINT))
    assert next(iter(control.asked())) == ("1", SAVEPOINT)
    control.answer_open(ok=False, why=WHY_CUT)
    assert {file.name for file in control.folder.iterdir()} == {"1.answer", "2.ask"}


# --- before a run is ready ------------------------------------------------------------------------


def test_a_run_has_a_name_when_it_can_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then it has none, and not that of the last."""
    with locked(tmp_path) as last:
        assert name_of_run(tmp_path) == last
    named: list[str] = []
    usual = os.pwrite

    def write(handle: int, data: bytes, at: int) -> int:
        assert name_of_run(tmp_path) is None
        with pytest.raises(FinaleError) as caught:
            ask(tmp_path, seconds=0.1, what="savepoint")
        assert caught.value.code == "no-run"
        assert [each.name for each in (tmp_path / "control").iterdir()] == [data.decode()]
        named.append(data.decode())
        return usual(handle, data, at)

    monkeypatch.setattr(os, "pwrite", write)
    with locked(tmp_path) as name:
        assert named == [name]
        assert name_of_run(tmp_path) == name != last


def test_what_is_asked_as_soon_as_a_run_has_a_name_is_heard(tmp_path: Path) -> None:
    with locked(tmp_path) as name:
        place = tmp_path / "control" / name
        (place / "1.ask").write_text(json.dumps(SAVEPOINT))
        with pytest.raises(FinaleError) as caught:
            ask(tmp_path, seconds=0.1, what="cancel")
        assert caught.value.code == "no-answer"
        assert list(Control(tmp_path, name).asked()) == [("1", SAVEPOINT)]


def test_who_has_the_name_of_an_earlier_run_asks_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lock").write_text("new")
    Control(tmp_path, "new")
    names = iter(("old", "new"))
    monkeypatch.setattr(
        "finale.reference.formats.control.name_of_run", lambda _: next(names, "new")
    )
    with (tmp_path / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(FinaleError) as caught:
            ask(tmp_path, seconds=0.1, what="cancel")
    assert caught.value.code == "no-answer"
