"""Makes long random runs of larger jobs; each run of the engine must be a run of the protocol."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from finale.checker.logs.event_log.acceptance import EventLogVerdict, accept
from finale.checker.logs.event_log.reading import read_log
from finale.checker.spec.catalogue import Catalogue
from finale.model.topology import Job
from finale.reference.asking import Asking
from finale.reference.broken import BROKEN
from finale.reference.engine import Engine
from finale.reference.formats.eventlog import EventLog
from finale.reference.formats.files import Files, MemoryFiles
from finale.reference.formats.resuming import start
from finale.reference.operators.program import Followed
from finale.reference.protocols import ENGINES, STOPPABLE
from finale.reference.settings import EngineSettings, Faults
from finale.reference.steps import StepId
from finale.reference.task import Phase

from .schedulers import Seeded, run

#: All engines: also those of which the model has the parts alone.
KINDS: Mapping[str, type[Engine]] = {**ENGINES, **{each.key: each for each in STOPPABLE.values()}}

#: What the environment does comes less often than what tasks and coordinator do.
RARE = {
    "fail": 0.05, "expire": 0.05, "fail_snapshot": 0.1, "trigger_checkpoint": 0.5,
    "request_stop": 0.03, "request_savepoint": 0.03, "request_cancel": 0.01,
    "time_out": 0.3, "time_out_output": 0.3,
}  # fmt: skip


@dataclass(frozen=True)
class RandomRun:
    """A job, a protocol, what may go wrong, and the seed by which steps are chosen.

    `crashes`: after so many steps each the process of the coordinator ends, and another one begins
    with what is on disk.
    """

    protocol: str
    job: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    faults: Mapping[str, int] = field(default_factory=dict[str, int])
    crashes: tuple[int, ...] = ()
    channel: int = 8
    buffer_size: int | None = None
    seed: int = 0
    steps_max: int = 600
    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    variant: str | None = None
    """The mistake that the engine makes."""
    name: str = "random"

    def engine(self, files: Files) -> Engine:
        """The engine of a process, at its beginning."""
        job = Job.from_table(self.job)
        kind = KINDS[self.protocol] if self.variant is None else BROKEN[self.variant]
        settings = EngineSettings(
            channel=self.channel, buffer_size=self.buffer_size, faults=Faults(**self.faults)
        )
        return kind(job, Followed(job), files, settings, replace(kind.usual, **self.options))


def lines_of(chosen: RandomRun) -> list[str]:
    """The event log of a run."""
    files, out = MemoryFiles(), io.StringIO()
    job, choose = Job.from_table(chosen.job), Seeded(chosen.seed, {**RARE, **chosen.weights})
    for process, steps in enumerate((*chosen.crashes, chosen.steps_max), 1):
        engine = chosen.engine(files)
        if process > 1:
            _go_on(engine)
        log = EventLog(out.write, engine, job, run=chosen.name, process=process)
        run(engine, choose, partial(_took, engine, log), steps)
        if process > len(chosen.crashes) or _has_ended(engine):
            log.close()
            break
    return out.getvalue().splitlines()


def _took(engine: Engine, log: EventLog, step: StepId) -> None:
    log.took(step)
    engine.coordinator.forget(set(engine.in_use()))


def _go_on(engine: Engine) -> None:
    """All tasks are to be restored, as in a process that finds what another one has left."""
    engine.coordinator.last_number = start(engine.store, engine.tasks).last_number
    for task in engine.tasks.values():
        task.begin(Phase.RESTORING)


def _has_ended(engine: Engine) -> bool:
    ended = isinstance(engine, Asking) and engine.has_ended()
    return ended or engine.coordinator.job_finished


def judged(chosen: RandomRun, known: Catalogue) -> EventLogVerdict:
    """Return the verdict of the model on a run."""
    return accept(read_log(lines_of(chosen)), known=known, judges=False)


__all__ = ["KINDS", "RandomRun", "judged", "lines_of"]
