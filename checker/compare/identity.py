"""Tells which values are the same: by what they are, and not by how they print.

Values of two systems are compared, whose types can differ. So a member of an enumeration and an
entity are known by their names, a record by the names of its class and parts; a value is the same
in an option and in a type without `Nothing`.
"""

# pyright: reportUnnecessaryComparison=false
# Domains are invariant in what they hold, so pyright takes no Boolean for a domain of objects.

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import cast

from finale.model.domains import Array, Boolean, Domain, Enum, Option, Queue, Range, Ref, Set, Union
from finale.model.itf import element_of, keys_of
from finale.model.language.bindings import shown
from finale.model.values import NothingType, Record


def identity(domain: Domain[object], value: object) -> str:
    """Return a text that only this value of a type has. Nobody reads it."""
    return repr(_identity(domain, value))


def _identity(domain: Domain[object], value: object) -> Hashable:
    match domain:
        case Boolean() | Range():
            return value if isinstance(value, bool) else int(cast(int, value))
        case Enum():
            return "member", shown(value)
        case Ref():
            return "entity", shown(value)
        case Option():
            if isinstance(value, NothingType):
                return None
            return _identity(domain.element, value)
        case Union():
            return _record(domain, cast(Record, value))
        case Set():
            members = cast("frozenset[object]", value)
            return "set", *sorted(identity(domain.element, each) for each in members)
        case Queue():
            elements = cast("Sequence[object]", value)
            return "queue", *(_identity(domain.element, each) for each in elements)
        case _:
            return _slots(domain, cast("Sequence[object]", value))


def _record(domain: Union[Record], value: Record) -> Hashable:
    """Of a record. Classes of one name in one type are told apart by their order."""
    index = domain.kinds.index(type(value))
    name = type(value).__name__
    before = sum(kind.__name__ == name for kind in domain.kinds[:index])
    parts = sorted(dict(domain.parts[index]).items())
    return (
        "record",
        name,
        before,
        *((part, _identity(its, getattr(value, part))) for part, its in parts),
    )


def _slots(domain: Domain[object], values: Sequence[object]) -> Hashable:
    element = element_of(domain)
    found = [_identity(element, each) for each in values]
    if isinstance(domain, Array):
        return "array", *found
    return "map", *zip(map(shown, keys_of(domain)), found, strict=True)
