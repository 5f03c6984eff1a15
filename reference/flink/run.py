"""One run of an order on a Flink, and the folder that it leaves: order, logs, what happened."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from finale.model.errors import FinaleError, Place

from .director import (
    DRAINS,
    NEEDS,
    OF_SOURCES,
    OF_TASK,
    REQUESTS,
    RESUME,
    STOP,
    TOGETHER,
    Director,
    Taken,
)
from .facts import facts_of
from .job import sources_of
from .jvms import LOG, Jvms
from .order import ORDER_FILE, Order
from .outcome import RunOutcome, taken_to_end
from .releases import Release, hooks_file
from .session import Session

#: What takes the order of a folder again, without a model.
SCRIPT = "again.sh"
AGAIN = """\
#!/bin/sh
# Takes the order of this folder again: ./again.sh [FOLDER OR RELEASE OF FLINK]
# It needs Python with Finale installed, and a JDK. It needs no rule of Finale.
# Exit codes: 0 if the whole order was taken, 3 if the driver could not force a step, 4 if Flink
# refused a step, 2 if the order or the Flink cannot be used.
exec python3 -m finale.reference.flink "$(dirname "$0")/order.json" "$@"
"""


@dataclass(frozen=True)
class Run:
    """A run: how far the order was taken, and what became of the job."""

    folder: Path
    release: Release
    taken: Taken
    outcome: RunOutcome

    @property
    def log(self) -> Path:
        return self.folder / LOG


def prepared_folder(folder: Path) -> Path:
    """Make a folder for runs. Raises `directory-not-empty`, `unwritable`."""
    empty_folder(folder)
    try:
        add_script(folder, "x")  # of two at once only one gets it
    except OSError as error:
        raise _unwritable(folder, error) from None
    return folder


def empty_folder(folder: Path) -> Path:
    """Make a folder that is empty. Raises `directory-not-empty`, `unwritable`."""
    try:
        if folder.exists() and any(folder.iterdir()):
            raise FinaleError(
                "directory-not-empty",
                "the folder of a reproduction must be empty",
                place=Place(str(folder)),
                advice="name another folder with --output, or one that is empty",
            )
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from None
    return folder


def _unwritable(folder: Path, error: OSError) -> FinaleError:
    return FinaleError(
        "unwritable",
        f"the folder cannot be written: {error.strerror}",
        place=Place(str(folder)),
        advice="name another folder with --output",
    )


def add_script(folder: Path, mode: Literal["w", "x"] = "w") -> None:
    """Write the script that takes the order of a folder again. Raises `OSError`."""
    script = folder / SCRIPT
    with script.open(mode, encoding="utf-8") as file:
        file.write(AGAIN)
    script.chmod(0o755)


def _wrong(order: Order) -> Iterator[str]:
    """What no driven run can do: steps that say too little, or that are about the wrong thing."""
    sources = {each.name for each in sources_of(order.job)}
    names = {step.name for step in order.steps}
    if names & TOGETHER and not names >= TOGETHER:
        yield f"{', '.join(sorted(TOGETHER))} belong together"
    for step in order.steps:
        missing = [key for key in NEEDS.get(step.name, ()) if key not in step.about]
        if missing:
            yield f"{step} does not say its {', '.join(missing)}"
        if step.name == STOP and step.about.get("drain", "drain") not in DRAINS:
            yield f"{step} has a drain that is none of {', '.join(sorted(DRAINS))}"
        if step.name == RESUME and step.about.keys().isdisjoint({"request", "checkpoint"}):
            yield f"{step} does not say from which request or checkpoint"
        source = step.about.get("source") or step.about.get("task")
        if step.name in OF_SOURCES and source is not None and source not in sources:
            yield f"{step} is about {source}, which is no source"


def _check(order: Order, release: Release) -> None:
    """Refuse an order that no driven run can take, and a step that no hook and no command takes."""
    facts = facts_of(release)
    for why in _wrong(order):
        raise FinaleError(
            "bad-order",
            f"this is no order: {why}",
            place=Place(ORDER_FILE),
            advice="take a file order.json that finale reproduce has written",
        )
    for step in order.steps:
        if not facts.takes(step.name) or (step.name in OF_TASK and "task" not in step.about):
            raise FinaleError(
                "hook-missing",
                f"a driven Flink {release.version} cannot be made to take {step}",
                place=Place(str(release.folder)),
                advice=f"correct the order, or add the hook to {hooks_file(release).name}",
            )


def run_order(order: Order, jvms: Jvms, folder: Path) -> Run:
    """Run a job along an order. Raises `hook-missing`, and what `Session` raises."""
    _check(order, jvms.release)
    asked = {step.request: REQUESTS[step.name] for step in order.steps if step.name in REQUESTS}
    with Session(jvms, order.job, order.settings, folder) as session:
        director = Director(session, order)
        taken = director.take()
        outcome = taken_to_end(session, director, asked, order.probe)
    page = {
        "format": "finale-run/1",
        "release": jvms.release.version,
        "taken": taken.missed is None,
        "missed": None if taken.missed is None else str(taken.missed),
        "refused": "" if taken.missed is None else taken.missed.refused,
        "ids": taken.ids,
        "outcome": asdict(outcome),
        "moments": [asdict(each) for each in taken.moments],
    }
    write_file(folder / "outcome.json", json.dumps(page, indent=1) + "\n")
    return Run(folder, jvms.release, taken, outcome)


def write_file(file: Path, text: str) -> None:
    """Write a file of a run, or its order. Raises `unwritable`."""
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FinaleError(
            "unwritable",
            f"this file of a run cannot be written: {error.strerror}",
            place=Place(str(file)),
            advice="free some space, and take the order again",
        ) from None


__all__ = ["Run", "add_script", "empty_folder", "prepared_folder", "run_order", "write_file"]
