"""Finds the code of a user in a system, and the rules and properties that may reach it."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from .decorators import mark_of
from .entities import World
from .instrumenting import NAME


def is_of_user(function: object) -> bool:
    """Whether a function was loaded from a user's folder."""
    return isinstance(function, types.FunctionType) and NAME in function.__globals__


@dataclass(frozen=True)
class CodeByName:
    """The names under which a system has code of a user, and what reaches them.

    Reaching goes by names: whatever any class of the system has under a name that a function
    mentions may be called. That finds too much rather than too little.
    """

    functions: Mapping[str, tuple[types.FunctionType, ...]]

    @staticmethod
    def of(world: World) -> CodeByName:
        """Return the user's code among the classes of all entities."""
        found: dict[str, list[types.FunctionType]] = {}
        kinds = dict.fromkeys(kind for each in world.entities for kind in type(each).__mro__)
        for kind in kinds:
            for name, value in vars(kind).items():
                found.setdefault(name, []).extend(_functions_of(value))
        return CodeByName({name: tuple(each) for name, each in found.items() if each})

    @cached_property
    def names(self) -> frozenset[str]:
        """The names under which a class has a function of the user's."""
        return frozenset(n for n, each in self.functions.items() if any(map(is_of_user, each)))

    def is_reached_from(
        self,
        functions: Iterable[types.FunctionType],
        wanted: Callable[[types.FunctionType], bool] = is_of_user,
    ) -> bool:
        """Whether functions are wanted ones (the user's), or may call a wanted one."""
        ahead, seen = list(functions), set[str]()
        while ahead:
            function = ahead.pop()
            if wanted(function):
                return True
            mentioned = set(mentioned_in(function.__code__)) - seen
            seen |= mentioned
            ahead += [each for name in mentioned for each in self.functions.get(name, ())]
        return False


def all_mentioned(function: types.FunctionType) -> set[str]:
    """Return what a function mentions, and the functions of its module that it mentions."""
    found, ahead, seen = set[str](), [function], set[int]()
    while ahead:
        each = ahead.pop()
        if id(each) not in seen:
            seen.add(id(each))
            names = set(mentioned_in(each.__code__))
            found |= names
            known = (each.__globals__.get(name) for name in names)
            ahead += [other for other in known if isinstance(other, types.FunctionType)]
    return found


def _functions_of(value: object) -> Iterator[types.FunctionType]:
    mark = mark_of(value)
    inner: list[object] = [mark.function] if mark is not None else [value]
    if isinstance(value, property):
        inner += [value.fget, value.fset]
    inner += [getattr(value, name, None) for name in ("func", "__func__", "__wrapped__")]
    for each in inner:
        if isinstance(each, types.FunctionType):
            yield each


def mentioned_in(code: types.CodeType) -> Iterator[str]:
    """Return the names and texts that code mentions: of attributes, globals and functions."""
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from mentioned_in(each)
        elif isinstance(each, str):
            yield each
