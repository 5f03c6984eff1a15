"""Finds the shortest runs that end with a step that another system does not have.

The other system is the same protocol with an assumption that the run does without. No property has
to fall: the step itself is what the assumption forbids.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from finale.model.semantics import outcome, updated
from finale.model.system import State, System, Update
from finale.model.trace import Trace

#: The maximal number of states that are looked at.
STATES_MAX = 20_000
#: The maximal number of runs for each rule: the others differ in what came before.
RUNS_OF_RULE = 8


def first_foreign(own: System, other: System) -> Iterator[Trace]:
    """Return runs of `own` whose last step is none of `other`, the shortest first.

    All steps before the last one are steps of both.
    """
    known = {(rule.rule.name, rule.binding): rule.tree for rule in other.rules}
    foreign = [
        index
        for index, rule in enumerate(own.rules)
        if known.get((rule.rule.name, rule.binding)) != rule.tree
    ]
    came: dict[State, tuple[State, int] | None] = dict.fromkeys(own.initial)
    told: dict[int, int] = {}
    for state in _reached(other, own, came):
        for index in foreign:
            rule = own.rules[index]
            leaf = outcome(rule.tree, state)
            if not isinstance(leaf, Update) or told.get(index, 0) == RUNS_OF_RULE:
                continue
            after = updated(leaf, state)
            tree = known.get((rule.rule.name, rule.binding))
            same = None if tree is None else outcome(tree, state)
            if not isinstance(same, Update) or updated(same, state) != after:
                told[index] = told.get(index, 0) + 1
                yield _trace(came, state, index, after)


def _reached(
    other: System, own: System, came: dict[State, tuple[State, int] | None]
) -> Iterator[State]:
    """The states of `other`, in the order of a search in breadth. `came` notes the ways."""
    index_of = {(rule.rule.name, rule.binding): i for i, rule in enumerate(own.rules)}
    layer = list(came)
    left = STATES_MAX
    while layer and left > 0:
        yield from islice(layer, left)
        left -= len(layer)
        following: list[State] = []
        for state in layer:
            for rule in other.rules:
                leaf = outcome(rule.tree, state)
                index = index_of.get((rule.rule.name, rule.binding))
                if index is None or not isinstance(leaf, Update):
                    continue
                if (after := updated(leaf, state)) not in came:
                    came[after] = (state, index)
                    following.append(after)
        layer = following


def _trace(
    came: dict[State, tuple[State, int] | None], state: State, last: int, after: State
) -> Trace:
    states, rules = [after, state], [last]
    while (way := came[state]) is not None:
        state, rule = way
        states.append(state)
        rules.append(rule)
    return Trace(tuple(reversed(states)), tuple(reversed(rules)))


__all__ = ["first_foreign"]
