"""Faults: the same seed and list give the same run, every fault strikes, and nothing is lost."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from finale.checker.logs.event_log.acceptance import Accepted, accept
from finale.checker.logs.event_log.reading import read_log
from finale.model.topology import Job
from finale.reference.engine import Engine
from finale.reference.formats.eventlog import EventLog
from finale.reference.formats.faultlist import LOSSES, PlannedFault, bounds_of, options_for
from finale.reference.formats.files import Files, MemoryFiles
from finale.reference.formats.resuming import start
from finale.reference.operators.program import Followed
from finale.reference.protocols import ENGINES
from finale.reference.settings import EngineSettings
from finale.reference.steps import StepId
from finale.reference.task import Phase
from tests.engine_runs.schedulers import run
from tests.reference.faulty import Faulty, run_through

WIDE = Job.from_table(
    {"S": {"records": 3, "parallelism": 2}, "K": {"from": ["S"], "sink": "two-phase"}}
)


def engine_of(
    faults: tuple[PlannedFault, ...], checkpoints: int | None = 4, files: Files | None = None
) -> Engine:
    kind = ENGINES["final-checkpoint"]
    settings = EngineSettings(faults=bounds_of(faults, checkpoints))
    options = replace(kind.usual, **options_for(faults))
    return kind(WIDE, Followed(WIDE), files or MemoryFiles(), settings, options)


def faulty_run(*faults: PlannedFault, seed: int = 3, checkpoints: int | None = 4) -> list[StepId]:
    taken: list[StepId] = []
    run(engine_of(faults, checkpoints), Faulty(faults, seed), taken.append, 5_000)
    return taken


def about(step: StepId) -> dict[str, str]:
    return dict(step.binding)


# --- one at a time --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "step"),
    [
        (PlannedFault("crash-task"), "fail"),
        (PlannedFault("crash-worker"), "fail"),
        (PlannedFault("lost"), "lose_confirmation"),
        (PlannedFault("lost", message="acknowledgement"), "lose_acknowledgement"),
        (PlannedFault("failed-snapshot"), "fail_snapshot"),
        (PlannedFault("expired"), "expire"),
    ],
)
def test_a_fault_strikes_as_soon_as_it_is_due_and_can(fault: PlannedFault, step: str) -> None:
    fault = replace(fault, after="trigger_checkpoint", nth=2)
    taken = [each.name for each in faulty_run(fault)]
    assert taken.count(step) == 1
    assert taken[: taken.index(step)].count("trigger_checkpoint") >= 2
    assert taken == [each.name for each in faulty_run(fault)]
    assert step not in [each.name for each in faulty_run()]


def test_without_a_name_the_nth_event_of_any_is_meant() -> None:
    taken = [each.name for each in faulty_run(PlannedFault("crash-task", nth=7))]
    events = [name for name in taken if name not in ("emit", "poll_data")]
    assert events.index("fail") == 7


def test_a_fault_is_about_one_task() -> None:
    (lost,) = [
        s for s in faulty_run(PlannedFault("lost", task="S.1")) if s.name == "lose_confirmation"
    ]
    assert about(lost)["task"] == "S.1"


def test_a_fault_is_about_one_checkpoint() -> None:
    (lost,) = [s for s in faulty_run(PlannedFault("expired", checkpoint=2)) if s.name == "expire"]
    assert about(lost)["checkpoint"] == "cp2"


def test_by_chance_a_fault_strikes_so_often_at_most() -> None:
    often = Counter(each.name for each in faulty_run(PlannedFault("expired", chance=0.5, times=2)))
    assert often["expire"] == 2


def test_a_call_without_a_slot_reaches_nobody_and_its_checkpoint_expires() -> None:
    """The task has FINISHED between the plan and the call."""
    fault, late = (
        PlannedFault("lost", message="trigger"),
        PlannedFault("late", message="trigger", steps=60),
    )
    runs = [faulty_run(fault, replace(late, times=9), seed=seed) for seed in range(12)]
    struck = [taken for taken in runs if "find_no_slot" in {step.name for step in taken}]
    assert struck
    for taken in struck:
        (lost,) = [step for step in taken if step.name == "find_no_slot"]
        closed = StepId("learn_finished", (("task", about(lost)["task"]),))
        assert taken.index(closed) < taken.index(lost)


def test_what_waits_for_a_lost_acknowledgement_expires_when_nothing_else_can_happen() -> None:
    taken = faulty_run(PlannedFault("lost", message="acknowledgement"))
    (lost,) = [step for step in taken if step.name == "lose_acknowledgement"]
    (ended,) = [step for step in taken if step.name == "expire"]
    assert about(ended)["checkpoint"] == about(lost)["checkpoint"]
    assert taken.index(lost) < taken.index(ended)
    assert taken[-1].name == "learn_finished"


# --- later, and in another order ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "step"),
    [
        (PlannedFault("late", message="acknowledgement", task="K"), "apply_acknowledgement"),
        (PlannedFault("slow-snapshot", task="K"), "apply_acknowledgement"),
        (PlannedFault("late", message="trigger", task="S.0"), "deliver_trigger"),
        (PlannedFault("late", message="confirmation", task="S.1"), "deliver_confirmation"),
        (PlannedFault("late", message="finished", task="S.1"), "learn_finished"),
    ],
)
def test_a_message_is_held_back_for_so_many_events(fault: PlannedFault, step: str) -> None:
    held, meanwhile = held_back(replace(fault, steps=2))
    assert (held.name, about(held)["task"]) == (step, fault.task)
    assert len(meanwhile) >= 2


def test_a_message_is_held_back_until_another_has_come() -> None:
    late = PlannedFault("late", task="K", until="trigger_checkpoint", steps=2)
    held, meanwhile = held_back(late)
    assert (held.name, about(held)["task"]) == ("deliver_confirmation", "K")
    assert [each.name for each in meanwhile].count("trigger_checkpoint") == 2


def held_back(fault: PlannedFault) -> tuple[StepId, list[StepId]]:
    """The message that the one fault holds back, and the events until it arrives."""
    faulty, taken, told = Faulty((fault,), 3), list[StepId](), list[tuple[int, object]]()
    faulty.strikes.tell(lambda fields: told.append((len(taken), fields["step"])))
    run(engine_of((fault,), None), faulty, taken.append, 5_000)
    ((begun, name),) = told
    place = list(map(str, taken)).index(str(name))
    events = [each for each in taken[begun:place] if each.name not in ("emit", "poll_data")]
    return taken[place], events


def test_calls_come_in_the_wrong_order() -> None:
    def newest_first(*faults: PlannedFault) -> int:
        told: Counter[str] = Counter()
        for seed in range(6):
            latest: dict[str, int] = {}
            for step in faulty_run(*faults, seed=seed):
                if step.name == "deliver_confirmation":
                    number, task = int(about(step)["checkpoint"][2:]), about(step)["task"]
                    told["wrong"] += number < latest.get(task, 0)
                    latest[task] = max(number, latest.get(task, 0))
        return told["wrong"]

    assert newest_first(PlannedFault("reordered", times=9)) > newest_first()


def test_what_is_held_back_comes_when_nothing_else_can_happen() -> None:
    late = PlannedFault("late", message="acknowledgement", until="fail", times=99)
    taken = faulty_run(late, checkpoints=None)
    assert "fail" not in {step.name for step in taken}
    finished = {about(step)["task"] for step in taken if step.name == "learn_finished"}
    assert finished == {"S.0", "S.1", "K"}


# --- processes that end ---------------------------------------------------------------------------


def run_with(*faults: PlannedFault, seed: int = 5) -> tuple[list[str], Files, Faulty]:
    """The log of a job that is started again after each crash, and its files."""
    files, out = MemoryFiles(), io.StringIO()
    faulty = Faulty(faults, seed)
    logs: list[EventLog] = []

    def begin_again() -> Engine:
        engine = engine_of(faults, None, faulty.strikes.files(files))
        found = start(engine.store, engine.tasks)
        engine.coordinator.last_number = found.last_number
        for task in engine.tasks.values():
            task.begin(Phase.RESTORING)
        return engine

    def begin(engine: Engine) -> Callable[[StepId], object]:
        log = EventLog(out.write, engine, WIDE, run="r", process=len(logs) + 1)
        logs.append(log)
        faulty.strikes.tell(log.struck)
        return log.took

    engine = run_through(begin_again, faulty, begin, 5_000)
    logs[-1].close()
    assert engine.coordinator.job_finished
    return out.getvalue().splitlines(), files, faulty


ENDING = (
    (PlannedFault("crash-coordinator", after="complete"),),
    (PlannedFault("crash-coordinator", after="deliver_confirmation", nth=2),),
    (
        PlannedFault("crash-coordinator", chance=0.02, times=3),
        PlannedFault("lost", chance=0.3, times=2),
    ),
    (PlannedFault("killed", nth=25),),
    (PlannedFault("killed", bytes=300),),
    (PlannedFault("disk-full", nth=40),),
    (PlannedFault("disk-full", bytes=500, times=2),),
)
GOING_ON = (
    (
        PlannedFault("crash-worker", worker=1, after="complete"),
        PlannedFault("crash-task", task="K", nth=30),
    ),
    (PlannedFault("lost", message="acknowledgement", times=2), PlannedFault("lost", times=3)),
    (
        PlannedFault("lost", message="trigger"),
        PlannedFault("late", message="trigger", times=9, steps=60),
    ),
    (PlannedFault("late", message="decline", steps=9), PlannedFault("failed-snapshot", times=2)),
    (
        PlannedFault("late", message="abort", steps=9, times=9),
        PlannedFault("expired", after="complete"),
    ),
    (
        PlannedFault("reordered", times=5),
        PlannedFault("slow-snapshot", task="S.0", steps=30, times=2),
    ),
)


@pytest.mark.parametrize("faults", [*ENDING, *GOING_ON])
def test_nothing_is_lost_or_doubled_and_the_model_accepts_it(
    faults: tuple[PlannedFault, ...],
) -> None:
    lines, files, faulty = run_with(*faults)
    written = [line for name in files.under("output") for line in files.read(name).split()]
    assert sorted(written) == sorted(
        f"S.{index}#{number + 1}".encode() for index in range(2) for number in range(3)
    )
    log = read_log(lines)
    assert len(log.sections) - 1 == sum(
        faulty.strikes.struck[n] for n, each in enumerate(faults)
        if each.kind in ("crash-coordinator", "killed", "disk-full")
    )  # fmt: skip
    assert (len(log.sections) > 1) is (faults in ENDING)
    assert not log.unknown
    verdict = accept(log, judges=False)
    assert isinstance(verdict.conforms, Accepted), verdict.conforms


@pytest.mark.parametrize("ends", ["crash-task", "crash-coordinator"])
def test_a_message_that_comes_again_after_a_new_start_is_held_again(ends: str) -> None:
    """It is called as the one that has come before the start, and is another."""
    late = PlannedFault("late", message="finished", times=9)
    for seed in range(4):
        lines, _, _ = run_with(late, PlannedFault(ends, after="learn_finished"), seed=seed)
        held = Counter(each["step"] for each in struck(lines) if each["kind"] == "late")
        assert max(held.values()) == 2


def test_what_only_time_ends_is_of_one_process() -> None:
    """The number of its checkpoint may come again, and nothing is lost of that one."""
    fault = PlannedFault("lost", message="acknowledgement")
    faulty, engine = Faulty((fault,), 3), engine_of((fault,))
    while not faulty.strikes.struck[0]:
        run(engine, faulty, steps_max=1)
    overdue = faulty.strikes.overdue(engine)
    assert overdue is not None
    assert overdue.name == "expire"
    faulty.strikes.files(MemoryFiles())
    assert faulty.strikes.overdue(engine) is None


# --- in the log -----------------------------------------------------------------------------------


def struck(lines: list[str]) -> list[dict[str, Any]]:
    return [line["fields"] for line in map(json.loads, lines) if line["event"] == "struck"]


def test_each_fault_that_struck_is_in_the_log_before_its_step() -> None:
    lines, _, _ = run_with(
        PlannedFault("crash-worker", worker=1, after="complete"),
        PlannedFault("lost", message="acknowledgement", task="K"),
        PlannedFault("crash-task", after="fail", chance=1.0),
    )
    names = [json.loads(line)["event"] for line in lines]
    steps = [names[place + 1] for place, name in enumerate(names) if name == "struck"]
    assert Counter(steps) == {"lose_acknowledgement": 1, "fail": 2}
    told = struck(lines)
    assert {each["kind"]: each["fault"] for each in told} == {
        "lost": 2, "crash-worker": 1, "crash-task": 3,
    }  # fmt: skip
    (worker,) = [each for each in told if each["kind"] == "crash-worker"]
    assert worker["tasks"] == ["S.1"]
    (task,) = [each for each in told if each["kind"] == "crash-task"]
    assert len(task["tasks"]) == 1


def test_what_has_ended_a_process_is_told_by_the_next() -> None:
    lines, _, _ = run_with(
        PlannedFault("killed", nth=25), PlannedFault("crash-coordinator", after="complete")
    )
    places = [n for n, line in enumerate(lines) if '"struck"' in line]
    assert [each["kind"] for each in struck(lines)] == ["killed", "crash-coordinator"]
    assert all(json.loads(lines[place - 1])["event"] == "log-start" for place in places)


def test_a_worker_whose_tasks_have_ended_does_not_crash() -> None:
    fault = PlannedFault("crash-worker", worker=1, after="learn_finished", nth=3)
    taken = faulty_run(fault)
    assert "fail" not in {step.name for step in taken}


def test_the_options_that_losses_need_are_those_of_the_protocols() -> None:
    for message in LOSSES:
        assert bounds_of([PlannedFault("lost", message=message)]) != bounds_of([])
        options = options_for([PlannedFault("lost", message=message)])
        assert bool(options) is (message != "confirmation")
    assert bounds_of([PlannedFault("lost", message="acknowledgement", times=2)]).expiries == 2
