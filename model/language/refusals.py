"""Refuses what misses the state, at the line where it happens: instrumented code calls it.

`instrumenting.py` says which operations come here, `docs/refused.md` what is refused and what to
write instead. A function is called with a value of the state only if it is instrumented itself, if
it is Finale's, or if it stands in a list below: functions in C that only pass values on, test their
truth, or compare them.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import operator
import sys
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, cast

from finale.model.errors import FinaleError
from finale.model.values import Record

from .access import Structure
from .contents import attributes_of
from .entities import Entity
from .explore import exploring, is_iterator, iterator_kept
from .instrumenting import NAME, has_checks
from .operators import is_instance
from .path_ends import caller
from .simple_code import refuse_call
from .symbols import Symbolic, tested, unsupported

T = TypeVar("T")

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
    return any(holds_state(each, depth + 1) for each in inside(value))


_PLAIN = frozenset({int, bool, str, float, bytes, type(None), type, range, types.FunctionType})


def inside(value: object) -> Iterator[object]:
    """What a container or object has in it."""
    if issubclass(type(value), Mapping):  # its `__class__` may say something else
        yield from cast("Mapping[object, object]", value).keys()
        yield from cast("Mapping[object, object]", value).values()
    elif isinstance(value, tuple | list | set | frozenset | collections.deque):
        yield from cast("tuple[object, ...]", value)
    elif isinstance(value, functools.partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, BaseException):
        yield from value.args
    if not isinstance(value, type | types.ModuleType | types.MethodType):
        yield from attributes_of(value).values()


# --- what instrumented code calls ----------------------------------------------------------------


def plain(value: Any, what: str) -> Any:
    """Return a value for an operation that misses the state; refuse a value of the state."""
    if exploring() and holds_state(value):
        raise _missed(value, what)
    return value


def used(value: Any) -> Any:
    """Return what a name, an attribute or an element holds; refuse an iterator."""
    if is_iterator(value) and exploring():
        raise iterator_kept(value, "what is read here from a name, an attribute or an element")
    return value


def condition(value: T) -> T:
    """Return what is tested for truth; refuse a function, which is always true."""
    return tested(value) if exploring() else value


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
    refuse_call(function, (*args, *kwargs.values()))
    if not exploring():
        return function(*args, **kwargs)
    if isinstance(function, _BOUND_LATE):
        return _call_bound_late(function, args, kwargs)
    if function is isinstance:
        return _is_instance(*args)
    if any(function is each for each in _TEXTS):
        plain(args, "text")
    elif not _is_known(function):
        _refuse_foreign(function, (*args, *kwargs.values()))
    elif function is getattr or function is hasattr:
        _refuse_optional(function, args)
    owner = getattr(function, "__self__", None)
    if is_iterator(owner) and function.__name__.startswith("__"):
        raise iterator_kept(owner, f"the object of {_name_of(function)}()")
    if _is_python(function):
        _refuse_iterators(function, (*args, *kwargs.values()))
    if _calls_its_arguments(function):
        args = tuple(map(_checked, args))
        kwargs = {name: _checked(each) for name, each in kwargs.items()}
    result = function(*args, **kwargs)
    if is_iterator(result) and not _makes_iterators(function):
        raise iterator_kept(result, f"what {_name_of(function)}() returns")
    if isinstance(getattr(function, "__func__", function), CACHES) and holds_state(result):
        raise FinaleError(
            "keeps-state",
            "a value of the state is kept in a cache: the next rule would find it there",
            place=caller(),
            advice="leave the cache out: exploring calls a helper once for each path",
        )
    return result


def _name_of(function: Any) -> str:
    return getattr(function, "__qualname__", None) or type(function).__name__


# --- functions that call functions ---------------------------------------------------------------

#: Functions with arguments in them, and functions by the name of what they ask an object.
_BOUND_LATE = (
    functools.partial, operator.attrgetter, operator.itemgetter, operator.methodcaller,
)  # fmt: skip


def _call_bound_late(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call what such a function calls, as if the call were written out."""
    _refuse_iterators(function, inside(function))
    if isinstance(function, functools.partial):
        return call(function.func, *function.args, *args, **{**function.keywords, **kwargs})
    if not isinstance(function, operator.methodcaller):
        names = function.__reduce__()[1] if isinstance(function, operator.attrgetter) else ()
        if any(each.startswith("__") for name in names for each in str(name).split(".")):
            plain(args, f"{function}")
        return function(*args, **kwargs)
    how, given = cast("tuple[Any, Any]", function.__reduce__()[:2])
    more = how.keywords if isinstance(how, functools.partial) else {}
    name, *rest = (*how.args, *given) if isinstance(how, functools.partial) else given
    if name.startswith("__"):
        plain(args, f".{name}")
    return call(getattr(args[0], name), *rest, **more)


class _Checked:
    """A function that Python's code is to call: each of its calls is checked as a written one."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        _refuse_iterators(self.function, args)
        return call(self.function, *args, **kwargs)


def _checked(value: Any) -> Any:
    """A function as an argument; one that is instrumented checks itself."""
    ours = isinstance(value, types.FunctionType | types.MethodType) and _is_known(value)
    return _Checked(value) if callable(value) and not ours else value


def _calls_its_arguments(function: Any) -> bool:
    """Whether a function calls the functions that it is given, and its code is not the user's."""
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", None) or ""
    if isinstance(function, types.FunctionType):
        return module in ("finale.model.language.quantifiers", "functools", "heapq")
    if isinstance(function, type):
        return function in (map, filter) or module == "itertools"
    return name in ("sort", "sorted", "min", "max", "iter", "reduce")


# --- iterators -----------------------------------------------------------------------------------


def _is_python(function: Any) -> bool:
    """Whether a function is written in Python: its parameters are names, which hold no iterator."""
    if isinstance(function, types.MethodType):
        return _is_python(function.__func__)
    if isinstance(function, types.FunctionType):
        return function.__module__ != "finale.model.language.quantifiers"
    return isinstance(function, type) and isinstance(
        getattr(function, "__init__", None), types.FunctionType
    )


def _refuse_iterators(function: Any, arguments: Iterable[Any]) -> None:
    """Refuse an iterator that gets a name. Raises `iterator-kept`."""
    found = next(filter(is_iterator, arguments), None)
    if found is not None:
        raise iterator_kept(found, f"what {_name_of(function)}() gets")


def _makes_iterators(function: Any) -> bool:
    """Whether an iterator that a function returns is new, and not one that is kept somewhere."""
    if isinstance(function, type | types.MethodType):
        return True
    if isinstance(function, types.FunctionType):
        return _is_ours(function)
    of_class = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    return function is iter or name in ("__iter__", "__reversed__") or isinstance(of_class, type)


# --- what is known -------------------------------------------------------------------------------

#: What makes text of a value, which says nothing of a value of the state.
_TEXTS = (str, repr, ascii, format, print)
#: The class of what `functools.lru_cache` and `functools.cache` return.
CACHES = (type(functools.lru_cache(lambda: None)),)
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
    """`getattr` with a default, and `hasattr`: a value of the state answers with a fault.

    A special attribute is that of the Python object.
    """
    if args and (function is hasattr or len(args) > 2) and isinstance(args[0], Symbolic):
        raise _missed(args[0], f"{function.__name__}()")
    if len(args) > 1 and isinstance(args[1], str) and args[1].startswith("__"):
        plain(args[0], f".{args[1]}")


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
        return _is_ours(function) or function in _PASSING
    if isinstance(function, (functools.partial, *CACHES)):
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
            return _is_ours(called)
    return isinstance(function, operator.attrgetter | operator.itemgetter | operator.methodcaller)


def _is_known_class(kind: type) -> bool:
    module = kind.__module__
    if kind in _PASSING or module == "itertools" or issubclass(kind, BaseException):
        return True
    names = vars(sys.modules[module]) if module in sys.modules else {}
    return module.startswith("finale.") or NAME in names


def _is_ours(function: types.FunctionType) -> bool:
    """Whether a function is instrumented, or is Finale's."""
    names = function.__globals__
    return has_checks(function) or str(names.get("__name__", "")).startswith("finale.")


def _refuse_foreign(function: Any, arguments: tuple[Any, ...]) -> None:
    """Refuse a function that this file does not know, if it could see the state or be impure."""
    name = getattr(function, "__qualname__", None) or type(function).__name__
    if any(holds_state(each) for each in arguments):
        raise _refused_call(f"{name}()", _shown(next(filter(holds_state, arguments))))
    if isinstance(function, types.FunctionType) and NAME in function.__globals__:
        raise unsupported(
            f"{name}() was not loaded from a file of the folder, but made by eval or exec",
            "write it with def or lambda in a file",
            "foreign-call",
        )
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
