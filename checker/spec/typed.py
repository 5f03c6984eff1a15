"""Checks the values of a spec against the options, bounds and sizes that a protocol declares.

Options are truth values, whole numbers, enumerations (written as the member's value) and `Literal`
words; bounds and sizes are whole numbers.
"""

from __future__ import annotations

import enum
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import lru_cache
from typing import Any, TypeGuard

from finale.model.domains import Range
from finale.model.errors import FinaleError, nearest

#: A bound or size above this is surely a mistake: no search ends that explores so much.
NUMBER_MAX = 4096

Complain = Callable[..., FinaleError]
"""Makes the error of one key: `complain(code, message, advice, key)`."""

Having = Callable[[str], Sequence[str]]
"""The protocols that have an option of a name."""

#: So many protocols are named that have an option which another one has not.
PROTOCOLS_MAX = 3


def options_of(
    kind: type, given: Mapping[str, object], complain: Complain, having: Having = lambda _: ()
) -> dict[str, object]:
    """The options given, each as the value that its declared type has."""
    _check_names("option", kind, given, complain, having)
    hints = _hints(kind)
    options: dict[str, object] = {}
    for declared in fields(kind):
        name = declared.name
        if name not in given:
            _default("option", declared, complain)
        elif hints[name] is int:
            options[name] = _number(
                "option", name, given[name], limits_of(kind, declared), complain
            )
        else:
            options[name] = _option(hints[name], name, given[name], complain)
    return options


def numbers_of(
    what: str, kind: type, given: Mapping[str, object], complain: Complain
) -> dict[str, int]:
    """All bounds or sizes, those not given with their defaults.

    Zero is taken only where it is the default, or the annotation says so:
    `Annotated[int, Range(0, 5)]`.
    """
    _check_names(what, kind, given, complain)
    numbers: dict[str, int] = {}
    for declared in fields(kind):
        name = declared.name
        if name in given:
            low, high = limits_of(kind, declared)
            numbers[name] = _number(what, name, given[name], (low, high), complain)
        else:
            numbers[name] = _default(what, declared, complain)
    return numbers


def _default(what: str, declared: Field[Any], complain: Complain) -> Any:
    default: Any = declared.default
    if default is MISSING:
        name = declared.name
        message = f'the {what} "{name}" has no default, and is not given'
        raise complain(f"missing-{what}", message, f"write {name} = …", "")
    return default


def limits_of(kind: type, declared: Field[Any]) -> tuple[int, int]:
    """The least and the largest number that a bound, a size or an option takes."""
    hint = _hints(kind, annotated=True)[declared.name]
    for each in getattr(hint, "__metadata__", ()):
        if isinstance(each, Range):
            return each.limits
    return (0 if declared.default == 0 else 1), NUMBER_MAX


@lru_cache
def _hints(kind: type, *, annotated: bool = False) -> Mapping[str, Any]:
    """The types of the fields of a class, with their annotations or without."""
    return typing.get_type_hints(kind, include_extras=annotated)


def choices_of(hint: Any) -> Sequence[tuple[object, object]]:
    """The values that a spec can write for an option of a type, each with the value that it means.

    A whole number has none: `limits_of` says which numbers an option takes.
    """
    if hint is bool:
        return [(True, True), (False, False)]
    if typing.get_origin(hint) is typing.Literal:
        return [(each, each) for each in typing.get_args(hint)]
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return [(member.value, member) for member in hint]
    return []


def words_of(hint: Any) -> tuple[str, ...]:
    """Return the words that a spec can write for an option of a type."""
    words = tuple(option_word(written) for written, _ in choices_of(hint))
    return words or ("a whole number",)


def refuse_misplaced(
    table: str, given: Iterable[str], kinds: Mapping[str, type], complain: Complain
) -> None:
    """Raise `unknown-option`, `unknown-bound` or `unknown-size` for a key of another table.

    `kinds` has what each of `[options]`, `[bounds]` and `[sizes]` declares.
    """
    known = {key: {each.name for each in fields(kind)} for key, kind in kinds.items()}
    for name in given:
        homes = [key for key, names in known.items() if name in names]
        if homes and table not in homes:
            what, home = table.removesuffix("s"), homes[0]
            message = f'the protocol has no {what} "{name}"'
            advice = f"write it under [{home}]: {name} is one of the {home} of this protocol"
            raise complain(f"unknown-{what}", message, advice, name)


def _check_names(
    what: str,
    kind: type,
    given: Iterable[str],
    complain: Complain,
    having: Having = lambda _: (),
) -> None:
    known = [each.name for each in fields(kind)]
    for name in given:
        if name not in known:
            advice = _elsewhere(name, having(name)) or nearest(name, known)
            raise complain(f"unknown-{what}", f'the protocol has no {what} "{name}"', advice, name)


def _elsewhere(name: str, protocols: Sequence[str]) -> str:
    """Advice where other protocols have an option of a name, if any has."""
    if not protocols:
        return ""
    told = [f'"{key}"' for key in protocols[:PROTOCOLS_MAX]]
    more = len(protocols) - len(told)
    told += [f"{more} more"] if more else []
    listed = " and ".join([", ".join(told[:-1]), told[-1]] if told[1:] else told)
    return f"leave it out, or take another protocol: {name} is an option of {listed}"


def _option(hint: Any, name: str, value: object, complain: Complain) -> object:
    for written, meant in choices_of(hint):
        if written == value and type(written) is type(value):
            return meant
    words = words_of(hint)
    advice = nearest(value, words) if isinstance(value, str) else f"write {' or '.join(words)}"
    raise complain("bad-option", f'the option "{name}" cannot be {in_toml(value)}', advice, name)


def _number(
    what: str, name: str, value: object, limits: tuple[int, int], complain: Complain
) -> int:
    low, high = limits
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise complain(
            f"bad-{what}",
            f'the {what} "{name}" cannot be {in_toml(value)}',
            f"write a whole number from {low} to {high}",
            name,
        )
    return value


def option_word(value: object) -> str:
    """The value of an option, a bound or a size, as a spec writes it, without quotes."""
    if isinstance(value, enum.Enum):
        return str(value.value)
    return value if isinstance(value, str) else in_toml(value)


def is_list(value: object) -> TypeGuard[list[object]]:
    """Whether a value of TOML is an array."""
    return isinstance(value, list)


def is_table(value: object) -> TypeGuard[dict[str, object]]:
    """Whether a value of TOML is a table: its keys are texts."""
    return isinstance(value, dict)


def in_toml(value: object) -> str:
    """A value as a spec writes it, for messages."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value}"'
        case dict():
            return "a table"
        case list():
            return "a list"
        case _:
            return str(value)
