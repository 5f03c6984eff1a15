"""Refuses what misses the state, at the line where it happens: instrumented code calls it.

`instrumenting.py` says which operations come here, `docs/refused.md` what is refused and what to
write instead. A function is called with a value of the state only if it is instrumented itself, if it is
Finale's, or if it stands in a list below: functions in C that only pass values on, test their
truth, or compare them.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import gc
import operator
import sys
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from finale.model.errors import FinaleError, Place
from finale.model.values import Record

from .access import Structure
from .entities import Entity
from .explore import exploring
from .instrumenting import NAME
from .operators import is_instance
from .path_ends import caller
from .symbols import Symbolic, unsupported

#: A value of the state is looked for so deep in tuples, lists, dicts and objects.
DEPTH_MAX = 6

# --- values of the state -------------------------------------------------------------------------


def holds_state(value: object, depth: int = 0) -> bool:
    """Whether a value is one of the state, or a Python object with one in it."""
    if isinstance(value, Symbolic | Structure):
        return True
    kind = type(value)
    if isinstance(value, Entity):
        return False
    if depth > DEPTH_MAX or kind in _PLAIN or kind.__module__.startswith("finale."):
        is_record = type.__instancecheck__(Record, value)
        return is_record and any(holds_state(each, depth + 1) for each in vars(value).values())
    return any(holds_state(each, depth + 1) for each in _inside(value))


_PLAIN = frozenset({int, bool, str, float, bytes, type(None), type, range, types.FunctionType})


def _inside(value: object) -> Iterator[object]:
    """What a container or object has in it."""
    if isinstance(value, Mapping):
        yield from cast("Mapping[object, object]", value).keys()
        yield from cast("Mapping[object, object]", value).values()
    elif isinstance(value, tuple | list | set | frozenset | collections.deque):
        yield from cast("tuple[object, ...]", value)
    elif isinstance(value, functools.partial):
        yield from (*value.args, *value.keywords.values())
    if not isinstance(value, type | types.ModuleType | types.MethodType):
        yield from getattr(value, "__dict__", {}).values()
        for kind in type(value).__mro__:
            slots = vars(kind).get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                yield getattr(value, name, None)


# --- what instrumented code calls ----------------------------------------------------------------


def plain(value: Any, what: str) -> Any:
    """Return a value for an operation that misses the state; refuse a value of the state."""
    if exploring() and holds_state(value):
        raise _missed(value, what)
    return value


_MISSED = {
    "is": (
        "`is` compares Python objects, not values of the state",
        "write == or !=",
        "rule-uses-is",
    ),
    "text": (
        "a value of the state is made into text",
        "the state contains no texts: use an enumeration or a record",
        "text-of-state",
    ),
    "match": (
        "the patterns of this `match` do not match values of the state",
        "match record classes, or compare with ==",
        "case-singleton",
    ),
}


def _missed(value: object, what: str) -> FinaleError:
    if what in _MISSED:
        return unsupported(*_MISSED[what])
    return unsupported(
        f"{what} does not reach the state: it is asked of {_shown(value)}",
        "read fields, compare them, and call helpers: docs/refused.md says what else",
        "misses-the-state",
    )


def _shown(value: object) -> str:
    if isinstance(value, Symbolic | Structure):
        return repr(value)
    return f"a {type(value).__name__} with a value of the state in it"


def modulo(left: Any, right: Any) -> Any:
    """`left % right`: of a text, the format of its values."""
    return left % (plain(right, "text") if isinstance(left, str | bytes) else right)


def refuse_statement(word: str) -> None:
    """Refuse a statement that cannot be explored. Raises `rule-uses-try` and the like."""
    if exploring():
        raise FinaleError(
            f"rule-uses-{word}",
            f"`{word}` cannot be explored",
            place=caller(),
            advice=_INSTEAD[word],
        )


_INSTEAD = {
    "try": "test beforehand; what no rule may do is a fault",
    "with": "a rule only reads and writes fields",
    "global": "keep what must last in a field of an entity",
}


def refuse_of_frames(name: str) -> None:
    """Refuse a function that reads the names of the frame around it."""
    if exploring():
        raise _refused_call(f"{name}()")


def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Call a function from instrumented code; refuse one that is not known to reach the state."""
    if not exploring():
        return function(*args, **kwargs)
    if function is isinstance:
        return _is_instance(*args)
    if any(function is each for each in _TEXTS):
        plain(args, "text")
    elif not _is_known(function):
        _refuse_foreign(function, (*args, *kwargs.values()))
    elif function is getattr or function is hasattr:
        _refuse_optional(function, args)
    result = function(*args, **kwargs)
    if isinstance(function, _CACHES) and holds_state(result):
        raise _keeps(f"the cache of {getattr(function, '__name__', 'a function')}", caller())
    return result


#: What makes text of a value, which says nothing of a value of the state.
_TEXTS = (str, repr, ascii, format, print)
#: The class of what `functools.lru_cache` and `functools.cache` return.
_CACHES = (type(functools.lru_cache(lambda: None)),)
_TYPES_OF_PYTHON = frozenset({bool, int, float, str, tuple, list, dict, set, frozenset, object})


def _is_instance(value: Any, kinds: Any) -> Any:
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    if isinstance(value, Symbolic | Structure) and _TYPES_OF_PYTHON & set(wanted):
        raise unsupported(
            "whether a value is of a type of Python is no question about the state",
            "match record classes, or compare with values",
            "case-builtin",
        )
    return is_instance(value, kinds)


def _refuse_optional(function: Any, args: tuple[Any, ...]) -> None:
    """`getattr` with a default, and `hasattr`: a value of the state answers with a fault."""
    if args and (function is hasattr or len(args) > 2) and isinstance(args[0], Symbolic):
        raise _missed(args[0], f"{function.__name__}()")


#: Functions in C that only pass values on, test their truth, or compare them.
_PASSING = frozenset(
    {
        abs, all, any, callable, enumerate, filter, getattr, hasattr, hash, issubclass, iter, len,
        map, max, min, next, reversed, setattr, sorted, sum, zip,
        bool, dict, frozenset, int, list, object, range, set, slice, tuple, property,
        classmethod, staticmethod, collections.deque, collections.defaultdict,
        collections.OrderedDict, functools.partial, functools.reduce, dataclasses.replace,
        typing.cast, operator.attrgetter, operator.itemgetter, operator.methodcaller,
    }
)  # fmt: skip
_NOT_PASSING = frozenset({operator.is_, operator.is_not, operator.index, operator.length_hint})
#: Classes whose methods only pass values on, test their truth, or compare them.
_CONTAINERS = (tuple, list, dict, set, frozenset, collections.deque)
#: Modules whose functions read nothing but their arguments: plain values may go to them.
_PURE = frozenset(
    {
        "abc", "bisect", "builtins", "collections", "contextlib", "copy", "dataclasses", "decimal",
        "enum", "fractions", "functools", "heapq", "itertools", "math", "numbers", "operator", "re",
        "reprlib", "statistics", "string", "textwrap", "types", "typing",
    }
)  # fmt: skip
#: Functions of these modules that do read or change something else.
_IMPURE = frozenset({"input", "open", "breakpoint", "__import__", "compile", "id", "exit", "quit"})


def _is_known(function: Any) -> bool:
    """Whether a function is instrumented itself, is Finale's, or is known to treat values right."""
    if isinstance(function, types.MethodType):
        return _is_known(function.__func__)
    if isinstance(function, types.FunctionType):
        return _is_ours(function.__globals__) or function in _PASSING
    if isinstance(function, (functools.partial, *_CACHES)):
        inner = getattr(function, "func", None) or getattr(function, "__wrapped__", None)
        return _is_known(inner)
    if isinstance(function, type):
        return _is_known_class(function)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, _CONTAINERS):
        return True
    module = getattr(function, "__module__", None) or ""
    if module in ("_operator", "operator", "itertools"):
        return function not in _NOT_PASSING
    try:
        if function in _PASSING:
            return True
    except TypeError:  # an object of the user's that has no hash
        pass
    for kind in type(function).__mro__:
        called = vars(kind).get("__call__")
        if isinstance(called, types.FunctionType):
            return _is_ours(called.__globals__)
    return isinstance(function, operator.attrgetter | operator.itemgetter | operator.methodcaller)


def _is_known_class(kind: type) -> bool:
    module = kind.__module__
    if kind in _PASSING or module == "itertools" or issubclass(kind, BaseException):
        return True
    names = vars(sys.modules[module]) if module in sys.modules else {}
    return module.startswith("finale.") or NAME in names


def _is_ours(names: Mapping[str, object]) -> bool:
    return NAME in names or str(names.get("__name__", "")).startswith("finale.")


def _refuse_foreign(function: Any, arguments: tuple[Any, ...]) -> None:
    """Refuse a function that this file does not know, if it could see the state or be impure."""
    name = getattr(function, "__qualname__", None) or type(function).__name__
    if any(holds_state(each) for each in arguments):
        raise _refused_call(f"{name}()", _shown(next(filter(holds_state, arguments))))
    owner = getattr(function, "__self__", None)
    kind = function if isinstance(function, type) else type(owner)
    module = getattr(function, "__module__", None) or kind.__module__ or ""
    top = module.partition(".")[0].removeprefix("_")
    is_library = top in {each.removeprefix("_") for each in sys.stdlib_module_names}
    if is_library and (top not in _PURE or name in _IMPURE):
        raise _refused_call(f"{name}() of {module}")


def _refused_call(what: str, given: str | None = None) -> FinaleError:
    return unsupported(
        f"{what} gets {given}, and does not know values of the state"
        if given
        else f"{what} reads or changes something that is not part of the state",
        "write what it does in Python in the folder of the protocols; docs/refused.md lists what "
        "can be called"
        if given
        else "keep all that a rule reads in fields, options and bounds",
        "foreign-call",
    )


# --- what outlives a rule ------------------------------------------------------------------------


@contextlib.contextmanager
def keeping_nothing(is_instrumented: bool, protocol: Any) -> Iterator[None]:
    """While rules of a user are explored: refuse what they keep outside the state.

    Raises `keeps-state`.
    """
    modules = list(_instrumented_modules()) if is_instrumented else []
    before = _kept_outside(modules)
    yield
    if is_instrumented:
        _refuse_kept(modules, protocol.world.entities)
        _refuse_changed(before, _kept_outside(modules))


def _instrumented_modules() -> Iterator[types.ModuleType]:
    for each in cast("list[object]", list(sys.modules.values())):
        if isinstance(each, types.ModuleType) and NAME in vars(each):
            yield each


def _refuse_kept(modules: Iterable[types.ModuleType], entities: Iterable[object]) -> None:
    """Refuse values of the state that outlive the rules: in a instrumented module, or in an entity.

    A module's dict, a mutable default, a class attribute or a cache would take a value from one
    rule, or one path, into the next. Raises `keeps-state`.
    """
    seen = set[int]()
    for module in modules:
        for name, value in list(vars(module).items()):
            if name != NAME and _keeps_state(value, module.__name__, seen, 0):
                raise _keeps(name, Place(module.__file__, key=name))
    for entity in entities:
        for name, value in vars(entity).items():
            if name not in _OF_ENTITIES and holds_state(value):
                raise _keeps(f"{name} of {str(entity) or 'the protocol'}", Place())


_OF_ENTITIES = frozenset({"_world", "variables", "setting"})


def _kept_outside(modules: Iterable[types.ModuleType]) -> dict[str, object]:
    """Return what instrumented modules hold in containers, cells and attributes that can change.

    Rules that change any of it depend on more than the state: compare it before and after they run.
    """
    found: dict[str, object] = {}
    for module in modules:
        for name, value in list(vars(module).items()):
            if name != NAME:
                found[f"{name} in {module.__file__}"] = _content(value, module.__name__, set())
    return found


def _refuse_changed(before: Mapping[str, object], after: Mapping[str, object]) -> None:
    """Refuse a change of what is kept outside the state. Raises `keeps-state`."""
    for name, content in after.items():
        if name in before and before[name] != content:
            raise FinaleError(
                "keeps-state",
                f"exploring the rules has changed {name}: they depend on more than the state",
                advice="keep what must last in a field of an entity; make lists and dicts where "
                "they are used",
            )


def _content(value: object, module: str, seen: set[int]) -> object:
    """What an object of a module holds, down to plain values, as something that can be compared."""
    if isinstance(value, int | str | bytes | float | type(None)):
        return value
    if id(value) in seen or type(value) in _SHALLOW or isinstance(value, _CACHES):
        return id(value)
    seen.add(id(value))
    if isinstance(value, types.GeneratorType):
        return value.gi_frame.f_lasti if value.gi_frame is not None else None
    if type(value).__module__ == "itertools":
        return repr(value)
    if isinstance(value, types.FunctionType) and value.__module__ == module:
        kept = {name: each for name, each in vars(value).items() if not name.startswith("__")}
        inside = [*_reached(value, module), *kept.values()]
    else:
        inside = list(_reached(value, module))
    return id(value), [_content(each, module, seen) for each in inside]


def _keeps_state(value: object, module: str, seen: set[int], depth: int) -> bool:
    if isinstance(value, Symbolic | Structure):
        return True
    if id(value) in seen or depth > 2 * DEPTH_MAX or type(value) in _SHALLOW:
        return False
    seen.add(id(value))
    return any(_keeps_state(each, module, seen, depth + 1) for each in _reached(value, module))


_SHALLOW = frozenset({int, bool, str, float, bytes, type(None), range, types.ModuleType})


def _reached(value: object, module: str) -> Iterator[object]:
    """What an object of a module keeps: of a function its defaults, cells and attributes."""
    if isinstance(value, types.FunctionType):
        if value.__module__ == module:
            yield from (
                value.__defaults__,
                value.__kwdefaults__,
                getattr(value, "__wrapped__", None),
            )
            for cell in value.__closure__ or ():
                with contextlib.suppress(ValueError):
                    yield cell.cell_contents
    elif isinstance(value, _CACHES):
        yield from gc.get_referents(value)
    elif isinstance(value, property):
        yield from (value.fget, value.fset)
    elif isinstance(value, staticmethod | classmethod):
        yield value.__func__
    elif isinstance(value, type):
        if value.__module__ == module:
            yield from list(vars(value).values())
    elif type(value).__module__ == module or not type(value).__module__.startswith("finale."):
        yield from _inside(value)


def _keeps(what: str, place: Place) -> FinaleError:
    return FinaleError(
        "keeps-state",
        f"a value of the state is kept in {what}: the next rule would find it there",
        place=place,
        advice="keep what must last in a field of an entity; leave the cache out",
    )
