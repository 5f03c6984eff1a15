"""`python -m finale.reference.flink ORDER [FLINK]`: takes an order again, without any model."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from finale.model.errors import FinaleError, Place

from .jvms import Jvms
from .order import read_order
from .releases import release_of
from .run import Run, run_order

#: The exit codes if the order was not taken: the driver could not force a step, or Flink refused
#: the step.
NOT_FORCED, REFUSED = 3, 4
USAGE = "usage: python -m finale.reference.flink ORDER [FOLDER OR RELEASE OF FLINK]"


def main(arguments: list[str]) -> int:
    """Take an order, and print what happened. Returns 0 if all of the order was taken.

    Returns 4 if Flink refused a step of the order, and 3 if the driver could not force a step.
    """
    if len(arguments) not in (1, 2):
        print(USAGE, file=sys.stderr)
        return 2
    try:
        order = read_order(Path(arguments[0]))
        release = release_of(arguments[1] if len(arguments) == 2 else None)
        with Jvms(release, order.assumption) as jvms:
            run = run_order(order, jvms, _folder_beside(Path(arguments[0])))
    except FinaleError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    _tell(run)
    missed = run.taken.missed
    if missed is None:
        return 0
    return REFUSED if missed.refused else NOT_FORCED


def _folder_beside(file: Path) -> Path:
    """A new folder for a run, beside the order. Raises `unwritable`."""
    try:
        return Path(tempfile.mkdtemp(prefix="run-", dir=file.parent))
    except OSError as error:
        raise FinaleError(
            "unwritable",
            f"the folder of the order cannot be written: {error.strerror}",
            place=Place(str(file.parent)),
            advice="copy the order to a folder that you may write",
        ) from None


def _tell(run: Run) -> None:
    for moment in run.taken.moments:
        print(f"{moment.seconds:8.3f}  {moment.what}")
    outcome = run.outcome
    if run.taken.missed is not None:
        print(f"not taken: {run.taken.missed}")
        print(
            f"Flink refused the step: {run.taken.missed.refused}"
            if run.taken.missed.refused
            else "no line of Flink's log refuses the step: the driver could not force it"
        )
    print(f"the job is {outcome.status}{', and nothing moves' if outcome.rest else ''}")
    for each in outcome.unanswered:
        print(f"{each} has no answer")
    for each in outcome.lost if outcome.status == "FINISHED" else ():
        print(f"lost: {each}")
    for each in outcome.doubled:
        print(f"committed twice: {each}")
    print(f"logs: {run.folder}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
