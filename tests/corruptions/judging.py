"""Judges corrupted copies of logs as a user would: by the command, its exit code and its rows."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from finale.checker.logs.lines import Observed
from tests.cli.running import run
from tests.conformance.corrupted import Copy, Original
from tests.conformance.corruptions import HOW, copies

SEED = 1
_STOPS = {"Terminate Savepoint", "Suspend Savepoint"}
_FAILURES = (
    Observed.STOPS,
    Observed.LOST,
    Observed.RUNS,
    Observed.RESTORED,
)


class Family(enum.Enum):
    """What happens in a run, beside checkpoints and the ends of tasks."""

    PLAIN = "plain"
    FAILOVERS = "failovers"
    FAILURES = "failures"
    STOPS = "stops"
    SAVEPOINTS = "savepoints"
    CANCELLED = "cancelled"


class Outcome(enum.Enum):
    """What the command says of a copy."""

    AT_ITS_LINE = "rejected at its line"
    REJECTED = "rejected at another line"
    FOUND = "undecided, with a finding"
    UNDECIDED = "undecided"
    ACCEPTED_FOUND = "accepted, with a finding"
    ACCEPTED = "accepted"


@dataclass(frozen=True)
class Said:
    """What the command says of a copy: its exit code, and the line that it tells."""

    kind: str
    family: Family
    name: str
    outcome: Outcome
    exit: int
    line: int | None
    wrong: int | None


def family_of(original: Original) -> Family:
    """The family of a run; a failover comes first, then a stop, since stops fail tasks."""
    if original.by_kind[Observed.CRASHED]:
        return Family.FAILOVERS
    words = {event.word for event in original.run.events}
    kinds = {observation.kind for observation in original.by_kind[Observed.TRIGGERED]}
    if "request_stop" in words or kinds & _STOPS:
        return Family.STOPS
    if "request_savepoint" in words or "Savepoint" in kinds:
        return Family.SAVEPOINTS
    if original.by_kind[Observed.CANCELLING]:
        return Family.CANCELLED
    if any(original.by_kind[seen] for seen in _FAILURES):
        return Family.FAILURES
    return Family.PLAIN


def chosen(originals: Sequence[Original], each: int, kinds: Sequence[str] = tuple(HOW)
           ) -> Iterator[tuple[Family, Copy]]:  # fmt: skip
    """So many copies of each kind in each family."""
    families: dict[Family, list[Original]] = {family: [] for family in Family}
    for original in originals:
        families[family_of(original)].append(original.anywhere())
    for kind in kinds:
        for family, own in families.items():
            for copy in copies(kind, own, each, SEED):
                yield family, copy


def write(copy: Copy, folder: Path) -> None:
    """Write the logs of a copy into a folder."""
    folder.mkdir(exist_ok=True)
    for number, lines in enumerate(copy.logs()):
        (folder / f"{number}.log").write_bytes(b"\n".join((*lines, b"")))


def answer(copy: Copy, folder: Path) -> tuple[dict[str, Any], int, int | None]:
    """What `finale validate --accept` says of a copy, whose logs are written into a folder: the
    row of its job, the exit code, and the line that it tells."""
    write(copy, folder)
    ran = run(f"validate {folder} --accept --format json")
    assert not ran.stderr, ran.stderr
    (job,) = (each for each in json.loads(ran.stdout)["results"] if each["job"] == copy.job)
    told = re.match(r"line (\d+), ", job["conforms"]["why"] or "")
    return job, ran.exit, int(told[1]) if told else None


def judged(family: Family, copy: Copy, folder: Path) -> Said:
    """What the command says of a copy, with its family."""
    job, code, line = answer(copy, folder)
    wrong = None if copy.wrong is None else copy.wrong[1]
    return Said(copy.kind, family, copy.name, _outcome(job, line, wrong), code, line, wrong)


def _outcome(job: dict[str, Any], line: int | None, wrong: int | None) -> Outcome:
    conforms, shows = job["conforms"], any(e["severity"] != "open" for e in job["findings"])
    if conforms["rejected"]:
        return Outcome.REJECTED if line != wrong and wrong is not None else Outcome.AT_ITS_LINE
    if conforms["accepted"]:
        return Outcome.ACCEPTED_FOUND if shows else Outcome.ACCEPTED
    return Outcome.FOUND if shows else Outcome.UNDECIDED
