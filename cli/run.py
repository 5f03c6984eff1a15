"""`finale run`: runs a job on the engine, from where an earlier run has left off."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from checker.show.layout import console, counted, duration, grouped, joined, write
from model.errors import FinaleError
from reference.coordinator import Kind
from reference.formats.jobfile import read_job
from reference.formats.requests import WHY_ENDED
from reference.runner import End, Orders, Progress
from reference.runner import run as run_job

from .main import EXIT_INTERRUPTED

MEGABYTE = 1_000_000
#: What an end has left to say.
THEN = {
    End.SUSPENDED: "the same command goes on from there",
    End.CANCELLED: "the same command goes on from the newest checkpoint",
    End.FAILED: "its stop failed behind the savepoint; the same command goes on from the newest "
    "checkpoint",
}
#: With which code an end goes out, where it is not 0.
CODES = {End.CANCELLED: EXIT_INTERRUPTED, End.FAILED: 1}


def run(  # noqa: PLR0913 - one parameter a flag
    job: Annotated[Path, Parameter(help="A job, a TOML file.")],
    *,
    directory: Annotated[
        Path, Parameter(help="Where its checkpoints and its output are; it goes on from there.")
    ],
    stop: Annotated[
        Literal["drain", "suspend"] | None,
        Parameter(help="Process what is there, then stop it with a savepoint, for good or not."),
    ] = None,
    from_: Annotated[
        Path | None, Parameter(name="--from", help="Start from this savepoint, a folder.")
    ] = None,
    functions: Annotated[
        Path | None, Parameter(help="Where the modules of its functions are; else beside it.")
    ] = None,
    every: Annotated[
        float | None, Parameter(help="Seconds between checkpoints, in place of the job's.")
    ] = None,
    log: Annotated[
        Path | None, Parameter(help="Its event log; events.ndjson in the directory if not given.")
    ] = None,
    scheduler: Annotated[
        Literal["steps", "threads"],
        Parameter(help="One step after the other, or a thread for each task."),
    ] = "steps",
    seed: Annotated[
        int | None, Parameter(help="Take the steps of a turn in an order by chance.")
    ] = None,
) -> int:
    """Run a job on the engine until it has ended."""
    said = read_job(job, functions=functions)
    if every is not None and not every > 0:
        raise FinaleError(
            "bad-value", f"--every is {every:g}", advice="write a number of seconds above zero"
        )
    if every is not None:
        said = replace(said, seconds=every)
    orders = Orders(Kind(stop) if stop else None, from_, log, scheduler == "threads", seed)
    page, warned = console(stderr=True), False
    try:
        with page.status("", spinner="line") as status:

            def look(progress: Progress) -> None:
                nonlocal warned
                if not warned:
                    warned = True
                    for damage in progress.passed_over:
                        print(f"warning: passed over: {damage}", file=sys.stderr)
                if page.is_terminal:
                    status.update(_told(job.name, progress))

            ended = run_job(said, directory, look, orders)
    except KeyboardInterrupt:
        again = shlex.join(["finale", *sys.argv[1:]])
        print(f"interrupted; from the newest checkpoint goes on: {again}", file=sys.stderr)
        return EXIT_INTERRUPTED
    assert ended.end is not None
    if ended.ended_before:
        write(console(), [joined([f"{ended.end.value} before", job.name, "nothing is left to do"])])
        return 0
    write(console(), [joined([ended.end.value, _told(job.name, ended)])])
    if ended.end in THEN:
        write(console(), [THEN[ended.end]])
    if ended.failed_stop and ended.end is End.FINISHED:
        print(f"the stop failed: {WHY_ENDED}", file=sys.stderr)
        return 1
    return CODES.get(ended.end, 0)


def _told(name: str, progress: Progress) -> str:
    rate = progress.bytes / MEGABYTE / progress.seconds if progress.seconds else 0.0
    newest, pending = progress.checkpoint, progress.pending
    parts = [
        name,
        counted(progress.records, "record"),
        f"{grouped(round(progress.bytes / MEGABYTE))} MB at {rate:.1f} MB/s",
        counted(progress.completed, "checkpoint"),
        f"newest {newest}" if newest is not None else "none yet",
    ]
    if pending is not None:
        parts.append(f"{pending} pending")
    return joined([*parts, duration(progress.seconds)]).plain
