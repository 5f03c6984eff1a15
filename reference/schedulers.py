"""Schedulers: who chooses which step is next, of those that can be taken.

An engine takes any of its steps in any order; a run is what a scheduler makes of that. The same
seed, and the same script, give the same run.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from model.errors import FinaleError
from reference.engine import Engine
from reference.steps import StepId

Scheduler = Callable[[Sequence[StepId]], StepId | None]
"""Chooses one of some steps, in their order; None ends the run."""


def run(
    engine: Engine,
    choose: Scheduler,
    took: Callable[[StepId], object] = lambda _: None,
    steps_max: int | None = None,
) -> int:
    """Take steps until none can be taken, or the scheduler ends it. How many were taken."""
    count = 0
    while count != steps_max:
        steps = sorted(engine.enabled())
        step = choose(steps) if steps else None
        if step is None:
            break
        engine.take(step)
        took(step)
        count += 1
    return count


class Seeded:
    """By a seed. Steps of a name come as often as `weights` says, compared with 1 for others."""

    def __init__(self, seed: int, weights: Mapping[str, float] | None = None) -> None:
        self._random = random.Random(seed)
        self._weights = weights or {}

    def __call__(self, steps: Sequence[StepId]) -> StepId | None:
        weights = [self._weights.get(step.name, 1.0) for step in steps]
        return self._random.choices(steps, weights)[0] if any(weights) else None


class Scripted:
    """By a list of steps, as a trace has them. Raises `step-not-enabled`."""

    def __init__(self, script: Iterable[StepId]) -> None:
        self._left = deque(script)
        self._taken = 0

    def __call__(self, steps: Sequence[StepId]) -> StepId | None:
        if not self._left:
            return None
        step = self._left.popleft()
        self._taken += 1
        if step not in steps:
            raise FinaleError(
                "step-not-enabled",
                f"step {self._taken}, {step}, cannot be taken",
                advice=f"what can be is {', '.join(map(str, steps))}",
            )
        return step


def explore(engine: Engine) -> Iterator[tuple[tuple[StepId, ...], Engine]]:
    """Each state that some run reaches, once, with the shortest way there: for small jobs.

    What is yielded may be run on: it is a copy.
    """
    start = engine.fork()
    seen = {start.observe()}
    todo: deque[tuple[tuple[StepId, ...], Engine]] = deque([((), start)])
    while todo:
        path, here = todo.popleft()
        for step in sorted(here.enabled()):
            after = here.fork()
            after.take(step)
            observed = after.observe()
            if observed not in seen:
                seen.add(observed)
                todo.append(((*path, step), after))
        yield path, here


__all__ = ["Scheduler", "Scripted", "Seeded", "explore", "run"]
