"""The steps of an engine, by name.

An `action` is a method that yields once: whether it can be taken now, for its arguments. What
follows the `yield` is done if it is taken. A step is an action and the names of its arguments,
which are those of events and traces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

Guarded = Iterator[bool]
"""Yields whether it can be taken; going on takes it."""

Method = TypeVar("Method", bound=Callable[..., Guarded])


@dataclass(frozen=True, order=True)
class StepId:
    """A step by its name, and what it is about."""

    name: str
    binding: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.name}({', '.join(value for _, value in self.binding)})"


def action(*about: str) -> Callable[[Method], Method]:
    """Marks a method whose arguments are such things, by kind: `task`, `channel`, `checkpoint`."""

    def mark(method: Method) -> Method:
        method.__dict__["about"] = about
        return method

    return mark


def actions_of(engine: type) -> dict[str, tuple[str, ...]]:
    """The actions of an engine's class, and what each is about; a class adds to its bases'."""
    found: dict[str, tuple[str, ...]] = {}
    for base in reversed(engine.__mro__):
        for name, member in vars(base).items():
            about: Any = getattr(member, "about", None)
            if about is not None:
                found[name] = about
    return found
