"""Tasks that are restored as finished: they pass the end on, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest

from finale.model.topology import Job, Subtask
from finale.reference.engine import Engine
from finale.reference.formats.files import Files, MemoryFiles
from finale.reference.operators.base import Context, Emit, Operator
from finale.reference.operators.program import Followed
from finale.reference.protocols import ENGINES
from finale.reference.settings import EngineSettings, Faults
from finale.reference.steps import StepId
from tests.engine_runs.schedulers import Seeded, run


class Farewell(Operator):
    """Says something at its end."""

    def finish(self, emit: Emit) -> None:
        emit([f"{self.context.task}#1"])


@dataclass(frozen=True)
class WithFarewell(Followed):
    def operator(self, subtask: Subtask, files: Files, *, keeps: bool) -> Callable[[], Operator]:
        if subtask.vertex.name == "W":
            return partial(Farewell, Context(subtask.name, files))
        return super().operator(subtask, files, keeps=keeps)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("protocol", ["final-checkpoint", "unaligned", "stop-with-savepoint"])
def test_an_operator_that_had_finished_does_not_do_so_again(protocol: str, seed: int) -> None:
    table = {"S": {"records": 0}, "W": {"from": ["S"]}, "K": {"from": ["W"], "sink": "two-phase"}}
    job = Job.from_table(table)
    settings = EngineSettings(keeps=False, faults=Faults(failures=1))
    files = MemoryFiles()
    engine = ENGINES[protocol](job, WithFarewell(job), files, settings, ENGINES[protocol].usual)
    choose = Seeded(seed)

    def without_the_sink(engine: Engine) -> StepId | None:
        """The sink does not hear of what has completed until the others have FINISHED."""
        done = engine.coordinator.finished >= {"S", "W"} and engine.store.newest is not None
        if done and engine.store.finished(engine.store.newest or 0) >= {"S", "W"}:
            return None
        about_k, steps = ("task", "K"), sorted(engine.enabled())
        allowed = [s for s in steps if s.name != "fail"]
        allowed = [s for s in allowed if "deliver" not in s.name or about_k not in s.binding]
        return choose.among(allowed or [s for s in steps if s.name == "deliver_trigger"])

    run(engine, without_the_sink, steps_max=10_000)
    assert engine.store.newest is not None
    engine.take(StepId("fail"))
    run(engine, choose, steps_max=10_000)
    assert engine.coordinator.job_finished
    written = [line for name in files.under("output") for line in files.read(name).split()]
    assert written == [b"W#1"]
