"""Turns a property into predicates: one for each binding, as expressions over the state."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace

from finale.model.errors import FinaleError
from finale.model.expressions import FALSE, TRUE, Expression, conjunction, disjunction
from finale.model.system import IDS_GIVEN_AGAIN, GroundRule, Kind, Predicate, Property, System

from .access import Structure
from .bindings import bindings
from .decorators import DecoratedFunction
from .entities import World
from .explore import Folded, explore, fold
from .joining import join
from .observing import observing
from .properties import Family, Taken, goal_alone, stepping
from .protocol import Protocol
from .stores import SymbolicStore
from .symbols import Symbolic, SymbolicBool, truth_from, truth_of

EMPTY: Mapping[int, Expression] = {}


def where(world: World, condition: Callable[[], object]) -> Expression:
    """Return where a condition holds, except where reading the condition is a fault."""
    folded = _folded(world, condition, SymbolicStore(world.cells()))
    if folded.returns is FALSE:
        return FALSE
    return conjunction([folded.returns, truth_of(folded.value)])


def _folded(world: World, condition: Callable[[], object], store: SymbolicStore) -> Folded:
    with world.on(store):
        folded = fold(explore(lambda: _truth_from(condition()), store), store, join)
    if folded.writes:
        raise FinaleError(
            "property-writes",
            "a property, or `terminal`, writes to the state",
            advice="read only: what a property needs to remember is a ghost field that rules write",
        )
    return folded


def _truth_from(value: object) -> object:
    if not isinstance(value, bool | SymbolicBool):
        called = callable(value) and not isinstance(value, Symbolic)
        raise FinaleError(
            "not-a-truth-value",
            f"a condition returns {_shown(value)}",
            advice="call the helper: it is returned without parentheses"
            if called
            else "return a truth value on every path: a comparison, or all(…) or any(…) of them",
        )
    return truth_from(truth_of(value))


def _shown(value: object) -> str:
    if value is None or isinstance(value, Symbolic | Structure):
        return repr(value)
    return f"a {type(value).__name__}"


def property_of(world: World, protocol: Protocol, family: Family, system: System) -> Property:
    """A property of a system, with a predicate for each binding. Raises coded errors."""
    mark = family.mark
    _refuse_no_antecedent(family)
    written = Property(
        family.name, family.kind, family.sentence, mark.place, (), witness=family.witness
    )
    if family.of_all_ids and protocol.gives_ids_again:
        return replace(written, not_asked=IDS_GIVEN_AGAIN)
    try:
        with observing(protocol, family.view):
            return _explored(world, protocol, family, system, written)
    except FinaleError as error:
        raise error.located(mark.place) from None


def _explored(
    world: World, protocol: Protocol, family: Family, system: System, written: Property
) -> Property:
    mark = family.mark
    if not family.kind.is_of_steps:
        predicates = tuple(_predicates(world, protocol, mark))
        if family.kind.is_liveness:
            predicates = tuple(_with_moves(each, system.rules) for each in predicates)
        return _with_antecedent(replace(written, predicates=predicates))
    on_rules = tuple(_on_rules(world, protocol, mark, system.rules))
    return _with_antecedent(replace(written, on_rules=on_rules))


def _on_rules(
    world: World, protocol: Protocol, mark: DecoratedFunction, rules: Sequence[GroundRule]
) -> Iterator[tuple[Predicate, ...]]:
    """The predicates on the steps of each rule; rules of which the same is said share them."""
    asks = Taken in mark.hints.values()
    same: dict[object, tuple[Predicate, ...]] = {}
    for number, rule in enumerate(rules):
        key = number if asks else rule.earlier
        if key not in same:
            taken = Taken(rule.rule.name, dict(rule.binding)) if asks else None
            same[key] = tuple(_predicates(world, protocol, mark, taken, dict(rule.earlier)))
        yield same[key]


def _with_moves(predicate: Predicate, rules: Sequence[GroundRule]) -> Predicate:
    names = {value for _, value in predicate.binding}
    moves = (where for rule in rules for name, where in rule.moved if name in names)
    return replace(predicate, moved=disjunction(moves))


def _refuse_no_antecedent(family: Family) -> None:
    says_when = "when" in family.mark.function.__code__.co_names
    if family.kind is Kind.ALWAYS and family.witness is None and not says_when:
        raise FinaleError(
            "no-antecedent",
            f"{family.name} has neither an antecedent nor a witness",
            place=family.mark.place,
            advice="call when(...) in it, or name a reachable property: @always(witness=...)",
        )


def _with_antecedent(prop: Property) -> Property:
    predicates = prop.predicates or tuple(each for own in prop.on_rules for each in own)
    return replace(prop, has_antecedent=any(p.when is not TRUE for p in predicates))


def _predicates(
    world: World,
    protocol: Protocol,
    mark: DecoratedFunction,
    taken: Taken | None = None,
    renamed: Mapping[int, Expression] = EMPTY,
) -> Iterator[Predicate]:
    """`renamed` are the cells of the state before a step that differ under the names after it."""
    steps = mark.prepared.function
    on_step = mark.role == Kind.ON_STEP.value
    earlier = SymbolicStore([renamed.get(i, each) for i, each in enumerate(world.cells())])
    for arguments, binding, _ in bindings(protocol, mark, skip=1):
        given = (*arguments, taken) if taken is not None else arguments
        claimed = functools.partial(steps, protocol, *given)
        store = SymbolicStore(world.cells(after=on_step))
        with stepping(world, earlier) if on_step else nullcontext():
            folded = _folded(world, claimed, store)
        claim = truth_of(folded.value) if folded.returns is not FALSE else TRUE
        if mark.role in (Kind.LEADS_TO.value, Kind.EVENTUALLY.value):
            with goal_alone():
                claim = where(world, claimed)
        fault = disjunction(condition for condition, _ in folded.faults)
        yield Predicate(binding, folded.returns, claim, fault)
