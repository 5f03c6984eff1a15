"""`finale engine run` with lists of faults: right output, and a log that the protocol has."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from finale.checker.logs.event_log.acceptance import Accepted, Rejected, accept
from finale.checker.logs.event_log.reading import read_log
from finale.cli.main import main
from finale.model.topology import Job
from finale.reference.broken import BROKEN
from finale.reference.engine import Engine
from finale.reference.formats.eventlog import EventLog
from finale.reference.formats.faultlist import KEYS, PlannedFault
from finale.reference.formats.files import MemoryFiles
from finale.reference.formats.jobfile import read_job
from finale.reference.operators.program import Followed
from finale.reference.runner import Orders, RunProgress, run
from finale.reference.settings import EngineSettings, Faults
from tests.conformance.logs import PAIR, engine_of, log_of
from tests.conformance.test_run_logs import MODES, job_in, written
from tests.docs.pages import ROOT
from tests.engine_runs.schedulers import Seeded
from tests.engine_runs.schedulers import run as run_steps

EXPECTED = Counter(f"a{n}" for size in (20, 40, 60) for n in range(size)) + Counter(
    {"b0": 20, "b1": 40, "b2": 60}
)
#: By kind, with others that meet it.
LISTS: dict[str, tuple[PlannedFault, ...]] = {
    "crash-task": (PlannedFault("crash-task", task="words", after="complete"),),
    "crash-worker": (PlannedFault("crash-worker", worker=1, after="trigger_checkpoint", nth=2),),
    "crash-coordinator": (PlannedFault("crash-coordinator", after="complete", times=2),),
    "lost": (
        PlannedFault("lost", times=3, chance=0.5),
        PlannedFault("lost", message="acknowledgement", task="out", after="complete"),
    ),
    "late": (
        PlannedFault("late", message="acknowledgement", task="words", steps=5, times=2),
        PlannedFault("late", message="confirmation", task="out", until="complete", steps=2),
        PlannedFault("late", message="trigger", task="lines.1", until="apply_acknowledgement"),
        PlannedFault("late", message="finished", until="close", task="lines.0"),
    ),
    "reordered": (PlannedFault("reordered", task="out", times=2),),
    "failed-snapshot": (
        PlannedFault("failed-snapshot", task="out", times=2),
        PlannedFault("late", message="decline", steps=4),
        PlannedFault("late", message="abort", steps=6, times=3),
    ),
    "slow-snapshot": (PlannedFault("slow-snapshot", task="lines.0", steps=3, times=3),),
    "expired": (PlannedFault("expired", after="apply_acknowledgement", nth=2),),
    "disk-full": (PlannedFault("disk-full", bytes=700), PlannedFault("disk-full", nth=60)),
    "killed": (PlannedFault("killed", nth=31), PlannedFault("killed", bytes=2_000)),
}
ENDING = ("crash-coordinator", "disk-full", "killed")


def run_with(
    faults: tuple[PlannedFault, ...],
    tmp_path: Path,
    mode: str = "aligned",
    *,
    threads: bool = False,
) -> tuple[RunProgress, list[str]]:
    job = read_job(job_in(tmp_path, mode))
    ended = run(job, tmp_path / "state", orders=Orders(threads=threads, faults=faults))
    return ended, (tmp_path / "state" / "events.ndjson").read_text("utf-8").splitlines()


def assert_sound(
    ended: RunProgress,
    lines: list[str],
    faults: tuple[PlannedFault, ...],
    at: Path,
    *,
    threads: bool = False,
) -> None:
    """Nothing lost or doubled; all that struck is in the log, which the protocol explains."""
    assert written(at / "state") == EXPECTED
    told = [e["fields"] for e in map(json.loads, lines) if e["event"] == "struck"]
    assert Counter(each["fault"] - 1 for each in told) == Counter(
        {number: often for number, often in enumerate(ended.struck) if often}
    )
    assert all(each["kind"] == faults[each["fault"] - 1].kind for each in told)
    log = read_log(lines)
    # Each process but the first tells what has ended the one before; threads may meet two at once.
    ended_by: list[int] = []
    for each in map(json.loads, lines):
        if each["event"] == "log-start":
            ended_by.append(0)
        elif each["event"] == "struck":
            ended_by[-1] += each["fields"]["kind"] in ENDING
    assert len(log.sections) == len(ended_by)
    assert ended_by[0] == 0
    assert all(ended_by[1:])
    assert threads or set(ended_by[1:]) <= {1}
    assert not log.unknown
    verdict = accept(log, judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict.conforms


def test_there_is_a_list_for_each_kind() -> None:
    assert LISTS.keys() == KEYS.keys()


@pytest.mark.parametrize("kind", LISTS)
def test_output_and_log_are_right_whatever_goes_wrong(kind: str, tmp_path: Path) -> None:
    ended, lines = run_with(LISTS[kind], tmp_path)
    assert ended.struck[0] >= 1
    assert_sound(ended, lines, LISTS[kind], tmp_path)


@pytest.mark.parametrize("threads", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_all_of_it_at_once(mode: str, threads: bool, tmp_path: Path) -> None:
    faults = tuple(fault for each in LISTS.values() for fault in each)
    ended, lines = run_with(faults, tmp_path, mode, threads=threads)
    assert sum(often > 0 for often in ended.struck) >= 10
    assert_sound(ended, lines, faults, tmp_path, threads=threads)


def test_the_same_list_and_seed_give_the_same_log(tmp_path: Path) -> None:
    logs: list[list[str]] = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        first, *rest = run_with(LISTS["lost"], tmp_path / name)[1]
        start = json.loads(first)
        assert start.pop("folder")  # each has its own
        logs.append([json.dumps(start), *rest])
    assert logs[0] == logs[1]


def test_a_crash_of_a_worker_names_the_tasks_on_it(tmp_path: Path) -> None:
    _, lines = run_with(LISTS["crash-worker"], tmp_path)
    (told,) = [e["fields"] for e in map(json.loads, lines) if e["event"] == "struck"]
    assert told == {"fault": 1, "kind": "crash-worker", "tasks": ["lines.1"]}
    after = [json.loads(line)["event"] for line in lines]
    assert after[after.index("struck") + 1] == "fail"


def test_the_example_goes_wrong_as_its_list_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = tmp_path / "wordcount"
    shutil.copytree(ROOT / "examples" / "wordcount", example)
    usual, wrong = str(tmp_path / "usual"), str(tmp_path / "wrong")
    job = str(example / "job.toml")
    assert main(["engine", "run", job, "--directory", usual]) == 0
    capsys.readouterr()
    faults = str(example / "faults.toml")
    assert main(["engine", "run", job, "--directory", wrong, "--faults", faults]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "went wrong · crash-worker · lost · late · crash-coordinator" in told
    assert "never" not in told
    assert written(tmp_path / "wrong") == written(tmp_path / "usual")
    assert main(["conform", f"{wrong}/events.ndjson"]) == 0


# --- mistakes that a log names --------------------------------------------------------------------


def broken_log(kind: type[Engine], seed: int) -> list[str]:
    """The log of an engine with a mistake, by a seed."""
    job = Job.from_table(PAIR)
    settings = EngineSettings(buffer_size=1, faults=Faults(checkpoints=3, expiries=1))
    engine, lines = kind(job, Followed(job), MemoryFiles(), settings, kind.usual), list[str]()
    log = EventLog(lines.append, engine, job, run="r", process=1)
    rare = {"deliver_trigger": 0.05, "learn_finished": 0.1, "expire": 0.02}
    run_steps(engine, Seeded(seed, rare), log.took, 400)
    log.close()
    return lines


@pytest.mark.parametrize("variant", BROKEN)
def test_a_log_of_a_broken_engine_names_its_mistake_and_is_accepted(variant: str) -> None:
    lines = broken_log(BROKEN[variant], 1)
    assert json.loads(lines[0])["variant"] == BROKEN[variant].variant == variant
    assert isinstance(accept(read_log(lines), judges=False).conforms, Accepted)
    assert "variant" not in json.loads(log_of(engine_of(PAIR), PAIR, 1)[0])


def test_without_its_mistake_it_is_rejected() -> None:
    """A checkpoint expires that a sound coordinator would have aborted."""
    waits = BROKEN["waits-for-lost-ack"]
    outcomes: Counter[type] = Counter()
    for seed in range(12):
        lines = broken_log(waits, seed)
        assert isinstance(accept(read_log(lines), judges=False).conforms, Accepted)
        start = {k: v for k, v in json.loads(lines[0]).items() if k != "variant"}
        verdict = accept(read_log([json.dumps(start), *lines[1:]]), judges=False)
        outcomes[type(verdict.conforms)] += 1
    assert outcomes[Rejected] >= 1
