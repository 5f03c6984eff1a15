"""Traces as ITF: what is written is read back, and is what the format asks for."""

from __future__ import annotations

import enum
import json
from collections.abc import Sequence

import pytest

from finale.model.errors import FinaleError
from finale.model.itf import from_itf, to_itf
from finale.model.language.build import build
from finale.model.rules import (
    Array,
    Bool,
    Entity,
    Enum,
    Nothing,
    Option,
    PerEntity,
    Protocol,
    Queue,
    Range,
    Record,
    Ref,
    Set,
    Setting,
    Union,
    field,
    part,
    require,
    rule,
)
from finale.model.semantics import steps
from finale.model.system import Fault, System
from finale.model.trace import Trace, replay


class Colour(enum.Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


class Letter(Record):
    """Something written."""

    pages: int = part(Range(1, 3))


class Parcel(Record):
    """Something packed."""


class House(Entity):
    """Where it goes."""

    colour = field(Enum(Colour), Colour.RED)


class Post(Protocol):
    """A field of each kind."""

    key = "post"

    count = field(Range(0, 4), 0)
    open = field(Bool, False)
    last = field(Option(Range(1, 2)), Nothing)
    seen = field(Set(Range(1, 3)), frozenset())
    bag = field(Queue(Union(Letter, Parcel), 2), ())
    flags = field(Array(Bool, 2), (False, False))

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.houses = (House("x"), House("y"))

    def entities(self) -> Sequence[Entity]:
        return self.houses

    @rule
    def send(self, pages: bool) -> None:
        """Something is sent."""
        require(self.count < 3)
        self.count += 1
        self.bag.put(Letter(2) if pages else Parcel())
        self.last = 2
        self.seen.add(3)
        self.flags[1] = True

    @rule
    def paint(self, house: House) -> None:
        """A house is painted."""
        house.colour = Colour.BLUE

    @rule
    def flip(self) -> None:
        """The door opens and closes."""
        self.open = not self.open


@pytest.fixture(scope="module")
def post() -> System:
    return build(Post(Setting()))


def walk(system: System, names: Sequence[str], loop: int | None = None) -> Trace:
    """The run that takes the rules of these names, as they are shown."""
    states, rules = [system.initial[0]], []
    for name in names:
        step = next(each for each in steps(system, states[-1]) if str(each.rule) == name)
        rules.append(next(i for i, rule in enumerate(system.rules) if rule is step.rule))
        if isinstance(step.result, Fault):
            return Trace(tuple(states), tuple(rules), None, step.result)
        states.append(step.result)
    return Trace(tuple(states), tuple(rules), loop)


@pytest.mark.parametrize(
    ("names", "loop"),
    [
        ([], None),
        (["send(True)", "paint(y)", "send(False)"], None),
        (["paint(x)", "flip()", "flip()"], 1),
        (["flip()", "flip()"], 0),
        (["paint(x)"], 1),
        (["send(True)", "send(True)", "send(False)"], None),
    ],
)
def test_what_is_written_is_read_back(post: System, names: list[str], loop: int | None) -> None:
    trace = walk(post, names, loop)
    replay(post, trace)
    again = from_itf(post, to_itf(post, trace))
    assert again == trace
    replay(post, again)


def test_the_form_of_each_value(post: System) -> None:
    document = json.loads(to_itf(post, walk(post, ["send(True)", "paint(y)"]), {"source": "x"}))
    assert document["#meta"]["format"] == "ITF"
    assert document["#meta"]["source"] == "x"
    assert document["vars"] == [variable.name for variable in post.variables]
    last = document["states"][-1]
    assert last.pop("#meta") == {
        "index": 2, "rule": "paint", "binding": {"house": "y"}, "ground-rule": 3,
    }  # fmt: skip
    assert last == {
        "count": {"#bigint": "1"},
        "open": False,
        "last": {"tag": "Some", "value": {"#bigint": "2"}},
        "seen": {"#set": [{"#bigint": "3"}]},
        "bag": [{"tag": "Letter", "value": {"pages": {"#bigint": "2"}}}],
        "flags": [False, True],
        "x.colour": "RED",
        "y.colour": "BLUE",
    }


def test_a_loop_begins_at_the_state_that_follows_the_last(post: System) -> None:
    document = json.loads(to_itf(post, walk(post, ["paint(x)", "flip()", "flip()"], 1)))
    assert document["loop"] == 1
    assert len(document["states"]) == 3
    assert document["#meta"]["loop-step"]["rule"] == "flip"


class Registry(Protocol):
    """Maps and references."""

    key = "registry"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.houses = (House("x"), House("y"))

    owner = field(Option(Ref(House)), Nothing)
    visits = field(PerEntity(House, Range(0, 2)), 0)

    def entities(self) -> Sequence[Entity]:
        return self.houses

    @rule
    def visit(self, house: House) -> None:
        """A house is visited."""
        self.owner = house
        self.visits[house] = 2


def test_maps_and_references() -> None:
    system = build(Registry(Setting()))
    trace = walk(system, ["visit(y)"])
    text = to_itf(system, trace)
    last = json.loads(text)["states"][-1]
    assert last["owner"] == {"tag": "Some", "value": "y"}
    assert last["visits"] == {"#map": [["x", {"#bigint": "0"}], ["y", {"#bigint": "2"}]]}
    assert from_itf(system, text) == trace


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"states": [{}]}', '{"states": [3]}', '{"states": [{"count": 1}]}'],
)
def test_what_is_no_trace_is_refused(post: System, text: str) -> None:
    with pytest.raises(FinaleError) as caught:
        from_itf(post, text)
    assert caught.value.code == "not-itf"
