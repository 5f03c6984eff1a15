"""Judging mutants: each runs in a process of its own, in lock-step with the model on small specs.

The model's side is worked out once, before; a mutant meets the specs that use the changed function,
the smallest first, until one of them tells it from the engine.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO

from tests.mutation.mutants import ROOT, Mutant
from tests.mutation.trials import Trial, trial

#: So many trials of each protocol are the first.
FEW = 2

#: A step of a mutant that takes so long never ends.
SECONDS_OF_A_STEP = 20

#: What both sides speak in; it stays as it is when the engine is loaded anew.
SHARED = frozenset({"finale.reference", "finale.reference.steps"})


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant.

    `kind` is `differs` (the two part), `crash` (the engine raises), `hang` (a step never ends) or
    `survives`; `spec` is the one that told, `said` the first difference.
    """

    kind: str
    spec: str = ""
    said: str = ""


class Bench:
    """Trials that the engine as it is has stood, the cheapest first."""

    def __init__(self, names: Sequence[str], progress: Callable[[str], None] = print) -> None:
        self.trials: list[Trial] = []
        for name in names:
            self.trials.append(trial(name))
            progress(f"{name}: {self.trials[-1].cost:,}")
        self.trials.sort(key=lambda each: each.cost)
        # What is known is shared with all children, as long as nobody counts its references.
        gc.collect()
        gc.freeze()

    def concerned(self, mutant: Mutant) -> list[Trial]:
        """The trials that run what a mutant changes. What is outside of functions all run."""
        places = {(mutant.file, line) for line in mutant.lines}
        return [each for each in self.trials if not mutant.in_function or places & each.used]

    def first(self, mutant: Mutant) -> list[Trial]:
        """The two cheapest of each protocol: most mutants are told by one of them."""
        counted: Counter[str] = Counter()
        found: list[Trial] = []
        for each in self.concerned(mutant):
            counted[each.protocol] += 1
            if counted[each.protocol] <= FEW:
                found.append(each)
        return found

    def others(self, mutant: Mutant) -> list[Trial]:
        """All but the first."""
        first = {each.name for each in self.first(mutant)}
        return [each for each in self.concerned(mutant) if each.name not in first]

    def judge(self, mutant: Mutant, trials: Sequence[Trial] | None = None) -> Verdict:
        """Run a mutant, in a process of its own, in trials; else in all that concern it."""
        meets = self.concerned(mutant) if trials is None else trials
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(reading)
                with os.fdopen(writing, "w", buffering=1) as answer:
                    print(json.dumps(vars(_judged(mutant, meets, answer))), file=answer)
            finally:
                # Whatever comes, also that nobody listens any more: what follows is the parent's.
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as answer:
            last = answer.read().splitlines()[-1]
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            kind = "hang" if os.WTERMSIG(status) == signal.SIGVTALRM else "crash"
            return Verdict(kind, last, f"signal {os.WTERMSIG(status)}")
        return Verdict(**json.loads(last))


def _judged(mutant: Mutant, trials: Sequence[Trial], telling: TextIO) -> Verdict:
    name = ""
    try:
        load_anew(mutant)
        for each in trials:
            name = each.name
            print(name, file=telling)
            _again()
            if said := each.difference(_again):
                return Verdict("differs", name, said)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
        return Verdict("crash", name, said)
    return Verdict("survives")


def _again() -> None:
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_OF_A_STEP)


def load_anew(mutant: Mutant) -> None:
    """Forget the engine and who uses it: with the next import the mutant is in it."""
    for name in list(sys.modules):
        loaded = name.startswith(
            ("finale.reference", "finale.checker.conformance", "tests.engine_runs")
        )
        if loaded and name not in SHARED:
            del sys.modules[name]
    sys.meta_path.insert(0, Changed(mutant))


class Changed(MetaPathFinder, Loader):
    """Finds one module, with a change in it."""

    def __init__(self, mutant: Mutant) -> None:
        self.path = ROOT / mutant.file
        name = mutant.file.removesuffix(".py").replace("/", ".")
        self.name = f"finale.{name.removesuffix('.__init__')}"
        self.source = mutant.applied(self.path.read_bytes())

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        package = self.path.name == "__init__.py"
        return spec_from_loader(fullname, self, origin=str(self.path), is_package=package)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, str(self.path), "exec"), vars(module))
