"""Decides whether two systems do the same in every reachable state.

Systems of one digest do. Rules that are written otherwise can still do the same: both are then run
in each reachable state of a small system, and must take the same steps.
"""

from __future__ import annotations

from checker.search.bfs.machine import CompiledSuccessors
from model.system import Fault, State, System

from .digest import Digest, digest_of

#: Systems with more states are the same only if their digests are.
STATES_MAX = 10_000


def is_same(first: System, second: System, states: int | None) -> bool:
    """Whether two systems have the same states, steps and properties.

    `states` is the number of states of the first one, if it is known.
    """
    digest = Digest()
    if digest_of(first, digest) == digest_of(second, digest):
        return True
    if states is None or states > STATES_MAX or _frame(first, digest) != _frame(second, digest):
        return False
    return _steps_agree(first, second)


def _frame(system: System, digest: Digest) -> tuple[object, ...]:
    """All but the rules."""
    fair = sorted({(r.rule.name, r.entities, r.rule.fairness.value) for r in system.rules})
    properties = [digest.property(each) for each in system.properties]
    return digest.first(system.variables, system.initial, system.terminal), properties, fair


def _steps_agree(first: System, second: System) -> bool:
    one, other = _Steps(first), _Steps(second)
    seen, pending = set(first.initial), list(first.initial)
    while pending:
        state = pending.pop()
        taken = one.of(state)
        if taken != other.of(state):
            return False
        for after in taken.values():
            if isinstance(after, tuple) and after not in seen:
                seen.add(after)
                pending.append(after)
    return True


class _Steps:
    """What each ground rule does in a state, by the name of the rule and its binding."""

    def __init__(self, system: System) -> None:
        self.machine = CompiledSuccessors(system)
        self.names = [(rule.rule.name, rule.binding) for rule in system.rules]

    def of(self, state: State) -> dict[object, State | str]:
        """The state after each step, the code of each fault, the bound that alone blocks a rule."""
        leaves, faults = self.machine.leaves, list[int]()
        found: dict[object, State | str] = {}
        for leaf, after in self.machine.expand(state, faults):
            found[self.names[leaves[leaf].rule]] = after
        for leaf in faults:
            end = leaves[leaf].end
            assert isinstance(end, Fault)
            found[self.names[leaves[leaf].rule]] = end.code
        for rule, bound in self.machine.bounds(state):
            found[self.names[rule]] = f"bound {bound}"
        return found


__all__ = ["is_same"]
