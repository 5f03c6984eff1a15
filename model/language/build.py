"""From a protocol to a system: ground rules as decision trees, properties as expressions."""

from __future__ import annotations

import enum
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple, TypeGuard

from model.domains import Bool, Domain, Enum
from model.errors import FinaleError, Place
from model.expressions import FALSE, TRUE, Expression, conjunction, disjunction
from model.system import (
    Blocked,
    Fairness,
    Fault,
    GroundRule,
    Kind,
    Predicate,
    Property,
    Rule,
    State,
    System,
    Test,
    Tree,
    Update,
    leaves,
)

from .access import Place as Structure
from .entities import Entity, World
from .explore import End, Folded, Fork, explore, fold
from .joining import join
from .marks import Marked, mark_of
from .properties import Family, Taken, goal_alone, stepping
from .protocol import Protocol
from .stops import BlockedHere, FaultHere, caller
from .stores import SymbolicStore
from .symbols import truth_from, truth_of


class Bound(NamedTuple):
    """A rule with its parameters bound to entities and choices."""

    rule: Rule
    method: Callable[..., None]
    arguments: tuple[object, ...]
    binding: tuple[tuple[str, str], ...]
    entities: tuple[str, ...]


def world_of(protocol: Protocol, observed: frozenset[str]) -> World:
    """The entities and variables of a protocol."""
    return World([protocol, *protocol.entities()], protocol.limits(), observed)


def build(protocol: Protocol, families: Sequence[Family] = ()) -> System:
    """The system of a protocol with properties. Raises coded errors for mistakes in rules."""
    world = world_of(protocol, protocol.keeps())
    _check_all(world)
    rules = tuple(
        GroundRule(bound.rule, bound.binding, bound.entities, tree)
        for bound in bound_rules(protocol)
        if not isinstance(tree := tree_of(world, bound), Blocked) or tree.bound is not None
    )
    system = System(
        protocol.key,
        world.variables,
        world.cells(),
        initial_states(world),
        rules,
        (),
        _where(world, protocol.terminal),
    )
    properties = (_property(world, protocol, family, system) for family in families)
    return replace(system, properties=tuple(properties))


def _check_all(world: World) -> None:
    """Check what is marked, whether it is ever called or not."""
    for kind in {base: None for entity in world.entities for base in type(entity).__mro__}:
        for value in vars(kind).values():
            mark = mark_of(value)
            if mark is not None:
                mark.check()


def initial_states(world: World) -> tuple[State, ...]:
    """The initial states: one, unless fields start with any of several values."""
    choices = [world.initial_values(variable) for variable in world.variables]
    return tuple(dict.fromkeys(world.encode(values) for values in product(*choices)))


# --- rules ---------------------------------------------------------------------------------------


def rule_names(kind: type[Protocol]) -> list[str]:
    """The rules of a protocol: those of its bases first, each where it was first defined."""
    names: dict[str, None] = {}
    for base in reversed(kind.__mro__):
        for name, value in vars(base).items():
            mark = mark_of(value)
            if mark is not None and mark.role == "rule":
                names[name] = None
            elif name in names:
                raise FinaleError(
                    "override-not-marked",
                    f"{base.__qualname__}.{name} overrides a rule and is not marked @rule",
                    place=_place(value, base),
                    advice="mark the override @rule",
                )
    return list(names)


def _place(value: object, base: type) -> Place:
    code = getattr(value, "__code__", None)
    file = code.co_filename if code else inspect.getfile(base)
    return Place(file, code.co_firstlineno if code else None)


def rule_of(kind: type[Protocol], name: str) -> Rule:
    """A rule of a protocol as written. Raises `rule-without-sentence`."""
    mark = mark_of(getattr(kind, name))
    assert mark is not None
    if not mark.sentence:
        raise FinaleError(
            "rule-without-sentence",
            f"{name} has no docstring",
            place=mark.place,
            advice="say in one sentence what the rule does: traces print it",
        )
    # An override that says nothing of fairness is as fair as what it overrides.
    marks = (mark_of(vars(base).get(name)) for base in kind.__mro__)
    said = (each.fairness for each in marks if each is not None and each.fairness is not None)
    return Rule(name, mark.sentence, next(said, Fairness.NONE), mark.place, mark.cites)


def bound_rules(protocol: Protocol) -> Iterator[Bound]:
    """The rules with every binding of their parameters, in rule order and then entity order."""
    for name in rule_names(type(protocol)):
        rule = rule_of(type(protocol), name)
        mark = mark_of(getattr(type(protocol), name))
        assert mark is not None
        method = getattr(protocol, name)
        for arguments, binding, entities in bindings(protocol, mark, skip=1):
            yield Bound(rule, method, arguments, binding, entities)


def bindings(
    protocol: Protocol, mark: Marked, skip: int
) -> Iterator[tuple[tuple[object, ...], tuple[tuple[str, str], ...], tuple[str, ...]]]:
    """Arguments for the parameters of a rule or property, how they are shown, their entities.

    The first `skip` parameters, and a last one that is the step taken, are not bound.
    """
    hints = mark.hints
    names = _parameters(mark)[skip:]
    if names and hints.get(names[-1]) is Taken:
        del names[-1]
    choices = [_choices(protocol, mark, name, hints.get(name)) for name in names]
    for arguments in product(*choices):
        binding = tuple((n, shown(a)) for n, a in zip(names, arguments, strict=True))
        entities = tuple(a.name for a in arguments if isinstance(a, Entity))
        yield arguments, binding, entities


def _parameters(mark: Marked) -> list[str]:
    parameters = inspect.signature(mark.function).parameters
    for name, parameter in parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise _unbound(mark, name)
    return list(parameters)


def shown(value: object) -> str:
    """A value of a binding, in traces."""
    return value.name if isinstance(value, enum.Enum | Entity) else str(value)


def _choices(protocol: Protocol, mark: Marked, name: str, hint: Any) -> tuple[object, ...]:
    world = protocol.world
    extras: tuple[object, ...] = getattr(hint, "__metadata__", ())
    if isinstance(hint, type) and issubclass(hint, Entity):
        return world.scope.of(hint)
    if hint is bool:
        return tuple(Bool.values())
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return tuple(Enum(hint).values())
    for domain in filter(_is_domain, extras):
        return tuple(domain.resolve(world.scope).values())
    raise _unbound(mark, name)


def _unbound(mark: Marked, name: str) -> FinaleError:
    return FinaleError(
        "unknown-parameter",
        f'the parameter "{name}" of {mark.function.__name__} cannot be bound',
        place=mark.place,
        advice="annotate it with an entity class, bool, an enumeration, or "
        "Annotated[int, Range(low, high)]; the step of an @on_step property comes last",
    )


def _is_domain(value: object) -> TypeGuard[Domain[object]]:
    return isinstance(value, Domain)


def tree_of(world: World, bound: Bound) -> Tree:
    """The decision tree of a rule with its parameters bound. Raises coded errors."""
    store = SymbolicStore(world.cells())
    try:
        with world.on(store):
            runs = explore(lambda: bound.method(*bound.arguments), store)
    except FinaleError as error:
        raise error.located(
            Place(bound.rule.place.file, bound.rule.place.line, rule=bound.rule.name)
        ) from None
    tree = _decision(runs, store)
    _refuse_certain_mistakes(tree, bound.rule)
    return tree


def _decision(node: Fork | End, store: SymbolicStore) -> Tree:
    if isinstance(node, Fork):
        yes, no = _decision(node.yes, store), _decision(node.no, store)
        return yes if yes == no else Test(node.test, yes, no)
    match node.stop:
        case BlockedHere(bound=bound):
            return Blocked(bound)
        case _ if node.beyond is not None:
            return Blocked(node.beyond)
        case FaultHere() as fault:
            return Fault(fault.code, fault.message, fault.place)
        case _:
            writes = tuple(
                (index, expression)
                for index, expression in sorted(node.writes.items())
                if expression is not store.cells[index]
            )
            return Update(writes, tuple(node.branches.items()))


def _refuse_certain_mistakes(tree: Tree, rule: Rule) -> None:
    ends = list(leaves(tree))
    faults = [end for end in ends if isinstance(end, Fault)]
    updates = [end for end in ends if isinstance(end, Update)]
    if faults and not updates:
        raise FinaleError(
            faults[0].code,
            f"{faults[0].message}, in every state in which {rule.name} is enabled",
            place=Place(faults[0].place.file, faults[0].place.line, rule=rule.name),
            advice="guard it with require(...), or mend what is written",
        )
    idle = next((update for update in updates if not update.writes), None)
    if idle is not None:
        taken = [f"line {b.line} is {str(b.outcome).lower()}" for b, _ in idle.branches]
        raise FinaleError(
            "rule-does-nothing",
            f"{rule.name} writes nothing where {' and '.join(taken)}"
            if taken
            else f"on some path {rule.name} writes nothing",
            place=rule.place,
            advice="require(...) what the rule is for, so that it is not enabled there",
        )


# --- properties ----------------------------------------------------------------------------------


def _where(world: World, condition: Callable[[], object]) -> Expression:
    """Where a condition holds by itself; not where reading it is a fault."""
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
    if value is None or isinstance(value, Structure):
        raise FinaleError(
            "not-a-truth-value",
            f"a condition returns {value!r}",
            place=caller(),
            advice="return a truth value on every path",
        )
    return truth_from(truth_of(value))


def applies(family: Family, protocol: Protocol) -> bool:
    """Whether the protocol implements the view that the property reads."""
    view = next(iter(family.mark.hints.values()), None)
    return isinstance(view, type) and view in type(protocol).__mro__


def _property(world: World, protocol: Protocol, family: Family, system: System) -> Property:
    mark = family.mark
    _refuse_no_antecedent(family)
    written = Property(
        family.name, family.kind, family.sentence, mark.place, (), witness=family.witness
    )
    try:
        if family.kind is not Kind.ON_STEP:
            predicates = tuple(_predicates(world, protocol, mark, None))
            return _with_antecedent(replace(written, predicates=predicates))
        if Taken not in mark.hints.values():
            same = tuple(_predicates(world, protocol, mark, None))
            return _with_antecedent(replace(written, on_rules=(same,) * len(system.rules)))
        taken = (Taken(r.rule.name, dict(r.binding)) for r in system.rules)
        on_rules = tuple(tuple(_predicates(world, protocol, mark, each)) for each in taken)
        return _with_antecedent(replace(written, on_rules=on_rules))
    except FinaleError as error:
        raise error.located(mark.place) from None


def _refuse_no_antecedent(family: Family) -> None:
    says_when = "when" in family.mark.function.__code__.co_names
    if family.kind is Kind.ALWAYS and family.witness is None and not says_when:
        raise FinaleError(
            "no-antecedent",
            f"{family.name} says neither when it applies nor what shows that it was tested",
            place=family.mark.place,
            advice="call when(...) in it, or name a reachable property: @always(witness=...)",
        )


def _with_antecedent(prop: Property) -> Property:
    predicates = prop.predicates or tuple(each for own in prop.on_rules for each in own)
    return replace(prop, has_antecedent=any(p.when is not TRUE for p in predicates))


def _predicates(
    world: World, protocol: Protocol, mark: Marked, taken: Taken | None
) -> Iterator[Predicate]:
    steps = mark.prepared.function
    on_step = mark.role == Kind.ON_STEP.value
    earlier = SymbolicStore(world.cells())
    for arguments, binding, _ in bindings(protocol, mark, skip=1):
        given = (*arguments, taken) if taken is not None else arguments
        claimed = functools.partial(steps, protocol, *given)
        store = SymbolicStore(world.cells(after=on_step))
        with stepping(world, earlier) if on_step else nullcontext():
            folded = _folded(world, claimed, store)
        claim = truth_of(folded.value) if folded.returns is not FALSE else TRUE
        if mark.role in (Kind.LEADS_TO.value, Kind.EVENTUALLY.value):
            with goal_alone():
                claim = _where(world, claimed)
        fault = disjunction(condition for condition, _ in folded.faults)
        yield Predicate(binding, folded.returns, claim, fault)


__all__ = [
    "Bound",
    "applies",
    "bindings",
    "bound_rules",
    "build",
    "initial_states",
    "rule_names",
    "world_of",
]
