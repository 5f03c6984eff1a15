"""Builds a system from a protocol: ground rules as decision trees, properties as expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from model.system import (
    Blocked,
    GroundRule,
    Property,
    State,
    System,
)

from .bindings import BoundRule, bindings, bound_rules, rule_names, rule_of, shown
from .decorators import mark_of
from .entities import World
from .predicates import property_of, where
from .properties import Family
from .protocol import Protocol
from .starting import start_values
from .trees import ground_rule


def world_of(protocol: Protocol, observed: frozenset[str]) -> World:
    """The entities and variables of a protocol."""
    return World([protocol, *protocol.entities()], protocol.limits(), observed)


def build(
    protocol: Protocol, families: Sequence[Family] = (), look: Callable[[], None] | None = None
) -> System:
    """The system of a protocol with properties. Raises coded errors for mistakes in rules.

    `look` is called before each rule and property: what it raises ends the work.
    """
    look = look or _go_on
    world = world_of(protocol, protocol.keeps())
    _check_all(world)
    rules = tuple(_ground_rules(world, protocol, look))
    system = System(
        protocol.key,
        world.variables,
        world.cells(),
        initial_states(protocol, world),
        rules,
        (),
        where(world, protocol.terminal),
    )
    properties: list[Property] = []
    for family in families:
        look()
        properties.append(property_of(world, protocol, family, system))
    return replace(system, properties=tuple(properties))


def _go_on() -> None:
    """Nobody looks."""


def _ground_rules(
    world: World, protocol: Protocol, look: Callable[[], None]
) -> Iterator[GroundRule]:
    """The rules with their trees, but for those that are never enabled."""
    for bound in bound_rules(protocol):
        look()
        rule = ground_rule(world, bound)
        if not isinstance(rule.tree, Blocked) or rule.tree.bound is not None:
            yield rule


def _check_all(world: World) -> None:
    """Check what is marked, whether it is ever called or not."""
    for kind in {base: None for entity in world.entities for base in type(entity).__mro__}:
        for value in vars(kind).values():
            mark = mark_of(value)
            if mark is not None:
                mark.check()


def initial_states(protocol: Protocol, world: World) -> tuple[State, ...]:
    """The initial states: one, unless fields start with any of several values or the protocol says.

    Different values may be stored alike: each state comes once.
    """
    states = (world.encode(values) for values in start_values(protocol, world))
    return tuple(dict.fromkeys(states))


__all__ = [
    "BoundRule",
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
