"""Entities and their fields, which make up the state of a protocol.

A protocol declares classes of entities (a task, a channel, a coordinator, the protocol itself) with
fields of finite domains. A `World` holds the entities of one system and the variables that their
fields are; reading and writing a field goes to the store that the world has at the moment: symbolic
while a rule is explored, plain while it is executed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar, cast, overload

from finale.model.domains import Domain, OutOfDomain, Ref, Scope
from finale.model.errors import FinaleError, Place, nearest
from finale.model.expressions import Expression, cell
from finale.model.structures import Slots

from .explore import exploring
from .path_ends import caller, frame_above
from .syntax import check_reader

T = TypeVar("T")
Messages: TypeAlias = Literal["to", "from", "held"]


@dataclass(frozen=True)
class AnyOf(Generic[T]):
    """An initial value that is not fixed: there is an initial state for each of the values."""

    values: tuple[T, ...]


class Field(Generic[T]):
    """One declared field of an entity class; on an entity, its value."""

    messages: Messages | None = None
    """Which messages under way the field holds; it changes no meaning."""
    #: What is seen of it outside of the system: everything, nothing, or these values alone.
    effect: bool | tuple[object, ...] = False

    def __init__(self, domain: Domain[T], initial: object, ghost: str | None, file: Place) -> None:
        self.domain = domain
        self.initial = initial
        self.ghost = ghost
        self.place = file
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        if self.name and name != self.name:
            raise FinaleError(
                "field-with-two-names",
                f"{owner.__name__}.{name} is the field {self.name} under another name",
                place=self.place,
                advice="call field(…) once for each field",
            )
        self.name = name

    @overload
    def __get__(self, entity: None, owner: type) -> Field[T]: ...

    @overload
    def __get__(self, entity: Entity, owner: type) -> T: ...

    def __get__(self, entity: Entity | None, owner: type) -> T | Field[T]:
        if entity is None:
            return self
        if exploring():
            check_reader(frame_above(1).f_code)
        variable = entity.variables.get(self.name) or self._variable(entity)
        value: T = entity.world.store.get(variable)
        return value

    def __set__(self, entity: Entity, value: T) -> None:
        entity.world.store.set(self._variable(entity), value)

    def _variable(self, entity: Entity) -> Variable:
        variable = entity.variables.get(self.name)
        if variable is None:
            owner = f'"{self.name}" of {entity.name or "the protocol"}'
            what, advice = entity.world.why_absent(self.ghost or "")
            raise FinaleError("not-observed", f"{owner} {what}", place=caller(), advice=advice)
        return variable


def field(
    domain: Domain[T],
    initial: object,
    *,
    ghost: str | None = None,
    messages: Messages | None = None,
    effect: bool | tuple[object, ...] = False,
) -> Field[T]:
    """Declare a field of an entity class.

    `initial` is a plain value, a function of the entity that gives one, or `AnyOf` values; for an
    array or a map, the value that each of its elements starts with.
    `ghost` names the switch of `[observe]` that keeps this field: history that properties read and
    the protocol does not.
    `messages` says that the field holds messages under way. In a set are the entities that messages
    go "to", or come "from"; a queue or a flag has them "held". `effect` says what can be observed
    of the field outside of the system: everything (True), or some values. Both change no meaning:
    sequence diagrams draw messages, and `finale diff` observes effects and messages.
    """
    declared = Field(domain, initial, ghost, caller())
    declared.messages = messages
    declared.effect = effect
    return declared


@dataclass(frozen=True)
class Variable:
    """One field of one entity: where its cells are in the state, and its place among variables."""

    name: str
    domain: Domain[Any]
    offset: int
    position: int
    ghost: str | None
    entity: Entity
    field: str

    @property
    def indices(self) -> range:
        """The cells of the state that store it."""
        return range(self.offset, self.offset + self.domain.width)


class FieldStore:
    """The state that fields are read from and written to. This base class has no state."""

    def get(self, variable: Variable) -> Any:
        """Return the value of a field, as a rule sees the value."""
        raise LookupError(f"{variable.name} is read outside of any state")

    def set(self, variable: Variable, value: Any) -> None:
        """Write a field."""
        raise LookupError(f"{variable.name} is written outside of any state")


#: Methods by which Python compares, tests and looks into objects: no tree could say what they do.
_SPECIAL = frozenset(
    {
        "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__bool__",
        "__len__", "__contains__", "__iter__", "__getitem__", "__getattr__", "__getattribute__",
        "__setattr__", "__delattr__",
    }
)  # fmt: skip


class Entity:
    """Something that a protocol speaks of. Subclasses declare fields; the rest is fixed."""

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        for name in sorted(_SPECIAL & vars(cls).keys()):
            raise FinaleError(
                "special-method",
                f"the entity class {cls.__name__} defines {name}",
                place=caller(),
                advice="entities are compared by identity and ordered as they are listed: compare "
                "a field, or write a helper",
            )

    def __init__(self, name: str) -> None:
        self.name = name
        self.variables: Mapping[str, Variable] = {}

    @property
    def world(self) -> World:
        """The system that this entity is part of. Raises `entity-not-listed`."""
        world: World | None = self.__dict__.get("_world")
        if world is None:
            raise FinaleError(
                "entity-not-listed",
                f"{self} is not an entity of the protocol",
                place=caller(),
                advice="return it from the protocol's entities()",
            )
        return world

    def __setattr__(self, name: str, value: object) -> None:
        declared = getattr(type(self), name, None)
        if "_world" in self.__dict__ and not isinstance(declared, Field):
            if isinstance(declared, property) and declared.fset is not None:
                declared.fset(self, value)
                return
            raise FinaleError(
                "unknown-field",
                f'{type(self).__name__} has no field "{name}"',
                place=caller(),
                advice=nearest(name, [f.name for f in fields_of(type(self))]),
            )
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not exploring():
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        raise FinaleError(
            "unknown-field",
            f'{type(self).__name__} has no field or attribute "{name}"',
            place=caller(),
            advice=nearest(name, self._names()),
        )

    def _names(self) -> list[str]:
        """What code may ask for. Private names come and go: a cache adds one."""
        names = {*dir(type(self)), *vars(self)} - {*dir(Entity)}
        return sorted(name for name in names if not name.startswith("_"))

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Entity):
            return NotImplemented  # a symbolic entity compares itself
        return self.world.position(self) < self.world.position(other)

    def __le__(self, other: object) -> bool:
        if not isinstance(other, Entity):
            return NotImplemented
        return self is other or self < other

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name


def fields_of(kind: type) -> list[Field[Any]]:
    """The fields of an entity class, inherited ones first, in the order of declaration."""
    found: dict[str, Field[Any]] = {}
    for base in reversed(kind.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, Field):
                found[name] = value
    return list(found.values())


class World:
    """The entities and variables of one system, and the store that fields go to at the moment."""

    def __init__(
        self, entities: Sequence[Entity], bounds: Mapping[str, int], observed: frozenset[str]
    ) -> None:
        self.entities = tuple(entities)
        self._positions = {id(entity): i for i, entity in enumerate(self.entities)}
        self._check_names()
        self.scope = Scope(bounds, self._by_class())
        self.store = FieldStore()
        variables: list[Variable] = []
        offset = 0
        fields = {kind: fields_of(kind) for kind in dict.fromkeys(map(type, self.entities))}
        domains: dict[Field[Any], Domain[Any]] = {}
        for entity in self.entities:
            own: dict[str, Variable] = {}
            for declared in fields[type(entity)]:
                if declared.ghost is not None and declared.ghost not in observed:
                    continue
                if declared not in domains:
                    domains[declared] = _resolved(declared, entity, self.scope)
                domain = domains[declared]
                prefix = f"{entity.name}." if entity.name else ""
                variable = Variable(
                    f"{prefix}{declared.name}",
                    domain,
                    offset,
                    len(variables),
                    declared.ghost,
                    entity,
                    declared.name,
                )
                offset += domain.width
                variables.append(variable)
                own[declared.name] = variable
            entity.__dict__["variables"] = own  # also of an entity that had a world before
        self.variables = tuple(variables)
        for entity in self.entities:
            entity.__dict__["_world"] = self
        self._refs: dict[type, Ref[Any]] = {}
        self._cells: dict[bool, tuple[Expression, ...]] = {}

    def why_absent(self, ghost: str) -> tuple[str, str]:
        """Why the system lacks a field with this switch, and what to do: the protocol says it."""
        for entity in self.entities:
            told: Callable[[str], tuple[str, str]] | None = getattr(entity, "why_absent", None)
            if told is not None:
                return told(ghost)
        return "is history that is not kept", f"switch it on: [observe] {ghost} = true"

    def _check_names(self) -> None:
        named: dict[str, Entity] = {}
        for entity in self.entities:
            if named.setdefault(entity.name, entity) is not entity:
                raise FinaleError(
                    "duplicate-entity",
                    f'two entities are called "{entity}"',
                    advice="return each entity once from entities(), under a name of its own",
                )

    def _by_class(self) -> dict[type, list[object]]:
        found: dict[type, list[object]] = {}
        for entity in self.entities:
            for kind in type(entity).__mro__:
                if issubclass(kind, Entity):
                    found.setdefault(kind, []).append(entity)
        return found

    def position(self, entity: Entity) -> int:
        """The place of an entity among all, which orders the entities of a class."""
        return self._positions[id(entity)]

    def ref(self, kind: type) -> Ref[Any]:
        """The domain of the entities of a class."""
        if kind not in self._refs:
            self._refs[kind] = Ref(kind).resolve(self.scope)
        return self._refs[kind]

    def cells(self, after: bool = False) -> tuple[Expression, ...]:
        """The cells of the state as expressions."""
        if after not in self._cells:
            self._cells[after] = tuple(
                cell(variable.offset + i, each.low, each.high, each.boolean, after)
                for variable in self.variables
                for i, each in enumerate(variable.domain.cells)
            )
        return self._cells[after]

    def on(self, store: FieldStore) -> OnStore:
        """Let fields go to this store for a while."""
        return OnStore(self, store)

    def encode(self, values: Sequence[object]) -> tuple[int, ...]:
        """A plain state as cells."""
        pairs = zip(self.variables, values, strict=True)
        return tuple(c for variable, value in pairs for c in variable.domain.encode(value))

    def decode(self, state: Sequence[int]) -> tuple[object, ...]:
        """A state as plain values, one a variable."""
        return tuple(
            v.domain.decode(state[v.offset : v.offset + v.domain.width]) for v in self.variables
        )

    def initial_values(self, variable: Variable) -> tuple[object, ...]:
        """The values that a variable may start with. Raises `initial-outside-domain`."""
        declared: Field[Any] = getattr(type(variable.entity), variable.field)
        given = declared.initial
        if callable(given) and not isinstance(given, type):
            given = given(variable.entity)
        values = cast("AnyOf[object]", given).values if isinstance(given, AnyOf) else (given,)
        try:
            advice = "start with a value of the field's domain"
            return tuple(initial_value(variable, value, advice) for value in values)
        except FinaleError as error:
            raise error.located(declared.place) from None


class OnStore:
    """While the fields of a world go to a store. This is asked often, so it is no generator."""

    __slots__ = ("outer", "store", "world")

    def __init__(self, world: World, store: FieldStore) -> None:
        self.world, self.store = world, store

    def __enter__(self) -> None:
        self.outer, self.world.store = self.world.store, self.store

    def __exit__(self, *_: object) -> None:
        self.world.store = self.outer


def initial_value(variable: Variable, value: object, advice: str) -> object:
    """A value that a variable may start with, its slots filled. Raises `initial-outside-domain`."""
    if isinstance(variable.domain, Slots):
        value = variable.domain.filled(value)
    try:
        variable.domain.encode(value)
    except OutOfDomain as reason:
        raise FinaleError(
            "initial-outside-domain",
            f"the initial value of {variable.name}: {reason}",
            advice=advice,
        ) from None
    return value


def _resolved(declared: Field[Any], entity: Entity, scope: Scope) -> Domain[Any]:
    try:
        return declared.domain.resolve(scope)
    except FinaleError as error:
        error.message = f"{type(entity).__name__}.{declared.name}: {error.message}"
        raise error.located(declared.place) from None
