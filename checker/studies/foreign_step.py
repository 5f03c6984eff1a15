"""Finds where a run leaves another system: its first step that is no step there.

The other system is the same protocol without a change, or with an assumption that the run does
without.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from finale.model.protocols.coordinator.checkpoints import CheckpointStatus
from finale.model.semantics import outcome, updated
from finale.model.system import State, System, Update
from finale.model.trace import Trace

#: How the name of the variable with the status of a checkpoint ends.
STATUS = ".status"
#: The maximal number of states that are looked at behind a step.
WAYS_MAX = 3_000


@dataclass(frozen=True)
class ForeignStep:
    """The first step of a run that another system does not have.

    Its `number` is that in the trace, from 1. If it is not `enabled` in the other system, that
    cannot take it; else the step has another effect there. If `completes` names a checkpoint, the
    trace completes this checkpoint, and the step aborts it in the other system. If it `shows` an
    earlier step, this step is possible because the earlier one had another effect.
    """

    number: int
    name: str
    enabled: bool
    completes: str = ""
    shows: str = ""

    def __str__(self) -> str:
        what = "has another effect" if self.enabled else "is no step"
        what += f" after {self.shows}" if self.shows else ""
        return f"step {self.number}, {self.name}, {what}"


def foreign_step(own: System, other: System, trace: Trace) -> ForeignStep | None:
    """The first step of a trace of `own` that is no step of `other`. None if all of them are.

    Both systems have the same variables.
    """
    known = {(rule.rule.name, rule.binding): rule for rule in other.rules}
    for number, (before, after) in enumerate(pairwise(trace.states), 1):
        rule = own.rules[trace.rules[number - 1]]
        same = known.get((rule.rule.name, rule.binding))
        leaf = None if same is None else outcome(same.tree, before)
        if not isinstance(leaf, Update):
            return ForeignStep(number, str(rule), enabled=False)
        if (there := updated(leaf, before)) != after:
            completed = _in_status(own, trace.states[-1], CheckpointStatus.COMPLETED)
            aborted = _in_status(other, there, CheckpointStatus.ABORTED)
            first = min(completed & aborted, default="")
            return ForeignStep(number, str(rule), enabled=True, completes=first)
    return None


def showing(
    own: System, other: System, trace: Trace, step: ForeignStep, takes: Callable[[str], bool]
) -> tuple[Trace, ForeignStep] | None:
    """Return a run whose last step shows that a step had the effect of `own`.

    In `other` the last step is not possible after the step. `takes` says which rules can be the
    last step, by name.
    """
    states, rules = trace.states[: step.number + 1], trace.rules[: step.number]
    known = {(rule.rule.name, rule.binding): rule for rule in other.rules}
    foreign = own.rules[rules[-1]]
    leaf = outcome(known[foreign.rule.name, foreign.binding].tree, states[-2])
    assert isinstance(leaf, Update)
    there = updated(leaf, states[-2])
    for index, rule in enumerate(own.rules):
        last = outcome(rule.tree, states[-1])
        same = known.get((rule.rule.name, rule.binding))
        is_there = same is not None and isinstance(outcome(same.tree, there), Update)
        if takes(rule.rule.name) and isinstance(last, Update) and not is_there:
            run = Trace((*states, updated(last, states[-1])), (*rules, index))
            after = f"step {step.number}, {step.name}"
            return run, ForeignStep(step.number + 1, str(rule), enabled=False, shows=after)
    return None


def completing(own: System, other: System, trace: Trace, step: ForeignStep) -> Trace | None:
    """Return a run that goes on after a step until a checkpoint completes that `other` aborts.

    None if no such run is short.
    """
    states, rules = trace.states[: step.number + 1], trace.rules[: step.number]
    known = {(rule.rule.name, rule.binding): rule for rule in other.rules}
    foreign = own.rules[rules[-1]]
    leaf = outcome(known[foreign.rule.name, foreign.binding].tree, states[-2])
    assert isinstance(leaf, Update)
    aborted = _in_status(other, updated(leaf, states[-2]), CheckpointStatus.ABORTED)
    ways = {states[-1]: (states, rules)}
    layer = [states[-1]]
    while layer and len(ways) < WAYS_MAX:
        following: list[State] = []
        for state in layer:
            for index, rule in enumerate(own.rules):
                last = outcome(rule.tree, state)
                if not isinstance(last, Update) or (after := updated(last, state)) in ways:
                    continue
                ways[after] = ((*ways[state][0], after), (*ways[state][1], index))
                following.append(after)
                if aborted & _in_status(own, after, CheckpointStatus.COMPLETED):
                    return Trace(*ways[after])
        layer = following
    return None


def _in_status(system: System, state: State, status: CheckpointStatus) -> set[str]:
    """The names of the checkpoints that are in a status."""
    return {
        name.removesuffix(STATUS)
        for name, value in system.values(state).items()
        if name.endswith(STATUS) and value is status
    }


__all__ = ["ForeignStep", "completing", "foreign_step", "showing"]
