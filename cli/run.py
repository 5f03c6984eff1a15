"""`finale engine run`: runs a job, from the checkpoint of an earlier run if one exists."""

from __future__ import annotations

import math
import os
import shlex
import signal
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import current_thread, main_thread
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.status import Status
from rich.text import Text

from finale.checker.report.layout import (
    Cell,
    console,
    counted,
    duration,
    flow,
    grouped,
    shortened,
    write,
)
from finale.model.errors import FinaleError, Place
from finale.reference.coordinator import CheckpointKind
from finale.reference.formats.faultlist import PlannedFault, read_faults
from finale.reference.formats.files import AGAIN, DiskFiles
from finale.reference.formats.folder import is_new
from finale.reference.formats.jobfile import JobFile, read_job
from finale.reference.formats.requests import WHY_ENDED
from finale.reference.formats.resuming import to_go_on_from
from finale.reference.interrupts import Interrupted, Signals
from finale.reference.runner import Orders, RunEnd, RunProgress
from finale.reference.runner import run as run_job

from .errors import tell
from .main import EXIT_INTERRUPTED, terminated
from .meter import NAME_MIN, SEPARATOR, fitting
from .parameters import require_seconds

#: The exit code of a run that a signal ends is that of the shell: the signal's number is added.
EXIT_SIGNALLED = 128
#: By which a user, a supervisor or a terminal that closes ends a run.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: Who ignores a signal, or handles it in another way, goes on to do so.
_USUAL = (signal.SIG_DFL, signal.default_int_handler, terminated)
#: Of MB in a second; less would be told as none.
RATE_MIN = 0.05
KILOBYTE, MEGABYTE = 1_000, 1_000_000
#: What is told of a job whose end takes no checkpoint.
LOSES = (
    '"{protocol}" takes no checkpoint when the data end: what came behind the newest is never '
    "committed, and lost"
)
#: What is in the folders beside the output.
ASIDE = {"bad": "could not be read", "late": "came too late for their windows"}
#: With which code an end goes out, where it is not 0.
CODES = {RunEnd.CANCELLED: EXIT_INTERRUPTED, RunEnd.FAILED: 1}


def run(  # noqa: PLR0913 - one parameter a flag
    job: Annotated[Path, Parameter(help="Job, a TOML file.")],
    *,
    directory: Annotated[
        Path,
        Parameter(help="Folder of checkpoints and output. The job continues from its contents."),
    ],
    stop: Annotated[
        Literal["drain", "suspend"] | None,
        Parameter(
            help="Process the present input, then stop with a savepoint. drain ends the job for "
            "good; suspend lets it continue later."
        ),
    ] = None,
    from_: Annotated[
        Path | None, Parameter(name="--from", help="Folder of the savepoint to start from.")
    ] = None,
    functions: Annotated[
        Path | None, Parameter(help="Folder of the function modules (default: beside the job).")
    ] = None,
    every: Annotated[
        float | None,
        Parameter(
            help="Seconds between checkpoints (default: as the job says). A checkpoint is also due "
            "when the sources have read the number of records that the job sets as `records`."
        ),
    ] = None,
    log: Annotated[
        Path | None, Parameter(help="Event log file (default: events.ndjson in the directory).")
    ] = None,
    scheduler: Annotated[
        Literal["steps", "threads"],
        Parameter(help="steps: one step after the other; threads: one thread for each task."),
    ] = "steps",
    seed: Annotated[
        int | None, Parameter(help="Seed for a random order of steps (default: fixed order).")
    ] = None,
    faults: Annotated[
        Path | None, Parameter(help="List of faults to inject, a TOML file: docs/faults.md.")
    ] = None,
) -> int:
    """Run a job on the engine until it has ended."""
    said = read_job(job, functions=functions)
    listed = read_faults(faults, said.engine, said.job) if faults is not None else ()
    _refuse_seed(scheduler, seed if not listed else None)
    if every is not None:
        require_seconds("--every", every)
        said = replace(said, seconds=every)
    orders = Orders(
        CheckpointKind(stop) if stop else None, from_, log, scheduler == "threads", seed, listed
    )
    place = Place(str(job), key="protocol")
    loses = f"{place}: {LOSES.format(protocol=said.engine.key)}" if said.loses_output else ""
    watched = RunMeter(job.name, loses)
    before = _newest(directory) if from_ is not None else None
    with held_back(at_once=not orders.threads) as signals:
        try:
            ended = watched.run(said, directory, orders, signals)
        except Interrupted as reason:
            return _interrupted(directory, reason, before, back=from_ is not None)
        except FinaleError as error:
            if error.place is not None and error.place.key is not None:
                error.located(Place(str(job)))
            error.advice += _goes_on(error.advice, directory, again=from_ is None)
            raise
    return _tell_end(job.name, directory, ended, listed, again=from_ is None)


def _tell_end(
    name: str, directory: Path, ended: RunProgress, listed: Sequence[PlannedFault], *, again: bool
) -> int:
    """Print how a run ended and how to continue the job, and return the exit code."""
    assert ended.end is not None
    page = console()
    if ended.ended_before:
        told: list[Cell] = [f"{ended.end.value} before", name, "nothing is left to do"]
        write(page, flow(told, page.width))
        return 0
    lost = counted(ended.uncommitted, "record") if ended.uncommitted else ""
    head = f"{ended.end.value}, and lost {lost}" if lost else ended.end.value
    write(page, flow([head, *_told(name, ended)], page.width))
    write(page, flow(_wrong(listed, ended), page.width) if listed else [])
    write(page, _further(ended, directory, again=again))
    if lost:
        tell(f"warning: not committed, and lost: {lost} behind the newest checkpoint")
    if ended.failed_stop and ended.end is RunEnd.FINISHED:
        tell(f"the stop failed: {WHY_ENDED}")
        return 1
    return CODES.get(ended.end, 0)


def _refuse_seed(scheduler: str, seed: int | None) -> None:
    """Raises `bad-value`."""
    if scheduler == "threads" and seed is not None:
        advice = "leave out --seed or --scheduler threads"
        raise FinaleError("bad-value", "--seed has no effect on threads", advice=advice)


def _goes_on(advice: str, directory: Path, *, again: bool) -> str:
    """Advice that names the checkpoint from which the job continues; empty for a new folder."""
    if not advice.endswith(AGAIN) or is_new(directory):
        return ""
    checkpoint = to_go_on_from(DiskFiles(directory))
    if checkpoint is None:
        return ": it begins anew, for no checkpoint was complete yet"
    return f"{'' if again else ' without --from'}: it goes on from checkpoint {checkpoint}"


def _newest(directory: Path) -> int | None:
    """The newest complete checkpoint in a folder, if there is one."""
    return None if is_new(directory) else to_go_on_from(DiskFiles(directory))


def _interrupted(directory: Path, reason: Interrupted, before: int | None, *, back: bool) -> int:
    """Say how the job continues. A run that goes `back` to a savepoint has not done so while the
    newest checkpoint is the one `before`."""
    checkpoint = _newest(directory)
    begins = back and checkpoint == before
    again = shlex.join(["finale", *_again(sys.argv[1:], None if begins else checkpoint)])
    is_usual = reason.number == signal.SIGINT
    by = "" if is_usual else f" by {signal.Signals(reason.number).name}"
    then = "start from the savepoint" if begins else _whence(checkpoint)
    try:
        tell(f"interrupted{by}; to {then}: {again}")
    except OSError:  # the terminal is gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return EXIT_SIGNALLED + reason.number


class RunMeter:
    """A run, and how far it is: on a terminal that is shown."""

    def __init__(self, name: str, warning: str = "") -> None:
        self.name = name
        self.warning = warning
        """Told once the run has begun, and is not refused any more."""
        self._warned = False
        self._page = console(stderr=True)

    def run(self, job: JobFile, directory: Path, orders: Orders, signals: Signals) -> RunProgress:
        """Run it until it has ended. Raises `Interrupted`."""
        with self._status() as status:

            def look(progress: RunProgress) -> None:
                if not self._warned:
                    self._warned = True
                    if self.warning:
                        tell(f"warning: {self.warning}")
                    for damage in progress.passed_over:
                        tell(f"warning: passed over: {damage}")
                if self._page.is_terminal:
                    with suppress(OSError):
                        status.update(Text(line_of(self.name, progress, self._page.width - 3)))

            return run_job(job, directory, look, orders, signals)

    @contextmanager
    def _status(self) -> Generator[Status]:
        """A line that is shown meanwhile, and its removal if the terminal is still there."""
        status = self._page.status("", spinner="line")
        status.start()
        try:
            yield status
        finally:
            with suppress(OSError):
                status.stop()


def line_of(name: str, progress: RunProgress, width: int) -> str:
    """The progress of a run, shortened to a width."""
    short = shortened(name, max(width // 3, NAME_MIN))
    return SEPARATOR.join(fitting([each for each in _told(short, progress) if each], width))


def _told(name: str, progress: RunProgress) -> list[str]:
    newest, pending = progress.checkpoint, progress.pending
    return [
        name,
        counted(progress.records, "record"),
        _amount(progress),
        counted(progress.completed, "checkpoint"),
        f"newest {newest}" if newest is not None else "none yet",
        f"{pending} pending" if pending is not None else "",
        duration(progress.seconds),
    ]


def _amount(progress: RunProgress) -> str:
    """The amount of input that was read; without a rate if the amount is small."""
    if progress.bytes < MEGABYTE:
        return f"{math.ceil(progress.bytes / KILOBYTE)} kB" if progress.bytes else ""
    amount = f"{grouped(round(progress.bytes / MEGABYTE))} MB"
    rate = progress.bytes / MEGABYTE / progress.seconds if progress.seconds else 0.0
    return f"{amount} at {rate:.1f} MB/s" if rate >= RATE_MIN else amount


def _further(ended: RunProgress, directory: Path, *, again: bool) -> Iterator[Cell]:
    """The lines that were put aside, and how to continue the job."""
    for folder, lines in ended.aside.items():
        if lines:
            yield f"{counted(lines, 'line')} in {directory / folder}: {ASIDE[folder]}"
    command = "the same command" if again else "the same command without --from"
    if ended.end is RunEnd.SUSPENDED:
        yield f"{command} goes on from there"
    elif ended.end in (RunEnd.CANCELLED, RunEnd.FAILED):
        if ended.end is RunEnd.FAILED:
            yield "its stop failed behind the savepoint"
        yield f"to {_whence(to_go_on_from(DiskFiles(directory)))}: {command}"


def _wrong(faults: Sequence[PlannedFault], ended: RunProgress) -> list[Cell]:
    """The faults that were injected, and how often."""
    told: list[Cell] = ["went wrong"]
    for fault, number in zip(faults, ended.struck, strict=True):
        often = f" {number} times" if number else " never"
        told.append(f"{fault.kind}{often if number != 1 else ''}")
    return told


def _whence(checkpoint: int | None) -> str:
    if checkpoint is None:
        return "begin anew, for no checkpoint was complete yet"
    return f"go on from checkpoint {checkpoint}"


def _again(arguments: Sequence[str], checkpoint: int | None) -> Iterator[str]:
    """The command that continues the job: without --from once the run has its own checkpoint."""
    skips = False
    for argument in arguments:
        if skips:
            skips = False
        elif checkpoint is not None and argument == "--from":
            skips = True
        elif checkpoint is None or not argument.startswith("--from="):
            yield argument


@contextmanager
def held_back(*, at_once: bool) -> Generator[Signals]:
    """Hold signals back, in the main thread, which alone hears of them."""
    signals = Signals(at_once=at_once)
    ours = current_thread() is main_thread()
    before = {number: signal.getsignal(number) for number in SIGNALS if ours}
    taken = {number: handler for number, handler in before.items() if handler in _USUAL}
    for number in taken:
        signal.signal(number, signals.receive)
    try:
        yield signals
    finally:
        for number, handler in taken.items():
            signal.signal(number, handler)
