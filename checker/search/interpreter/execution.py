"""Runs rules and properties as plain Python on plain values, without building expressions."""

from __future__ import annotations

import typing
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from finale.model.language.build import BoundRule, bindings, bound_rules
from finale.model.language.observing import observing
from finale.model.language.path_ends import FAULTS, BlockedHere, FaultHere, fault_of
from finale.model.language.plain import PlainStore, Values, start_values
from finale.model.language.properties import Family, Taken, stepping
from finale.model.language.protocol import Protocol
from finale.model.system import Blocked, Fault

Judgement = bool | Literal["fault", "silent"]
"""What a property says of a state or step; `silent` where its antecedent is false."""


@dataclass(frozen=True)
class TakenStep:
    """A rule was taken, to a state of these values.

    If the rule has reused ids, `earlier` is the state before it under the names of the state after.
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
        """Whether it judges steps, not states."""
        return self.family.kind.is_of_steps


class PlainSystem:
    """A protocol that was built, whose rules and properties are called on plain values.

    Properties that cannot be asked because ids are reused are left out.
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
        """Return the initial states."""
        return start_values(self.protocol, self.world)

    def take(self, rule: BoundRule, values: Values) -> TakenStep | Blocked | Fault:
        """Run a rule in a state."""
        store = PlainStore(values)
        try:
            with self.world.on(store):
                rule.method(*rule.arguments)
        except BlockedHere as stop:
            return Blocked(stop.bound)
        except FaultHere as stop:
            return Fault(stop.code, stop.message, stop.place)
        return TakenStep(tuple(store.values), store.earlier)

    def is_terminal(self, values: Values) -> bool:
        """Return whether the protocol has ended in a state; False if reading that is a fault."""
        with self.world.on(PlainStore(values)):
            try:
                return bool(self.protocol.terminal())
            except (BlockedHere, FaultHere):
                return False

    def judge_state(self, predicate: PlainPredicate, values: Values) -> Judgement:
        """Return what a property of states says of a state."""
        return self.judge_store(predicate, PlainStore(values))

    def judge_store(self, predicate: PlainPredicate, store: PlainStore) -> Judgement:
        """Return what a property of states says of a store, which may record what is read."""
        with self.world.on(store):
            return self.said(predicate)

    def judge_step(
        self, predicate: PlainPredicate, before: Values, rule: BoundRule, after: Values
    ) -> Judgement:
        """Return what a property of steps says of a step; `before` has the names of `after`."""
        with self.on_step(PlainStore(before), PlainStore(after)):
            return self.said(predicate, self.taken(rule))

    def taken(self, rule: BoundRule) -> Taken:
        """Return a step in the form that properties of steps are given."""
        return self._steps[id(rule)]

    @contextmanager
    def on_step(self, before: PlainStore, after: PlainStore) -> Generator[None]:
        """Set the step between two states, while properties are asked about it."""
        with stepping(self.world, before), self.world.on(after):
            yield

    def said(self, predicate: PlainPredicate, step: Taken | None = None) -> Judgement:
        """Return what a property says of the state, or the step, that is set."""
        told = (step,) if predicate.takes_step else ()
        family = predicate.family
        try:
            with observing(self.protocol, family.view):
                return bool(family.mark.function(self.protocol, *predicate.arguments, *told))
        except BlockedHere:
            return "silent"
        except FaultHere:
            return "fault"
        except FAULTS as error:
            fault_of(error)  # raises again what is a mistake of the language itself
            return "fault"


def _predicates(protocol: Protocol, family: Family) -> list[PlainPredicate]:
    takes_step = Taken in typing.get_type_hints(family.mark.function).values()
    return [
        PlainPredicate(family, arguments, binding, takes_step)
        for arguments, binding, _ in bindings(protocol, family.mark, skip=1)
    ]


__all__ = ["Judgement", "PlainPredicate", "PlainSystem", "TakenStep", "Values"]
