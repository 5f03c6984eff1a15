"""Schedulers choose the next step of an engine among the enabled steps.

An engine takes any of its steps in any order; a run is what a scheduler makes of that. The same
seed, and the same script, give the same run.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from finale.model.errors import FinaleError
from finale.reference.engine import Engine
from finale.reference.observation import observation_of
from finale.reference.steps import StepId

Scheduler = Callable[[Engine], StepId | None]
"""Chooses a step that an engine can take; None ends the run."""


def run(
    engine: Engine,
    choose: Scheduler,
    took: Callable[[StepId], object] = lambda _: None,
    steps_max: int | None = None,
) -> int:
    """Take steps until none can be taken, or the scheduler ends it. How many were taken."""
    count = 0
    while count != steps_max and (step := choose(engine)) is not None:
        engine.take(step)
        took(step)
        count += 1
    return count


class Seeded:
    """By a seed. Steps of a name come as often as `weights` says, compared with 1 for others."""

    def __init__(self, seed: int, weights: Mapping[str, float] | None = None) -> None:
        self._random = random.Random(seed)
        self._weights = weights or {}

    def __call__(self, engine: Engine) -> StepId | None:
        steps = tuple(engine.candidates())
        # Most steps are ready where they can be taken at all: to draw is faster than to ask all.
        for step in self._random.choices(steps, list(map(self._weight, steps)), k=len(steps)):
            if engine.is_ready(step):
                return step
        return self.among(sorted(engine.enabled()))

    def among(self, steps: Sequence[StepId]) -> StepId | None:
        """One of some steps, in their order; None where there is none that ever comes."""
        weights = list(map(self._weight, steps))
        return self._random.choices(steps, weights)[0] if any(weights) else None

    def _weight(self, step: StepId) -> float:
        return self._weights.get(step.name, 1.0)


class Scripted:
    """By a list of steps, as a trace has them. Raises `step-not-enabled`."""

    def __init__(self, script: Iterable[StepId]) -> None:
        self._left = deque(script)
        self._taken = 0

    def __call__(self, engine: Engine) -> StepId | None:
        if not self._left:
            return None
        step, can = self._left.popleft(), engine.enabled()
        self._taken += 1
        if step not in can:
            raise FinaleError(
                "step-not-enabled",
                f"step {self._taken}, {step}, cannot be taken",
                advice=f"what can be is {', '.join(map(str, sorted(can)))}",
            )
        return step


def explore(engine: Engine) -> Iterator[tuple[tuple[StepId, ...], Engine]]:
    """Each state that some run reaches, once, with the shortest way there: for small jobs.

    What is yielded may be run on: it is a copy.
    """
    start = engine.fork()
    seen = {observation_of(start)}
    todo: deque[tuple[tuple[StepId, ...], Engine]] = deque([((), start)])
    while todo:
        path, here = todo.popleft()
        for step in sorted(here.enabled()):
            after = here.fork()
            after.take(step)
            observed = observation_of(after)
            if observed not in seen:
                seen.add(observed)
                todo.append(((*path, step), after))
        yield path, here


__all__ = ["Scheduler", "Scripted", "Seeded", "explore", "run"]
