"""`finale engine stop|savepoint|cancel`: send a request to a run, and wait for the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from finale.checker.report.layout import console, joined, write
from finale.model.errors import FinaleError
from finale.reference.formats.control import ask
from finale.reference.formats.snapshots import FOLDER

from .errors import print_error, tell
from .parameters import PLAIN, require_seconds

Directory = Annotated[Path, Parameter(help="Folder of the run: its --directory.")]
Seconds = Annotated[
    float, Parameter(name="--max-seconds", help="Time limit for the answer, in seconds.")
]


def stop(
    directory: Directory,
    *,
    drain: Annotated[
        bool,
        PLAIN,
        Parameter(
            help="End the job for good: operators emit the results that they hold (default: the "
            "job can continue later)."
        ),
    ] = False,
    seconds: Seconds = 60.0,
) -> int:
    """Stop a running job with a savepoint."""
    return _ask(directory, seconds, "drained" if drain else "suspended", what="stop", drain=drain)


def savepoint(directory: Directory, *, seconds: Seconds = 60.0) -> int:
    """Take a savepoint of a running job; the job continues."""
    return _ask(directory, seconds, "saved", what="savepoint")


def cancel(directory: Directory, *, seconds: Seconds = 60.0) -> int:
    """End a run at once; its job can go on from its newest checkpoint."""
    return _ask(directory, seconds, "cancelled", what="cancel")


def _ask(directory: Path, seconds: float, done: str, **request: Any) -> int:
    require_seconds("--max-seconds", seconds)
    try:
        answer = ask(directory, seconds=seconds, **request)
    except FinaleError as error:
        if error.code != "no-answer":
            raise
        print_error(error)
        return 3
    if not answer["ok"]:
        tell(f"the {request['what']} failed: {answer['why']}")
        return 1
    where = answer.get("savepoint")
    told = [done] if where is None else [done, f"savepoint {directory / FOLDER / str(where)}"]
    write(console(), [joined(told)])
    return 0
