"""A grid of settings: one spec, some of whose keys take several values.

An axis is a key with its values; a point has one value for each axis. `finale which` and `finale
sweep` search all points of a grid, `--release` one point for each release. Each of them builds the
spec of a point with `varied`.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from math import prod

from finale.model.errors import FinaleError
from finale.model.given import toml_of

from .typed import is_table
from .writing import toml_value

Values = Iterable[tuple[str, object]]
"""Keys of a spec, as messages write them (`options.NAME`), each with a value."""

#: What a spec expects of its own setting, and of no other.
EXPECTED = ("search", "expect")
#: The value that removes a key.
NONE = "none"
_REMOVABLE = ("variant", "release")
#: So many values a range may have.
VALUES_MAX = 1_000
_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)
#: How a value begins that is a list, a table or a text of TOML.
_OF_TOML = ("[", "{", '"', "'")


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


def axis_in(text: str) -> Axis:
    """An axis as it is written: `options.race=abort,hang` or `job.S.records=0..3`."""
    key, equals, values = text.partition("=")
    path = [part.strip() for part in key.split(".")]
    found = tuple(value for each in values.split(",") for value in _values(each.strip()))
    if not equals or not all(path) or not found or path[0] in EXPECTED:
        raise FinaleError(
            "bad-vary",
            f'"{text}" is not a key of a spec with values',
            advice="write --vary options.NAME=one,other or --vary bounds.NAME=0..3",
        )
    return Axis(".".join(path), found)


def _values(text: str) -> Iterator[object]:
    first, dots, last = text.partition("..")
    if dots and first.isdecimal() and last.isdecimal():
        if int(last) - int(first) >= VALUES_MAX:
            raise FinaleError(
                "bad-vary",
                f'"{text}" has more than {VALUES_MAX} values',
                advice="write fewer values, or ask in parts",
            )
        yield from range(int(first), int(last) + 1)
    elif text in ("true", "false"):
        yield text == "true"
    elif text:
        yield int(text) if _NUMBER.fullmatch(text) else text


def values_in(given: Sequence[str]) -> tuple[tuple[str, object], ...]:
    """Return the keys of `--set` with their values. Raises `bad-set`."""
    values = tuple(_value_in(text) for text in given)
    for key, count in Counter(key for key, _ in values).items():
        if count > 1:
            raise FinaleError(
                "bad-set",
                f"{key} is given two values",
                advice="give one value, or compare the two with finale diff",
            )
    return values


def _value_in(text: str) -> tuple[str, object]:
    key, _, value = text.partition("=")
    with suppress(FinaleError, tomllib.TOMLDecodeError):
        if value.strip().startswith(_OF_TOML):
            axis, given = axis_in(f"{key}=true"), toml_of(f"value = {value}")
            if len(given) == 1:
                return axis.key, given["value"]
        elif len((axis := axis_in(text)).values) == 1:
            return axis.key, axis.values[0]
    raise FinaleError(
        "bad-set",
        f'"{text}" is not a key of a spec with one value',
        advice="write --set options.NAME=VALUE, --set bounds.NAME=2, or a list as in TOML",
    )


def size_of(axes: Iterable[Axis]) -> int:
    """The number of points of a grid."""
    return prod(len(axis.values) for axis in axes)


def points(axes: Sequence[Axis]) -> Iterator[Point]:
    """All points of a grid; the last axis varies fastest."""
    for places in product(*(range(len(axis.values)) for axis in axes)):
        yield Point(tuple(axes), places)


def word_of(value: object) -> str:
    """A value as TOML writes it, a text without quotes."""
    return value if isinstance(value, str) else toml_value(value)


def settings_of(values: Values) -> Iterator[str]:
    """The keys and values as `--set` takes them: `values_in` reads them again."""
    for key, value in values:
        bare = f"{key}={word_of(value)}"
        try:
            is_read = values_in((bare,)) == ((key, value),)
        except FinaleError:
            is_read = False
        yield bare if is_read else f"{key}={toml_value(value)}"


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
