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


def evaluate(expression: Expression, state: State, after: State | None = None) -> int:
    """The value of an expression in a state (and, for predicates on steps, in the one after)."""
    match expression:
        case Constant():
            return expression.value
        case Cell():
            if expression.after:
                assert after is not None, "this expression speaks of a step"
                return after[expression.index]
            return state[expression.index]
        case Add():
            return evaluate(expression.left, state, after) + evaluate(
                expression.right, state, after
            )
        case Subtract():
            return evaluate(expression.left, state, after) - evaluate(
                expression.right, state, after
            )
        case Equal():
            return int(
                evaluate(expression.left, state, after) == evaluate(expression.right, state, after)
            )
        case Less():
            return int(
                evaluate(expression.left, state, after) < evaluate(expression.right, state, after)
            )
        case Not():
            return 1 - evaluate(expression.operand, state, after)
        case And():
            return int(all(evaluate(each, state, after) for each in expression.operands))
        case Or():
            return int(any(evaluate(each, state, after) for each in expression.operands))
        case IfThenElse():
            chosen = (
                expression.yes if evaluate(expression.condition, state, after) else expression.no
            )
            return evaluate(chosen, state, after)
        case _:
            assert_never(expression)


def outcome(tree: Tree, state: State) -> Update | Blocked | Fault:
    """The leaf of a decision tree that a state leads to."""
    while isinstance(tree, Test):
        tree = tree.yes if evaluate(tree.condition, state) else tree.no
    return tree


def updated(update: Update, state: State) -> State:
    """The state after an update: all new values are computed in the state before."""
    cells = list(state)
    for index, expression in update.writes:
        cells[index] = evaluate(expression, state)
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
    """Whether no step changes the state although the protocol has not ended.

    A state in which a bound forbids a rule is none: without the bound it may go on.
    """
    if evaluate(system.terminal, state):
        return False
    if any(step.result != state for step in steps(system, state)):
        return False
    return next(blocking_bounds(system, state), None) is None
