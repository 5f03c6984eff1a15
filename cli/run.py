"""`finale run`: runs a job on the engine, from where an earlier run has left off."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from checker.show.layout import console, counted, duration, joined, write
from reference.formats.jobfile import read_job
from reference.runner import Progress
from reference.runner import run as run_job


def run(
    job: Annotated[Path, Parameter(help="A job, a TOML file.")],
    *,
    directory: Annotated[
        Path, Parameter(help="Where its checkpoints and its output are; it goes on from there.")
    ],
) -> int:
    """Run a job on the engine until it has finished."""
    page = console(stderr=True)
    with page.status("", spinner="line") as status:

        def look(progress: Progress) -> None:
            status.update(_told(job.name, progress))

        ended = run_job(read_job(job), directory, look if page.is_terminal else None)
    write(console(), [f"finished · {_told(job.name, ended)}"])
    return 0


def _told(name: str, progress: Progress) -> str:
    newest = progress.checkpoint
    return joined(
        [
            name,
            f"checkpoint {newest}" if newest is not None else "no checkpoint yet",
            counted(progress.steps, "step"),
            duration(progress.seconds),
        ]
    ).plain
