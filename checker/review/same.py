"""Decides whether two systems do the same in every reachable state.

Systems of one form do. Rules that are written otherwise can still do the same: both are then run in
each reachable state of a small system, and must take the same steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from finale.checker.search.bfs.machine import CompiledSuccessors
from finale.model.system import Fault, State, System

from .form import Form, Forms

#: Systems with more states are the same only if their forms are.
STATES_MAX = 10_000
_FORMS = Forms()


def is_same(first: System, second: System, states: int | None) -> bool:
    """Whether two systems have the same states, steps, properties, fairness, progress and end.

    `states` is the number of states of one of them, if it is known.
    """
    if _frame(first) != _frame(second):
        return False
    if _FORMS.rules(first.rules) == _FORMS.rules(second.rules):
        return True
    return states is not None and states <= STATES_MAX and _steps_agree(first, second)


def _frame(system: System) -> tuple[object, ...]:
    """All but what the rules do."""
    fair = sorted(
        {
            (r.rule.name, r.entities, r.rule.fairness.value, r.rule.makes_progress)
            for r in system.rules
        }
    )
    properties = [_FORMS.property(each) for each in system.properties]
    return _FORMS.first(system.variables, system.initial, system.terminal), properties, fair


def _steps_agree(first: System, second: System) -> bool:
    """Whether the rules of other form take the same steps in each state that `first` reaches."""
    forms = [{str(r): _FORMS.rule(r) for r in system.rules} for system in (first, second)]
    one, other = (_Steps(system, _differing(*forms)) for system in (first, second))
    machine = CompiledSuccessors(first)
    seen, pending = set(first.initial), list(first.initial)
    while pending:
        state = pending.pop()
        if one.of(state) != other.of(state):
            return False
        for _, after in machine.expand(state, []):
            if after not in seen:
                seen.add(after)
                pending.append(after)
    return True


def _differing(one: Mapping[str, Form], other: Mapping[str, Form]) -> set[str]:
    return {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}


class _Steps:
    """What some ground rules of a system do in a state, by the name of the rule and its binding."""

    def __init__(self, system: System, names: set[str]) -> None:
        self.rules = tuple(rule for rule in system.rules if str(rule) in names)
        self.machine = CompiledSuccessors(replace(system, rules=self.rules))

    def of(self, state: State) -> dict[str, State | str]:
        """The state after each step, the code of each fault, the bound that alone blocks a rule."""
        leaves, faults = self.machine.leaves, list[int]()
        found: dict[str, State | str] = {}
        for leaf, after in self.machine.expand(state, faults):
            found[str(self.rules[leaves[leaf].rule])] = after
        for leaf in faults:
            end = leaves[leaf].end
            assert isinstance(end, Fault)
            found[str(self.rules[leaves[leaf].rule])] = end.code
        for rule, bound in self.machine.bounds(state):
            found[str(self.rules[rule])] = f"bound {bound}"
        return found


__all__ = ["is_same"]
