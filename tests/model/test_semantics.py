"""The meaning of a system, on one that is written out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finale.model import system as parts
from finale.model.errors import Place
from finale.model.expressions import (
    FALSE,
    Expression,
    cell,
    choose,
    conjunction,
    disjunction,
    equal,
    integer,
    less,
    minus,
    negation,
    plus,
)
from finale.model.semantics import (
    Step,
    blocking_bounds,
    evaluate,
    is_deadlock,
    outcome,
    steps,
    updated,
)
from finale.model.system import (
    Blocked,
    Fairness,
    Fault,
    GroundRule,
    Rule,
    State,
    System,
    Tree,
    Update,
    leaves,
)

X, Y = cell(0, 0, 3, False), cell(1, 0, 3, False)
P = cell(2, 0, 1, True)
HERE = Place("written.py", 1)


def ground(name: str, tree: Tree, makes_progress: bool = True) -> GroundRule:
    named = Rule(name, f"{name}.", Fairness.NONE, makes_progress, HERE, ())
    return GroundRule(named, (), (), tree)


SWAP = Update(((0, Y), (1, X)))
COUNT = Update(((0, plus(X, integer(1))),))
FAULT = Fault("a-fault", "it is wrong", HERE)


def of(*trees: Tree, terminal: Expression = FALSE) -> System:
    rules = tuple(ground(f"r{i}", tree) for i, tree in enumerate(trees))
    return System("by-hand", (), (X, Y, P), ((0, 0, 0),), rules, (), terminal)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (integer(7), 7),
        (X, 2),
        (plus(X, Y), 5),
        (minus(X, Y), -1),
        (less(X, Y), 1),
        (equal(X, Y), 0),
        (P, 1),
        (negation(P), 0),
        (conjunction([P, less(Y, X)]), 0),
        (disjunction([less(Y, X), P]), 1),
        (choose(less(X, Y), X, Y), 2),
        (choose(P, equal(X, Y), P), 0),
        (cell(0, 0, 3, False, after=True), 3),
        (equal(X, cell(0, 0, 3, False, after=True)), 0),
    ],
    ids=str,
)
def test_expressions(expression: Expression, expected: int) -> None:
    assert evaluate(expression, (2, 3, 1), (3, 3, 1)) == expected


def test_a_tree_leads_to_one_leaf() -> None:
    tree = parts.Test(P, parts.Test(less(X, Y), SWAP, Blocked("limit")), FAULT)
    assert list(leaves(tree)) == [SWAP, Blocked("limit"), FAULT]
    assert outcome(tree, (0, 1, 1)) == SWAP
    assert outcome(tree, (1, 1, 1)) == Blocked("limit")
    assert outcome(tree, (1, 1, 0)) == FAULT


def test_all_cells_are_written_at_once() -> None:
    assert updated(SWAP, (1, 2, 0)) == (2, 1, 0)


def test_steps_come_in_rule_order_with_faults() -> None:
    system = of(SWAP, Blocked(), FAULT, COUNT)
    state: State = (1, 1, 0)
    first, second, third, fourth = system.rules
    assert list(steps(system, state)) == [
        Step(first, (1, 1, 0)),  # a step that changes nothing is a step
        Step(third, FAULT),
        Step(fourth, (2, 1, 0)),
    ]
    assert not list(blocking_bounds(system, state))
    assert str(second) == "r1()"


def test_deadlocks() -> None:
    here: State = (1, 1, 0)
    assert is_deadlock(of(), here)
    assert is_deadlock(of(SWAP), here)  # nothing changes
    assert not is_deadlock(of(SWAP), (0, 1, 0))
    assert not is_deadlock(of(FAULT), here)  # a fault is told as such
    assert not is_deadlock(of(Blocked("limit")), here)
    assert is_deadlock(of(Blocked()), here)
    assert not is_deadlock(of(terminal=equal(X, integer(1))), here)


@pytest.mark.parametrize("tree", [COUNT, FAULT, Blocked("limit")])
def test_nobody_relies_on_a_rule_that_makes_no_progress(tree: Tree) -> None:
    here: State = (1, 1, 0)
    bare = replace(of(), rules=(ground("fail", tree, makes_progress=False),))
    assert is_deadlock(bare, here)
    assert not is_deadlock(replace(bare, rules=(*bare.rules, ground("work", tree))), here)


def test_bounds_that_forbid() -> None:
    system = of(Blocked("limit"), Blocked(), parts.Test(P, Blocked("other"), COUNT))
    assert [bound for _, bound in blocking_bounds(system, (0, 0, 1))] == ["limit", "other"]
    assert [bound for _, bound in blocking_bounds(system, (0, 0, 0))] == ["limit"]
