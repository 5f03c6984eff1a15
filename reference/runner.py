"""Runs a job until it has ended, and does what its user asks for meanwhile.

What a run that was cut off had secured, the next one in the same folder goes on from.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from model.errors import FinaleError
from reference.coordinator import Kind
from reference.engine import Engine
from reference.formats.control import Control
from reference.formats.eventlog import EventLog
from reference.formats.files import DiskFiles, Files
from reference.formats.folder import END, end_of, locked, mark_end, own
from reference.formats.jobfile import JobFile
from reference.formats.resuming import start
from reference.protocols import ENGINES
from reference.requests import Requests
from reference.settings import Settings
from reference.steps import StepId
from reference.task import Phase
from reference.threads import SECONDS, Threads, Turns

#: Of these the environment alone decides when they happen.
OF_THE_ENVIRONMENT = frozenset(
    {
        "trigger_checkpoint",
        "fail",
        "expire",
        "fail_snapshot",
        "lose_confirmation",
        "time_out",
        "time_out_output",
    }
)
ENDS, NONE = frozenset({"end_source"}), frozenset[str]()
TRIGGER = StepId("trigger_checkpoint")
LOG = "events.ndjson"


class End(enum.Enum):
    """How a run ends."""

    FINISHED = "finished"
    DRAINED = "drained"
    SUSPENDED = "suspended"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Orders:
    """What a user says beside the job."""

    stop: Kind | None = None
    """Stop it so, when all that is there is processed."""
    savepoint: Path | None = None
    """Start from this one, in a new folder, or in its own if nothing was committed since."""
    log: Path | None = None
    """Where its event log is; in the folder if it is not said."""
    threads: bool = False
    seed: int | None = None


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    records: int
    """That sources have read."""
    bytes: int
    completed: int
    """Checkpoints, by this run."""
    checkpoint: int | None
    """The newest that is complete to start from, or the savepoint that has ended the job."""
    pending: int | None
    seconds: float
    passed_over: tuple[FinaleError, ...] = ()
    """What was wrong with newer checkpoints than the one that the run has started from."""
    end: End | None = None


def run(
    job: JobFile,
    folder: Path,
    look: Callable[[Progress], None] | None = None,
    orders: Orders = Orders(),
) -> Progress:
    """Run a job in a folder until it has ended. Raises coded errors for one that is not its own."""
    with locked(folder) as name:
        files = DiskFiles(folder)
        own(job, files, folder)
        if orders.savepoint is None and (end := end_of(files)) is not None:
            return Progress(0, 0, 0, None, None, 0.0, end=End(end))
        control = Control(folder, name)
        try:
            runner = Runner(job, files, orders, control)
            path = orders.log or folder / LOG
            runner.log = EventLog.append(path, runner.engine, job.job, run=job.file.stem)
            ended = runner.run(look)
        except BaseException:
            control.close(ok=False, why="the run has failed; what it had secured stands")
            raise
        control.close(ok=False, why="the job had ended before")
        return ended


class Runner:
    """An engine, its clock, and what its user asks for."""

    def __init__(
        self,
        job: JobFile,
        files: Files,
        orders: Orders = Orders(),
        control: Control | None = None,
    ) -> None:
        kind = ENGINES[job.protocol]
        settings = Settings(retained=job.retained, checkpoint_format=job.checkpoint_format)
        self.engine: Engine = kind(job.job, job, files, settings, kind.usual)
        self.job, self.orders, self.control = job, orders, control
        self.files = files
        self.mover = Threads(self.engine) if orders.threads else Turns(self.engine, orders.seed)
        self.requests = Requests(self.engine, control, self._saw)
        self.log: EventLog | None = None
        if orders.stop is not None:
            self.requests.refuse_unless_stoppable()
        self.completed = 0
        self._resume()

    def _resume(self) -> None:
        """Start from the newest checkpoint that is there, or drop what an earlier run has begun."""
        self.start = start(self.engine.store, self.engine.tasks, self.orders.savepoint)
        if self.orders.savepoint is not None:
            self.files.remove(END)
        self.engine.coordinator.last_number = self.start.last_number
        for task in self.engine.tasks.values():
            task.begin(Phase.RESTORING)

    def run(self, look: Callable[[Progress], None] | None = None) -> Progress:
        """Go on until the job has ended."""
        self.began = self._triggered = time.monotonic()
        self._read = 0
        """Records, when a checkpoint was triggered last."""
        try:
            with self.mover:
                while (end := self._end()) is None:
                    self._go_on()
                    if look is not None:
                        look(self.progress())
        finally:
            if self.log is not None:
                self.log.close()
        if end in (End.FINISHED, End.DRAINED):
            mark_end(self.files, end.value)
        return self.progress(end)

    def progress(self, end: End | None = None) -> Progress:
        """How far the run is."""
        sources = [t.source for t in self.engine.tasks.values() if t.source is not None]
        return Progress(
            records=sum(source.read_records for source in sources),
            bytes=sum(source.read_bytes for source in sources),
            completed=self.completed,
            checkpoint=self.requests.ending or self.engine.store.newest,
            pending=max((each.number for each in self.engine.coordinator.pending), default=None),
            seconds=time.monotonic() - self.began,
            passed_over=self.start.refused,
            end=end,
        )

    def _go_on(self) -> None:
        """A turn of all tasks, and then what concerns the job as a whole."""
        engine, requests = self.engine, self.requests
        waits = self._is_to_be_stopped()
        moved = self.mover.turn(OF_THE_ENVIRONMENT | (ENDS if waits else NONE), self._saw)
        with self.mover.alone():
            requests.take_up()
            if waits and not moved and not requests.is_stopping:
                requests.stop(self.orders.stop or Kind.SUSPEND)
                moved = True
            if self._is_due(moved) and engine.is_ready(TRIGGER):
                engine.take(TRIGGER)
                self._saw(TRIGGER)
                moved = True
            requests.answer()
            engine.coordinator.forget(set(engine.in_use()) | requests.spoken_of)
        if not moved:
            assert self._waits_for_input(), "the job neither goes on nor ends"
            time.sleep(SECONDS)

    def _is_to_be_stopped(self) -> bool:
        """Whether a source is yet to hear of the stop that was ordered, and must not end before."""
        tasks = self.engine.tasks.values()
        unaware = (t.source and t.phase is Phase.RUNNING and t.ending is None for t in tasks)
        return self.orders.stop is not None and any(unaware)

    def _is_due(self, moved: bool) -> bool:
        """Whether a checkpoint is: by the clock, by the records, or since tasks wait for one."""
        now = time.monotonic()
        tasks = self.engine.tasks.values()
        wait = not moved and any(t.phase is Phase.FINISHING and not t.secured for t in tasks)
        read = self.progress().records - self._read
        many = self.job.records is not None and read >= self.job.records
        return wait or many or now - self._triggered >= self.job.seconds

    def _saw(self, step: StepId) -> None:
        """A step was taken that is not the moving of records."""
        if self.log is not None:
            self.log.took(step)
        if step.name == "complete":
            self.completed += 1
        elif step == TRIGGER:
            self._triggered = time.monotonic()
            self._read = self.progress().records

    def _waits_for_input(self) -> bool:
        """Whether some source may have records later."""
        sources = [t for t in self.engine.tasks.values() if t.source and t.phase is Phase.RUNNING]
        return any(task.source is not None and not task.source.has_ended for task in sources)

    def _end(self) -> End | None:
        """How the job has ended, if it has."""
        if self.requests.cancelled:
            return End.CANCELLED
        if not self.engine.coordinator.job_finished or self.requests.is_stopping:
            return None
        ending = self.requests.ending
        return STOPPED[self.engine.coordinator.checkpoints[ending].kind] if ending else End.FINISHED


STOPPED = {Kind.DRAIN: End.DRAINED, Kind.SUSPEND: End.SUSPENDED}
