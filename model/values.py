"""Values that Python has no type for: records, and `Nothing`."""

from __future__ import annotations

import enum
from typing import Any, ClassVar, cast, dataclass_transform, final

from .errors import FinaleError
from .language.explore import exploring
from .language.path_ends import FaultHere, caller


class VariantType(type):
    """Classes whose instances may be symbolic: a symbolic value answers `isinstance` itself."""

    def __instancecheck__(cls, instance: object) -> bool:
        is_variant = getattr(type(instance), "is_variant", None)
        if is_variant is not None:
            return bool(is_variant(instance, cls))
        return type.__instancecheck__(cls, instance)


@final
class NothingType(metaclass=VariantType):
    """The type of `Nothing`: what an empty option holds, and the head of an empty queue.

    It is false, equals nothing else, and any other use of it is a fault.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> Any:
        if other is self:
            return True
        kind = type(other)
        if hasattr(kind, "is_true") or hasattr(kind, "is_place"):
            return NotImplemented  # a value of the state compares itself
        if not exploring() or isinstance(other, int | enum.Enum | RecordType | tuple):
            return False
        if _is_of_state(other):
            return False
        raise FinaleError(
            "compares-with-nothing",
            f"Nothing is compared with {'None' if other is None else f'a {kind.__name__}'}, which "
            "is a plain value of Python",
            place=caller(),
            advice="compare a plain value with `is None`, or test it with `not`",
        )

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return "Nothing"

    def __bool__(self) -> bool:
        return False

    def _read(self, *_: object) -> Any:
        raise FaultHere("nothing-read", "Nothing is used as a value")

    __lt__ = __le__ = __gt__ = __ge__ = _read
    __add__ = __radd__ = __sub__ = __rsub__ = __neg__ = __pos__ = __abs__ = _read
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _read
    __getitem__ = __setitem__ = __contains__ = _read

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._read()

    def __setattr__(self, name: str, value: object) -> None:
        self._read()


def _is_of_state(value: object) -> bool:
    """Whether a value is an entity or a record: a field can hold it."""
    kind = type(value)
    return isinstance(kind, RecordType) or hasattr(kind, "world")


Nothing: Any = NothingType()
"""No value. Typed Any, since it may stand in every field of an `Option`."""


def part(domain: object) -> Any:
    """One field of a record, with its domain: `checkpoint: int = part(CheckpointId)`.

    The result stands in for the declared type, as a dataclass's field specifier does: hence Any.
    """
    return RecordPart(domain)


class RecordPart:
    """A declared field of a record: its domain, until the record's class is made."""

    def __init__(self, domain: object) -> None:
        self.domain = domain


#: Methods by which Python compares and tests objects: no tree could say what they do.
_SPECIAL = frozenset(
    {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__bool__", "__len__"}
)


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(part,))
class RecordType(VariantType):
    """Makes record classes: `class Barrier(Record): checkpoint: int = part(CheckpointId)`.

    `isinstance(value, Barrier)` is also the question of a `case Barrier():`; a symbolic value
    answers it itself (`language.symbolic_values`), which is how a pattern forks.
    """

    __parts__: dict[str, object]

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> RecordType:
        parts: dict[str, object] = {}
        for base in bases:
            parts |= getattr(base, "__parts__", {})
        own = {key: value for key, value in namespace.items() if isinstance(value, RecordPart)}
        for key, value in own.items():
            parts[key] = value.domain
            del namespace[key]
        for special in sorted(_SPECIAL & namespace.keys()) if bases else ():
            raise FinaleError(
                "special-method",
                f"the record class {name} defines {special}",
                place=caller(),
                advice="records are compared by their parts: compare a part, or write a helper",
            )
        namespace["__parts__"] = parts
        namespace["__match_args__"] = tuple(parts)
        return super().__new__(mcs, name, bases, namespace)


class Record(metaclass=RecordType):
    """A frozen value with named parts; equal to a record of its class with equal parts.

    Compared with a class (`channel.head == EndOfData`) it asks whether it is of that class. A part
    that is given a queue, set, array or map of the state is what that holds at this moment.
    """

    __parts__: ClassVar[dict[str, object]]

    def __init__(self, *values: object, **named: object) -> None:
        kind, parts = type(self), type(self).__parts__
        given = dict(zip(parts, values, strict=False)) | named
        if len(given) < len(values) + len(named) or given.keys() != parts.keys():
            raise FinaleError(
                "record-parts",
                f"{kind.__name__} takes {', '.join(parts) or 'no parts'}; "
                f"given {', '.join(map(str, given)) or 'none'}",
                place=caller(),
                advice="give every part of the record once, by name",
            )
        for name, value in given.items():
            if getattr(type(value), "is_place", False):
                given[name] = cast(Any, value).copied()
        vars(self).update(given)

    def __setattr__(self, name: str, value: object) -> None:
        raise FinaleError(
            "record-is-frozen",
            f"{type(self).__name__}.{name} cannot be assigned: a record is a value",
            place=caller(),
            advice="make a new record, or declare the parts as fields of an entity",
        )

    def __getattr__(self, name: str) -> Any:
        # Reached only where the record has no such part.
        if name.startswith("__"):
            raise AttributeError(name)
        raise FaultHere(
            "field-of-another-variant", f'"{name}" is read of {type(self).__name__}, which has none'
        )

    def __eq__(self, other: object) -> Any:
        if isinstance(other, RecordType):
            return type.__instancecheck__(other, self)
        if type(other) is not type(self):
            # A symbolic value on the other side compares itself with this record.
            return NotImplemented if hasattr(type(other), "is_variant") else False
        equal: Any = True
        for name in type(self).__parts__:
            same = self.__dict__[name] == other.__dict__[name]
            if same is False:
                return False
            equal = same if equal is True else equal & same  # without forking on symbolic parts
        return equal

    def __hash__(self) -> int:
        return hash((type(self), *(self.__dict__[key] for key in type(self).__parts__)))

    def __repr__(self) -> str:
        parts = ", ".join(f"{key}={value!r}" for key, value in self.__dict__.items())
        return f"{type(self).__name__}({parts})"


EMPTY: frozenset[object] = frozenset()
"""No elements: what most sets start with."""
