"""`finale conform`: model and engine in lock-step, over all that a spec can reach."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from checker.conformance.engines import NO_COUNTERPART
from checker.conformance.lockstep import Agreement, Disagreement, LockStep
from checker.loading import catalogue
from checker.rows import Exit
from checker.show.conformance import compared_lines, summary_line, unbuilt_line
from checker.show.layout import console, write
from checker.spec import read_spec
from model.errors import FinaleError

from .check import specs_in
from .errors import print_error
from .main import VERSION
from .meter import Meter


def conform(
    *paths: Annotated[Path, Parameter(help="Specs, or folders with specs in them.")],
    format: Annotated[Literal["text", "json"], Parameter(help="How to print it.")] = "text",
) -> int:
    """Compare model and engine in lock-step, over all that a spec can reach."""
    if not paths:
        raise FinaleError(
            "no-paths",
            "no spec is given",
            advice="name specs, or folders: finale conform specs/final-checkpoint",
        )
    results = Compared(format == "text")
    for path in paths:
        try:
            files = list(specs_in(path))
        except FinaleError as error:
            results.note(error)
            continue
        for file in files:
            results.compare(file, alone=not path.is_dir())
    return results.close()


@dataclass
class Compared:
    """What was compared so far, printed as it comes."""

    as_text: bool
    rows: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    agree: int = 0
    differ: int = 0
    unbuilt: int = 0
    states: int = 0
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
            ok = not self.differ and not self.errors
            print(json.dumps({"finale": VERSION, "results": self.rows, "ok": ok}, indent=2))
        elif self.rows:
            line = summary_line(self.agree, self.differ, self.unbuilt, self.states)
            write(console(), [line])
        if self.errors:
            return Exit.BAD_INPUT
        return Exit.FAILED if self.differ else Exit.AS_EXPECTED


def _row(outcome: Agreement | Disagreement) -> dict[str, object]:
    if isinstance(outcome, Agreement):
        return asdict(outcome)
    return {"steps": [str(step) for step in outcome.steps], "differences": outcome.what}
