"""Checks that a crash in the middle of a step equals a crash before or after the step.

To the model a step is atomic; in the engine some do several things to files, which are its
micro-steps. All that the model can reach is walked, and each step cut at each of them, as the
process ends there, and as the power goes, with whatever was not synced there or not. A new engine
that starts from what is left must come to what it comes to from before the step, or from after it;
and so must one whose start is cut in its turn.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from finale.checker.conformance.engines import engine_for
from finale.checker.conformance.lockstep import ModelSteps
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.system import State
from finale.model.topology import Sink
from finale.reference.engine import Engine
from finale.reference.failing import Failing
from finale.reference.formats.resuming import start
from finale.reference.observation import Observation, observation_of
from finale.reference.steps import StepId
from finale.reference.task import Phase
from finale.reference.undo import go_back, save

from .journaled_files import Disk, Frozen, JournaledFiles

StepOutcome = tuple[Observation, int]
"""What is seen of a job that has started again, and the newest number that was ever used."""


@dataclass(frozen=True)
class Torn:
    """A crash that is neither before its step nor after it."""

    steps: tuple[StepId, ...]
    """The way there, and the step itself; empty where a start was cut."""
    moment: str
    """The micro-step behind which, or amid which."""
    what: str


@dataclass
class Whole:
    """The size of a check that found no difference."""

    states: int = 0
    """Of the model and the engine's files."""
    transitions: int = 0
    micro_steps: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Of each kind of step that has some: in which orders it has them."""
    points: Counter[str] = field(default_factory=Counter[str])
    """Crashes between two micro-steps, or amid one, by what they are like: `before`, `after`, or
    `both` where there is no difference, `either` where what was not synced decides."""
    disks: int = 0
    """That a start was tried from, all different."""
    starts: int = 0
    """Crashes amid starts."""
    failures: int = 0
    """States in which a failure leads to just what a new start does."""


class Unlike(Exception):
    """A crash is like neither."""


class Starter:
    """Starts new engines from disks, and remembers what each came to."""

    def __init__(self, spec: Spec) -> None:
        self.files = JournaledFiles()
        self.engine = engine_for(spec, self.files, keeps=False)
        self.fresh = save(self.engine)
        self.known: dict[Frozen, StepOutcome] = {}
        self.all_left: dict[Disk, frozenset[StepOutcome]] = {}
        self.cuts: dict[Frozen, list[tuple[str, Disk]]] = {}
        """Of each start the moments at which it can be cut."""

    def outcome(self, contents: Frozen) -> StepOutcome:
        """Return the outcome of a start after a crash. Raises `Unlike` for a failed start."""
        if contents not in self.known:
            go_back(self.fresh)
            self.files.put_back(contents)
            try:
                number = self._start()
            except (FinaleError, OSError, ValueError) as reason:
                raise Unlike(f"the job does not start: {reason}") from reason
            self.cuts[contents] = self.files.moments
            self.known[contents] = _without_empty(observation_of(self.engine)), number
        return self.known[contents]

    def _start(self) -> int:
        """All tasks are restored; of older checkpoints is kept what is at the next."""
        engine = self.engine
        found = start(engine.store, engine.tasks)
        engine.coordinator.last_number = found.last_number
        for task in engine.tasks.values():
            task.begin(Phase.RESTORING)
        restore_all(engine)
        engine.store.discard_older()
        return found.last_number

    def outcomes(self, disk: Disk) -> frozenset[StepOutcome]:
        """Return the possible outcomes of starts after a loss of power."""
        if disk not in self.all_left:
            self.all_left[disk] = frozenset(map(self.outcome, disk.left()))
        return self.all_left[disk]

    def cut_all(self) -> Iterator[tuple[str, str]]:
        """Crash each start at each moment; all outcomes must be equal."""
        done: set[Frozen] = set()
        while todo := self.known.keys() - done:
            for contents in todo:
                done.add(contents)
                wanted = frozenset({self.known[contents]})
                for moment, disk in self.cuts[contents]:
                    yield moment, _unlike(self, disk, wanted)


def _without_empty(observation: Observation) -> Observation:
    """An output of which only the beginning of a line was written is none."""
    files = (each for each in observation.files if each[1] or not each[0].startswith("output/"))
    return replace(observation, files=tuple(files))


def restore_all(engine: Engine) -> None:
    """Restore each task from the newest checkpoint."""
    for name in engine.tasks:
        engine.take(StepId("restore", (("task", name),)))


def _unlike(starter: Starter, disk: Disk, wanted: frozenset[StepOutcome]) -> str:
    """Return the difference of a crash from the wanted outcomes; empty if there is none."""
    try:
        found = starter.outcomes(disk) | {starter.outcome(disk.contents)}
    except Unlike as reason:
        return str(reason)
    return "" if found <= wanted else difference(next(iter(found - wanted)), wanted)


def difference(found: StepOutcome, wanted: Iterable[StepOutcome]) -> str:
    """In what a start differs from each that it might be like."""
    return "; or ".join(", ".join(_differing(found, each)) for each in wanted)


def _differing(one: StepOutcome, other: StepOutcome) -> Iterator[str]:
    for name, value in vars(one[0]).items():
        if value != (wanted := getattr(other[0], name)):
            yield f"{name} is {value!r}, not {wanted!r}"
    if one[1] != other[1]:
        yield f"the newest number is {one[1]}, not {other[1]}"


LIKE = {
    (True, True): "both",
    (True, False): "before",
    (False, True): "after",
    (False, False): "either",
}
Position = tuple[State, Observation, Disk]
"""A state of the model, what is seen of the engine in it, and its files."""


class MicroSteps:
    """A spec's engine, whose steps are cut."""

    def __init__(self, spec: Spec) -> None:
        self.files = JournaledFiles()
        self.engine = engine_for(spec, self.files, keeps=False)
        self.model = ModelSteps(build(spec.instance()))
        self.starter = Starter(spec)
        job = spec.setting.job
        self.exact = job is not None and all(v.sink is not Sink.AT_LEAST_ONCE for v in job.vertices)
        self.whole = Whole()
        self._came: dict[Position, tuple[Position, StepId] | None] = {}

    def run(self) -> Whole | Torn:
        """Cut all that can be reached, until a crash is like neither before nor after."""
        place = self._place(self.model.initial)
        self._came = {place: None}
        todo = deque([(place, save(self.engine))])
        while todo:
            place, saved = todo.popleft()
            self.whole.states += 1
            go_back(saved)
            if torn := self._failed(place):
                return torn
            for step, after in self.model.steps(place[0]).items():
                self.whole.transitions += 1
                go_back(saved)
                self.files.begin()
                self.engine.take(step)
                reached = self._place(after)
                if torn := self._cut(place, step, reached):
                    return torn
                if reached not in self._came:
                    self._came[reached] = place, step
                    self.files.begin()
                    todo.append((reached, save(self.engine, saved)))
        for moment, what in self.starter.cut_all():
            self.whole.starts += 1
            if what:
                return Torn((), moment, what)
        self.whole.disks = len(self.starter.known)
        return self.whole

    def _place(self, state: State) -> Position:
        return state, observation_of(self.engine), self.files.disk

    def _cut(self, place: Position, step: StepId, reached: Position) -> Torn | None:
        """Crash at each micro-step of a step that was taken."""
        if not self.files.done:
            return None
        orders = self.whole.micro_steps.setdefault(step.name, set())
        orders.add(" ".join(self.files.done))
        moments = self.files.moments
        try:
            before, after = (self.starter.outcomes(each[2]) for each in (place, reached))
        except Unlike as reason:
            return Torn((*self._path(place), step), "the step itself", str(reason))
        for moment, disk in moments[:-1]:
            if what := _unlike(self.starter, disk, before | after):
                return Torn((*self._path(place), step), moment, what)
            found = self.starter.outcomes(disk)
            self.whole.points[LIKE[found <= before, found <= after]] += 1
        return None

    def _failed(self, place: Position) -> Torn | None:
        """A crash of all is the model's failure, where that is possible.

        What was not synced does not matter, but to a sink that writes at least once.
        """
        try:
            found = self.starter.outcomes(place[2]) | {self.starter.outcome(place[2].contents)}
        except Unlike as reason:
            return Torn(self._path(place), "no micro-step", str(reason))
        if len(found) > 1 and self.exact:
            one, *others = found
            return Torn(self._path(place), "the power is lost", difference(one, others))
        again = self.starter.outcome(place[2].contents)[0]
        over, newest = self.engine.coordinator.job_finished, self.engine.store.newest
        if over or again.newest_completed != newest:
            return None  # a new start goes on where a failure does not
        saved = save(self.engine)
        assert isinstance(self.engine, Failing)
        self.engine.restart()
        if all(task.phase is Phase.RESTORING for task in self.engine.tasks.values()):
            restore_all(self.engine)
            self.whole.failures += 1
            failed = _without_empty(observation_of(self.engine))
            go_back(saved)
            if goes_on_with(failed) != goes_on_with(again):
                what = f"{goes_on_with(again)}, not {goes_on_with(failed)}"
                return Torn(self._path(place), "no micro-step", what)
        go_back(saved)
        return None

    def _path(self, place: Position) -> tuple[StepId, ...]:
        steps: list[StepId] = []
        while (before := self._came[place]) is not None:
            place, step = before
            steps.append(step)
        return tuple(reversed(steps))


OPERATOR = ("operator", "was_finished")


def goes_on_with(observation: Observation) -> dict[str, Any]:
    """Return the state that a job continues with: operators, in-flight data, and output."""
    return {
        "newest": observation.newest_completed,
        "operators": [(name, *map(dict(task).get, OPERATOR)) for name, task in observation.tasks],
        "recovered": [(name, dict(channel)["recovered"]) for name, channel in observation.channels],
        "files": [each for each in observation.files if not each[0].startswith("checkpoints/")],
    }


__all__ = ["MicroSteps", "Torn", "Whole"]
