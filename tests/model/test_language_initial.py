"""Initial states and settings."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from finale.checker.search.interpreter.execution import PlainSystem
from finale.model.errors import FinaleError
from finale.model.language.build import build, initial_states, world_of
from finale.model.rules import (
    AnyOf,
    Array,
    Bool,
    Bound,
    Entity,
    Nothing,
    Option,
    PerEntity,
    Queue,
    Range,
    Ref,
    Set,
    Setting,
    field,
)
from tests.model.language_kit import Alone, made, protocol
from tests.model.language_worlds import Base, Leaf, Node


class Started(Alone):
    """Fields with all kinds of initial values."""

    plain = field(Range(0, 3), 1)
    any = field(Range(0, 3), AnyOf((1, 3)))
    computed = field(Bool, lambda self: self.key == "test")
    several = field(Range(0, 1), lambda self: AnyOf((0, 1)))
    array = field(Array(Range(0, 3), 2), 2)
    whole = field(Array(Range(0, 3), 2), (0, 3))
    queues = field(Array(Queue(Bool, 1), 2), ())
    maps = field(PerEntity(Node, Set(Bool)), frozenset())
    absent = field(Option(Ref(Node)), Nothing)


def test_initial_states_are_all_combinations_in_order() -> None:
    it = made(protocol(Started))
    world = world_of(it, frozenset())
    states = initial_states(it, world)
    values = [
        dict(zip((v.name for v in world.variables), world.decode(s), strict=True)) for s in states
    ]
    assert [(v["any"], v["several"]) for v in values] == [(1, 0), (1, 1), (3, 0), (3, 1)]
    rest = {k: v for k, v in values[0].items() if k not in ("any", "several")}
    assert rest == {
        "plain": 1,
        "computed": True,
        "array": (2, 2),
        "whole": (0, 3),
        "queues": ((), ()),
        "maps": (),
        "absent": Nothing,
    }


def test_an_initial_value_outside_its_domain() -> None:
    class Wrong(Alone):
        """Starts outside."""

        number = field(Range(0, 3), 4)

    with pytest.raises(FinaleError) as caught:
        build(made(Wrong))
    assert caught.value.code == "initial-outside-domain"
    assert caught.value.place is not None
    lines, first = inspect.getsourcelines(Wrong)
    assert caught.value.place.line == first + len(lines) - 1


def test_a_domain_that_cannot_be_is_told_with_its_field() -> None:
    class Wrong(Alone):
        """Has a field without values."""

        number = field(Range(0, Bound("missing")), 0)

    with pytest.raises(FinaleError) as caught:
        build(made(Wrong))
    assert caught.value.code == "unknown-bound"
    assert "Wrong.number" in caught.value.message
    assert caught.value.place is not None
    assert caught.value.place.file == __file__


def test_names_of_entities_are_different() -> None:
    class Twins(Base):
        """Two entities of one name."""

        def entities(self) -> Sequence[Entity]:
            return (Node("twin"), Leaf("twin"))

    with pytest.raises(FinaleError) as caught:
        build(made(Twins))
    assert caught.value.code == "duplicate-entity"


# --- settings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "setting"),
    [
        ("unknown-bound", Setting(bounds={"stps": 1})),
        ("unknown-observation", Setting(observe=frozenset({"histry"}))),
    ],
    ids=["bound", "observation"],
)
def test_settings_that_the_protocol_does_not_have(code: str, setting: Setting) -> None:
    with pytest.raises(FinaleError) as caught:
        Base(setting)
    assert caught.value.code == code
    assert "did you mean" in caught.value.advice


def test_a_bound_without_a_number() -> None:
    @dataclass(frozen=True)
    class Needed:
        """A bound without a default."""

        limit: int

    class Needing(Alone):
        """Needs a bound."""

    Needing.Bounds = Needed
    with pytest.raises(FinaleError) as caught:
        Needing(Setting())
    assert caught.value.code == "missing-bound"
    assert Needing(Setting(bounds={"limit": 3})).limits() == {"limit": 3}


class Resumed(Alone):
    """Starts as it says and not as its fields do."""

    number = field(Range(0, 3), 1)
    slots = field(Array(Range(0, 3), 2), 0)
    given: Sequence[Mapping[str, object]] = ({"number": 2}, {"slots": 3}, {"number": 2})

    def start_states(self) -> Sequence[Mapping[str, object]]:
        return self.given


def test_a_protocol_says_what_it_starts_with() -> None:
    it = made(protocol(Resumed))
    system = build(it)
    started = [dict(system.values(state)) for state in system.initial]
    assert started == [
        {"number": 2, "slots": (0, 0)},
        {"number": 1, "slots": (3, 3)},
    ]
    plain = PlainSystem(it).initial()
    assert plain == ((2, (0, 0)), (1, (3, 3)))


@pytest.mark.parametrize(
    ("given", "code", "hint"),
    [
        ({"numbre": 1}, "unknown-field", '"number"'),
        ({"number": 4}, "initial-outside-domain", "start_states()"),
        ({"slots": (0, 4)}, "initial-outside-domain", "start_states()"),
    ],
)
def test_a_wrong_start_is_refused(given: Mapping[str, object], code: str, hint: str) -> None:
    it = made(protocol(Resumed))
    it.__dict__["given"] = (given,)
    with pytest.raises(FinaleError) as caught:
        build(it)
    assert caught.value.code == code
    assert hint in (caught.value.advice or "")
