"""Orders the steps of a shortest run so that it changes from task to task as rarely as possible.

A search keeps the first shortest run that it finds, in which steps of different tasks that have
nothing to do with each other alternate. The same steps in another order, to the same end, are as
short, show the same, and are easier to follow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from heapq import heappop, heappush
from itertools import count

from finale.checker.search.verdict import Verdict
from finale.checker.simulation.judging import Judge
from finale.model.semantics import outcome, updated
from finale.model.system import State, System, Update
from finale.model.trace import Trace

from .sequence import Lanes

#: So many beginnings of runs are looked at; with more steps to choose from the run stays as it is.
BEGINNINGS_MAX = 20_000


def with_few_changes(system: System, verdict: Verdict) -> Verdict:
    """Return the verdict with the same steps in an order with the fewest changes of task.

    The last step stays the last one, and so do the steps of a loop.
    """
    trace = verdict.trace
    if trace is None or not trace.rules or trace.fault is not None or not verdict.is_shortest:
        return verdict
    end = len(trace.rules) - 1 if trace.loop is None else trace.loop
    stem = _ordered(system, trace, end)
    if stem is None:
        return verdict
    rules = (*stem.rules, *trace.rules[end:])
    states = (*stem.states, *trace.states[end + 1 :])
    found = replace(verdict, trace=replace(trace, rules=rules, states=states))
    return found if Judge(system).shows(found) else verdict


@dataclass(frozen=True)
class _Beginning:
    """The first steps of a run, by the numbers of their rules, and the states on the way."""

    rules: tuple[int, ...]
    states: tuple[State, ...]


def _ordered(system: System, trace: Trace, end: int) -> _Beginning | None:
    """The first `end` steps of a run, to the same state, with the fewest changes of task."""
    lanes = Lanes(system)
    actors = {rule: lanes.actor(system.rules[rule]) for rule in trace.rules}
    steps = sorted(trace.rules[:end])
    tie = count()
    after = actors[trace.rules[end]] if end < len(trace.rules) else None
    waiting = [(0, -0, next(tie), _Beginning((), trace.states[:1]), tuple(steps))]
    met = set[tuple[tuple[int, ...], int | None]]()

    @cache
    def following(rule: int, state: State) -> State | None:
        """The state after a step; the same steps in another order often lead to the same state."""
        leaf = outcome(system.rules[rule].tree, state)
        return updated(leaf, state) if isinstance(leaf, Update) else None

    while waiting and len(met) < BEGINNINGS_MAX:
        changes, _, _, beginning, left = heappop(waiting)
        last = actors[beginning.rules[-1]] if beginning.rules else None
        if (left, last) in met:
            continue
        met.add((left, last))
        if not left:
            if beginning.states[-1] == trace.states[end]:
                return beginning
            continue
        for place, rule in enumerate(left):
            if place and left[place - 1] == rule:
                continue  # the same step twice: either may come first
            state = following(rule, beginning.states[-1])
            if state is None:
                continue
            rest = (*left[:place], *left[place + 1 :])
            more = int(last is not None and actors[rule] != last)
            more += int(not rest and after is not None and actors[rule] != after)
            further = _Beginning((*beginning.rules, rule), (*beginning.states, state))
            heappush(waiting, (changes + more, -len(further.rules), next(tie), further, rest))
    return None


__all__ = ["with_few_changes"]
