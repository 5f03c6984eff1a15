"""A run that grows step by step: its states, the steps that are enabled, and how it ends."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from functools import cached_property

from finale.model.semantics import Step, blocking_bounds, evaluate, is_deadlock, steps
from finale.model.system import Fairness, Fault, State, System
from finale.model.trace import Trace


class End(enum.Enum):
    """Why no step follows in a run."""

    ENDED = "the protocol ended"
    DEADLOCK = "deadlock: no step is enabled, and the protocol has not ended"
    BOUND = "only a bound of the spec forbids a further step"
    FAULT = "a rule reached a fault"
    LIMIT = "the limit of steps"


class Run:
    """A run of a system from an initial state: one step is taken after the other, or taken back."""

    def __init__(self, system: System, initial: State) -> None:
        self.system = system
        self.states = [initial]
        self.rules: list[int] = []
        self.fault: Fault | None = None

    @cached_property
    def _positions(self) -> dict[int, int]:
        return {id(rule): index for index, rule in enumerate(self.system.rules)}

    @property
    def enabled(self) -> Sequence[Step]:
        """The steps that the last state allows, in the order of the rules."""
        return () if self.fault is not None else tuple(steps(self.system, self.states[-1]))

    def take(self, step: Step) -> None:
        """Take a step that is enabled."""
        self.rules.append(self._positions[id(step.rule)])
        if isinstance(step.result, Fault):
            self.fault = step.result
        else:
            self.states.append(step.result)

    def take_back(self) -> None:
        """Take the last step back."""
        if self.fault is None:
            self.states.pop()
        self.rules.pop()
        self.fault = None

    @property
    def trace(self) -> Trace:
        """The run so far."""
        return Trace(tuple(self.states), tuple(self.rules), fault=self.fault)

    def end(self, enabled: Sequence[Step]) -> End | None:
        """How the run ends, if none of the steps that are enabled changes the state."""
        if self.fault is not None:
            return End.FAULT
        return how_it_ends(self.system, self.states[-1], enabled)


def how_it_ends(system: System, state: State, enabled: Sequence[Step]) -> End | None:
    """How a run ends in a state, if none of the steps that are enabled there changes it."""
    if any(step.result != state for step in enabled):
        return None
    if evaluate(system.terminal, state):
        return End.ENDED
    return End.DEADLOCK if is_deadlock(system, state) else End.BOUND


def waits_for_a_bound(system: System, state: State) -> bool:
    """Whether a bound forbids a step that fairness promises: without the bound the run goes on."""
    return any(
        rule.rule.fairness is not Fairness.NONE for rule, _ in blocking_bounds(system, state)
    )
