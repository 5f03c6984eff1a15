"""Long runs of larger jobs: what the engine does by a seed must be a run of the protocol."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from checker.loading import Catalogue
from model.topology import Job
from reference.formats.eventlog import EventLog, read_log
from reference.formats.files import MemoryFiles
from reference.operators.program import Followed
from reference.protocols import ENGINES
from reference.schedulers import Seeded, run
from reference.settings import Faults, Settings
from reference.steps import StepId

from .acceptance import Verdict, accept

#: What the environment does comes less often than what tasks and coordinator do.
RARE = {"fail": 0.05, "expire": 0.2, "fail_snapshot": 0.2, "trigger_checkpoint": 0.5}


@dataclass(frozen=True)
class RandomRun:
    """A job, a protocol, what may go wrong, and the seed by which steps are chosen."""

    protocol: str
    job: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    faults: Mapping[str, int] = field(default_factory=dict[str, int])
    channel: int = 8
    buffer_size: int | None = None
    seed: int = 0
    steps_max: int = 600
    weights: Mapping[str, float] = field(default_factory=dict[str, float])


def lines_of(chosen: RandomRun) -> list[str]:
    """The event log of a run."""
    job, kind = Job.from_table(chosen.job), ENGINES[chosen.protocol]
    settings = Settings(
        channel=chosen.channel, buffer_size=chosen.buffer_size, faults=Faults(**chosen.faults)
    )
    options = replace(kind.usual, **chosen.options)
    engine = kind(job, Followed(job), MemoryFiles(), settings, options)
    out = io.StringIO()
    log = EventLog(out.write, engine, job, run="random", process=1)

    def took(step: StepId) -> None:
        log.took(step)
        engine.coordinator.forget(set(engine.in_use()))

    run(engine, Seeded(chosen.seed, {**RARE, **chosen.weights}), took, chosen.steps_max)
    log.close()
    return out.getvalue().splitlines()


def judged(chosen: RandomRun, known: Catalogue) -> Verdict:
    """What the model says of a run."""
    return accept(read_log(lines_of(chosen)), known=known, judges=False)


__all__ = ["RandomRun", "judged", "lines_of"]
