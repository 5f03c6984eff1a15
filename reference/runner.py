"""Runs a job to its end: one step after the other, each task in turn.

A folder belongs to one job, and to one run at a time. What a run that was cut off had secured, the
next one goes on from.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from model.errors import FinaleError, Place
from reference.engine import Engine
from reference.formats.files import DiskFiles, Files
from reference.formats.folder import locked, own
from reference.formats.jobfile import JobFile
from reference.protocols import ENGINES
from reference.settings import Settings
from reference.steps import StepId
from reference.task import Phase

#: Of these the environment alone decides when they happen.
OF_THE_ENVIRONMENT = ("trigger_checkpoint", "fail", "expire", "fail_snapshot", "lose_confirmation")


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    steps: int
    checkpoint: int | None
    """The newest that is complete."""
    seconds: float


def run(job: JobFile, folder: Path, look: Callable[[Progress], None] | None = None) -> Progress:
    """Run a job until it has finished. Raises coded errors for a folder that is not its own."""
    if folder.exists() and not folder.is_dir():
        raise FinaleError(
            "not-a-folder",
            "this is a file, and a run needs a folder",
            place=Place(str(folder)),
            advice="name a folder, which may be new",
        )
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        files = DiskFiles(folder)
        own(job, files, folder)
        return Runner(job, files).run(look)


class Runner:
    """An engine and its clock."""

    def __init__(self, job: JobFile, files: Files) -> None:
        kind = ENGINES[job.protocol]
        self.engine: Engine = kind(job.job, job, files, Settings(), kind.Options())
        self.seconds = job.seconds
        self._resume()

    def _resume(self) -> None:
        """Start from the newest checkpoint that is there, or drop what an earlier run has begun."""
        newest = self.engine.store.find()
        self.engine.coordinator.last_number = newest or 0
        for task in self.engine.tasks.values():
            task.begin(Phase.RESTORING)

    def run(self, look: Callable[[Progress], None] | None) -> Progress:
        began = due = time.monotonic()
        due += self.seconds
        steps = 0
        engine = self.engine
        while not engine.coordinator.job_finished:
            before = steps
            for step in engine.candidates(OF_THE_ENVIRONMENT):
                if engine.is_ready(step):
                    engine.take(step)
                    steps += 1
            now = time.monotonic()
            if now >= due or steps == before:
                if engine.is_ready(TRIGGER):
                    engine.take(TRIGGER)
                    steps += 1
                elif steps == before:
                    raise AssertionError("the job neither goes on nor ends")
                due = now + self.seconds
            engine.coordinator.forget({n for task in engine.tasks.values() for n in task.mail})
            if look is not None:
                look(Progress(steps, engine.store.newest, now - began))
        return Progress(steps, engine.store.newest, time.monotonic() - began)


TRIGGER = StepId("trigger_checkpoint")
