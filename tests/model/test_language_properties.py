"""Properties as predicates: antecedents, steps, faults, views."""

from __future__ import annotations

from typing import Any

import pytest

from finale.checker.spec.reading import can_apply
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.language.properties import Family
from finale.model.rules import (
    Entity,
    Nothing,
    Option,
    Protocol,
    Range,
    Setting,
    Taken,
    always,
    before,
    define,
    eventually,
    field,
    leads_to,
    on_step,
    reachable,
    require,
    rule,
    when,
)
from finale.model.semantics import evaluate
from finale.model.system import Kind, Property
from tests.model.language_kit import made


class View:
    """What some protocols show."""


class Node(Entity):
    """An entity with a number that may be absent."""

    number = field(Option(Range(0, 2)), Nothing)


class Counted(Protocol, View):
    """Two nodes, and a rule for each."""

    key = "counted"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.nodes = (Node("a"), Node("b"))

    def entities(self) -> tuple[Node, ...]:
        return self.nodes

    @rule
    def start(self, node: Node) -> None:
        """Starts to count."""
        require(node.number == Nothing)
        node.number = 0

    @rule
    def count_up(self, node: Node, twice: bool) -> None:
        """Counts."""
        require(node.number != Nothing, lambda: node.number == 0)
        node.number = 2 if twice else 1

    @define
    def total(self) -> int:
        """The sum of what is there."""
        return sum(node.number for node in self.nodes if node.number != Nothing)


def state(a: int | None, b: int | None) -> tuple[int, ...]:
    """The cells of both numbers."""
    pairs = [(0, 0) if number is None else (1, number) for number in (a, b)]
    return tuple(cell for pair in pairs for cell in pair)


def ground(family: Family) -> Property:
    (prop,) = build(made(Counted), [family]).properties
    return prop


def says(prop: Property, index: int, *states: tuple[int, ...]) -> tuple[bool, bool, bool]:
    """Antecedent, claim and fault of a predicate in a state, or on a step."""
    predicate = prop.predicates[index]
    values = [evaluate(e, *states) for e in (predicate.when, predicate.claim, predicate.fault)]
    return bool(values[0]), bool(values[1]), bool(values[2])


def test_a_predicate_for_each_binding() -> None:
    @always(witness="some-count")
    def small(state: View, node: Node, other: Node) -> bool:
        """S1: numbers are small."""
        return node.number == Nothing or node.number < 2 or node == other

    prop = ground(small)
    assert prop.name == "small"
    assert prop.kind is Kind.ALWAYS
    assert prop.sentence == "S1: numbers are small."
    assert [dict(p.binding) for p in prop.predicates] == [
        {"node": one, "other": other} for one in "ab" for other in "ab"
    ]
    assert says(prop, 1, state(2, 0)) == (True, False, False)
    assert says(prop, 1, state(None, 0)) == (True, True, False)
    assert not prop.has_antecedent


def test_an_antecedent() -> None:
    @always
    def later(state: View, node: Node) -> bool:
        """Who counts has started."""
        when(node.number != Nothing)
        when(node.number > 0)
        return node.number == 2

    prop = ground(later)
    assert prop.has_antecedent
    assert says(prop, 0, state(None, 2))[0] is False
    assert says(prop, 0, state(0, 2))[0] is False
    assert says(prop, 0, state(1, 2)) == (True, False, False)
    assert says(prop, 0, state(2, None)) == (True, True, False)


def test_reading_what_is_not_there_is_a_fault_of_the_property() -> None:
    @always(witness="some-count")
    def reads(state: View, node: Node) -> bool:
        """Reads a number that may be absent."""
        return node.number < 2

    prop = ground(reads)
    assert says(prop, 0, state(None, 0))[2] is True
    assert says(prop, 0, state(1, None)) == (True, True, False)


def test_a_property_of_steps_reads_both_states() -> None:
    @on_step
    def grows(state: Counted) -> bool:
        """The total grows, or somebody starts."""
        return state.total() > before(state.total) or state.nodes[0].number == 0

    prop = ground(grows)
    assert prop.kind is Kind.ON_STEP
    assert len(prop.on_rules) == 6
    assert prop.on_rules[0] is prop.on_rules[5]
    (predicate,) = prop.on_rules[0]
    assert evaluate(predicate.claim, state(0, 0), state(1, 0))
    assert not evaluate(predicate.claim, state(1, 0), state(1, 0))


def test_a_property_of_steps_knows_the_rule() -> None:
    @on_step
    def counts(state: View, node: Node, step: Taken) -> bool:
        """Counting twice makes two."""
        when(step.rule == "count_up" and step.binding["node"] == node.name)
        when(step.binding["twice"] == "True")
        return node.number == 2

    prop = ground(counts)
    assert [len(own) for own in prop.on_rules] == [2] * 6
    named = dict(zip(map(str, build(made(Counted)).rules), prop.on_rules, strict=True))
    twice, _ = named["count_up(a, True)"]
    assert evaluate(twice.when, state(0, 0), state(2, 0))
    assert evaluate(twice.claim, state(0, 0), state(2, 0))
    assert not any(evaluate(p.when, state(0, 0), state(1, 0)) for p in named["count_up(a, False)"])


def test_the_goal_of_a_liveness_property_is_judged_without_its_cause() -> None:
    @leads_to
    def comes_to_two(state: View, node: Node) -> bool:
        """Who counts comes to 2."""
        when(node.number == 1)
        return node.number == 2

    prop = ground(comes_to_two)
    predicate = prop.predicates[0]
    assert evaluate(predicate.when, state(1, 0))
    assert evaluate(predicate.claim, state(2, 0))
    assert not evaluate(predicate.when, state(2, 0))


def test_kinds_witnesses_and_needs() -> None:
    @always(witness="some-count", needs="history")
    def bounded(state: View) -> bool:
        """Says something."""
        return True

    @reachable
    def some_count(state: View) -> bool:
        """Says something."""
        return True

    @eventually(needs="history")
    def ends(state: View) -> bool:
        """Says something."""
        return True

    assert (bounded.name, bounded.witness, bounded.needs) == ("bounded", "some-count", "history")
    assert (some_count.name, some_count.kind) == ("some-count", Kind.REACHABLE)
    assert (ends.kind, ends.needs) == (Kind.EVENTUALLY, "history")
    assert ground(bounded).witness == "some-count"


def test_a_property_applies_to_what_implements_its_view() -> None:
    class OtherView:
        """Nobody shows it."""

    @always
    def mine(state: View) -> bool:
        """Says something."""
        return True

    def other(state: Any) -> bool:
        """Says something."""
        return True

    other.__annotations__["state"] = OtherView
    assert can_apply(mine, Counted)
    assert not can_apply(always(other), Counted)


@pytest.mark.parametrize("code", ["not-a-truth-value", "before-outside-step", "property-writes"])
def test_properties_that_are_mistakes(code: str) -> None:
    def forgets(state: View, node: Node) -> Any:
        """Forgets to return."""
        require(node.number == 2)

    def looks_back(state: View, node: Node) -> bool:
        """Looks back where there is no step."""
        return before(lambda: node.number == 1)

    def writes(state: View, node: Node) -> bool:
        """Writes."""
        node.number = 2
        return True

    functions = {
        "not-a-truth-value": forgets,
        "before-outside-step": looks_back,
        "property-writes": writes,
    }
    with pytest.raises(FinaleError) as caught:
        ground(reachable(functions[code]))
    assert caught.value.code == code
    assert caught.value.place is not None
    assert caught.value.place.file == __file__


def test_what_always_holds_says_when_or_names_a_witness() -> None:
    @always
    def trivial(state: View) -> bool:
        """Says something."""
        return True

    with pytest.raises(FinaleError) as caught:
        ground(trivial)
    assert caught.value.code == "no-antecedent"


def test_terminal_is_where_it_holds_by_itself() -> None:
    class Ending(Counted):
        """Ends where the first node has counted; reads it where it is absent."""

        key = "ending"

        @define
        def terminal(self) -> bool:
            return self.nodes[0].number > 0

    terminal = build(made(Ending)).terminal
    assert [evaluate(terminal, state(n, None)) for n in (None, 0, 1, 2)] == [0, 0, 1, 1]
