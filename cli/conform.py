"""`finale conform`: model and engine in lock-step, or whether the model explains an event log."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from checker.conformance.acceptance import (
    ALL_STEPS,
    Accepted,
    Rejected,
    Undecided,
    Verdict,
    Visible,
    accept,
)
from checker.conformance.engines import NO_COUNTERPART
from checker.conformance.lockstep import Agreement, Disagreement, LockStep
from checker.loading import catalogue
from checker.rows import Exit
from checker.show.conformance import compared_lines, judged_lines, summary_line, unbuilt_line
from checker.show.layout import console, write
from checker.spec import read_spec
from model.errors import FinaleError, Place, nearest
from reference.formats.eventlog import Log, read_log

from .check import specs_in
from .errors import print_error
from .main import VERSION
from .meter import Meter


def conform(
    *paths: Annotated[
        Path, Parameter(help="Specs, folders with specs in them, or event logs (*.ndjson).")
    ],
    unseen: Annotated[
        tuple[str, ...],
        Parameter(help="A step that an event log may not tell. May be given again."),
    ] = (),
    format: Annotated[Literal["text", "json"], Parameter(help="How to print it.")] = "text",
) -> int:
    """Compare model and engine in lock-step, over all that a spec can reach.

    Of an event log it says whether some run of its protocol explains it, and what that run shows.
    """
    if not paths:
        raise FinaleError(
            "no-paths",
            "no spec is given",
            advice="name specs, or folders: finale conform specs/final-checkpoint",
        )
    results = Compared(format == "text")
    profile = dict.fromkeys(map(_step_name, unseen), Visible.MAYBE)
    for path in paths:
        if path.suffix == LOG_SUFFIX:
            results.judge(path, profile)
            continue
        try:
            files = list(specs_in(path))
        except FinaleError as error:
            results.note(error)
            continue
        for file in files:
            results.compare(file, alone=not path.is_dir())
    return results.close()


LOG_SUFFIX = ".ndjson"


def _step_name(name: str) -> str:
    """The name of a step. Raises `unknown-step`."""
    if name not in ALL_STEPS:
        raise FinaleError(
            "unknown-step",
            f'no event of a log is called "{name}"',
            advice=nearest(name, sorted(ALL_STEPS)),
        )
    return name


@dataclass
class Compared:
    """What was compared so far, printed as it comes."""

    as_text: bool
    rows: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    agree: int = 0
    differ: int = 0
    unbuilt: int = 0
    states: int = 0
    logs: int = 0
    rejected: int = 0
    undecided: int = 0
    errors: int = 0

    def note(self, error: FinaleError) -> None:
        """What cannot be compared. The others still are."""
        self.errors += 1
        print_error(error)

    def compare(self, file: Path, *, alone: bool) -> None:
        """One spec. In a folder those without a counterpart are passed over, and named."""
        began = time.monotonic()
        try:
            spec = read_spec(file, catalogue())
            with Meter(file.name) as meter:
                outcome = LockStep(spec).run(meter)
        except FinaleError as error:
            if alone or error.code not in NO_COUNTERPART:
                self.note(error)
            else:
                self._pass_over(file, error)
            return
        seconds = time.monotonic() - began
        self._count(outcome)
        self.rows.append(
            {"spec": str(file), "agrees": isinstance(outcome, Agreement)} | _row(outcome)
        )
        if self.as_text:
            write(console(), compared_lines(str(file), outcome, seconds))

    def judge(self, file: Path, profile: Mapping[str, Visible]) -> None:
        """An event log."""
        began = time.monotonic()
        try:
            lines = _lines_of(file)
            log = read_log(lines, str(file))
            verdict = accept(log, profile=profile, file=str(file))
        except FinaleError as error:
            self.note(error)
            return
        self.logs += 1
        self.rejected += isinstance(verdict.conforms, Rejected)
        self.undecided += isinstance(verdict.conforms, Undecided)
        self.rows.append(_judged(file, log, verdict))
        if self.as_text:
            seconds = time.monotonic() - began
            write(console(), judged_lines(str(file), log, verdict, seconds, lines))

    def _pass_over(self, file: Path, error: FinaleError) -> None:
        self.unbuilt += 1
        self.rows.append({"spec": str(file), "agrees": None, "why": error.message})
        if self.as_text:
            write(console(), [unbuilt_line(str(file), error.message)])

    def _count(self, outcome: Agreement | Disagreement) -> None:
        if isinstance(outcome, Agreement):
            self.agree += 1
            self.states += outcome.states
        else:
            self.differ += 1

    def close(self) -> Exit:
        """Print what it comes to; the exit code."""
        if not self.as_text:
            ok = not (self.differ or self.errors or self.rejected or self.undecided)
            print(json.dumps({"finale": VERSION, "results": self.rows, "ok": ok}, indent=2))
        elif len(self.rows) > self.logs:
            line = summary_line(self.agree, self.differ, self.unbuilt, self.states)
            write(console(), [line])
        if self.errors:
            return Exit.BAD_INPUT
        if self.differ or self.rejected:
            return Exit.FAILED
        return Exit.LIMIT if self.undecided else Exit.AS_EXPECTED


def _row(outcome: Agreement | Disagreement) -> dict[str, object]:
    if isinstance(outcome, Agreement):
        return asdict(outcome)
    return {"steps": [str(step) for step in outcome.steps], "differences": outcome.what}


def _lines_of(file: Path) -> list[str]:
    """The lines of an event log. Raises `unreadable`."""
    try:
        return file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise FinaleError(
            "unreadable",
            f"the event log cannot be read: {error.strerror}",
            place=Place(str(file)),
            advice="check the name, and who may read it",
        ) from None


def _judged(file: Path, log: Log, verdict: Verdict) -> dict[str, object]:
    row: dict[str, object] = {"log": str(file), "events": log.count}
    match verdict.conforms:
        case Accepted() as accepted:
            row |= {"conforms": "accepted", "unseen": accepted.unseen}
        case Rejected() as rejected:
            whys = [refusal.why for refusal in rejected.refusals]
            row |= {"conforms": "rejected", "line": rejected.line, "event": rejected.event}
            row |= {"why": whys, "states": rejected.states}
        case Undecided() as undecided:
            row |= {"conforms": "undecided", "line": undecided.line, "why": undecided.why}
    findings = [
        {"property": f.property, "binding": dict(f.binding), "line": f.line}
        | {"severity": f.severity.value}
        for f in verdict.findings
    ]
    unread = {"unreadable": list(log.unreadable), "unknown": dict(log.unknown)}
    return row | {"findings": findings, "coverage": verdict.coverage.value} | unread
