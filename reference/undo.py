"""Saves and restores the state of an engine.

A state is what each part of an engine knows: its attributes, with their containers copied. Parts
are the objects that can change; they stay the objects that they are. What has not changed since
another state is shared with it.
"""

from __future__ import annotations

import enum
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(eq=False, slots=True)
class SavedPart:
    """The saved attributes of one part, and the parts that it refers to."""

    part: object
    attributes: dict[str, Any]
    others: tuple[object, ...]
    alike: bool
    """Some of these can be equal to others: comparing does not tell which they are."""

    def is_up_to_date(self) -> bool:
        """Whether the attributes of the part are unchanged, as far as a comparison tells."""
        return not self.alike and self.part.__dict__ == self.attributes


Saved = dict[int, SavedPart]
"""A state: the parts by their identity."""


def save(root: object, before: Saved | None = None) -> Saved:
    """The state of an object and of all that can be reached from it; shares with a state before."""
    kept: Saved = {}
    todo = [root]
    while todo:
        part = todo.pop()
        if id(part) in kept:
            continue
        known = before.get(id(part)) if before is not None else None
        if known is None or not known.is_up_to_date():
            attributes = {name: _copied(value) for name, value in part.__dict__.items()}
            others = tuple(_parts(attributes.values()))
            alike = any(type(other).__eq__ is not object.__eq__ for other in others)
            known = SavedPart(part, attributes, others, alike)
        kept[id(part)] = known
        todo += known.others
    return kept


def go_back(saved: Saved) -> None:
    """Put all parts back into a state."""
    for known in saved.values():
        if not known.is_up_to_date():
            known.part.__dict__ = {name: _copied(v) for name, v in known.attributes.items()}


COPIES: dict[type, Callable[[Any], Any]] = {
    set: set[Any].copy,
    deque: deque[Any].copy,
    Counter: Counter[Any].copy,
    list: lambda values: [_copied(each) for each in values],
    dict: lambda values: {key: _copied(each) for key, each in values.items()},
}


def _copied(value: Any) -> Any:
    copy = COPIES.get(_kind(value))
    return value if copy is None else copy(value)


def _parts(values: Iterable[Any]) -> Iterator[object]:
    for value in values:
        kind = _kind(value)
        if _is_part(kind):
            yield value
        elif issubclass(kind, dict):
            yield from _parts(value.values())
        elif kind in (list, tuple, deque):
            yield from _parts(value)


def _kind(value: object) -> type:
    return type(value)


@cache
def _is_part(kind: type) -> bool:
    """Whether objects of a class can change."""
    frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
    called = any("__call__" in vars(base) for base in kind.__mro__)
    return kind.__dictoffset__ != 0 and not (frozen or called or issubclass(kind, enum.Enum))
