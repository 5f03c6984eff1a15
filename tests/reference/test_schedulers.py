"""Schedulers and faults: the same seed and list give the same run, and every fault strikes."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable

import pytest

from checker.conformance.acceptance import Accepted, accept
from model.errors import FinaleError
from model.topology import Job
from reference.engine import Engine
from reference.faults import Fault, Faulty, bounds_of, files_of, read_faults, run_through
from reference.formats.eventlog import EventLog, read_log
from reference.formats.faulty import FaultyFiles
from reference.formats.files import Files, MemoryFiles
from reference.formats.resuming import start
from reference.operators.program import Followed
from reference.protocols import ENGINES
from reference.schedulers import Scheduler, Scripted, Seeded, explore, run
from reference.settings import Faults, Settings
from reference.steps import StepId
from reference.task import Phase

PAIR = Job.from_table({"S": {"records": 3}, "K": {"from": ["S"], "sink": "two-phase"}})
WIDE = Job.from_table(
    {"S": {"records": 3, "parallelism": 2}, "K": {"from": ["S"], "sink": "two-phase"}}
)
TWO = Faults(checkpoints=2)


def engine_of(job: Job = PAIR, faults: Faults = TWO, files: Files | None = None) -> Engine:
    kind = ENGINES["final-checkpoint"]
    settings = Settings(faults=faults)
    return kind(job, Followed(job), files or MemoryFiles(), settings, kind.usual)


def steps_of(engine: Engine, choose: Scheduler) -> list[StepId]:
    taken: list[StepId] = []
    run(engine, choose, taken.append, 5_000)
    return taken


# --- schedulers -----------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_run() -> None:
    runs = [steps_of(engine_of(), Seeded(seed)) for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_a_step_without_weight_never_comes() -> None:
    taken = steps_of(engine_of(), Seeded(1, {"close": 0.0}))
    assert taken
    assert "close" not in {step.name for step in taken}


def test_a_script_is_followed_to_its_end() -> None:
    taken = steps_of(engine_of(), Seeded(4))
    again = engine_of()
    assert steps_of(again, Scripted(taken[:20])) == taken[:20]
    first = engine_of()
    run(first, Seeded(4), steps_max=20)
    assert again.observe() == first.observe()


def test_a_script_names_the_step_that_cannot_be_taken() -> None:
    close = StepId("close", (("task", "K"),))
    with pytest.raises(FinaleError, match=r"step 2, close\(K\)") as caught:
        run(engine_of(), Scripted([StepId("emit", (("task", "S"),)), close]))
    assert caught.value.code == "step-not-enabled"


def test_all_states_of_a_small_job_are_seen_once() -> None:
    """As many as the model has (`specs/final-checkpoint/pair.toml`), and files that differ."""
    job = Job.from_table({"S": {"records": 1}, "K": {"from": ["S"], "sink": "two-phase"}})
    kind, faults = ENGINES["final-checkpoint"], Faults(checkpoints=1)
    settings = Settings(channel=2, buffer_size=1, keeps=True, faults=faults)
    engine = kind(job, Followed(job), MemoryFiles(), settings, kind.usual)
    states = list(explore(engine))
    observed = {engine.observe() for _, engine in states}
    assert len(observed) == len(states) == 128
    path, last = max(states, key=lambda state: len(state[0]))
    again = engine
    assert steps_of(again, Scripted(path)) == list(path)
    assert again.observe() == last.observe()


# --- faults ---------------------------------------------------------------------------------------


def faulty_run(faults: tuple[Fault, ...], job: Job = WIDE, seed: int = 3) -> list[StepId]:
    engine = engine_of(job, bounds_of(faults, checkpoints=4))
    return steps_of(engine, Faulty(faults, seed))


@pytest.mark.parametrize(
    ("kind", "step"),
    [
        ("crash-task", "fail"),
        ("crash-worker", "fail"),
        ("lost", "lose_confirmation"),
        ("failed-snapshot", "fail_snapshot"),
        ("expired", "expire"),
    ],
)
def test_a_fault_strikes_as_soon_as_it_is_due_and_can(kind: str, step: str) -> None:
    taken = [each.name for each in faulty_run((Fault(kind, after="trigger_checkpoint", nth=2),))]
    assert taken.count(step) == 1
    assert taken[: taken.index(step)].count("trigger_checkpoint") >= 2
    assert taken == [
        each.name for each in faulty_run((Fault(kind, after="trigger_checkpoint", nth=2),))
    ]
    assert step not in [each.name for each in faulty_run(())]


def test_a_fault_is_about_one_task() -> None:
    faults = (Fault("lost", task="S.1", after="complete"),)
    (lost,) = [each for each in faulty_run(faults) if each.name == "lose_confirmation"]
    assert dict(lost.binding)["task"] == "S.1"


def test_by_chance_a_fault_strikes_so_often_at_most() -> None:
    often = Counter(each.name for each in faulty_run((Fault("expired", chance=0.5, times=2),)))
    assert often["expire"] == 2


def test_what_is_late_waits_for_another_step() -> None:
    late = Fault("late", step="apply_acknowledgement", task="K", until="emit", nth=4)
    taken = faulty_run((late,))
    first = next(
        i for i, each in enumerate(taken)
        if each.name == "apply_acknowledgement" and ("task", "K") in each.binding
    )  # fmt: skip
    assert [each.name for each in taken[:first]].count("emit") >= 4


def test_calls_come_in_the_wrong_order() -> None:
    def newest_first(faults: tuple[Fault, ...]) -> int:
        told: Counter[str] = Counter()
        for seed in range(6):
            latest: dict[str, int] = {}
            for step in faulty_run(faults, seed=seed):
                if step.name == "deliver_confirmation":
                    about = dict(step.binding)
                    number = int(about["checkpoint"][2:])
                    told["wrong"] += number < latest.get(about["task"], 0)
                    latest[about["task"]] = max(number, latest.get(about["task"], 0))
        return told["wrong"]

    late = Fault("late", step="deliver_confirmation", until="complete", nth=2)
    assert newest_first((late, Fault("reordered", step="deliver_confirmation"))) > 0


# --- processes that end ---------------------------------------------------------------------------


def run_with(faults: tuple[Fault, ...], seed: int = 5) -> tuple[list[str], Files]:
    """The log of a job that is started again after each crash, and its files."""
    files, out = MemoryFiles(), io.StringIO()
    wrapped = [files_of(faults, files)]
    logs: list[EventLog] = []

    def begin_again() -> Engine:
        engine = engine_of(WIDE, bounds_of(faults), wrapped.pop() if wrapped else files)
        found = start(engine.store, engine.tasks)
        engine.coordinator.last_number = found.last_number
        for task in engine.tasks.values():
            task.begin(Phase.RESTORING)
        return engine

    def begin(engine: Engine) -> Callable[[StepId], object]:
        log = EventLog(out.write, engine, WIDE, run="r", process=len(logs) + 1)
        logs.append(log)
        return log.took

    engine = run_through(begin_again, Faulty(faults, seed), begin, 5_000)
    logs[-1].close()
    assert engine.coordinator.job_finished
    assert len(logs) > 1
    return out.getvalue().splitlines(), files


@pytest.mark.parametrize(
    "faults",
    [
        (Fault("crash-coordinator", after="complete"),),
        (Fault("crash-coordinator", after="deliver_confirmation", nth=2),),
        (Fault("crash-coordinator", chance=0.02, times=3), Fault("lost", chance=0.3, times=2)),
        (Fault("killed", nth=25),),
        (Fault("disk-full", nth=40),),
    ],
)
def test_nothing_is_lost_or_doubled_and_the_model_accepts_it(faults: tuple[Fault, ...]) -> None:
    lines, files = run_with(faults)
    written = [line for name in files.under("output") for line in files.read(name).split()]
    assert sorted(written) == sorted(
        f"S.{index}#{number + 1}".encode() for index in range(2) for number in range(3)
    )
    verdict = accept(read_log(lines), judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict.conforms


def test_files_are_those_of_the_fault() -> None:
    files = files_of([Fault("disk-full", nth=3)], MemoryFiles())
    assert isinstance(files, FaultyFiles)
    assert files.at == 3
    assert isinstance(files_of([Fault("lost")], MemoryFiles()), MemoryFiles)


# --- as text --------------------------------------------------------------------------------------


def test_faults_are_read() -> None:
    text = """
    [[fault]]
    kind = "crash-task"
    after = "complete"
    nth = 2
    [[fault]]
    kind = "lost"
    chance = 0.25
    times = 3
    """
    faults = read_faults(text)
    assert faults == (
        Fault("crash-task", after="complete", nth=2),
        Fault("lost", chance=0.25, times=3),
    )
    bounds = bounds_of(faults, checkpoints=7)
    assert (bounds.failures, bounds.lost_confirmations, bounds.checkpoints) == (1, 3, 7)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[[fault", "fault"),
        ('[[fault]]\nkind = "meteor"', "fault.1.kind"),
        ("[[fault]]\nnth = 1", "fault.1.kind"),
        ('[[fault]]\nkind = "lost"\nwhen = 2', "fault.1.when"),
        ('[[fault]]\nkind = "lost"\nnth = "two"', "fault.1.nth"),
    ],
)
def test_a_list_that_means_nothing_is_refused(text: str, key: str) -> None:
    with pytest.raises(FinaleError) as caught:
        read_faults(text, "faults.toml")
    assert caught.value.code == "bad-fault"
    assert caught.value.place is not None
    assert (caught.value.place.file, caught.value.place.key) == ("faults.toml", key)
