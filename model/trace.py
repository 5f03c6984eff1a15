"""A run of a system: the states and the rules between them, finite or a lasso.

ITF (Informal Trace Format, Apalache's ADR 015) is JSON: `#meta`, `vars`, `states`, and `loop` for a
lasso. What a step took is in each state's `#meta`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .semantics import Step, evaluate, outcome, updated
from .system import Fault, GroundRule, State, System, Update


@dataclass(frozen=True)
class Trace:
    """`rules[i]` (an index into the system's rules) leads from `states[i]` to `states[i + 1]`.

    `loop` is the position of the state that the last one goes back to: a lasso has its first state
    of the loop again at its end. With `fault` the last rule ends in no state but in that fault.
    """

    states: tuple[State, ...]
    rules: tuple[int, ...]
    loop: int | None = None
    fault: Fault | None = None

    @property
    def length(self) -> int:
        """The number of steps; of a lasso, of its stem."""
        return len(self.rules) if self.loop is None else self.loop

    def steps(self, system: System) -> Iterator[tuple[GroundRule, State | Fault]]:
        """Each rule taken with the state, or the fault, that it leads to."""
        for position, index in enumerate(self.rules):
            after = position + 1
            if after < len(self.states):
                yield system.rules[index], self.states[after]
            else:
                assert self.fault is not None
                yield system.rules[index], self.fault


def replay(system: System, trace: Trace) -> None:
    """Run a trace through the semantics; an assertion fails where it is not a run of the system.

    Every trace is replayed before it is shown: a search that prints what cannot happen is wrong.
    """
    assert trace.states[0] in system.initial, "a trace starts in an initial state"
    for position, index in enumerate(trace.rules):
        leaf = outcome(system.rules[index].tree, trace.states[position])
        rule = system.rules[index]
        if position + 1 == len(trace.states):
            assert leaf == trace.fault, f"{rule} does not end in the fault that is claimed"
            continue
        assert isinstance(leaf, Update), f"{rule} is not enabled at step {position}"
        reached = updated(leaf, trace.states[position])
        assert reached == trace.states[position + 1], f"{rule} leads elsewhere at step {position}"
    if trace.loop is not None:
        assert trace.states[trace.loop] == trace.states[-1], "the loop does not close"


def renamed(rule: GroundRule, state: State) -> State:
    """Return the state before a step of the rule, under the names that entities have after it."""
    cells = list(state)
    for index, expression in rule.earlier:
        cells[index] = evaluate(expression, state)
    return tuple(cells)


__all__ = ["Step", "Trace", "renamed", "replay"]
