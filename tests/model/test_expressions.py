"""Expressions: folding changes no value, bounds hold, equal nodes are one."""

from __future__ import annotations

import gc
import time
import weakref

import pytest
from hypothesis import given

from finale.model.expressions import (
    FALSE,
    TRUE,
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
    truth,
)
from finale.model.semantics import evaluate
from tests.model.expression_terms import STATES, Term, node, numbers, truths, value

X, Y = cell(0, 0, 3, False), cell(1, -2, 1, False)
P, Q = cell(3, 0, 1, True), cell(4, 0, 1, True)


@given(numbers(4))
def test_numbers_mean_what_they_say(term: Term) -> None:
    assert_means_the_same(term)


@given(truths(4))
def test_truth_values_mean_what_they_say(term: Term) -> None:
    assert_means_the_same(term)


def assert_means_the_same(term: Term) -> None:
    expression = node(term)
    for state in STATES[::5]:
        found = evaluate(expression, state)
        assert found == value(term, state)
        assert expression.low <= found <= expression.high
    assert node(term) is expression
    normal(expression)


def normal(expression: Expression) -> None:
    """The form that back ends may count on."""
    match expression:
        case Constant() | Cell():
            return
        case Add():
            assert not isinstance(expression.left, Constant)
            assert not (isinstance(expression.right, Constant) and expression.right.value == 0)
            parts: tuple[Expression, ...] = (expression.left, expression.right)
        case Subtract():
            assert not isinstance(expression.right, Constant)
            parts = (expression.left, expression.right)
        case Equal():
            assert not isinstance(expression.left, Constant)
            assert expression.left.boolean == expression.right.boolean
            assert not (expression.left.boolean and isinstance(expression.right, Constant))
            parts = (expression.left, expression.right)
        case Less():
            assert not expression.left.boolean
            parts = (expression.left, expression.right)
        case Not():
            assert not isinstance(expression.operand, Not | Constant)
            parts = (expression.operand,)
        case And() | Or():
            assert len(set(expression.operands)) == len(expression.operands) > 1
            assert not any(isinstance(each, type(expression)) for each in expression.operands)
            assert not {TRUE, FALSE} & set(expression.operands)
            parts = expression.operands
        case IfThenElse():
            assert not isinstance(expression.condition, Not | Constant)
            assert expression.yes is not expression.no
            assert expression.yes.boolean == expression.no.boolean == expression.boolean
            parts = (expression.condition, expression.yes, expression.no)
    for part in parts:
        normal(part)


@pytest.mark.parametrize(
    ("built", "expected"),
    [
        (plus(integer(1), X), plus(X, integer(1))),
        (plus(plus(X, integer(1)), integer(2)), plus(X, integer(3))),
        (minus(plus(X, integer(1)), integer(1)), X),
        (minus(X, X), integer(0)),
        (equal(plus(X, integer(1)), integer(3)), equal(X, integer(2))),
        (equal(X, integer(4)), FALSE),
        (equal(P, TRUE), P),
        (equal(FALSE, P), negation(P)),
        (equal(choose(P, integer(1), integer(2)), integer(2)), negation(P)),
        (less(plus(X, integer(1)), integer(2)), less(X, integer(1))),
        (less(integer(1), plus(X, integer(1))), less(integer(0), X)),
        (less(X, integer(4)), TRUE),
        (less(choose(P, integer(0), X), integer(1)), disjunction([P, less(X, integer(1))])),
        (negation(negation(P)), P),
        (conjunction([P, negation(P)]), FALSE),
        (disjunction([negation(P), Q, P]), TRUE),
        (conjunction([P, conjunction([Q, P]), TRUE]), conjunction([P, Q])),
        (conjunction([]), TRUE),
        (disjunction([]), FALSE),
        (choose(negation(P), X, Y), choose(P, Y, X)),
        (choose(P, X, X), X),
        (choose(P, P, Q), disjunction([P, Q])),
        (choose(P, Q, P), conjunction([P, Q])),
        (choose(P, FALSE, Q), conjunction([negation(P), Q])),
        (cell(2, 5, 5, False), integer(5)),
        (truth(True), TRUE),
        (integer(True), integer(1)),
    ],
    ids=[f"fold-{i}" for i in range(27)],
)
def test_folds(built: Expression, expected: Expression) -> None:
    assert built is expected


def test_integers_and_truth_values_are_apart() -> None:
    assert integer(1) is not TRUE
    assert not integer(1).boolean
    assert TRUE.boolean


def test_what_nobody_holds_is_forgotten() -> None:
    made = plus(X, plus(Y, integer(77)))
    seen = weakref.ref(made)
    assert plus(X, plus(Y, integer(77))) is made
    del made
    gc.collect()
    assert seen() is None


def test_nested_choices_are_compared_without_blow_up() -> None:
    """A counter that a helper steps often: a comparison walks the choices once."""
    counter: Expression = X
    for index in range(60):
        counter = choose(cell(10 + index, 0, 1, True), plus(counter, integer(1)), counter)
    started = time.perf_counter()
    for number in range(60):
        equal(counter, integer(number))
        less(counter, integer(number))
    assert time.perf_counter() - started < 1
