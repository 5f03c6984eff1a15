"""Building a system: variables, bindings of rules, overrides."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import pytest

from finale.model.errors import FinaleError
from finale.model.language.bindings import is_misspelt
from finale.model.language.build import build, rule_names, world_of
from finale.model.rules import (
    STRONG,
    UNFAIR,
    WEAK,
    Bound,
    Range,
    Setting,
    require,
    rule,
    step,
)
from finale.model.system import Fairness, System
from tests.model.language_kit import Colour, made, mistake, protocol, system_of
from tests.model.language_worlds import Base, Leaf, Lower, Node


def bindings_of(system: System) -> list[str]:
    return [str(ground) for ground in system.rules]


# --- variables -----------------------------------------------------------------------------------


def test_variables_are_the_fields_of_entities_in_order() -> None:
    world = world_of(Base(Setting(sizes={"nodes": 2})), frozenset())
    assert [v.name for v in world.variables] == [
        "taken",
        "n0.number",
        "n1.number",
        "leaf.number",
        "leaf.flag",
    ]
    assert [list(v.indices) for v in world.variables] == [[0], [1], [2], [3], [4]]


def test_history_is_part_of_the_state_only_where_it_is_observed() -> None:
    observed = world_of(Base(Setting()), frozenset({"history"}))
    assert [v.name for v in observed.variables if v.ghost] == ["history"]
    setting = Setting(observe=frozenset({"history"}))
    assert "history" in {v.name for v in build(protocol(Base)(setting)).variables}


def test_a_protocol_is_built_again() -> None:
    it = made(protocol(Base))
    first, second = build(it), build(it)
    assert first.initial == second.initial
    assert first.cells == second.cells


# --- bindings ------------------------------------------------------------------------------------


def test_one_ground_rule_for_each_binding_in_order() -> None:
    def moves(self: Base, node: Node, up: bool, colour: Colour) -> None:
        """Moves."""
        node.number = 1 if up and colour == Colour.RED else 2

    assert bindings_of(system_of(Base, moves)) == [
        f"moves({name}, {up}, {colour})"
        for name in ("n0", "leaf")
        for up in (False, True)
        for colour in ("RED", "GREEN", "BLUE")
    ]


def test_choices_of_a_domain() -> None:
    def moves(self: Base, by: Annotated[int, Range(1, Bound("steps"))]) -> None:
        """Moves."""
        require(self.taken + by <= 2)
        self.taken += by

    assert bindings_of(system_of(Base, moves)) == ["moves(1)", "moves(2)"]


def test_a_class_binds_its_subclasses_and_not_the_reverse() -> None:
    def moves(self: Base, leaf: Leaf) -> None:
        """Moves."""
        leaf.flag = True

    system = system_of(Base, moves)
    assert bindings_of(system) == ["moves(leaf)"]
    assert system.rules[0].entities == ("leaf",)


def test_fairness_is_for_entities() -> None:
    class Fair(Base):
        """A rule with a free choice."""

        @rule(fair=STRONG)
        def moves(self, node: Node, up: bool) -> None:
            """S3, FC-2: moves."""
            node.number = 1 if up else 2

    system = build(made(Fair))
    assert {ground.fairness_key for ground in system.rules} == {
        ("moves", ("n0",)),
        ("moves", ("leaf",)),
    }
    (written,) = {ground.rule for ground in system.rules}
    assert written.fairness is Fairness.STRONG is STRONG is not WEAK
    assert written.cites == ("S3", "FC-2")
    assert written.place.line == inspect.getsourcelines(Fair.moves)[1]


class Unbound:
    """No entity."""


@pytest.mark.parametrize("annotation", [int, Unbound, "list[Node]", None])
def test_a_parameter_that_cannot_be_bound(annotation: Any) -> None:
    def moves(self: Any, node: Any) -> None:
        """Moves."""

    moves.__annotations__ = {"node": annotation} if annotation else {}
    assert mistake(Base, moves).code == "unknown-parameter"


def test_a_default_does_not_bind_a_parameter() -> None:
    def moves(self: Base, by: int = 1) -> None:
        """Moves."""
        self.taken += by

    def starred(self: Base, *nodes: Node) -> None:
        """Moves."""

    assert mistake(Base, moves).code == "unknown-parameter"
    assert bindings_of(system_of(Base)) == []
    assert mistake(Base, starred).code == "unknown-parameter"


def test_an_annotation_that_is_not_known() -> None:
    def moves(self: Base, node: Missing) -> None:  # type: ignore[name-defined]  # noqa: F821
        """Moves."""

    assert mistake(Base, moves).code == "unknown-annotation"


# --- rules and overrides -------------------------------------------------------------------------


def test_an_override_keeps_its_place() -> None:
    class Upper(Lower):
        """Overrides and adds."""

        @rule
        def third(self) -> None:
            """Is new."""
            require(self.taken == 1)
            self.taken = 0

        @rule
        def first(self) -> None:
            """Counts otherwise."""
            require(self.taken == 0)
            self.taken = 2

    assert rule_names(Upper) == ["first", "second", "third"]
    assert build(made(Upper)).rules[0].rule.sentence == "Counts otherwise."


def test_an_override_is_as_fair_as_what_it_overrides() -> None:
    class Fair(Lower):
        """Makes both rules fair."""

        @rule(fair=WEAK)
        def first(self) -> None:
            """Counts."""
            self.taken = 1

        @rule(fair=STRONG)
        def second(self) -> None:
            """Counts."""
            self.taken = 1

    class Upper(Fair):
        """Says so of one."""

        @rule
        def first(self) -> None:
            """Counts otherwise."""
            self.taken = 2

        @rule(fair=UNFAIR)
        def second(self) -> None:
            """Counts otherwise."""
            self.taken = 2

    fairness = [ground.rule.fairness for ground in build(made(Upper)).rules]
    assert fairness == [Fairness.WEAK, Fairness.NONE]
    assert progress_of(Upper) == [True, False]
    assert progress_of(Fair) == [True, True]


def progress_of(kind: type[Base]) -> list[bool]:
    return [ground.rule.makes_progress for ground in build(made(kind)).rules]


def test_a_protocol_that_promises_nothing_relies_on_what_is_not_unfair() -> None:
    class Upper(Lower):
        """Marks what nobody can rely on."""

        @rule(fair=UNFAIR)
        def second(self) -> None:
            """Counts otherwise."""
            self.taken = 2

    assert progress_of(Lower) == [True, True]
    assert progress_of(Upper) == [True, False]


def test_an_override_that_is_not_marked() -> None:
    class Upper(Lower):
        """Forgets the mark."""

        def first(self) -> None:
            """Is no rule any more."""

    with pytest.raises(FinaleError) as caught:
        build(made(Upper))
    assert caught.value.code == "override-not-marked"
    assert caught.value.place is not None
    assert caught.value.place.line == inspect.getsourcelines(Upper.first)[1]


def test_an_override_that_is_a_helper() -> None:
    class Upper(Lower):
        """Marks it as something else."""

        @step
        def first(self) -> None:
            """Is no rule any more."""

    with pytest.raises(FinaleError) as caught:
        build(made(Upper))
    assert caught.value.code == "override-not-marked"
    assert caught.value.place is not None
    assert caught.value.place.file == __file__


def test_an_override_that_is_misspelt() -> None:
    class Upper(Lower):
        """Overrides nothing."""

        @rule
        def secnod(self) -> None:
            """Runs beside the second."""
            self.taken = 2

    with pytest.raises(FinaleError) as caught:
        build(made(Upper))
    assert caught.value.code == "override-misspelt"
    assert caught.value.place is not None
    assert caught.value.place.rule is not None
    assert caught.value.place.rule.endswith("Upper.secnod")


def test_a_new_rule_may_be_like_one_that_is_overridden_too() -> None:
    class Upper(Lower):
        """Means both."""

        @rule
        def second(self) -> None:
            """Goes on."""
            self.taken = 2

        @rule
        def seconds(self) -> None:
            """Goes on, too."""
            self.taken = 2

    assert "seconds()" in bindings_of(build(made(Upper)))


@pytest.mark.parametrize(
    ("name", "meant", "is_slip"),
    [
        ("aply_decline", "apply_decline", True),
        ("apply_deccline", "apply_decline", True),
        ("apply_decilne", "apply_decline", True),
        ("apply_recline", "apply_decline", True),
        ("applydecline", "apply_decline", True),
        ("Apply_decline", "apply_decline", True),
        ("apply_decline", "apply_decline", False),
        ("phase1", "phase2", False),
        ("step_a", "step_b", False),
        ("block_channel", "unblock_channel", False),
        ("poll_barrier", "poll_cancel_barrier", False),
        ("put_value", "get_value", False),
        ("deliver_abort", "deliver_trigger", False),
    ],
)
def test_names_that_are_slips_of_others(name: str, meant: str, is_slip: bool) -> None:
    assert is_misspelt(name, meant) is is_slip


def test_a_rule_that_is_never_enabled_is_left_out() -> None:
    class Upper(Lower):
        """Switches a rule off."""

        @rule
        def second(self) -> None:
            """Never."""
            require(False)

    assert bindings_of(build(made(Upper))) == ["first()"]


@pytest.mark.parametrize("fair", [True, "weak", 1])
def test_only_a_promise_says_how_fair_a_rule_is(fair: Any) -> None:
    class Lower(Base):
        """Promises something else."""

        @rule(fair=fair)
        def second(self) -> None:
            """Never."""

    class Upper(Lower):
        """Says nothing of fairness."""

        @rule
        def second(self) -> None:
            """Never."""

    for kind in (Lower, Upper):
        with pytest.raises(FinaleError) as error:
            build(made(kind))
        assert error.value.code == "unknown-fairness"
        assert "fair=WEAK" in str(error.value)


def test_a_rule_has_a_sentence() -> None:
    def mute(self: Base) -> None:
        self.taken = 0

    assert mistake(Base, mute).code == "rule-without-sentence"
