"""Rules and properties run as the Python that they are, on plain values: no expression is built."""

from __future__ import annotations

import typing
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from model.language.build import BoundRule, bindings, bound_rules
from model.language.observing import observing
from model.language.path_ends import BlockedHere, FaultHere
from model.language.plain import PlainStore
from model.language.properties import Family, Taken, stepping
from model.language.protocol import Protocol
from model.language.starting import Values, start_values
from model.system import Blocked, Fault, Kind

Judgement = bool | Literal["fault", "silent"]
"""What a property says of a state or step; `silent` where its antecedent is false."""


@dataclass(frozen=True)
class After:
    """A rule was taken, to a state of these values.

    If the rule gave ids again, `earlier` is the state before it under the names of the state after.
    """

    values: Values
    earlier: Values | None = field(default=None, compare=False)


@dataclass(frozen=True)
class PlainPredicate:
    """A property with its parameters bound."""

    family: Family
    arguments: tuple[object, ...]
    binding: tuple[tuple[str, str], ...]
    takes_step: bool

    @property
    def on_steps(self) -> bool:
        """Whether it judges steps and not states."""
        return self.family.kind is Kind.ON_STEP


class PlainSystem:
    """A protocol whose rules and properties are called on plain values; it must have been built.

    Properties that cannot be asked, since ids are given again, are left out.
    """

    def __init__(self, protocol: Protocol, families: Sequence[Family] = ()) -> None:
        self.protocol = protocol
        self.world = protocol.world
        self.rules = tuple(bound_rules(protocol))
        self.predicates = tuple(
            predicate
            for family in families
            if not (family.of_all_ids and protocol.gives_ids_again)
            for predicate in _predicates(protocol, family)
        )
        self._steps = {id(rule): Taken(rule.rule.name, dict(rule.binding)) for rule in self.rules}

    def initial(self) -> tuple[Values, ...]:
        """The initial states."""
        return start_values(self.protocol, self.world)

    def take(self, rule: BoundRule, values: Values) -> After | Blocked | Fault:
        """Run a rule in a state."""
        store = PlainStore(values)
        try:
            with self.world.on(store):
                rule.method(*rule.arguments)
        except BlockedHere as stop:
            return Blocked(stop.bound)
        except FaultHere as stop:
            return Fault(stop.code, stop.message, stop.place)
        return After(tuple(store.values), store.earlier)

    def is_terminal(self, values: Values) -> bool:
        """Whether the protocol has come to its end in a state; not where that cannot be read."""
        with self.world.on(PlainStore(values)):
            try:
                return bool(self.protocol.terminal())
            except (BlockedHere, FaultHere):
                return False

    def judge_state(self, predicate: PlainPredicate, values: Values) -> Judgement:
        """What a property of states says of one."""
        return self.judge_store(predicate, PlainStore(values))

    def judge_store(self, predicate: PlainPredicate, store: PlainStore) -> Judgement:
        """The same of the state in a store, which may watch what is read."""
        with self.world.on(store):
            return self.said(predicate)

    def judge_step(
        self, predicate: PlainPredicate, before: Values, rule: BoundRule, after: Values
    ) -> Judgement:
        """What a property of steps says of one; `before` has the names of `after`."""
        with self.on_step(PlainStore(before), PlainStore(after)):
            return self.said(predicate, self.taken(rule))

    def taken(self, rule: BoundRule) -> Taken:
        """A step as properties of steps are told of it."""
        return self._steps[id(rule)]

    @contextmanager
    def on_step(self, before: PlainStore, after: PlainStore) -> Generator[None]:
        """While properties are asked of the step between two states."""
        with stepping(self.world, before), self.world.on(after):
            yield

    def said(self, predicate: PlainPredicate, step: Taken | None = None) -> Judgement:
        """What a property says of the state, or of the step, that is set."""
        told = (step,) if predicate.takes_step else ()
        family = predicate.family
        try:
            with observing(self.protocol, family.view):
                return bool(family.mark.function(self.protocol, *predicate.arguments, *told))
        except BlockedHere:
            return "silent"
        except FaultHere:
            return "fault"


def _predicates(protocol: Protocol, family: Family) -> list[PlainPredicate]:
    takes_step = Taken in typing.get_type_hints(family.mark.function).values()
    return [
        PlainPredicate(family, arguments, binding, takes_step)
        for arguments, binding, _ in bindings(protocol, family.mark, skip=1)
    ]


__all__ = ["After", "Judgement", "PlainPredicate", "PlainSystem", "Values"]
