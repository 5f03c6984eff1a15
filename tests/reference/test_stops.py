"""Jobs that are stopped, fail and go on in any order: each record is committed once.

The model has no stops where barriers overtake: that nothing is lost there is seen here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from finale.model.topology import Job
from finale.reference.asking import Asking, JobStatus, RequestKind, RequestStatus
from finale.reference.engine import Engine
from finale.reference.formats.files import MemoryFiles
from finale.reference.operators.program import Followed
from finale.reference.protocols import STOPPABLE
from finale.reference.settings import EngineSettings, Faults
from finale.reference.steps import StepId
from tests.engine_runs.schedulers import Seeded, run

TABLE: dict[str, Any] = {
    "S": {"records": 3, "parallelism": 2},
    "W": {"from": ["S"], "kind": "buffering"},
    "K": {"from": ["W", "S"], "sink": "two-phase"},
}
ALL = Counter(f"S.{task}#{n}/{way}" for task in (0, 1) for n in (1, 2, 3) for way in "WK")
#: How often the environment does something, where other steps come once.
WEIGHTS = {
    "trigger_checkpoint": 0.2,
    "request_stop": 0.03,
    "fail": 0.002,
    "expire": 0.01,
    "fail_snapshot": 0.005,
    "lose_confirmation": 0.05,
    "time_out": 0.3,
    "time_out_output": 0.3,
}
#: No other savepoint: one that is taken while the job stops counts sources as finished that were
#: only stopped (specs/stop-with-savepoint/savepoint-after-suspension.toml).
FAULTS = Faults(failures=2, lost_confirmations=2, declines=1, expiries=2, stops=2, resumes=2)


def ended(kind: type[Engine], seed: int) -> tuple[Engine, Counter[str]]:
    """A job after all that can happen to it, and what it has committed."""
    job, files = Job.from_table(TABLE), MemoryFiles()
    settings = EngineSettings(channel=8, buffer_size=1, faults=FAULTS)
    options = replace(kind.usual, scheduler="adaptive")
    engine = kind(job, Followed(job), files, settings, options)
    choose = Seeded(seed, WEIGHTS)

    def without_rewinding(engine: Engine) -> StepId | None:
        """What was committed behind a savepoint would come again: nobody starts from such a one."""
        step = choose(engine)
        newest = engine.store.newest or 0
        if step is None or step.name != "resume" or int(step.binding[0][1][2:]) >= newest:
            return step
        return choose.among([each for each in sorted(engine.enabled()) if each != step])

    def forget(step: StepId) -> None:
        engine.coordinator.forget(set(engine.in_use()))

    run(engine, without_rewinding, forget, steps_max=20_000)
    written = [line for name in files.under("output") for line in files.read(name).split()]
    return engine, Counter(line.decode() for line in written)


@pytest.mark.parametrize("barriers", STOPPABLE)
@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 300), marks=pytest.mark.slow)])
def test_each_record_is_committed_once(barriers: str, seeds: range) -> None:
    stopped = resumed = 0
    for seed in seeds:
        engine, written = ended(STOPPABLE[barriers], seed)
        assert isinstance(engine, Asking)
        assert engine.has_ended(), seed
        assert max(written.values(), default=1) == 1, seed
        assert written <= ALL, seed
        stops = engine.requests_for(RequestKind.STOP)
        won = [stop for stop in stops if stop.answer is RequestStatus.SUCCEEDED]
        stopped += len(won)
        resumed += engine.happened.resumes
        if engine.status is JobStatus.RUNNING and len(won) <= engine.happened.resumes:
            assert written == ALL, seed
    assert stopped > 0
    assert resumed > 0
