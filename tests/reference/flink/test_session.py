"""The session with a scripted debugger: which task a hit is of, by what Flink has told before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Self, cast

import pytest

from finale.model.topology import Job
from finale.reference.flink import jvms as module
from finale.reference.flink.debugged import Ended, Happening, Stop, Told
from finale.reference.flink.hooks import Hook, Hooks, hooks_in
from finale.reference.flink.jvms import RUNS_MAX, Jvms
from finale.reference.flink.releases import HOOKS, Release
from finale.reference.flink.session import Hit, Session

JOB = {"S": {"records": 0}, "K": {"from": ["S"]}}
#: The id of an attempt, as a release tells it that draws it at random.
ID = {"upper": -7, "lower": 5}
RUNNING = {"running": "job", "vertices": {"Source: S": [1, 2], "K": [3, 4]}}


class Scripted:
    """A debugger that tells what it is given, and notes whom it lets go."""

    def __init__(self, happenings: Sequence[Happening]) -> None:
        self.gone: list[int] = []
        self.told: list[str] = []
        self.has_ended = False
        self._happenings = list(happenings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.has_ended = True

    def next(self, seconds: float) -> Happening | None:
        del seconds
        return self._happenings.pop(0) if self._happenings else None

    def go(self, token: int) -> None:
        self.gone.append(token)

    def command(self, *words: str) -> None:
        self.told.append(words[0])

    def arm(self) -> None:
        self.told.append("arm")

    def disarm(self) -> None:
        self.told.append("disarm")


@pytest.fixture
def hooks() -> Hooks:
    return hooks_in(HOOKS / "flink-1.12.0.toml")


def jvms_of(hooks: Hooks, debuggers: Sequence[Scripted], monkeypatch: pytest.MonkeyPatch) -> Jvms:
    """What starts these JVMs, one after the other."""
    left = list(debuggers)
    monkeypatch.setattr(module, "hooks_of", lambda _: hooks)
    monkeypatch.setattr(module, "find_jdk", lambda: SimpleNamespace(java="java"))
    monkeypatch.setattr(module, "compiled", lambda *_: ("debugger", "job"))
    monkeypatch.setattr(module, "Debugged", lambda *_: left.pop(0))
    return Jvms(cast("Release", SimpleNamespace(version="1.12.0", class_path="")))


@contextmanager
def running(
    hooks: Hooks, debugger: Scripted, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Session]:
    """A session whose job runs."""
    jvms = jvms_of(hooks, [debugger], monkeypatch)
    with jvms, Session(jvms, Job.from_table(JOB), {}, folder) as session:
        yield session


def hook_of(hooks: Hooks, step: str) -> Hook:
    return next(each for each in hooks.all if step in each.steps)


def at(hook: Hook, token: int | None, values: Mapping[str, object], thread: int = 1) -> Stop:
    return Stop(hook.number, thread, "flink-akka.actor.default-dispatcher-2", token, values)


def test_an_attempt_is_known_before_its_task_says_that_it_runs(
    hooks: Hooks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deploys, runs = hook_of(hooks, "deploy"), hook_of(hooks, "restore.handled")
    debugger = Scripted(
        [
            Told(RUNNING),
            at(deploys, 8, {**ID, "name": "Source: S -> Map (1/1)"}),
            at(deploys, None, {}),
            at(runs, 9, {**ID, "event": "RUNNING"}),
        ]
    )
    with running(hooks, debugger, tmp_path, monkeypatch) as session:
        hit = session.next(0.0)
    assert isinstance(hit, Hit)
    assert str(hit) == "restore.handled(S)"
    # The session lets the JobMaster go on by itself, and leaves the next thread to the director.
    assert debugger.gone == [8]


def test_an_attempt_that_was_not_deployed_here_is_of_no_task(
    hooks: Hooks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = hook_of(hooks, "restore.handled")
    debugger = Scripted([Told(RUNNING), at(runs, 9, {**ID, "event": "RUNNING"})])
    with running(hooks, debugger, tmp_path, monkeypatch) as session:
        hit = session.next(0.0)
    assert isinstance(hit, Hit)
    assert hit.task is None


def test_each_release_tells_whose_attempt_an_id_is_of() -> None:
    """A random id is told by the hook of the deployment; the other ids have their task in them."""
    for file in sorted(HOOKS.glob("flink-*.toml")):
        found = hooks_in(file)
        ids = [each for each in found.all if "upper" in each.paths and "name" not in each.paths]
        assert ids
        is_told = any("name" in each.paths for each in found.all)
        assert is_told != all("subtask" in each.paths for each in ids)


def test_a_name_or_a_record_says_of_what_a_hit_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks = hooks_in(HOOKS / "flink-2.3.toml")
    fails, shows = hook_of(hooks, "fail_snapshot"), hook_of(hooks, "show_record")
    called = {"called": "Source: S (1/1)#2", "checkpoint": 7}
    debugger = Scripted(
        [
            Told(RUNNING),
            at(fails, 8, called),
            Stop(shows.number, 2, "K (1/1)#0", 9, {"record": "S.0#0"}),
            Stop(shows.number, 2, "K (1/1)#0", 10, {"record": "T.0#0"}),
        ]
    )
    with running(hooks, debugger, tmp_path, monkeypatch) as session:
        hits = [str(session.next(0.0)) for _ in range(3)]
    # A record of a source that is not next to the sink came through no channel of the source.
    assert hits == ["fail_snapshot(S, 7)", "show_record(S→K)", "show_record(K)"]


def test_a_checkpoint_that_flink_keeps_has_a_path(
    hooks: Hooks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "checkpoints" / "job" / "chk-7"
    kept.mkdir(parents=True)
    with running(hooks, Scripted([Told(RUNNING)]), tmp_path, monkeypatch) as session:
        assert session.kept(7) is None  # it has not completed
        (kept / "_metadata").touch()
        assert session.kept(7) == f"file:{kept}"
        assert session.kept(8) is None


SILENT = Told({"logs": module.QUIET})
ONE_RUN: list[Happening] = [Told(RUNNING), SILENT, Told({"closed": True})]


def run_twice(jvms: Jvms, folder: Path) -> None:
    with jvms:
        for name in ("run-1", "run-2"):
            with Session(jvms, Job.from_table(JOB), {}, folder / name):
                pass


def test_a_jvm_serves_the_next_run(
    hooks: Hooks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = at(hook_of(hooks, "deploy"), 8, {**ID, "name": "Source: S (1/1)"})
    debugger = Scripted([Told(RUNNING), SILENT, late, Told({"closed": True}), *ONE_RUN])
    run_twice(jvms_of(hooks, [debugger], monkeypatch), tmp_path)
    assert debugger.has_ended
    words = [each for each in debugger.told if each in ("log", "arm", "disarm", "close")]
    # After the last run nobody waits for the end of its cluster.
    assert words == ["log", "arm", "log", "disarm", "close", "log", "arm", "log"]
    assert debugger.gone == []  # a thread that comes between two runs is of neither


@pytest.mark.parametrize(
    "end",
    [[SILENT, Told({"closed": False})], [SILENT, Ended(1)], [SILENT], [Ended(1)], []],
    ids=["a thread is left", "died", "hangs", "died at once", "hangs at once"],
)
def test_a_jvm_that_does_not_end_its_run_serves_no_other(
    hooks: Hooks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: list[Happening]
) -> None:
    first, second = Scripted([Told(RUNNING), *end]), Scripted(ONE_RUN)
    run_twice(jvms_of(hooks, [first, second], monkeypatch), tmp_path)
    assert first.has_ended
    assert second.has_ended


def test_a_jvm_ends_at_once_if_its_run_is_interrupted(
    hooks: Hooks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    debugger = Scripted(ONE_RUN)
    jvms = jvms_of(hooks, [debugger], monkeypatch)
    with jvms, pytest.raises(KeyboardInterrupt), Session(jvms, Job.from_table(JOB), {}, tmp_path):
        raise KeyboardInterrupt
    assert debugger.has_ended
    assert "close" not in debugger.told


def test_a_jvm_serves_no_run_for_ever(
    hooks: Hooks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Scripted(ONE_RUN * RUNS_MAX), Scripted(ONE_RUN)
    with jvms_of(hooks, [first, second], monkeypatch) as jvms:
        for number in range(RUNS_MAX + 1):
            with Session(jvms, Job.from_table(JOB), {}, tmp_path / f"run-{number}"):
                pass
            assert first.has_ended == (number >= RUNS_MAX - 1)
