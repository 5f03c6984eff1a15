"""What mutants meet: specs in lock-step, and random runs. The engine as it is stands each of them.

What the model says of a spec is worked out once, before.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from finale.checker.conformance.lockstep import Agreement, LockStep, ModelSteps
from finale.checker.logs.event_log.acceptance import Accepted
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from tests.engine_runs.microsteps import MicroSteps, Whole
from tests.engine_runs.random_runs import RandomRun, judged
from tests.mutation.mutants import HOME
from tests.mutation.runs import RUN, chosen
from tests.mutation.specs import CUT, file_of
from tests.protocols.specs import spec_of

Lines = frozenset[tuple[str, int]]
"""Lines by file and number."""


@dataclass(frozen=True)
class Trial(ABC):
    """What the engine as it is has stood, and what of it was used then."""

    name: str
    protocol: str
    cost: int
    """What comes first is what costs less."""
    used: Lines

    @abstractmethod
    def difference(self, goes_on: Callable[[], None]) -> str:
        """How the engine that is loaded now parts from the model; "" where it does not."""


@dataclass(frozen=True)
class Walk(Trial):
    """All states of a spec, in lock-step."""

    spec: Spec
    model: ModelSteps

    def difference(self, goes_on: Callable[[], None]) -> str:
        fresh: Any = importlib.import_module("finale.checker.conformance.lockstep")
        outcome = fresh.LockStep(self.spec, self.model).run(lambda _: goes_on())
        return "; ".join(outcome.what) if isinstance(outcome, fresh.Divergence) else ""


@dataclass(frozen=True)
class Cuts(Trial):
    """All states of a spec, each step cut at each of its micro-steps."""

    spec: Spec

    def difference(self, goes_on: Callable[[], None]) -> str:
        fresh: Any = importlib.import_module("tests.engine_runs.microsteps")
        outcome = fresh.MicroSteps(self.spec).run()
        return f"{outcome.moment}: {outcome.what}" if isinstance(outcome, fresh.Torn) else ""


@dataclass(frozen=True)
class Run(Trial):
    """One random run of a larger job."""

    chosen: RandomRun

    def difference(self, goes_on: Callable[[], None]) -> str:
        goes_on()
        fresh: Any = importlib.import_module("tests.engine_runs.random_runs")
        # What it was made by makes the engine as it was.
        again = fresh.RandomRun(**vars(self.chosen))
        verdict = fresh.judged(again, catalogue()).conforms
        refused = type(verdict).__name__ == "Rejected"
        return f"no run of the protocol is so from line {verdict.line} on" if refused else ""


def trial(name: str) -> Trial:
    """Confront the engine as it is: it must agree."""
    if name.startswith(RUN):
        return _run(name)
    spec = spec_of(file_of(name))
    if name.startswith(CUT):
        with noted() as used:
            whole = MicroSteps(spec).run()
        assert isinstance(whole, Whole), f"{name}: {whole}"
        return Cuts(name, spec.protocol.key, whole.disks, used(), spec)
    with noted() as used:
        both = LockStep(spec)
        outcome = both.run()
    assert isinstance(outcome, Agreement), f"{name}: {outcome}"
    return Walk(name, spec.protocol.key, outcome.states, used(), spec, both.model)


def _run(name: str) -> Run:
    run = chosen(name)
    with noted() as used:
        verdict = judged(run, catalogue())
    assert isinstance(verdict.conforms, Accepted), f"{name}: {verdict.conforms}"
    return Run(name, run.protocol, run.steps_max, used(), run)


@contextlib.contextmanager
def noted() -> Iterator[Callable[[], Lines]]:
    """Which lines of the engine are run meanwhile."""
    folder = f"{HOME / 'reference'}/"
    left: dict[CodeType, set[int]] = {}
    every: dict[CodeType, set[int]] = {}

    def called(frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        if code not in left:
            own = code.co_filename.startswith(folder)
            every[code] = _body_of(code) | _head_of(code) if own else set()
            left[code] = every[code] - _head_of(code)
        return went if left[code] else None

    def went(frame: FrameType, event: str, _: Any) -> Callable[..., Any]:
        left[frame.f_code].discard(frame.f_lineno)
        return went

    def used() -> Lines:
        return frozenset(
            (Path(code.co_filename).relative_to(HOME).as_posix(), line)
            for code, lines in every.items()
            for line in lines - left[code]
        )

    sys.settrace(called)
    try:
        yield used
    finally:
        sys.settrace(None)


def _body_of(code: CodeType) -> set[int]:
    return {line for _, _, line in tuple(code.co_lines()) if line is not None} - {
        code.co_firstlineno
    }


def _head_of(code: CodeType) -> set[int]:
    """What is in front of the body: it is read when that is called."""
    first = code.co_firstlineno
    return set(range(first, min(_body_of(code), default=first + 1)))
