"""Assumptions: what a rule takes for granted because a mechanism of the modelled system ensures it.

A helper with the mark `@assumed("Class.method")` is such an assumption. A setting can leave out
assumptions by name. A guard that is left out is the constant `without`, and a step that is left out
does nothing. A step with the mark `@at_once` is atomic: left out, a class that the mark names takes
the step apart. Properties are evaluated with all assumptions: they judge the weakened rules by the
claim as it stands.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib import import_module
from types import new_class
from typing import Any, Protocol, TypeVar

from finale.model.errors import FinaleError, Place

F = TypeVar("F", bound=Callable[..., Any])

#: The name of a class and of its method, as the modelled system has them.
_METHOD = re.compile(r"[A-Z]\w*\.\w+")


class Leaving(enum.Enum):
    """What becomes of an assumption that is left out."""

    GUARD = "the guard is gone"
    STEP = "the step is not taken"
    AT_ONCE = "the step comes later"


@dataclass(frozen=True)
class Assumption:
    """A marked helper: its name in specs, the methods that implement it, its value if left out.

    `sentence` is the docstring's first paragraph, and `cites` are the rule ids in it. `apart` names
    the class that takes an atomic step apart, as "module:Class".
    """

    name: str
    methods: tuple[str, ...]
    leaving: Leaving
    sentence: str
    cites: tuple[str, ...]
    place: Place
    without: object = None
    apart: str = ""

    def apart_from(self, kind: type) -> type:
        """Return a protocol in which the atomic step is taken apart."""
        module, _, name = self.apart.partition(":")
        splitting: type = getattr(import_module(module), name)
        names = f"{kind.__qualname__}_{name}"
        return new_class(
            names,
            (splitting, kind),
            exec_body=lambda space: space.update(
                {"__module__": splitting.__module__, "__doc__": splitting.__doc__}
            ),
        )


class Mark(Protocol):
    """What a decorator of the rule language leaves on a function (`decorators.py`)."""

    role: str
    assumption: Assumption | None
    at_once: Assumption | None

    @property
    def sentence(self) -> str:
        """The docstring's first paragraph."""
        ...

    @property
    def cites(self) -> tuple[str, ...]:
        """The rule ids that the docstring names."""
        ...

    @property
    def place(self) -> Place:
        """The file and line of the function."""
        ...


def assumed(*methods: str, without: object = True) -> Callable[[F], F]:
    """Mark a helper as an assumption, above its `@define` or `@step`.

    `methods` are the classes and methods that implement the mechanism. `without` is the value of a
    guard that is left out. A step that is left out does nothing.
    """

    def marking(function: F) -> F:
        mark = _mark_of(function, methods)
        is_guard = mark.role == "define"
        made = _assumption(function, mark, methods, Leaving.GUARD if is_guard else Leaving.STEP)
        mark.assumption = replace(made, without=without if is_guard else None)
        return function

    return marking


def at_once(*methods: str, apart: str) -> Callable[[F], F]:
    """Mark a step as atomic with what comes before it; `apart` is the class that splits the two."""

    def marking(function: F) -> F:
        mark = _mark_of(function, methods)
        if mark.role != "step":
            raise _misused(function)
        made = _assumption(function, mark, methods, Leaving.AT_ONCE)
        mark.at_once = replace(made, name=f"{made.name}-at-once", apart=apart)
        return function

    return marking


def _mark_of(function: Callable[..., Any], methods: tuple[str, ...]) -> Mark:
    mark: Mark | None = getattr(function, "__finale__", None)
    if mark is None or mark.role == "rule" or not methods:
        raise _misused(function)
    if not all(map(_METHOD.fullmatch, methods)):
        raise _misused(function)
    return mark


def _assumption(
    function: Callable[..., Any],
    mark: Mark,
    methods: tuple[str, ...],
    leaving: Leaving,
) -> Assumption:
    name = function.__name__.strip("_").replace("_", "-")
    return Assumption(name, methods, leaving, mark.sentence, mark.cites, mark.place)


def _misused(function: Callable[..., Any]) -> FinaleError:
    code = function.__code__
    return FinaleError(
        "assumption-misused",
        f"{function.__qualname__} cannot be an assumption as it is marked",
        place=Place(code.co_filename, code.co_firstlineno, rule=function.__qualname__),
        advice='write @assumed("Class.method", …) above @define or @step',
    )


def assumptions_of(kinds: Iterable[type]) -> dict[str, Assumption]:
    """Return the assumptions that some classes make, by name, in the order of the classes.

    Helpers of one name, in classes that take each other's place, are one assumption.
    """
    found: dict[str, Assumption] = {}
    for kind in kinds:
        for base in reversed(kind.__mro__):
            for value in vars(base).values():
                function = value.fget if isinstance(value, property) else value
                mark: Mark | None = getattr(function, "__finale__", None)
                for each in () if mark is None else (mark.assumption, mark.at_once):
                    if each is not None:
                        known = found.get(each.name, each)
                        methods = dict.fromkeys((*known.methods, *each.methods))
                        found[each.name] = replace(known, methods=tuple(methods))
    return found


# --- leaving out ---------------------------------------------------------------------------------

_observes = 0
"""How many evaluations of properties are under way, one within another."""


class with_all_assumptions:  # noqa: N801 - a context manager reads as a verb
    """While a property is evaluated: no assumption is left out."""

    def __enter__(self) -> None:
        global _observes  # noqa: PLW0603 - marked helpers must find it
        _observes += 1

    def __exit__(self, *_: object) -> None:
        global _observes  # noqa: PLW0603 - marked helpers must find it
        _observes -= 1


def is_left_out(assumption: Assumption, owner: object) -> bool:
    """Whether the setting of a helper's owner leaves the assumption out."""
    return not _observes and assumption.name in getattr(owner, "__dict__", {}).get("_without", ())
