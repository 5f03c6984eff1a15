"""What tests of the rule language share: a small world, and both meanings of a rule."""

from __future__ import annotations

import enum
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from textwrap import indent
from typing import Any

from finale.model.errors import FinaleError
from finale.model.language.build import BoundRule, bound_rules, build, ground_rule, world_of
from finale.model.language.entities import World
from finale.model.language.path_ends import BlockedHere, FaultHere
from finale.model.language.plain import PlainStore
from finale.model.rules import Entity, Protocol, Setting, rule
from finale.model.semantics import outcome, updated
from finale.model.system import Blocked, Fault, State, System, Tree, Update, leaves

#: A comment that marks the line which an error must name.
MARK = "# here"


Function = Callable[..., Any]


class Colour(enum.Enum):
    """An enumeration for fields."""

    RED = "red"
    GREEN = "green"
    BLUE = "blue"


class Fruit(enum.Enum):
    """Another enumeration."""

    APPLE = "apple"


def protocol(base: type[Protocol], *rules: Function, **more: object) -> type[Protocol]:
    """A subclass with these functions as its rules."""
    named: dict[str, object] = {function.__name__: rule(function) for function in rules}
    return type(base.__name__, (base,), {"key": "test", **named, **more})


def made(kind: type[Protocol], **bounds: int) -> Protocol:
    """A protocol in a setting of bounds."""
    return kind(Setting(bounds=bounds))


def system_of(base: type[Protocol], *rules: Function, **more: object) -> System:
    """The system of a protocol with these rules."""
    return build(made(protocol(base, *rules, **more)))


def tree(base: type[Protocol], function: Function) -> Tree:
    """The decision tree of a rule with its first binding; certain mistakes are let through."""
    it = made(protocol(base, function))
    return ground_rule(world_of(it, it.keeps()), next(bound_rules(it))).tree


def leaves_of(base: type[Protocol], function: Function) -> list[str]:
    """The leaves of a rule with its first binding, by kind; faults by code."""
    return [_named(leaf) for leaf in leaves(tree(base, function))]


def _named(leaf: Blocked | Update | Fault) -> str:
    match leaf:
        case Fault(code=code):
            return code
        case Blocked(bound=bound):
            return f"blocked by {bound}" if bound else "blocked"
        case Update():
            return "update"


def mistake(base: type[Protocol], function: Function, **more: object) -> FinaleError:
    """The error that building a protocol with this rule raises."""
    try:
        system_of(base, function, **more)
    except FinaleError as error:
        return error
    raise AssertionError(f"{function.__name__} is accepted")


# --- rules as texts ------------------------------------------------------------------------------


def module(text: str, folder: Path) -> dict[str, Any]:
    """What a text defines as a module: rules are read from their files."""
    file = folder / "written.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("written", file)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return vars(found)


def written(header: str, body: str, folder: Path) -> tuple[type[Protocol], Function]:
    """The `Base` of a header, and a rule with this body."""
    opening = 'def rule_of_a_test(self, node: Node) -> None:\n    """A rule."""\n'
    found = module(header + opening + indent(body, "    ") + "\n", folder)
    return found["Base"], found["rule_of_a_test"]


def assert_refused(header: str, code: str, body: str, folder: Path) -> FinaleError:
    """Check that a rule with this body is refused at the line that is marked."""
    base, function = written(header, body, folder)
    error = mistake(base, function)
    lines = (folder / "written.py").read_text(encoding="utf-8").splitlines()
    assert error.code == code, error
    assert error.place is not None
    assert error.place.file == str(folder / "written.py")
    assert error.place.line is not None
    assert MARK in lines[error.place.line - 1]
    assert error.place.rule
    assert error.advice
    return error


# --- both meanings -------------------------------------------------------------------------------

Told = tuple[str, object]


def plain_told(world: World, bound: BoundRule, values: Sequence[object]) -> Told:
    """What a rule does on plain values."""
    store = PlainStore(values)
    try:
        with world.on(store):
            bound.method(*bound.arguments)
    except BlockedHere as stop:
        return "blocked", stop.bound
    except FaultHere as stop:
        return "fault", stop.code
    return "update", world.encode(store.values)


def tree_told(tree: Tree, state: State) -> Told:
    """What a decision tree does in a state."""
    match outcome(tree, state):
        case Blocked(bound=bound):
            return "blocked", bound
        case Fault(code=code):
            return "fault", code
        case Update() as update:
            return "update", updated(update, state)


def all_values(world: World) -> Iterator[tuple[object, ...]]:
    """All states of a world, reachable or not, as plain values."""
    return product(*(variable.domain.values() for variable in world.variables))


def assert_agree(base: type[Protocol], *rules: Function, **bounds: int) -> set[Told]:
    """Check that both meanings agree in all states; what they do, by kind and code."""
    it = made(protocol(base, *rules), **bounds)
    world = world_of(it, it.keeps())
    seen: set[Told] = set()
    for bound in bound_rules(it):
        decided = ground_rule(world, bound).tree
        for values in all_values(world):
            plain, told = plain_told(world, bound, values), tree_told(decided, world.encode(values))
            assert plain == told, f"{bound.rule.name}{bound.binding} in {values}"
            seen.add(told if told[0] != "update" else ("update", None))
    return seen


@dataclass(frozen=True)
class Case:
    """A rule, and how it ends: in one state or another in each of these ways, and in no other."""

    base: type[Protocol]
    function: Function
    ends: tuple[str, ...]

    def __str__(self) -> str:
        return self.function.__name__


def case_of(
    cases: list[Case],
) -> Callable[..., Callable[[Function], Function]]:
    """A decorator that adds to a list of cases."""

    def case(base: type[Protocol], *ends: str) -> Callable[[Function], Function]:
        def marking(function: Function) -> Function:
            cases.append(Case(base, function, ends))
            return function

        return marking

    return case


def assert_agree_on(case: Case) -> list[str]:
    """Check a case, with its ends if it names some; how it ends."""
    told = assert_agree(case.base, case.function)
    names = sorted({str(what) if kind == "fault" else kind for kind, what in told})
    assert not case.ends or names == sorted(case.ends)
    return names


class Alone(Protocol):
    """A protocol without entities of its own."""

    key = "alone"


class Pair(Protocol):
    """The base of worlds with two entities `a` and `b` of the class `Node`."""

    Node: type[Entity] = Entity

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.a, self.b = self.Node("a"), self.Node("b")

    def entities(self) -> Sequence[Entity]:
        return (self.a, self.b)
