"""Builds a system from a protocol: ground rules as decision trees, properties as expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from finale.model.errors import FinaleError, Place
from finale.model.expressions import Expression
from finale.model.garbage import uncollected
from finale.model.system import Blocked, GroundRule, Property, State, System

from .bindings import BoundRule, bindings, bound_rules, rule_names, rule_of, shown
from .decorators import DecoratedFunction, mark_of
from .entities import World
from .history import otherwise, refuse_difference, refuse_history
from .layout import LayoutGuard, guarding, is_foreign, refuse_unguarded
from .plain import start_values
from .predicates import property_of, where
from .properties import Family
from .protocol import Protocol
from .trees import ground_rule


def world_of(protocol: Protocol, observed: frozenset[str]) -> World:
    """The entities and variables of a protocol."""
    entities = [protocol, *protocol.entities()]
    for each in entities if protocol.setting.without else ():
        each.__dict__["_without"] = protocol.setting.without
    return World(entities, protocol.limits(), observed)


class Parts:
    """The parts of one system, as they are asked for. This base class works out each of them.

    A subclass may hand out what was worked out before from the same things.
    """

    def begin(self, protocol: Protocol, world: World) -> None:
        """Prepare for the parts of a system."""

    def unchecked(self, marks: Iterable[DecoratedFunction]) -> Iterable[DecoratedFunction]:
        """Return those functions that are not known to keep to the rule language."""
        return marks

    def checked(self, marks: Iterable[DecoratedFunction]) -> None:
        """Take note that functions keep to the rule language."""

    def rule(self, bound: BoundRule, explore: Callable[[], GroundRule]) -> GroundRule:
        """Return a rule with its parameters bound."""
        return explore()

    def property(
        self, family: Family, rules: Sequence[GroundRule], explore: Callable[[], Property]
    ) -> Property:
        """Return a property of a system with these rules."""
        return explore()

    def condition(self, name: str, explore: Callable[[], Expression]) -> Expression:
        """Return a condition that the protocol has under a name."""
        return explore()


@uncollected()
def build(
    protocol: Protocol,
    families: Sequence[Family] = (),
    look: Callable[[], None] | None = None,
    parts: Parts | None = None,
) -> System:
    """The system of a protocol with properties. Raises coded errors for mistakes in rules.

    `look` is called before each rule and property: what it raises ends the work. `parts` hands out
    the parts.
    """
    guard = protocol.layout_guard
    with guarding(guard):
        return _built(protocol, guard, families, look or _go_on, parts or Parts())


def _built(
    protocol: Protocol,
    guard: LayoutGuard | None,
    families: Sequence[Family],
    look: Callable[[], None],
    parts: Parts,
) -> System:
    world = world_of(protocol, protocol.keeps())
    if guard is not None:
        refuse_unguarded(world, guard, [each.mark.function for each in families])
    parts.begin(protocol, world)
    _check_all(world, parts)
    rules = tuple(_ground_rules(world, protocol, look, parts))
    _refuse_history(world, protocol, rules, look)
    system = System(
        protocol.key,
        world.variables,
        world.cells(),
        initial_states(protocol, world),
        rules,
        (),
        parts.condition("terminal", partial(_terminal, world, protocol)),
    )
    properties: list[Property] = []
    for family in families:
        look()
        explore = partial(property_of, world, protocol, family, system)
        properties.append(parts.property(family, rules, explore))
    return replace(system, properties=tuple(properties))


def _terminal(world: World, protocol: Protocol) -> Expression:
    try:
        return where(world, protocol.terminal)
    except FinaleError as error:
        code = type(protocol).terminal.__code__
        raise error.located(Place(code.co_filename, code.co_firstlineno)) from None


def _go_on() -> None:
    """Nobody looks."""


def _ground_rules(
    world: World, protocol: Protocol, look: Callable[[], None], parts: Parts
) -> Iterator[GroundRule]:
    """The rules with their trees, but for those that are never enabled."""
    for bound in bound_rules(protocol):
        look()
        rule = parts.rule(bound, partial(ground_rule, world, bound))
        if not isinstance(rule.tree, Blocked) or rule.tree.bound is not None:
            yield rule


def _refuse_history(
    world: World, protocol: Protocol, rules: Sequence[GroundRule], look: Callable[[], None]
) -> None:
    """Refuse rules of a user that depend on history. Raises `rule-reads-history`."""
    if not is_foreign({type(entity) for entity in world.entities}):
        return
    refuse_history(protocol, world, rules)

    def built(other: Protocol) -> tuple[World, Sequence[GroundRule]]:
        other_world = world_of(other, other.keeps())
        return other_world, tuple(_ground_rules(other_world, other, look, Parts()))

    for other in otherwise(protocol):
        refuse_difference(protocol, world, rules, other, built)


def _check_all(world: World, parts: Parts) -> None:
    """Check what is marked, whether it is ever called or not."""
    kinds = {base: None for entity in world.entities for base in type(entity).__mro__}
    found = (mark_of(value) for kind in kinds for value in vars(kind).values())
    marks = list(parts.unchecked([mark for mark in found if mark is not None]))
    for mark in marks:
        mark.check()
    parts.checked(marks)


def initial_states(protocol: Protocol, world: World) -> tuple[State, ...]:
    """The initial states: one, unless fields start with any of several values or the protocol says.

    Different values may be stored alike: each state comes once.
    """
    states = (world.encode(values) for values in start_values(protocol, world))
    return tuple(dict.fromkeys(states))


__all__ = [
    "BoundRule",
    "Parts",
    "bindings",
    "bound_rules",
    "build",
    "ground_rule",
    "initial_states",
    "rule_names",
    "rule_of",
    "shown",
    "world_of",
]
