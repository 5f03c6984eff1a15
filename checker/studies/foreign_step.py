"""Finds where a run leaves another system: its first step that is no step there.

The other system is the same protocol without a change, or with an assumption that the run does
without.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from finale.model.semantics import outcome, updated
from finale.model.system import System, Update
from finale.model.trace import Trace


@dataclass(frozen=True)
class ForeignStep:
    """The first step of a run that another system does not have.

    Its `number` is that in the trace, from 1. If it is not `enabled` in the other system, that
    cannot take it; else the step has another effect there.
    """

    number: int
    name: str
    enabled: bool

    def __str__(self) -> str:
        what = "has another effect" if self.enabled else "is no step"
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
        if updated(leaf, before) != after:
            return ForeignStep(number, str(rule), enabled=True)
    return None


__all__ = ["ForeignStep", "foreign_step"]
