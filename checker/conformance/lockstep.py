"""Compares model and engine in lock-step, in every reachable state of a spec.

In each the same steps are enabled, and after each step what is seen of the engine is what the model
says. Where the engine remembers more than the model, each of its states is gone on from.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from finale.checker.search.bfs.machine import CompiledSuccessors
from finale.checker.search.limits import ProgressListener, SearchProgress
from finale.checker.spec.claim import Spec
from finale.model.language.build import build
from finale.model.language.entities import Variable
from finale.model.system import State, System
from finale.reference.observation import Observation, observation_of
from finale.reference.steps import StepId
from finale.reference.undo import go_back, save

from .abstraction import Abstraction, SeenValues, Word, word
from .engines import engine_for

Both = tuple[State, Observation]
"""A state of the model, and what is seen of the engine in it."""

SECONDS_BETWEEN_REPORTS = 0.2

#: What the model remembers for its properties alone. Of it the engine shows what is `LOGGED`.
HISTORY = frozenset({"taken", "cut", "progress", "calls"})
LOGGED = "logged"


class VariableWords:
    """A variable of the model in plain words."""

    def __init__(self, variable: Variable) -> None:
        self.decode = variable.domain.decode
        self.cells = slice(variable.indices.start, variable.indices.stop)
        self.known: dict[State, Word] = {}

    def of(self, state: State) -> Word:
        cells = state[self.cells]
        if cells not in self.known:
            self.known[cells] = word(self.decode(cells))
        return self.known[cells]


@dataclass(frozen=True)
class Divergence:
    """The steps to a difference between model and engine, and the difference."""

    steps: tuple[StepId, ...]
    what: tuple[str, ...]


@dataclass(frozen=True)
class Agreement:
    """The size of a comparison: states and transitions of the model, observations of the engine.

    `observations` counts what is seen as the model words it: one for each state, but for history.
    """

    states: int
    transitions: int
    observations: int


class ModelSteps:
    """A spec's system, asked once for each of its states."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.machine = CompiledSuccessors(self.system)
        seen = [v for v in self.system.variables if v.ghost not in HISTORY]
        self.names = [v.name for v in seen]
        self._words = [VariableWords(v) for v in seen]
        logged = [v for v in self.system.variables if v.field == LOGGED]
        self.logged = [(v.name, VariableWords(v)) for v in logged]
        self.faults: dict[State, tuple[str, ...]] = {}
        """In which rules a state is a fault: no engine can take such a step."""
        self._said: dict[State, tuple[Word, ...]] = {}
        self._steps: dict[State, dict[StepId, State]] = {}

    @property
    def initial(self) -> State:
        return self.system.initial[0]

    def said(self, state: State) -> tuple[Word, ...]:
        """The variables in plain words, but for history."""
        if state not in self._said:
            self._said[state] = tuple(words.of(state) for words in self._words)
        return self._said[state]

    def steps(self, state: State) -> dict[StepId, State]:
        """Return the successor of each enabled step."""
        if state not in self._steps:
            rules, leaves = self.system.rules, self.machine.leaves
            faults: list[int] = []
            expanded = self.machine.expand(state, faults)
            taken = [(rules[leaves[leaf].rule], s) for leaf, s in expanded]
            failing = (rules[leaves[leaf].rule] for leaf in faults)
            self.faults[state] = tuple(str(StepId(r.rule.name, r.binding)) for r in failing)
            self._steps[state] = {StepId(r.rule.name, r.binding): after for r, after in taken}
        return self._steps[state]


class LockStep:
    """A spec's system and its engine, side by side. What the model says may be known before."""

    def __init__(self, spec: Spec, model: ModelSteps | None = None) -> None:
        self.spec = spec
        self.engine = engine_for(spec)
        protocol = spec.instance()
        self.model = ModelSteps(build(protocol)) if model is None else model
        self.abstraction = Abstraction(protocol)
        self._seen: dict[Observation, tuple[Word, ...]] = {}
        self._logged: dict[Observation, SeenValues] = {}
        self._came: dict[Both, tuple[Both, StepId] | None] = {}

    def run(self, progress: ProgressListener | None = None) -> Agreement | Divergence:
        """Compare all that can be reached, until something differs."""
        began, told = time.monotonic(), 0.0
        start = self.model.initial, observation_of(self.engine)
        self._came = {start: None}
        if found := self._differences(start):
            return Divergence((), found)
        todo = deque([(start, 0, save(self.engine))])
        engine = self.engine
        states: set[State] = set()
        transitions: set[tuple[State, StepId]] = set()
        while todo:
            both, depth, saved = todo.popleft()
            seconds = time.monotonic() - began
            if progress is not None and seconds - told > SECONDS_BETWEEN_REPORTS:
                told = seconds
                progress(SearchProgress(len(states), len(transitions), depth, len(todo), seconds))
            steps = self.model.steps(both[0])
            states.add(both[0])
            go_back(saved)
            found = (*_different(set(steps), engine.enabled()), *self._faults(both[0]))
            if found:
                return Divergence(self._path(both), found)
            for step, after in steps.items():
                transitions.add((both[0], step))
                go_back(saved)
                engine.take(step)
                reached = after, observation_of(engine)
                if reached in self._came:
                    continue
                self._came[reached] = both, step
                if found := self._differences(reached):
                    return Divergence(self._path(reached), found)
                todo.append((reached, depth + 1, save(engine, saved)))
        return Agreement(len(states), len(transitions), len(set(self._seen.values())))

    def _differences(self, both: Both) -> tuple[str, ...]:
        state, observation = both
        names = self.model.names
        if observation not in self._seen:
            seen = self.abstraction.seen(observation)
            self._seen[observation] = tuple(seen.get(name, UNSEEN) for name in names)
        said, seen_words = self.model.said(state), self._seen[observation]
        if said == seen_words:
            return tuple(self._logged_otherwise(both))
        return tuple(
            f"{name} is {one!r} in the model, and {other!r} in the engine"
            for name, one, other in zip(names, said, seen_words, strict=True)
            if one != other
        )

    def _faults(self, state: State) -> Iterator[str]:
        for step in self.model.faults[state]:
            yield f"{step} is a fault in the model, and none in the engine"

    def _logged_otherwise(self, both: Both) -> Iterator[str]:
        """Where the model has logged other records in flight than the engine, of the checkpoints
        whose logs the engine still has."""
        state, observation = both
        if not self.model.logged:
            return
        if observation not in self._logged:
            self._logged[observation] = self.abstraction.logged(observation)
        for name, words in self.model.logged:
            said, seen = words.of(state), self._logged[observation][name]
            if any(b is not None and a != b for a, b in zip(said, seen, strict=True)):
                yield f"{name} is {said!r} in the model, and {seen!r} in the engine"

    def _path(self, both: Both) -> tuple[StepId, ...]:
        steps: list[StepId] = []
        while (before := self._came[both]) is not None:
            both, step = before
            steps.append(step)
        return tuple(reversed(steps))


UNSEEN = "unseen"


def _different(model: set[StepId], engine: frozenset[StepId]) -> Iterator[str]:
    for step in sorted(model - engine):
        yield f"only the model can take {step}"
    for step in sorted(engine - model):
        yield f"only the engine can take {step}"
