"""Finds which steps of a trace come before which: the order that matters, and no other.

Step i comes before step j if i cannot be moved behind j: some run of the same steps with i last
either is no run, or ends elsewhere. The question is asked of the states of this trace, by taking
the steps, so it is exact: no step counts as dependent because it might be so in another state.
"""

from __future__ import annotations

from collections.abc import Sequence

from finale.model.semantics import outcome, updated
from finale.model.system import State, System, Update
from finale.model.trace import Trace


def happens_before(system: System, trace: Trace) -> tuple[frozenset[int], ...]:
    """Return for each step of a trace, from 0, the steps that come before it."""
    past: list[frozenset[int]] = []
    for last in range(len(trace.states) - 1):
        group = [last]
        for step in reversed(range(last)):
            if not _commute(system, trace, step, group):
                group.insert(0, step)
        direct = frozenset(group[:-1])
        past.append(direct.union(*(past[step] for step in direct)))
    return tuple(past)


def _commute(system: System, trace: Trace, step: int, group: Sequence[int]) -> bool:
    """Whether a step leads to the same state before and after a group of later steps.

    Two steps of one rule are never exchanged: the first one would become the second one.
    """
    if any(trace.rules[step] == trace.rules[each] for each in group):
        return False
    start = trace.states[step]
    after = _run(system, trace, start, (*group, step))
    return after is not None and after == _run(system, trace, start, (step, *group))


def _run(system: System, trace: Trace, state: State, steps: Sequence[int]) -> State | None:
    for step in steps:
        leaf = outcome(system.rules[trace.rules[step]].tree, state)
        if not isinstance(leaf, Update):
            return None
        state = updated(leaf, state)
    return state


__all__ = ["happens_before"]
