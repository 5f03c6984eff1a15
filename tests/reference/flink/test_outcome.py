"""What became of records: each sink has what edges lead to it, and nothing else is lost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from finale.model.errors import FinaleError
from finale.model.topology import Job
from finale.reference.flink import outcome as outcome_room
from finale.reference.flink import session
from finale.reference.flink.director import Director, Taken
from finale.reference.flink.hooks import hooks_in
from finale.reference.flink.jvms import Jvms
from finale.reference.flink.order import PERIODIC, Order, OrderedStep, Trigger, read_order
from finale.reference.flink.outcome import (
    RunOutcome,
    against,
    early_in,
    is_moving,
    records_of,
    taken_to_end,
)
from finale.reference.flink.releases import HOOKS as FOLDER
from finale.reference.flink.run import run_order
from finale.reference.flink.session import Answer, Hit, Session, Status
from tests.reference.flink.machines import flink, needs_flink

SINK = {"from": ["S"], "sink": "two-phase"}
HOOKS = hooks_in(FOLDER / "flink-2.3.toml")


def written(folder: Path, sink: str, *records: str) -> None:
    file = folder / "sinks" / f"{sink}.0" / "x.committed"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{each}\n" for each in records), encoding="utf-8")


def test_a_record_is_lost_only_at_a_sink_that_it_comes_to(tmp_path: Path) -> None:
    other = {"from": ["T"], "sink": "two-phase"}
    job = Job.from_table({"S": {}, "K": SINK, "T": {}, "L": other})
    written(tmp_path, "K", "S.0#0")
    assert against(tmp_path, job, records_of(job)) == (("T.0#0 at L",), ())
    written(tmp_path, "L", "T.0#0")
    assert against(tmp_path, job, records_of(job)) == ((), ())


def test_a_broadcast_record_comes_to_each_subtask(tmp_path: Path) -> None:
    edge = {"vertex": "S", "broadcast": True}
    job = Job.from_table({"S": {}, "K": {**SINK, "from": [edge], "parallelism": 2}})
    written(tmp_path, "K", "S.0#0", "S.0#0")
    assert against(tmp_path, job, records_of(job)) == ((), ())
    written(tmp_path, "K", "S.0#0")
    assert against(tmp_path, job, records_of(job)) == (("S.0#0 at K",), ())


def test_a_record_comes_by_each_path(tmp_path: Path) -> None:
    middle = {"from": ["S"]}
    job = Job.from_table({"S": {}, "A": middle, "B": middle, "K": {**SINK, "from": ["A", "B"]}})
    written(tmp_path, "K", *["S.0#0"] * 2)
    assert against(tmp_path, job, records_of(job)) == ((), ())
    written(tmp_path, "K", *["S.0#0"] * 3)
    assert against(tmp_path, job, records_of(job)) == ((), ("S.0#0 at K",))


def test_a_record_that_is_still_to_come_is_early(tmp_path: Path) -> None:
    job = Job.from_table({"S": {"records": 2}, "K": {**SINK, "sink": "at-least-once"}})
    written(tmp_path, "K", "S.0#0", "S.0#1")
    assert early_in(tmp_path, job, records_of(job)) == ()
    assert early_in(tmp_path, job, records_of(job, {"S.0": 1})) == ("S.0#1 at K",)


def test_a_transaction_that_is_prepared_is_no_record(tmp_path: Path) -> None:
    job = Job.from_table({"S": {}, "K": SINK})
    written(tmp_path, "K", "S.0#0")
    (tmp_path / "sinks" / "K.0" / "x.prepared").write_text("S.0#0\n", encoding="utf-8")
    assert against(tmp_path, job, records_of(job)) == ((), ())


class AtRest:
    """A session of a job at rest, or of one that is over."""

    def __init__(self, folder: Path, job: Job, status: Status) -> None:
        self.folder, self.job, self.splits = folder, job, ()
        self._status, self._news = status, list[Status]()

    def next(self, seconds: float) -> Status | None:
        del seconds
        return self._news.pop() if self._news else None

    def ask_status(self) -> None:
        self._news.append(self._status)

    def to_task(self, *words: str) -> None:
        pass

    def ask(self, *words: str) -> None:
        pass


def ended(session: AtRest, steps: Sequence[OrderedStep], probe: str, taken: Taken) -> RunOutcome:
    driven = cast("Session", session)
    director = Director(driven, Order("", session.job, {}, {}, tuple(steps)))
    director.taken = taken
    return taken_to_end(driven, director, {}, probe)


@pytest.mark.parametrize(("probe", "hangs"), [("", False), (PERIODIC, True)])
def test_a_task_beside_a_source_without_end_waits_for_a_period(
    tmp_path: Path, probe: str, hangs: bool
) -> None:
    job = Job.from_table({"A": {}, "K": {"from": ["A"]}, "B": {"bounded": False}})
    status = Status("RUNNING", {"A": "RUNNING", "K": "RUNNING", "B": "RUNNING"}, {})
    assert ended(AtRest(tmp_path, job, status), [], probe, Taken()).rest is hangs


def test_a_jvm_that_does_not_answer_is_no_job_without_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcome_room, "SECONDS_MAX", 0.1)
    job = Job.from_table({"S": {}, "K": SINK})
    with pytest.raises(FinaleError) as caught:
        ended(AtRest(tmp_path, job, Status("UNKNOWN", {}, {})), [], "", Taken())
    assert caught.value.code == "jvm-silent"


def test_a_job_that_never_rests_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcome_room, "SECONDS_MAX", 0.1)
    job = Job.from_table({"S": {}, "K": SINK})
    for state, moves in ("RESTARTING", True), ("RUNNING", False):
        found = ended(AtRest(tmp_path, job, Status(state, {}, {})), [], "", Taken())
        assert found.moves is moves


class Untimed(AtRest):
    """A session of a job at rest whose timer of periodic checkpoints is stopped."""

    def ask(self, *words: str) -> None:
        hook = next(each for each in HOOKS.all if "trigger" in each.steps)
        made = Hit(hook, hook.steps, None, None, None, 7, "Checkpoint", 0, 0, "thread", False)
        self._news.append(cast("Status", made))


def test_a_job_gets_no_checkpoint_of_a_period_if_the_timer_is_stopped(tmp_path: Path) -> None:
    job = Job.from_table({"A": {}, "K": {"from": ["A"]}, "B": {"bounded": False}})
    status = Status("RUNNING", {"A": "RUNNING", "K": "RUNNING", "B": "RUNNING"}, {})
    found = ended(Untimed(tmp_path, job, status), [], PERIODIC, Taken())
    assert found.rest
    assert found.tasks == status.tasks


@pytest.mark.parametrize(("word", "early"), [("drain", ("S.0#1 at K",)), ("suspend", ())])
def test_what_comes_after_a_suspension_may_be_visible(
    tmp_path: Path, word: str, early: tuple[str, ...]
) -> None:
    job = Job.from_table({"S": {"records": 2}, "K": {**SINK, "sink": "at-least-once"}})
    written(tmp_path, "K", "S.0#0", "S.0#1")
    (tmp_path / "positions" / "S.0").mkdir(parents=True)
    (tmp_path / "positions" / "S.0" / "1").write_text("1", encoding="utf-8")
    kind = {"drain": "DRAIN", "suspend": "SUSPEND"}[word]
    about = {"request": "stop1", "drain": word}
    stop = OrderedStep(1, "request_stop", about, (), Trigger("cp1", kind))
    answers = {"stop1": Answer("stop1", "file:/savepoint", None)}
    taken = Taken(answers=answers, ids={"cp1": 1}, over="FINISHED")
    session = AtRest(tmp_path, job, Status("FINISHED", {}, {}))
    assert ended(session, [stop], "", taken).early == early


def test_where_nobody_stops_the_job_no_record_is_early(tmp_path: Path) -> None:
    """A source that Flink restores behind a record emits the next one for the model's first."""
    job = Job.from_table({"S": {"records": 1}, "K": {**SINK, "sink": "at-least-once"}})
    written(tmp_path, "K", "S.0#0", "S.0#1")
    session = AtRest(tmp_path, job, Status("FINISHED", {}, {}))
    found = ended(session, [], "", Taken(over="FINISHED"))
    assert (found.early, found.lost, found.doubled) == ((), (), ())


@pytest.mark.parametrize(
    ("job", "task", "place", "moves"),
    [
        ("RUNNING", "RUNNING", "TaskMailboxImpl.take", False),
        ("RUNNING", "FINISHED", None, False),
        ("RUNNING", "RUNNING", "StreamTask.endData", True),
        ("RUNNING", "DEPLOYING", None, True),
        ("CREATED", "FINISHED", None, True),  # the adaptive scheduler waits for resources
        ("RESTARTING", "CANCELED", None, True),
    ],
)
def test_a_job_on_its_way_is_not_at_rest(
    job: str, task: str, place: str | None, moves: bool
) -> None:
    waits = {} if place is None else {"S": place}
    assert is_moving(Status(job, {"S": task}, waits)) is moves


@needs_flink
def test_a_job_that_does_not_start_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "SECONDS_TO_RUN", 0.0)
    job = Job.from_table({"S": {}, "K": SINK})
    with (
        Jvms(flink()) as jvms,
        pytest.raises(FinaleError) as caught,
        Session(jvms, job, {}, tmp_path),
    ):
        pass
    assert caught.value.code == "job-not-started"


@needs_flink
def test_a_stop_leaves_records_in_the_source(tmp_path: Path) -> None:
    """The job ends before its source emits anything: nothing is lost.

    The folder has a name that Flink, Java and Log4j each read in a way of their own.
    """
    trigger = {"checkpoint": "cp1", "kind": "SUSPEND"}
    steps = [
        {"number": 1, "name": "request_stop", "about": {"drain": "suspend"}, "trigger": trigger},
        {"number": 2, "name": "deliver_confirmation", "about": {"task": "S"}, "after": [1]},
        {"number": 3, "name": "deliver_confirmation", "about": {"task": "K"}, "after": [1]},
        # What ends the tasks stands in the order: else it is held until nothing else moves, 30 s.
        {"number": 4, "name": "quiesce", "about": {"task": "S"}, "after": [2]},
        {"number": 5, "name": "close", "about": {"task": "S"}, "after": [4]},
        {"number": 6, "name": "quiesce", "about": {"task": "K"}, "after": [3, 5]},
        {"number": 7, "name": "close", "about": {"task": "K"}, "after": [6]},
        {"number": 8, "name": "learn_finished", "about": {"task": "K"}, "after": [7]},
    ]
    table = {"K": SINK, "S": {"records": 1}}  # in any order
    page = {"format": "finale-order/1", "title": "", "job": table, "settings": {}, "steps": steps}
    file = tmp_path / "order.json"
    file.write_text(json.dumps(page), encoding="utf-8")
    folder = tmp_path / "my run, 1#2 ${sys:user.dir} %41 Grüße"
    with Jvms(flink()) as jvms:
        run = run_order(read_order(file), jvms, folder)
    outcome = run.outcome
    assert (outcome.status, outcome.emitted, outcome.lost) == ("FINISHED", 0, ())
    assert "Triggering checkpoint 1" in run.log.read_text(encoding="utf-8")
    assert list((folder / "savepoints").iterdir())
    assert {each.name for each in tmp_path.iterdir()} == {file.name, folder.name}
