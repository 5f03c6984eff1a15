"""Reuses ids, so that a protocol with unbounded ids has a finite state.

A protocol that counts for ever (checkpoint ids) has entities for a few live ids only. `retire`
takes one of them out of use: the ids behind it move one place down, with their fields and with
every reference to them, in order; the last entity becomes unused. It is part of the rule that
needs an id. References to the retired id itself must be gone, or mean "the next one" (they then
do).

An entity's name stands for another one after such a step. So to properties the step begins behind
`retire`: `before(...)` reads the state under the names of the state after the step, and what the
rule wrote until then belongs to the renumbering. A rule that writes anything else before `retire`
is refused, because properties would not see that write. It may write references in other entities,
so that a rule can forget the retired id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from finale.model.domains import Array, Domain, MapDomain, Option, Queue, Ref, Set, Union
from finale.model.errors import FinaleError
from finale.model.expressions import FALSE, Expression, choose, integer, less, minus
from finale.model.language.entities import Entity, Variable, World
from finale.model.language.explore import exploring
from finale.model.language.path_ends import caller
from finale.model.language.plain import PlainStore
from finale.model.language.stores import RuleStore, SymbolicStore
from finale.model.language.symbolic_values import constants
from finale.model.values import Nothing, Record


def retire(entity: Entity, kind: type[Entity]) -> None:
    """Take an entity out of use, and move the entities of its kind behind it one place down."""
    world = entity.world
    ids = world.scope.of(kind)
    gone = ids.index(entity)
    store = world.store
    if exploring():
        assert isinstance(store, SymbolicStore)
        if isinstance(store, RuleStore):
            _refuse_written(world, store, ids)
        following = {id(each): ids[i + 1] for i, each in enumerate(ids[:-1]) if i >= gone}
        _retire_symbolic(world, store, _Cells(ids, gone), following)
        if isinstance(store, RuleStore):
            store.renumber(world.position(cast(Entity, each)) for each in ids[gone:])
    else:
        assert isinstance(store, PlainStore)
        store.rename(PlainRenaming(world, ids, gone))


def references(world: World, kind: type[Entity], package: str) -> tuple[Variable, ...]:
    """The fields that can name an entity of a kind, and that no class of a package declares.

    A value for each entity of the kind names none: it goes with the entity.
    """
    ids = world.scope.of(kind)
    return tuple(
        variable
        for variable in world.variables
        if _can_name(variable.domain, ids) and not _is_declared_in(package, variable)
    )


def names(variable: Variable, entity: Entity) -> bool:
    """Whether a field names an entity now. Raises `cannot-look-into`."""
    return _names(getattr(variable.entity, variable.field), variable.domain, entity, variable)


def _can_name(domain: Domain[Any], ids: Sequence[object]) -> bool:
    if isinstance(domain, MapDomain):
        return _can_name(domain.element, ids)
    return _refers(domain, ids)


def _names(value: Any, domain: Domain[Any], entity: Entity, variable: Variable) -> bool:
    match domain:
        case Ref() | Option(element=Ref()):
            return bool(value == entity)
        case Set():
            return bool(value.has(entity))
        case MapDomain():
            parts = (value[each] for each in domain.entities)
            return any(_names(part, domain.element, entity, variable) for part in parts)
        case _:
            declared = getattr(type(variable.entity), variable.field)
            raise FinaleError(
                "cannot-look-into",
                f"whether {variable.name} names {entity.name} cannot be asked",
                place=declared.place,
                advice="use a reference, a set of them, or one of these for each entity; or leave "
                "out live_checkpoints",
            )


def _is_declared_in(package: str, variable: Variable) -> bool:
    """Whether a class of a package declares a field. An entity that is observed with the methods
    of its protocol (`observing.py`) has no fields of a variant."""
    kinds = [each for each in type(variable.entity).__mro__ if variable.field in vars(each)]
    return not kinds or any(each.__module__.startswith(f"{package}.") for each in kinds)


def _refuse_written(world: World, store: RuleStore, ids: Sequence[object]) -> None:
    for variable in world.variables:
        part_of_it = variable.entity not in ids and _refers(variable.domain, ids)
        if not part_of_it and store.is_written(variable.indices):
            raise FinaleError(
                "writes-before-retire",
                f"the rule may write {variable.name}, and takes an entity out of use afterwards: "
                "properties would not see this write",
                place=caller(),
                advice="take entities out of use before anything is written to one of them",
            )


def _refers(domain: Domain[Any], ids: Sequence[object]) -> bool:
    """Whether a value can refer to one of these entities, so that renumbering changes it."""
    match domain:
        case Ref():
            return domain.entities == ids
        case Union():
            return any(_refers(part, ids) for parts in domain.parts for _, part in parts)
        case Set():
            return domain.universe == ids
        case MapDomain() if domain.entities == ids:
            return True
        case Option() | Queue() | Array() | MapDomain():
            return _refers(cast(Any, domain).element, ids)
        case _:
            return False


def _owner(variable: Variable, entity: Any) -> Variable:
    owned: Variable = entity.variables[variable.field]
    return owned


# --- symbolic ------------------------------------------------------------------------------------


def _retire_symbolic(
    world: World, store: SymbolicStore, cells: _Cells, following: dict[int, object]
) -> None:
    new: dict[int, Expression] = {}
    for variable in world.variables:
        source = variable
        if variable.entity in cells.ids:
            if id(variable.entity) in following:
                source = _owner(variable, following[id(variable.entity)])
            elif cells.ids.index(variable.entity) >= cells.gone:
                initial = variable.domain.encode(world.initial_values(variable)[0])
                new |= zip(variable.indices, constants(variable.domain, initial), strict=True)
                continue
        read = tuple(store.read(index) for index in source.indices)
        new |= zip(variable.indices, cells.renamed(variable.domain, read), strict=True)
    for index, expression in new.items():
        if store.read(index) is not expression:
            store.writes[index] = expression


class _Cells:
    """The renaming on the cells of a value."""

    def __init__(self, ids: tuple[object, ...], gone: int) -> None:
        self.ids = ids
        self.gone = gone

    def renamed(self, domain: Domain[Any], cells: Sequence[Expression]) -> tuple[Expression, ...]:
        """The cells of the same value with every reference moved."""
        match domain:
            case Ref(entities=entities) if entities == self.ids:
                behind = less(integer(self.gone), cells[0])
                return (choose(behind, minus(cells[0], integer(1)), cells[0]),)
            case Option():
                return (cells[0], *self.renamed(domain.element, cells[1:]))
            case Union():
                parts = domain.layout.values()
                return (
                    cells[0],
                    *(
                        cell
                        for offset, part in parts
                        for cell in self.renamed(part, cells[offset : offset + part.width])
                    ),
                )
            case Queue():
                return (cells[0], *self._each(domain, cells[1:]))
            case Set() if domain.universe == self.ids:
                return (*cells[: self.gone], *cells[self.gone + 1 :], FALSE)
            case MapDomain() if domain.entities == self.ids:
                element: Domain[Any] = cast(Any, domain).element
                moved, width = self._each(domain, cells), element.width
                filler = constants(element, element.filler)
                start = self.gone * width
                return (*moved[:start], *moved[start + width :], *filler)
            case Array() | MapDomain():
                return self._each(domain, cells)
            case _:
                return tuple(cells)

    def _each(self, domain: Any, cells: Sequence[Expression]) -> tuple[Expression, ...]:
        """The renaming in every element of a queue, an array or a map."""
        element: Domain[Any] = domain.element
        width = element.width or 1
        starts = range(0, len(cells), width)
        return tuple(c for i in starts for c in self.renamed(element, cells[i : i + width]))


# --- plain ---------------------------------------------------------------------------------------


class PlainRenaming:
    """The renaming on plain values: those behind the one that is gone move down."""

    def __init__(self, world: World, ids: tuple[object, ...], gone: int) -> None:
        self.world = world
        self.ids = ids
        self.gone = gone
        self._moved = {id(each): ids[i] for i, each in enumerate(ids[1:]) if i + 1 > gone}

    def source(self, variable: Variable) -> Variable | None:
        """Return the variable whose value moves here; None for the initial value."""
        owner: object = variable.entity
        if owner not in self.ids or self.ids.index(owner) < self.gone:
            return variable
        place = self.ids.index(owner) + 1
        return _owner(variable, self.ids[place]) if place < len(self.ids) else None

    def first(self, variable: Variable) -> object:
        """The initial value of a variable."""
        return self.world.initial_values(variable)[0]

    def values(self, old: Sequence[object]) -> list[object]:
        """The values of a state, renamed."""
        sources = [(each, self.source(each)) for each in self.world.variables]
        return [
            self.first(variable)
            if source is None
            else self.renamed(variable.domain, old[source.position])
            for variable, source in sources
        ]

    def renamed(self, domain: Domain[Any], value: Any) -> object:
        """Return the value with every reference renumbered."""
        match domain:
            case Ref() if domain.entities == self.ids:
                return self._moved.get(id(value), value)
            case Option():
                return value if value is Nothing else self.renamed(domain.element, value)
            case Union():
                assert isinstance(value, Record)
                parts = domain.parts[domain.kinds.index(type(value))]
                named = {n: self.renamed(part, getattr(value, n)) for n, part in parts}
                return type(value)(**named)
            case Set() if domain.universe == self.ids:
                kept = (each for each in value if each is not self.ids[self.gone])
                return frozenset(self._moved.get(id(each), each) for each in kept)
            case MapDomain() if domain.entities == self.ids:
                moved = [self.renamed(domain.element, each) for each in value]
                empty = domain.element.decode(domain.element.filler)
                return (*moved[: self.gone], *moved[self.gone + 1 :], empty)
            case Array() | MapDomain() | Queue():
                element: Domain[Any] = cast(Any, domain).element
                return tuple(self.renamed(element, each) for each in value)
            case _:
                return value
