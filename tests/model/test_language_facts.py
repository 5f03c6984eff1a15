"""What is known on a path is so in every state that takes it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from finale.model.expressions import (
    cell,
    choose,
    conjunction,
    disjunction,
    equal,
    integer,
    less,
    negation,
    plus,
)
from finale.model.language.facts import Facts
from finale.model.semantics import evaluate
from finale.model.system import State
from tests.model.expression_terms import STATES, Term, node, numbers, truths

X, Y = cell(0, 0, 3, False), cell(1, -2, 1, False)
P, Q, R = (cell(index, 0, 1, True) for index in (3, 4, 5))

paths = st.lists(truths(3), max_size=5)


def learned(path: list[Term], state: State) -> tuple[Facts, list[State]]:
    """The facts of the path that a state takes, and all states that take it."""
    facts, states = Facts(), STATES
    for term in path:
        test = node(term)
        outcome = bool(evaluate(test, state))
        if facts.known(test) is None:
            facts.learn(test, outcome)
        states = [each for each in states if bool(evaluate(test, each)) is outcome]
    assert state in states
    return facts, states


@given(paths, st.sampled_from(STATES), truths(3))
def test_known_is_so_in_every_state_of_the_path(path: list[Term], state: State, term: Term) -> None:
    facts, states = learned(path, state)
    known = facts.known(node(term))
    if known is not None:
        assert all(bool(evaluate(node(term), each)) is known for each in states)


@given(paths, st.sampled_from(STATES), numbers(3))
def test_ranges_hold_in_every_state_of_the_path(path: list[Term], state: State, term: Term) -> None:
    facts, states = learned(path, state)
    low, high = facts.range(node(term))
    assert all(low <= evaluate(node(term), each) <= high for each in states)


@given(paths, paths, st.sampled_from(STATES), st.sampled_from(STATES), truths(3))
def test_copies_grow_apart(
    path: list[Term], more: list[Term], state: State, other: State, term: Term
) -> None:
    facts, states = learned(path, state)
    copy = facts.copy()
    facts.known(node(term))  # what is derived may be shared until one of them learns
    for each in more:
        copy.learn(node(each), bool(evaluate(node(each), other)))
        copy.known(node(term))
    known = facts.known(node(term))
    assert known is None or all(bool(evaluate(node(term), s)) is known for s in states)


def known_after(*tests: tuple[object, bool]) -> Facts:
    facts = Facts()
    for test, outcome in tests:
        facts.learn(test, outcome)  # type: ignore[arg-type]
    return facts


def test_bounds_follow_from_comparisons() -> None:
    facts = known_after((less(X, integer(2)), True), (equal(X, integer(0)), False))
    assert facts.range(X) == (1, 1)
    assert facts.known(equal(X, integer(1))) is True
    assert facts.range(plus(X, Y)) == (-1, 2)
    assert known_after((less(X, Y), True)).range(Y) == (1, 1)
    assert known_after((less(Y, X), False)).range(X) == (0, 1)


def test_values_that_are_excluded_are_never_there() -> None:
    facts = known_after((equal(X, integer(1)), False))
    assert facts.known(equal(X, integer(1))) is False
    assert facts.range(X) == (0, 3)


def test_operands_follow_from_what_they_are_part_of() -> None:
    assert known_after((conjunction([P, negation(Q)]), True)).known(Q) is False
    assert known_after((disjunction([P, Q]), False)).known(disjunction([Q, P])) is False
    facts = known_after((disjunction([P, Q, R]), True), (P, False))
    assert facts.known(R) is None
    facts.learn(Q, False)
    assert facts.known(R) is True
    facts = known_after((conjunction([P, less(X, integer(2))]), False), (P, True))
    assert facts.known(less(X, integer(2))) is False


def test_choices_are_known_by_their_condition() -> None:
    chosen = choose(P, integer(1), X)
    assert known_after((P, True)).range(chosen) == (1, 1)
    assert known_after((P, True)).known(equal(chosen, integer(1))) is True
    facts = Facts()
    facts.bound(plus(X, integer(1)), 0, 2)
    assert facts.range(plus(X, integer(1))) == (1, 2)
