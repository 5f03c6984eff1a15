"""Finds what a run changes of Python's objects outside of itself, by comparing their contents.

A helper, or an operand of `and`, is run once for each of its paths, and also where plain Python
would not come to. A list that it is given, or that it reaches through a closure, would take a value
from one path into the next. All that a body reaches is remembered before its runs and compared
after them, by identity. Entities are left out: `keeping.py` compares what they hold.
"""

from __future__ import annotations

import enum
import functools
import types
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from typing import cast

from finale.model.errors import FinaleError

from .path_ends import caller

Contents = list[tuple[object, tuple[object, ...]]]
"""Objects that can change, each with what it held."""

#: Names under which rewritten bodies reach functions of the language (`syntax.py`).
NAMES_OF_LANGUAGE: set[str] = set()
_WATCHING: list[bool] = []


@contextmanager
def watching() -> Generator[None]:
    """Remember contents: only while code of a user is explored, since looking costs time."""
    _WATCHING.append(True)
    try:
        yield
    finally:
        _WATCHING.pop()


_CHANGING = (list, dict, set, deque, bytearray)
_METHODS = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)
_LEADING = (tuple, types.FunctionType, *_METHODS, functools.partial)
_LEAVES = frozenset(
    {int, bool, str, float, bytes, type(None), type, range, types.ModuleType, types.CodeType}
)


def contents(*roots: object) -> Contents:
    """Return what the lists, dicts, sets and objects hold that some values reach."""
    found: Contents = []
    if not _WATCHING:
        return found
    ahead, seen = list(roots), set[int]()
    while ahead:
        value = ahead.pop()
        leads = _leads(type(value))
        if leads is _Leads.NOWHERE or id(value) in seen:
            continue
        seen.add(id(value))
        if leads is _Leads.ON:
            ahead += _reached(value)
            continue
        held = _held(value)
        found.append((value, held))
        ahead += held
    return found


class _Leads(enum.Enum):
    """What a value of a class leads to: to nothing that can change, to other values, or to what it
    holds itself, which can change."""

    NOWHERE = enum.auto()
    ON = enum.auto()
    TO_ITS_OWN = enum.auto()


#: What is known of classes, by identity, since a user's class may answer for its own hash. Each is
#: held with its answer.
_KNOWN: dict[int, tuple[type, _Leads]] = {}


def _leads(kind: type) -> _Leads:
    known = _KNOWN.get(id(kind))
    if known is None:
        known = _KNOWN[id(kind)] = kind, _sorted(kind)
    return known[1]


def _sorted(kind: type) -> _Leads:
    if kind in _LEAVES:
        return _Leads.NOWHERE
    if issubclass(kind, _CHANGING) or _is_object(kind):
        return _Leads.TO_ITS_OWN
    return _Leads.ON if issubclass(kind, _LEADING) else _Leads.NOWHERE


def changed(before: Contents) -> object | None:
    """Return an object that does not hold what it held, or None."""
    for value, held in before:
        now = _held(value)
        if len(now) != len(held) or any(a is not b for a, b in zip(now, held, strict=True)):
            return value
    return None


def refuse_changed(before: Contents) -> None:
    """Refuse what has changed an object. Raises `rule-mutates`."""
    value = changed(before)
    if value is not None:
        raise FinaleError(
            "rule-mutates",
            f"a helper or an operand changes a Python {type(value).__name__} that is not part "
            "of the state",
            place=caller(),
            advice="store lasting values in fields of entities; build lists with "
            "comprehensions, and return what a helper finds",
        )


def _is_object(kind: type) -> bool:
    """Whether a class makes objects that can change, and is no class of the language or library."""
    is_ours = type(kind) is not type or hasattr(kind, "world") or kind.__module__ == "builtins"
    return not is_ours and not kind.__module__.startswith(("finale.", "functools", "itertools"))


def _held(value: object) -> tuple[object, ...]:
    if isinstance(value, dict):
        items = cast("dict[object, object]", value)
        return (*items.keys(), *items.values(), *_attributes(value))
    if isinstance(value, _CHANGING):
        return (*cast("list[object]", value), *_attributes(value))
    return _attributes(value)


def attributes_of(value: object) -> dict[str, object]:
    """Return the attributes of an object, also those in slots, whatever its class answers."""
    found: dict[str, object] = {}
    slots = (vars(kind).get("__slots__", ()) for kind in type(value).__mro__)
    names = (name for each in slots for name in ((each,) if isinstance(each, str) else each))
    for name in ("__dict__", *names):
        with suppress(AttributeError):
            found[name] = object.__getattribute__(value, name)
    own = cast("dict[str, object]", found.pop("__dict__", {}))
    return {**own, **found}


def _attributes(value: object) -> tuple[object, ...]:
    found = attributes_of(value)
    return (*found.keys(), *found.values())


def _reached(value: object) -> Iterator[object]:
    match value:
        case tuple():
            yield from cast("tuple[object, ...]", value)
        case types.FunctionType():
            names = value.__code__.co_freevars
            for name, cell in zip(names, value.__closure__ or (), strict=True):
                if name not in NAMES_OF_LANGUAGE and cell != _EMPTY:
                    yield cell.cell_contents
            yield from value.__defaults__ or ()
        case types.MethodType() | types.BuiltinMethodType() | types.MethodWrapperType():
            yield value.__self__
            yield getattr(value, "__func__", None)
        case functools.partial():
            yield from (value.func, *value.args, *value.keywords.values())
        case _:
            pass


_EMPTY = types.CellType()
