"""Runs a job until it ends, and serves the requests of its user.

What a run that was cut off had secured, the next one in the same folder goes on from.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from finale.model.errors import FinaleError
from finale.reference.asking import Asking, JobStatus, Request, RequestKind, RequestStatus
from finale.reference.coordinator import CheckpointKind
from finale.reference.engine import Engine
from finale.reference.faults import Strikes
from finale.reference.formats.control import Control
from finale.reference.formats.eventlog import EventLog
from finale.reference.formats.faultlist import (
    OF_THE_ENVIRONMENT,
    PlannedFault,
    bounds_of,
    options_for,
)
from finale.reference.formats.faulty import ProcessEnds
from finale.reference.formats.files import DiskFiles, Files, MemoryFiles, told
from finale.reference.formats.folder import end_of, is_new, lines_in, locked, mark_end, own
from finale.reference.formats.jobfile import JobFile
from finale.reference.formats.logfile import LOG, check_log
from finale.reference.formats.requests import WHY_OVER, Requests
from finale.reference.formats.resuming import start, to_go_on_from
from finale.reference.interrupts import Signals
from finale.reference.settings import EngineSettings
from finale.reference.steps import StepId
from finale.reference.task import Phase
from finale.reference.threads import SECONDS, Threads, Turns

#: What no turn has: that comes when it is time, or goes wrong.
NOT_IN_TURN = frozenset({"trigger_checkpoint", *OF_THE_ENVIRONMENT})
TIME_OUTS = frozenset({"time_out", "time_out_output"})
TRIGGER = StepId("trigger_checkpoint")


class RunEnd(enum.Enum):
    """The end of a run."""

    FINISHED = "finished"
    DRAINED = "drained"
    SUSPENDED = "suspended"
    CANCELLED = "cancelled"
    FAILED = "failed"
    """After the savepoint that was to stop it; the next run goes on from there."""


ENDED = {JobStatus.CANCELED: RunEnd.CANCELLED, JobStatus.FAILED: RunEnd.FAILED}


@dataclass(frozen=True)
class Orders:
    """The options of a run besides its job."""

    stop: CheckpointKind | None = None
    """Stop it so, when all that is there is processed."""
    savepoint: Path | None = None
    """Start from this one, in a new folder, or in its own if nothing was committed since."""
    log: Path | None = None
    """Where its event log is; in the folder if it is not said."""
    threads: bool = False
    seed: int | None = None
    faults: tuple[PlannedFault, ...] = ()
    """What is to go wrong."""


@dataclass(frozen=True)
class RunProgress:
    """The progress of a run."""

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
    end: RunEnd | None = None
    failed_stop: bool = False
    """The stop that was ordered failed, and the job has gone on."""
    ended_before: bool = False
    """There was nothing left to do."""
    uncommitted: int = 0
    """Records that were written when the job ended for good, and that nothing will commit."""
    aside: Mapping[str, int] = field(default_factory=dict[str, int])
    """By folder, what was written beside the output, in lines."""
    struck: tuple[int, ...] = ()
    """How often each of the faults has."""


def run(
    job: JobFile,
    folder: Path,
    look: Callable[[RunProgress], None] | None = None,
    orders: Orders = Orders(),
    signals: Signals | None = None,
) -> RunProgress:
    """Run a job in a folder until it has ended. Raises coded errors for a foreign folder, and
    `Interrupted`."""
    signals = signals or Signals()
    if is_new(folder):
        rehearse(job, folder, orders)
    with locked(folder) as name:
        files = DiskFiles(folder)
        own(job, files, folder)
        if orders.savepoint is None and (end := end_of(files)) is not None:
            return RunProgress(0, 0, 0, None, None, 0.0, end=RunEnd(end), ended_before=True)
        check_log(orders.log, job.name, folder, orders.savepoint)
        control = Control(folder, name)
        strikes, before = Strikes(orders.faults, orders.seed or 0), to_go_on_from(files)
        try:
            while (ended := _process(job, folder, orders, control, strikes, look, signals)) is None:
                if to_go_on_from(files) != before:
                    orders = replace(orders, savepoint=None)  # its copy is complete
        except BaseException as reason:
            how = "was interrupted" if isinstance(reason, KeyboardInterrupt) else "has failed"
            control.close(ok=False, why=f"the run {how}; what it had secured stands")
            raise
        control.close(ok=False, why=WHY_OVER)
        return ended


def _process(
    job: JobFile,
    folder: Path,
    orders: Orders,
    control: Control,
    strikes: Strikes,
    look: Callable[[RunProgress], None] | None,
    signals: Signals,
) -> RunProgress | None:
    """Run one process; None if a fault ended the process before the job ended."""
    runner, cut, path = None, False, orders.log or folder / LOG
    try:
        runner = Runner(job, strikes.files(DiskFiles(folder)), orders, control, strikes, signals)
        with told(str(path)):
            runner.log = EventLog.append(path, runner.engine, job.job, run=job.name)
        strikes.tell(runner.log.struck)
        return runner.run(look)
    except (ProcessEnds, FinaleError) as reason:
        cut = strikes.have_ended(reason)
        if not cut:
            raise
        return None
    finally:
        if runner is not None and runner.log is not None:
            runner.log.close(cut=cut or signals.cut)
            runner.requests.end(cut=cut)


def rehearse(job: JobFile, folder: Path, orders: Orders) -> None:
    """Start where nothing is written: a start that is refused leaves no folder behind."""
    trial = Runner(job, MemoryFiles(), replace(orders, faults=()))
    trial.mover.take(StepId("restore", (("task", name),)) for name in trial.engine.tasks)
    check_log(orders.log, job.name, folder, orders.savepoint)


class Runner:
    """An engine, its clock, and what its user asks for."""

    def __init__(
        self,
        job: JobFile,
        files: Files,
        orders: Orders = Orders(),
        control: Control | None = None,
        strikes: Strikes | None = None,
        signals: Signals | None = None,
    ) -> None:
        self.signals = signals or Signals()
        kind, faults = job.engine, orders.faults
        settings = EngineSettings(
            retained=job.retained, checkpoint_format=job.checkpoint_format, faults=bounds_of(faults)
        )
        options = replace(kind.usual, **options_for(faults))
        self.engine: Engine = kind(job.job, job, files, settings, options)
        self.strikes = strikes or Strikes(faults)
        self.job, self.files, self.orders = job, files, orders
        self.log: EventLog | None = None
        self.completed = 0
        self.ordered: Request | None = None
        """The stop that was ordered, when it has been asked for."""
        if orders.threads:
            self.mover: Turns = Threads(self.engine, self._saw, self.signals)
        else:
            self.mover = Turns(self.engine, self._saw, orders.seed)
        if faults:
            self.mover.holds = self.strikes.holds
        self.requests = Requests(self.engine, self.mover, control)
        if orders.stop is not None:
            self.requests.refuse_unless_heard(RequestKind.STOP)
        self.start = start(self.engine.store, self.engine.tasks, orders.savepoint)
        self.engine.coordinator.last_number = self.start.last_number
        for task in self.engine.tasks.values():
            task.begin(Phase.RESTORING)

    def run(self, look: Callable[[RunProgress], None] | None = None) -> RunProgress:
        """Go on until the job has ended."""
        self.began = self._triggered = time.monotonic()
        self._read = 0
        """Records, when a checkpoint was triggered last; after a failure they are counted anew."""
        with self.mover.running():
            while (end := self._end()) is None:
                self.signals.look()
                self._go_on()
                if look is not None:
                    look(self.progress())
        over = end in (RunEnd.FINISHED, RunEnd.DRAINED)
        mark_end(self.files, end.value, self.progress(end).checkpoint)
        open_ones = sum(task.operator.uncommitted() for task in self.engine.tasks.values())
        return replace(
            self.progress(end),
            uncommitted=open_ones + lines_in(self.files, "pending") if over else 0,
            aside={folder: lines_in(self.files, folder) for folder in ("bad", "late")},
        )

    def progress(self, end: RunEnd | None = None) -> RunProgress:
        """The progress of the run."""
        sources = [t.source for t in self.engine.tasks.values() if t.source is not None]
        stopped = self.requests.find(RequestKind.STOP, RequestStatus.SUCCEEDED)
        return RunProgress(
            records=sum(source.read_records for source in sources),
            bytes=sum(source.read_bytes for source in sources),
            completed=self.completed,
            checkpoint=stopped.checkpoint if stopped is not None else self.engine.store.newest,
            pending=max((each.number for each in self.engine.coordinator.pending), default=None),
            seconds=time.monotonic() - self.began,
            passed_over=self.start.refused,
            end=end,
            failed_stop=self._stop_has_failed(),
            struck=tuple(self.strikes.struck[n] for n in range(len(self.orders.faults))),
        )

    def _go_on(self) -> None:
        """A turn of all tasks, and then what concerns the job as a whole."""
        stops = self._is_to_be_stopped()
        waits_yet = time.monotonic() - self._triggered < self.job.timeout
        without = {*NOT_IN_TURN, *(TIME_OUTS if waits_yet else ())}
        moved = self.mover.turn({*without, "end_source"} if stops else without)
        with self.mover.alone():
            if (
                stops
                and not moved
                and self.requests.find(RequestKind.STOP, RequestStatus.ADMITTED) is None
            ):
                name = self.requests.ask(
                    RequestKind.STOP, drain=self.orders.stop is CheckpointKind.DRAIN
                )
                self.ordered = self.requests.known[name]
                moved = True
            self.requests.attend()
            moved = (self._is_due(moved) and self.mover.take([TRIGGER])) or moved
            moved = moved or self._goes_wrong() or self.strikes.release()
            overdue = None if moved else self.strikes.overdue(self.engine)
            moved = moved or (overdue is not None and self.mover.take([overdue]))
            self.engine.coordinator.forget(set(self.engine.in_use()))
        if not moved:
            self.requests.refuse_stuck()
            time.sleep(SECONDS)

    def _is_to_be_stopped(self) -> bool:
        """Whether a source is yet to hear of the stop that was ordered, and must not end before."""
        tasks = self.engine.tasks.values()
        unaware = (t.source and t.phase is Phase.RUNNING and t.ending is None for t in tasks)
        return self.orders.stop is not None and not self._stop_has_failed() and any(unaware)

    def _stop_has_failed(self) -> bool:
        """Whether the stop that was ordered could not be; it is asked for once."""
        return self.ordered is not None and self.ordered.answer is RequestStatus.FAILED

    def _is_due(self, moved: bool) -> bool:
        """Whether a checkpoint is: by the clock, by the records, or since tasks wait for one."""
        tasks = self.engine.tasks.values()
        wait = not moved and any(t.phase is Phase.FINISHING and not t.secured for t in tasks)
        read = self.progress().records - self._read
        if not read and self._is_to_be_stopped():
            return False  # one that is due again and again would leave no time to stop
        many = self.job.records is not None and read >= self.job.records
        return wait or many or time.monotonic() - self._triggered >= self.job.seconds

    def _saw(self, step: StepId) -> None:
        """A step was taken that is not the moving of records."""
        if self.log is not None:
            self.log.took(step)
        if step.name == "complete":
            self.completed += 1
        elif step == TRIGGER:
            self._triggered = time.monotonic()
            self._read = self.progress().records
        elif step.name == "fail":
            self._read = 0
        self.strikes.saw(step)
        self._goes_wrong()

    def _goes_wrong(self) -> bool:
        """Whether a fault is due, and could strike."""
        step = self.strikes.next(self.engine)
        return step is not None and self.mover.take([step])

    def _end(self) -> RunEnd | None:
        """Return how the job ended, if it has ended."""
        engine = self.engine
        if isinstance(engine, Asking) and engine.status in ENDED:
            return ENDED[engine.status]
        admitted = self.requests.find(RequestKind.STOP, RequestStatus.ADMITTED)
        if not engine.coordinator.job_finished or admitted is not None:
            return None
        stopped = self.requests.find(RequestKind.STOP, RequestStatus.SUCCEEDED)
        if stopped is None or stopped.checkpoint is None:
            return RunEnd.FINISHED
        drained = engine.coordinator.checkpoints[stopped.checkpoint].kind is CheckpointKind.DRAIN
        return RunEnd.DRAINED if drained else RunEnd.SUSPENDED
