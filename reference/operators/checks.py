"""Checks the keys and values of a table in a job file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from finale.model.errors import FinaleError, Place, nearest

Said = Mapping[str, Any]
"""A table of a job file."""

Check = tuple[str, Callable[[object], bool]]
"""What a value has to be, in words and as a test."""

Checks = Mapping[str, Check]
"""By key."""


def refuse_unknown(table: Said, known: tuple[str, ...], where: str) -> None:
    """Raises `unknown-key`."""
    for key in table:
        if key not in known:
            raise FinaleError(
                "unknown-key",
                f'"{key}" means nothing here',
                place=Place(key=f"{where}{key}"),
                advice=nearest(key, known),
            )


def refuse_types(table: Said, checks: Checks, where: str) -> None:
    """Raises `bad-value`."""
    for key in checks.keys() & table.keys():
        (wanted, fits), value = checks[key], table[key]
        if not fits(value):
            raise FinaleError(
                "bad-value",
                f'"{key}" is {value!r}',
                place=Place(key=f"{where}{key}"),
                advice=f"write {wanted}",
            )


def is_number(value: object) -> bool:
    """A number above zero."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def is_whole(value: object) -> bool:
    """A whole number, and not below zero."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_count(value: object) -> bool:
    """A whole number above zero."""
    return is_whole(value) and value != 0


def is_text(value: object) -> bool:
    """A text that is not empty."""
    return isinstance(value, str) and bool(value)


def is_texts(value: object) -> bool:
    """A list of texts."""
    return isinstance(value, list) and all(map(is_text, cast("list[object]", value)))


def is_tables(value: object) -> bool:
    """A table of tables."""
    tables = cast("dict[str, object]", value).values() if isinstance(value, dict) else ()
    return isinstance(value, dict) and all(isinstance(table, dict) for table in tables)


def is_one_of(*words: str) -> Check:
    """One of some words."""
    return " or ".join(f'"{word}"' for word in words), lambda value: value in words
