"""Schedulers: the same seed gives the same run, and all states of a small job are seen."""

from __future__ import annotations

import pytest

from finale.model.errors import FinaleError
from finale.model.topology import Job
from finale.reference.engine import Engine
from finale.reference.formats.files import Files, MemoryFiles
from finale.reference.observation import observation_of
from finale.reference.operators.program import Followed
from finale.reference.protocols import ENGINES
from finale.reference.settings import EngineSettings, Faults
from finale.reference.steps import StepId
from tests.engine_runs.schedulers import Scheduler, Scripted, Seeded, explore, run

PAIR = Job.from_table({"S": {"records": 3}, "K": {"from": ["S"], "sink": "two-phase"}})
WIDE = Job.from_table(
    {"S": {"records": 3, "parallelism": 2}, "K": {"from": ["S"], "sink": "two-phase"}}
)
TWO = Faults(checkpoints=2)


def engine_of(job: Job = PAIR, faults: Faults = TWO, files: Files | None = None) -> Engine:
    kind = ENGINES["final-checkpoint"]
    settings = EngineSettings(faults=faults)
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
    assert observation_of(again) == observation_of(first)


def test_a_script_names_the_step_that_cannot_be_taken() -> None:
    close = StepId("close", (("task", "K"),))
    with pytest.raises(FinaleError, match=r"step 2, close\(K\)") as caught:
        run(engine_of(), Scripted([StepId("emit", (("task", "S"),)), close]))
    assert caught.value.code == "step-not-enabled"


def test_all_states_of_a_small_job_are_seen_once() -> None:
    """As many as the model has (`specs/final-checkpoint/pair.toml`), and files that differ."""
    job = Job.from_table({"S": {"records": 1}, "K": {"from": ["S"], "sink": "two-phase"}})
    kind, faults = ENGINES["final-checkpoint"], Faults(checkpoints=1)
    settings = EngineSettings(channel=2, buffer_size=1, keeps=True, faults=faults)
    engine = kind(job, Followed(job), MemoryFiles(), settings, kind.usual)
    states = list(explore(engine))
    observed = {observation_of(engine) for _, engine in states}
    assert len(observed) == len(states) == 128
    path, last = max(states, key=lambda state: len(state[0]))
    again = engine
    assert steps_of(again, Scripted(path)) == list(path)
    assert observation_of(again) == observation_of(last)
