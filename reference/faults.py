"""Faults as data: what goes wrong in a run, and when.

    [[fault]]
    kind  = "crash-task"            # a task fails, and with it the attempt of the job
    after = "complete"              # once steps of this name were taken
    nth   = 2                       # so often

    [[fault]]
    kind   = "late"                 # steps of a name wait
    step   = "apply_acknowledgement"
    task   = "K"
    until  = "trigger_checkpoint"   # for steps of another
    nth    = 3

    [[fault]]
    kind   = "lost"                 # a confirmation never arrives
    chance = 0.1                    # at each step
    times  = 2

A fault that can not happen when it is due happens as soon as it can. What waits goes on when
nothing else can.
"""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from model.errors import FinaleError, Place, nearest
from reference.engine import Engine
from reference.formats.faulty import Cut, FaultyFiles
from reference.formats.faulty import Fault as AtFile
from reference.formats.files import Files
from reference.schedulers import Seeded, run
from reference.settings import Faults
from reference.steps import StepId

#: The step that each kind is, if it is one.
STEPS = {
    "crash-task": "fail",
    "crash-worker": "fail",
    "lost": "lose_confirmation",
    "failed-snapshot": "fail_snapshot",
    "expired": "expire",
}
#: The other kinds: the process of the coordinator ends; steps wait; newer ones come first; the
#: disk is full, or the process ends, at the n-th moment at which it is written.
KINDS = (*STEPS, "crash-coordinator", "late", "reordered", "disk-full", "killed")
#: What the bounds of an engine call them.
COUNTED = {
    "failures": ("crash-task", "crash-worker"),
    "lost_confirmations": ("lost",),
    "declines": ("failed-snapshot",),
    "expiries": ("expired",),
}
OF_THE_ENVIRONMENT = frozenset(STEPS.values())


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong, `times` often: after the n-th step of a name, or by chance."""

    kind: str
    after: str = ""
    nth: int = 1
    chance: float = 0.0
    times: int = 1
    step: str = ""
    until: str = ""
    task: str = ""
    checkpoint: int = 0

    def is_about(self, step: StepId) -> bool:
        """Whether a step is of the task and the checkpoint that are named, if any is."""
        about = dict(step.binding)
        task = about.get("task") or about.get("channel", "").rpartition("→")[2]
        named = not self.checkpoint or about.get("checkpoint") == f"cp{self.checkpoint}"
        return self.task in ("", task) and named


def read_faults(text: str, file: str | None = None) -> tuple[Fault, ...]:
    """The faults that a TOML text lists. Raises `bad-fault`."""
    try:
        table: Mapping[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as reason:
        raise _bad(file, "fault", f"no TOML: {reason}", "see reference/faults.py") from None
    known: dict[str, type] = {each.name: type(each.default) for each in fields(Fault)}
    known["kind"] = str
    faults: list[Fault] = []
    for number, entry in enumerate(table.get("fault", [])):
        at = f"fault.{number + 1}"
        for key, value in entry.items():
            if key not in known:
                raise _bad(file, f"{at}.{key}", f'"{key}" means nothing', nearest(key, known))
            if not isinstance(value, (int, float) if known[key] is float else known[key]):
                raise _bad(file, f"{at}.{key}", f"{value!r} is no {known[key].__name__}", "")
        if entry.get("kind") not in KINDS:
            kind = str(entry.get("kind"))
            raise _bad(file, f"{at}.kind", f'nothing goes wrong as "{kind}"', nearest(kind, KINDS))
        faults.append(Fault(**entry))
    return tuple(faults)


def _bad(file: str | None, key: str, message: str, advice: str) -> FinaleError:
    return FinaleError("bad-fault", message, place=Place(file, key=key), advice=advice)


def bounds_of(faults: Iterable[Fault], checkpoints: int | None = None) -> Faults:
    """As many of everything as an engine must allow for."""
    often = Counter[str]()
    for fault in faults:
        often[fault.kind] += fault.times
    counts = {name: sum(often[kind] for kind in kinds) for name, kinds in COUNTED.items()}
    return Faults(checkpoints=checkpoints, **counts)


def files_of(faults: Iterable[Fault], files: Files) -> Files:
    """Files on which those faults happen that are of the disk."""
    for fault in faults:
        if fault.kind in ("disk-full", "killed"):
            how = AtFile.FULL if fault.kind == "disk-full" else AtFile.CUT
            files = FaultyFiles(files, fault.nth, how)
    return files


class Faulty:
    """A scheduler that lets things go wrong: by a seed, and as the list says."""

    def __init__(self, faults: Sequence[Fault], seed: int) -> None:
        self.faults = tuple(faults)
        self.crashed = False
        """The process of the coordinator has ended."""
        self._random = random.Random(seed)
        self._usual = Seeded(seed)
        self._taken: Counter[str] = Counter()
        self._struck: Counter[int] = Counter()

    def __call__(self, engine: Engine) -> StepId | None:
        ready = [step for step in engine.candidates() if engine.is_ready(step)]
        enabled = sorted(ready or engine.enabled())
        step = self._forced(enabled)
        if step is None and not self.crashed:
            usual = [each for each in enabled if each.name not in OF_THE_ENVIRONMENT]
            free = [each for each in usual if not self._waits(each, usual)]
            step = self._usual.among(free or usual)
        if step is not None:
            self._taken[step.name] += 1
        return step

    def _forced(self, enabled: Sequence[StepId]) -> StepId | None:
        for number, fault in enumerate(self.faults):
            if self._struck[number] >= fault.times or not self._is_due(number, fault):
                continue
            if fault.kind == "crash-coordinator":
                self._struck[number] += 1
                self.crashed = True
                return None
            name = STEPS.get(fault.kind)
            found = [s for s in enabled if s.name == name and fault.is_about(s)]
            if found:
                self._struck[number] += 1
                return self._random.choice(found)
        return None

    def _is_due(self, number: int, fault: Fault) -> bool:
        if fault.chance:
            return self._random.random() < fault.chance
        return self._taken[fault.after] >= fault.nth * (1 + self._struck[number])

    def _waits(self, step: StepId, others: Sequence[StepId]) -> bool:
        """Whether a step comes later, or after newer ones of its kind."""
        for fault in self.faults:
            if fault.step != step.name or not fault.is_about(step):
                continue
            if fault.kind == "late" and self._taken[fault.until] < fault.nth:
                return True
            if fault.kind == "reordered" and any(_is_newer(other, step) for other in others):
                return True
        return False


def _is_newer(one: StepId, other: StepId) -> bool:
    """Whether two calls differ only in that one is about a newer checkpoint."""
    mine, its = dict(one.binding), dict(other.binding)
    newer = int(mine.pop("checkpoint", "cp0")[2:]) > int(its.pop("checkpoint", "cp0")[2:])
    return newer and (one.name, mine) == (other.name, its)


Begin = Callable[[Engine], Callable[[StepId], object]]
"""Told of each engine that is started; what it gives is told of each step."""


def run_through(
    start: Callable[[], Engine], faulty: Faulty, begin: Begin, steps_max: int | None = None
) -> Engine:
    """Run a job, and start it again each time its process has ended. The last engine."""
    while True:
        faulty.crashed = False
        engine = start()
        try:
            run(engine, faulty, begin(engine), steps_max)
        except Cut:
            continue
        except FinaleError as error:
            if error.code != "disk-full":
                raise
            continue
        if not faulty.crashed:
            return engine


__all__ = ["Fault", "Faulty", "bounds_of", "files_of", "read_faults", "run_through"]
