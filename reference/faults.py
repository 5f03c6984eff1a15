"""Injects the faults of a list into a run.

Lists are read by `formats/faultlist.py`. A fault is due after the n-th event of a name, or by
chance, and strikes as soon as it can. What is held back comes when nothing else can happen, at the
latest.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from finale.model.errors import FinaleError
from finale.model.events import DATA_STEPS
from finale.reference.engine import Engine
from finale.reference.formats.faultlist import HOLDING, OF_FILES, PlannedFault
from finale.reference.formats.faulty import FaultyFiles, ProcessEnds
from finale.reference.formats.files import Files
from finale.reference.steps import StepId
from finale.reference.task import Phase

FOR_EVER = 2**60


class Strikes:
    """The past and due faults of a list, over all processes of a run."""

    def __init__(self, faults: Sequence[PlannedFault], seed: int = 0) -> None:
        self.faults = tuple(faults)
        self.struck: Counter[int] = Counter()
        """How often each has, by its place in the list."""
        self._random = random.Random(seed)
        self._taken: Counter[str] = Counter()
        """How often each event has come, and any."""
        self._due: list[int] = []
        self._held: dict[tuple[int, StepId], int] = {}
        """Until how many events a message waits."""
        self._unanswered: set[int] = set()
        """Checkpoints that only time ends."""
        self._wrapped: dict[int, FaultyFiles] = {}
        self._untold: list[Mapping[str, object]] = []
        self._tell: Callable[[Mapping[str, object]], object] = self._untold.append

    # --- processes -------------------------------------------------------------------------------

    def files(self, files: Files) -> Files:
        """The files of a process that begins: what is of the disk happens to one of them."""
        self._wrapped, self._held, self._unanswered = {}, {}, set()
        for number, fault in enumerate(self.faults):
            if fault.kind in OF_FILES and self.struck[number] < fault.times:
                room, at = (fault.bytes, None) if fault.bytes else (None, fault.nth - 1)
                files = FaultyFiles(files, at, OF_FILES[fault.kind], room)
                self._wrapped[number] = files
        return files

    def tell(self, told: Callable[[Mapping[str, object]], object]) -> None:
        """Report faults to this function, the fault that ended the process first."""
        self._tell = told
        while self._untold:
            told(self._untold.pop(0))

    def have_ended(self, reason: BaseException) -> bool:
        """Whether a fault has ended a process, so that another process continues."""
        self._tell = self._untold.append
        hit = [number for number, files in self._wrapped.items() if files.struck]
        for number in hit:
            self._strike(number)
        full = isinstance(reason, FinaleError) and reason.code == "disk-full"
        return isinstance(reason, ProcessEnds) or (full and bool(hit))

    # --- what happens ----------------------------------------------------------------------------

    def saw(self, step: StepId) -> None:
        """A step was taken. Those that move records are no events."""
        if step.name in DATA_STEPS:
            return
        self._taken.update((step.name, ""))
        for number, held in list(self._held):
            if held == step or step.name == "fail":
                del self._held[number, held]  # it is gone, and another may be called so
            elif self.faults[number].kind == "reordered" and _is_newer(step, held):
                self._held[number, held] = 0
        for number, fault in enumerate(self.faults):
            if fault.kind not in (*HOLDING, *OF_FILES) and self._is_due(number, fault):
                self._due.append(number)

    def _is_due(self, number: int, fault: PlannedFault) -> bool:
        before = self.struck[number] + self._due.count(number)
        needed = fault.nth * (1 if fault.chance else 1 + before)
        return before < fault.times and self._taken[fault.after] >= needed and self._falls(fault)

    def _falls(self, fault: PlannedFault) -> bool:
        return not fault.chance or self._random.random() < fault.chance

    def next(self, engine: Engine) -> StepId | None:
        """Inject the next due fault, if it is possible now. Raises `ProcessEnds`."""
        for number in self._due:
            fault = self.faults[number]
            if fault.kind == "crash-coordinator":
                self._due.remove(number)
                self._tell = self._untold.append
                self._strike(number)
                raise ProcessEnds
            found = [each for each in _steps(engine, fault.step) if fault.is_about(each)]
            crash = fault.step == "fail"
            hit = _alive(engine, fault) if crash else []
            if found and (hit or not crash):
                self._due.remove(number)
                step = self._random.choice(found)
                if fault.needs_time:
                    self._unanswered.add(_checkpoint(step))
                if fault.kind == "crash-task":
                    hit = [self._random.choice(hit)]
                self._strike(number, **({"tasks": hit} if crash else {"step": str(step)}))
                return step
        return None

    def overdue(self, engine: Engine) -> StepId | None:
        """The end of a checkpoint that only time ends, for when nothing else can happen."""
        steps = _steps(engine, "expire")
        return next((each for each in steps if _checkpoint(each) in self._unanswered), None)

    def holds(self, step: StepId) -> bool:
        """Whether a message that could arrive does so later."""
        for number, fault in enumerate(self.faults):
            if fault.kind in HOLDING and fault.is_about(step):
                if (number, step) not in self._held:
                    self._held[number, step] = self._until(number, fault, step)
                if self._taken[fault.until] < self._held[number, step]:
                    return True
        return False

    def _until(self, number: int, fault: PlannedFault, step: StepId) -> int:
        """Up to how many events a message waits that can arrive now; 0 if it does not wait."""
        more = self.struck[number] < fault.times and self._taken[fault.after] >= fault.nth
        if not more or not self._falls(fault):
            return 0
        self._strike(number, step=str(step))
        return FOR_EVER if fault.kind == "reordered" else self._taken[fault.until] + fault.steps

    def release(self) -> bool:
        """Nothing else can happen: what is held back comes. Whether anything was."""
        held = [key for key, until in self._held.items() if until > 0]
        self._held.update(dict.fromkeys(held, 0))
        return bool(held)

    def _strike(self, number: int, **more: object) -> None:
        self.struck[number] += 1
        self._tell({"fault": number + 1, "kind": self.faults[number].kind, **more})


def _alive(engine: Engine, fault: PlannedFault) -> list[str]:
    """The tasks that may crash: subtask n of each operator is on worker n."""
    tasks = {fault.task} if fault.task else set(engine.tasks)
    if fault.kind == "crash-worker":
        among = (each.tasks for each in engine.store.shape if len(each.tasks) > fault.worker)
        tasks = {each[fault.worker] for each in among}
    over = (Phase.CLOSED, Phase.FAILED)
    return sorted(task for task in tasks if engine.tasks[task].phase not in over)


def _steps(engine: Engine, name: str) -> Iterator[StepId]:
    """The steps of a name that can be taken."""
    return filter(engine.may_begin, engine.candidates(engine.actions.keys() - {name}))


def _checkpoint(step: StepId) -> int:
    return int(dict(step.binding).get("checkpoint", "cp0")[2:])


def _is_newer(one: StepId, other: StepId) -> bool:
    """Whether two messages differ only in that one is about a newer checkpoint."""
    mine, its = ({k: v for k, v in each.binding if k != "checkpoint"} for each in (one, other))
    return (one.name, mine) == (other.name, its) and _checkpoint(one) > _checkpoint(other)
