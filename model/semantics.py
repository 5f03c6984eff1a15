"""The semantics of a system: values of expressions, enabled rules, successors of a state.

This file is the definition. Every search, solver and export is tested against it; it is written to
be read in one sitting, not to be fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from .expressions import (
    Add,
    And,
    Cell,
    Constant,
    Equal,
    Expression,
    IfThenElse,
    Less,
    Not,
    Or,
    Subtract,
)
from .system import Blocked, Fault, GroundRule, State, System, Test, Tree, Update

Known = dict[Expression, int]
"""Values of nodes that were computed before, in one state or on one step."""


def evaluate(
    expression: Expression, state: State, after: State | None = None, *, known: Known | None = None
) -> int:
    """The value of an expression in a state (and, for predicates on steps, in the one after).

    Nodes are shared, so a node is computed only once; `known` keeps the values for further
    expressions over the same states.
    """
    values = {} if known is None else known

    def value(node: Expression) -> int:
        found = values.get(node)
        if found is not None:
            return found
        match node:
            case Constant():
                found = node.value
            case Cell(after=False):
                found = state[node.index]
            case Cell():
                assert after is not None, "this expression speaks of a step"
                found = after[node.index]
            case Add():
                found = value(node.left) + value(node.right)
            case Subtract():
                found = value(node.left) - value(node.right)
            case Equal():
                found = int(value(node.left) == value(node.right))
            case Less():
                found = int(value(node.left) < value(node.right))
            case Not():
                found = 1 - value(node.operand)
            case And():
                found = int(all(map(value, node.operands)))
            case Or():
                found = int(any(map(value, node.operands)))
            case IfThenElse():
                found = value(node.yes if value(node.condition) else node.no)
            case _:
                assert_never(node)
        values[node] = found
        return found

    return value(expression)


def outcome(tree: Tree, state: State) -> Update | Blocked | Fault:
    """The leaf of a decision tree that a state leads to."""
    known: Known = {}
    while isinstance(tree, Test):
        tree = tree.yes if evaluate(tree.condition, state, known=known) else tree.no
    return tree


def updated(update: Update, state: State) -> State:
    """The state after an update: all new values are computed in the state before."""
    cells, known = list(state), Known()
    for index, expression in update.writes:
        cells[index] = evaluate(expression, state, known=known)
    return tuple(cells)


@dataclass(frozen=True)
class Step:
    """A ground rule taken in a state: the state it leads to, or the fault that it is."""

    rule: GroundRule
    result: State | Fault


def steps(system: System, state: State) -> Iterator[Step]:
    """All steps of a state, in rule order: at most one a ground rule."""
    for rule in system.rules:
        match outcome(rule.tree, state):
            case Update() as update:
                yield Step(rule, updated(update, state))
            case Fault() as fault:
                yield Step(rule, fault)
            case Blocked():
                pass


def blocking_bounds(system: System, state: State) -> Iterator[tuple[GroundRule, str]]:
    """The ground rules that only a bound forbids in this state, with the bound."""
    for rule in system.rules:
        leaf = outcome(rule.tree, state)
        if isinstance(leaf, Blocked) and leaf.bound is not None:
            yield rule, leaf.bound


def is_deadlock(system: System, state: State) -> bool:
    """Whether a run can stay in the state forever although the protocol has not ended.

    It can unless a rule that makes progress changes the state, ends in a fault, or is forbidden by
    a bound alone: without the bound the run goes on. Nobody can rely on the other rules, so it does
    not matter whether they are enabled.
    """
    if evaluate(system.terminal, state):
        return False
    return not any(goes_on(rule, state) for rule in system.rules if rule.rule.makes_progress)


def goes_on(rule: GroundRule, state: State) -> bool:
    """Whether a rule changes a state, ends in a fault, or is forbidden by a bound alone."""
    match outcome(rule.tree, state):
        case Update() as update:
            return updated(update, state) != state
        case Fault():
            return True
        case Blocked(bound=bound):
            return bound is not None
