"""Collects reachable states on pseudo-random walks, the same ones each time."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from finale.model.semantics import steps
from finale.model.system import State, System

WALKS, STEPS_OF_WALK = 24, 80


def walked(
    system: System,
    look: Callable[[], None],
    walks: int = WALKS,
    length: int = STEPS_OF_WALK,
) -> tuple[State, ...]:
    """Return all initial states and those on so many walks of a length, without duplicates."""
    chance = Random(0)
    seen = dict.fromkeys(system.initial)
    after: dict[State, list[State]] = {}
    for number in range(walks):
        state = system.initial[number % len(system.initial)]
        for _ in range(length):
            look()
            if state not in after:
                found = (step.result for step in steps(system, state))
                after[state] = [each for each in found if isinstance(each, tuple)]
            fresh = [each for each in after[state] if each not in seen]
            if not (fresh or after[state]):
                break
            state = chance.choice(fresh or after[state])
            seen[state] = None
    return tuple(seen)
