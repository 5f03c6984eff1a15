"""Generated Python means what the expressions and trees mean, whatever their size and sharing."""

from collections.abc import Sequence
from itertools import product

import networkx as nx
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from finale.checker.search.bfs import trees
from finale.checker.search.bfs.lowering import DEPTH_MAX
from finale.checker.search.bfs.machine import CompiledSuccessors, DefinedSuccessors
from finale.checker.search.state_graph.fairness import components
from finale.checker.search.state_graph.folding import folded, learn
from finale.model.errors import Place
from finale.model.expressions import (
    TRUE,
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
from finale.model.language.build import build
from finale.model.protocols.yardstick import Yardstick
from finale.model.rules import Setting
from finale.model.semantics import evaluate
from finale.model.system import Blocked, Fairness, GroundRule, Rule, State, System, Tree, Update
from finale.model.system import Test as Branching

NUMBERS = [cell(0, 0, 2, False), cell(1, -1, 1, False)]
TRUTHS = [cell(2, 0, 1, True), cell(3, 0, 1, True)]
STATES: list[State] = list(product(range(3), (-1, 0, 1), (0, 1), (0, 1)))


@st.composite
def expressions(draw: st.DrawFn) -> list[Expression]:
    """A pool of expressions that share parts: numbers and truth values by turns."""
    numbers: list[Expression] = [*NUMBERS, integer(1)]
    truths: list[Expression] = [*TRUTHS]
    for _ in range(draw(st.integers(3, 14))):
        left, right = draw(st.sampled_from(numbers)), draw(st.sampled_from(numbers))
        one, two = draw(st.sampled_from(truths)), draw(st.sampled_from(truths))
        match draw(st.integers(0, 8)):
            case 0:
                numbers.append(plus(left, right))
            case 1:
                numbers.append(minus(left, right))
            case 2:
                numbers.append(choose(one, left, right))
            case 3:
                truths.append(equal(left, right))
            case 4:
                truths.append(less(left, right))
            case 5:
                truths.append(negation(one))
            case 6:
                truths.append(conjunction([one, two]))
            case 7:
                truths.append(disjunction([one, two]))
            case _:
                truths.append(choose(one, two, equal(two, draw(st.sampled_from(truths)))))
    return [*numbers, *truths]


def system_of(rules: Sequence[Tree], cells: Sequence[Expression]) -> System:
    ground = tuple(
        GroundRule(Rule(f"rule_{i}", "It.", Fairness.NONE, True, Place(), ()), (), (), tree)
        for i, tree in enumerate(rules)
    )
    return System("made", (), tuple(cells), (), ground, (), TRUE)


def assert_same_steps(system: System, states: Sequence[State]) -> None:
    compiled, defined = CompiledSuccessors(system), DefinedSuccessors(system)
    for state in states:
        faults: list[int] = []
        expected: list[int] = []
        taken = compiled.expand(state, faults)
        assert taken == defined.expand(state, expected)
        assert faults == expected
        # A cell holds an int and never Python's True, which would be shown otherwise.
        assert all(type(value) is int for _, after in taken for value in after)
        assert compiled.bounds(state) == defined.bounds(state)


@given(expressions())
def test_tests_ask_what_the_expressions_say(pool: list[Expression]) -> None:
    questions = [each for each in pool if each.boolean]
    system = system_of([], [*NUMBERS, *TRUTHS])
    compiled, defined = CompiledSuccessors(system), DefinedSuccessors(system)
    asked, meant = compiled.state_test(questions), defined.state_test(questions)
    for state in STATES:
        assert list(asked(state)) == meant(state)


@given(expressions(), st.booleans())
def test_what_is_known_is_folded_and_changes_nothing(pool: list[Expression], holds: bool) -> None:
    test = pool[-1]
    states = [state for state in STATES if bool(evaluate(test, state)) is holds]
    assume(states)
    known = learn({}, test, holds)
    for expression in pool:
        simpler = folded(expression, known, {})
        for state in states:
            assert evaluate(simpler, state) == evaluate(expression, state)


@given(expressions(), st.data())
def test_trees_lead_where_they_lead(pool: list[Expression], data: st.DataObject) -> None:
    truths = [each for each in pool if each.boolean]
    numbers = [each for each in pool if not each.boolean]

    def tree(height: int) -> Tree:
        if not height or data.draw(st.integers(0, 4)) == 0:
            how = data.draw(st.integers(0, 4))
            if how < 2:
                return Blocked("tries" if how else None)
            written = (0, data.draw(st.sampled_from(numbers)))
            return Update((written, (2, data.draw(st.sampled_from(truths)))))
        return Branching(data.draw(st.sampled_from(truths)), tree(height - 1), tree(height - 1))

    assert_same_steps(system_of([tree(3), tree(2)], [*NUMBERS, *TRUTHS]), STATES)


# --- size ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["yes", "no"])
def test_a_deep_tree_is_split_into_functions(side: str) -> None:
    number, levels = cell(0, 0, 400, False), 250
    tree: Tree = Update(((0, integer(0)),))
    for level in range(levels):
        leaf = Update(((0, integer(level)),))
        test = equal(number, integer(level)) if side == "no" else less(integer(level), number)
        tree = Branching(test, leaf, tree) if side == "no" else Branching(test, tree, leaf)
    system = system_of([tree], [number])
    assert "def deep_" in CompiledSuccessors(system).source
    assert_same_steps(system, [(state,) for state in range(0, 400, 7)])


def test_a_deep_expression_is_given_names() -> None:
    number = cell(0, 0, 3, False)
    # Doubled a hundred times: without names the text would be as long as a tree with 2^100 leaves.
    total: Expression = number
    for step in range(100):
        total = choose(less(total, integer(step)), plus(total, integer(1)), minus(total, number))
    assert DEPTH_MAX < 100
    compiled = CompiledSuccessors(system_of([Update(((0, total),))], [number]))
    assert len(compiled.source) < 20_000
    for state in range(4):
        value = state
        for step in range(100):
            value = value + 1 if value < step else value - state
        assert compiled.expand((state,), []) == [(0, (value,))]


def test_a_long_function_is_split(monkeypatch: pytest.MonkeyPatch) -> None:
    system = build(Yardstick(Setting()))
    whole = CompiledSuccessors(system)
    monkeypatch.setattr(trees, "LINES_MAX", 20)
    split = CompiledSuccessors(system)
    assert split.source.count("def rules_") > whole.source.count("def rules_") == 1
    pending = dict.fromkeys(system.initial)
    for _ in range(200):
        state = next(iter(pending))
        del pending[state]
        taken = split.expand(state, [])
        assert taken == whole.expand(state, [])
        pending.update(dict.fromkeys(after for _, after in taken))


# --- components ----------------------------------------------------------------------------------


@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9))), st.sets(st.integers(0, 9)))
def test_components_are_those_of_networkx(edges: set[tuple[int, int]], region: set[int]) -> None:
    graph: nx.DiGraph[int] = nx.DiGraph(edges)
    graph.add_nodes_from(region)
    inside = graph.subgraph(region)
    found = components(sorted(region), lambda state: sorted(graph.successors(state)))
    expected = sorted(map(sorted, nx.strongly_connected_components(inside)))
    assert sorted(found) == expected
