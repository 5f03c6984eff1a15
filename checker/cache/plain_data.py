"""Turns values of dataclasses into plain data, as JSON has it, and back.

The types of the fields say how a value is read: dataclasses, enums, tuples, sets, mappings, an
optional value, and what JSON has itself. A field that the data lacks has its default, so an older
document can be read. A class with another form in JSON has the methods `to_plain` and `of_plain`.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")

_SCALARS = (str, int, float, bool, NoneType)


def plain(value: object) -> Any:
    """Return a value as JSON has it: a dataclass as an object with its fields."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, _SCALARS):
        return value
    if hasattr(value, "to_plain"):
        return cast(Any, value).to_plain()
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {plain(key): plain(content) for key, content in pairs}
    if isinstance(value, AbstractSet):
        return sorted(map(plain, cast("AbstractSet[object]", value)))
    if isinstance(value, tuple | list):
        return [plain(each) for each in cast("Iterable[object]", value)]
    raise AssertionError(f"{type(value).__name__} is no plain data")


def typed(kind: type[T], data: object) -> T:
    """Return plain data as a value of a type. Raises `ValueError`, `TypeError` or `KeyError`."""
    return cast(T, _typed(kind, data))


def _typed(kind: Any, data: Any) -> object:
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        if data is None and NoneType in parts:
            return None
        (kind,) = (part for part in parts if part is not NoneType)
        return _typed(kind, data)
    if kind in _SCALARS:
        return _scalars(kind, [data])[0]
    if hasattr(kind, "of_plain"):
        return kind.of_plain(data)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: _typed(hints[name], content) for name, content in _object(data)})
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(data)
    if origin is tuple and parts[-1] is not Ellipsis:
        return tuple(_typed(*pair) for pair in zip(parts, data, strict=True))
    if origin in (tuple, list, frozenset, Sequence):
        (kind, *_) = parts
        made: Any = tuple if origin is Sequence else origin
        return made(_scalars(kind, data) if kind in _SCALARS else (_typed(kind, e) for e in data))
    if origin is not None and issubclass(origin, Mapping):
        return {_typed(parts[0], key): _typed(parts[1], each) for key, each in _object(data)}
    raise AssertionError(f"a field of the type {kind} is not plain data")


def _scalars(kind: type, data: Any) -> list[object]:
    """The values of a list, all of which must have a type: much of what is kept are numbers."""
    if not isinstance(data, list):
        raise TypeError(f"a list of {kind.__name__} was expected")
    values = cast("list[object]", data)
    if not set(map(type, values)) <= {kind, int if kind is float else kind}:
        raise TypeError(f"{kind.__name__} was expected")
    return values


def _object(data: Any) -> Iterable[tuple[str, Any]]:
    if not isinstance(data, dict):
        raise TypeError("an object was expected")
    return cast("dict[str, Any]", data).items()


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


__all__ = ["plain", "typed"]
