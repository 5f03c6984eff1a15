"""Refuses rules that keep something outside the state, in a module of a user or in an entity.

A dict of a module, a mutable default, a cell of a closure, an attribute of a function or a cache
would take a value from one rule, or from one path of a rule, into the next. What the modules hold
is compared before and after the rules are explored.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Collection, Generator, Iterable, Iterator
from typing import Any, cast

from finale.model.errors import FinaleError, Place

from .contents import changed, contents, watching
from .explore import is_iterator
from .instrumenting import NAME
from .refusals import CACHES, holds_state, inside

#: What an entity of the language keeps, beside what its class gives it.
_OF_ENTITIES = frozenset({"_world", "variables", "setting"})
_SHALLOW = frozenset({range, types.ModuleType})


@contextlib.contextmanager
def keeping_nothing(modules: Collection[types.ModuleType], protocol: Any) -> Generator[None]:
    """While rules of a user's modules are explored: refuse what they keep. Raises `keeps-state`."""
    before = _contents(modules)
    if not modules:
        yield
        return
    with watching():
        held = contents(*_attributes((protocol, *protocol.entities())))
        yield
        value = changed(held)
        if value is not None:
            raise _keeps(f"exploring the rules has changed a {type(value).__name__}", Place())
    after = _contents(modules)
    for place, content in after.items():
        if place in before and before[place] != content:
            raise _keeps(f"exploring the rules has changed {place.key}", place)
    for entity in protocol.world.entities:
        for name, value in vars(entity).items():
            if name not in _OF_ENTITIES and holds_state(value):
                what = f"{name} of {str(entity) or 'the protocol'}"
                raise _keeps(f"a value of the state is kept in {what}", Place())


def _attributes(entities: Iterable[Any]) -> Iterator[object]:
    """What entities hold as plain Python."""
    for entity in entities:
        yield from (value for name, value in vars(entity).items() if name not in _OF_ENTITIES)


def _keeps(what: str, place: Place) -> FinaleError:
    return FinaleError(
        "keeps-state",
        f"{what}: the rules depend on more than the state",
        place=place,
        advice="keep what must last in a field of an entity; make lists and dicts where they are "
        "used, and leave caches out",
    )


def _contents(modules: Iterable[types.ModuleType]) -> dict[Place, object]:
    """What each name of the modules holds, as something that can be compared."""
    return {
        Place(module.__file__, key=name): _content(value, module.__name__, set())
        for module in modules
        for name, value in list(vars(module).items())
        if name != NAME
    }


def _content(value: object, module: str, seen: set[int]) -> object:
    """What an object of a module holds, down to plain values."""
    if isinstance(value, int | str | bytes | float | type(None)):
        return value
    if id(value) in seen or type(value) in _SHALLOW or isinstance(value, CACHES):
        return id(value)
    seen.add(id(value))
    if isinstance(value, types.GeneratorType):
        return value.gi_frame.f_lasti if value.gi_frame is not None else None
    if type(value).__module__ in ("builtins", "itertools") and is_iterator(value):
        _, made_of, *state = cast("tuple[object, ...]", value.__reduce__())
        parts = (*cast("tuple[object, ...]", made_of), *state)
        return [_content(each, module, seen) for each in parts]
    return id(value), [_content(each, module, seen) for each in _reached(value, module)]


def _reached(value: object, module: str) -> Iterator[object]:
    """What an object of a module keeps: of a function its defaults, cells and attributes."""
    match value:
        case types.FunctionType() if value.__module__ == module:
            yield from (value.__defaults__, value.__kwdefaults__)
            yield getattr(value, "__wrapped__", None)
            yield from (value.__doc__, value.__name__, value.__qualname__, value.__annotations__)
            yield from (each for name, each in vars(value).items() if not name.startswith("__"))
            for cell in value.__closure__ or ():
                with contextlib.suppress(ValueError):
                    yield cell.cell_contents
        case types.MethodType() | types.BuiltinMethodType() | types.MethodWrapperType():
            yield value.__self__  # a bound `pop` or `setdefault` keeps what its list or dict has
            yield getattr(value, "__func__", None)
        case property():
            yield from (value.fget, value.fset)
        case staticmethod() | classmethod():
            yield value.__func__
        case type() if value.__module__ == module:
            yield from list(vars(value).values())
        case types.FunctionType() | type():
            pass
        case _ if type(value).__module__ == module or not _is_of_finale(type(value)):
            yield from inside(value)
        case _:
            pass


def _is_of_finale(kind: type) -> bool:
    return kind.__module__.startswith("finale.")
