"""Judging mutants: each runs in a process of its own, in lock-step with the model on small specs.

The model's side is worked out once, before; a mutant meets the specs that use the changed function,
the smallest first, until one of them tells it from the engine.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

from checker.claim import Spec
from checker.conformance.lockstep import Agreement, LockStep, Model
from tests.mutation.mutants import ROOT, Mutant
from tests.protocols.specs import ROOT as SPECS
from tests.protocols.specs import spec_of

#: A step of a mutant that takes so long never ends.
SECONDS_OF_A_STEP = 20

#: What both sides speak in; it stays as it is when the engine is loaded anew.
SHARED = frozenset({"reference", "reference.steps"})


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant.

    `kind` is `differs` (the two part), `crash` (the engine raises), `hang` (a step never ends) or
    `survives`; `spec` is the one that told, `said` the first difference.
    """

    kind: str
    spec: str = ""
    said: str = ""
    specs: int = 0
    """How many it has met."""


@dataclass(frozen=True)
class Walked:
    """A spec that the engine as it is agrees with, and what it has used of the engine."""

    name: str
    spec: Spec
    model: Model
    states: int
    used: frozenset[tuple[str, str]]
    """Functions by file and qualified name."""


def walk(name: str) -> Walked:
    """Compare the engine as it is: it must agree."""
    spec = spec_of(SPECS / f"{name}.toml")
    with noted_calls() as used:
        both = LockStep(spec)
        outcome = both.run()
    assert isinstance(outcome, Agreement), f"{name}: {outcome}"
    return Walked(name, spec, both.model, outcome.states, frozenset(used()))


@contextlib.contextmanager
def noted_calls() -> Iterator[Callable[[], set[tuple[str, str]]]]:
    """Which functions of the engine are called meanwhile."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        codes.add(frame.f_code)

    def used() -> set[tuple[str, str]]:
        folder = f"{ROOT / 'reference'}/"
        return {
            (Path(code.co_filename).relative_to(ROOT).as_posix(), _function(code))
            for code in codes
            if code.co_filename.startswith(folder)
        }

    sys.settrace(note)
    try:
        yield used
    finally:
        sys.settrace(None)


def _function(code: CodeType) -> str:
    """The function that a comprehension or a lambda is in."""
    return code.co_qualname.split(".<locals>")[0]


class Bench:
    """Specs, walked, smallest first."""

    def __init__(self, names: Sequence[str], progress: Callable[[str], None] = print) -> None:
        self.walked: list[Walked] = []
        for name in names:
            self.walked.append(walk(name))
            progress(f"{name}: {self.walked[-1].states:,} states")
        self.walked.sort(key=lambda each: each.states)
        # What is known is shared with all children, as long as nobody counts its references.
        gc.collect()
        gc.freeze()

    def concerned(self, mutant: Mutant, of_protocol: int | None = None) -> list[Walked]:
        """The specs that use what a mutant changes; or only so many of each protocol.

        What is outside of functions all of them use.
        """
        place = mutant.file, mutant.function
        found: list[Walked] = []
        counted: Counter[str] = Counter()
        for each in self.walked:
            if not mutant.in_function or place in each.used:
                key = each.spec.protocol.key
                counted[key] += 1
                if of_protocol is None or counted[key] <= of_protocol:
                    found.append(each)
        return found

    def judge(self, mutant: Mutant, of_protocol: int | None = None) -> Verdict:
        """Run a mutant in a process of its own."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            with os.fdopen(writing, "w") as answer:
                answer.write(json.dumps(vars(self._judged(mutant, of_protocol))))
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as answer:
            text = answer.read()
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            hangs = os.WTERMSIG(status) == signal.SIGVTALRM
            return Verdict("hang" if hangs else "crash", said=f"signal {os.WTERMSIG(status)}")
        return Verdict(**json.loads(text))

    def _judged(self, mutant: Mutant, of_protocol: int | None) -> Verdict:
        concerned = self.concerned(mutant, of_protocol)
        name = ""
        try:
            load_anew(mutant)
            fresh: Any = importlib.import_module("checker.conformance.lockstep")
            for walked in concerned:
                name = walked.name
                signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_OF_A_STEP)
                both = fresh.LockStep(walked.spec, walked.model)
                outcome = both.run(lambda _: _again())
                if isinstance(outcome, fresh.Disagreement):
                    return Verdict("differs", name, "; ".join(outcome.what), len(concerned))
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
            return Verdict("crash", name, said, len(concerned))
        return Verdict("survives", specs=len(concerned))


def _again() -> None:
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_OF_A_STEP)


def load_anew(mutant: Mutant) -> None:
    """Forget the engine and who uses it: with the next import the mutant is in it."""
    for name in list(sys.modules):
        loaded = name.split(".")[0] == "reference" or name.startswith("checker.conformance")
        if loaded and name not in SHARED:
            del sys.modules[name]
    sys.meta_path.insert(0, Changed(mutant))


class Changed(MetaPathFinder, Loader):
    """Finds one module, with a change in it."""

    def __init__(self, mutant: Mutant) -> None:
        self.path = ROOT / mutant.file
        name = mutant.file.removesuffix(".py").replace("/", ".")
        self.name = name.removesuffix(".__init__")
        self.source = mutant.applied(self.path.read_bytes())

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        package = self.path.name == "__init__.py"
        return spec_from_loader(fullname, self, origin=str(self.path), is_package=package)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, str(self.path), "exec"), vars(module))
