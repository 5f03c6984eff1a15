"""A grid of settings: one spec, some of whose keys take several values.

An axis is a key with its values; a point has one value for each axis. `finale which` and `finale
sweep` search all points of a grid, `--releases` one point for each release. Each of them builds the
spec of a point with `varied`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from .typed import is_table

Values = Iterable[tuple[str, object]]
"""Keys of a spec, as messages write them (`options.NAME`), each with a value."""

#: What a spec expects of its own setting, and of no other.
EXPECTED = ("search", "expect")
#: The value that removes a key.
NONE = "none"
_REMOVABLE = ("variant", "release")


@dataclass(frozen=True)
class Axis:
    """A key of the spec and its values, in this order: for `finale which` the weakest first."""

    key: str
    values: tuple[object, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The values in the words of a spec."""
        return tuple(word_of(value) for value in self.values)


@dataclass(frozen=True)
class Point:
    """One value for each axis; `places` has the positions of the values on their axes."""

    axes: tuple[Axis, ...]
    places: tuple[int, ...]

    @property
    def values(self) -> tuple[tuple[str, object], ...]:
        """The values, by their keys."""
        return tuple((a.key, a.values[at]) for a, at in zip(self.axes, self.places, strict=True))

    @property
    def words(self) -> tuple[tuple[str, str], ...]:
        """The values in the words of a spec, by their keys."""
        return tuple((key, word_of(value)) for key, value in self.values)

    def is_weaker_than(self, other: Point) -> bool:
        """Whether no value comes later on its axis, and some value comes earlier."""
        pairs = zip(self.places, other.places, strict=True)
        return self != other and all(one <= another for one, another in pairs)

    def __str__(self) -> str:
        return text_of(self.values)


def size_of(axes: Iterable[Axis]) -> int:
    """The number of points of a grid."""
    return prod(len(axis.values) for axis in axes)


def points(axes: Sequence[Axis]) -> Iterator[Point]:
    """All points of a grid; the last axis varies fastest."""
    for places in product(*(range(len(axis.values)) for axis in axes)):
        yield Point(tuple(axes), places)


def word_of(value: object) -> str:
    """A value as TOML writes it, without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def text_of(values: Values) -> str:
    """Keys and values in one line."""
    return ", ".join(f"{key} = {word_of(value)}" for key, value in values)


def without(table: Mapping[str, object], keys: Iterable[str]) -> Mapping[str, object]:
    """The table of a spec without some of its keys."""
    return {key: value for key, value in table.items() if key not in keys}


def varied(table: Mapping[str, object], values: Values) -> Mapping[str, object]:
    """The table of a spec with other values. `none` removes a variant or a release."""
    for key, value in values:
        table = _replaced(table, key.split("."), value)
    return table


def _replaced(
    table: Mapping[str, object], path: Sequence[str], value: object
) -> Mapping[str, object]:
    head, *rest = path
    if rest:
        inner = table.get(head, {})
        value = _replaced(inner if is_table(inner) else {}, rest, value)
    elif value == NONE and head in _REMOVABLE:
        return without(table, (head,))
    return {**table, head: value}


__all__ = [
    "EXPECTED",
    "NONE",
    "Axis",
    "Point",
    "points",
    "size_of",
    "text_of",
    "varied",
    "without",
    "word_of",
]
