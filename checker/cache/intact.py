"""Notices whether a user's code has changed an object that is not the user's.

A key that names one rule of Finale's holds what the files of Finale say. A module of the user's can
make this untrue: it can set an attribute of a class of Finale's, a name in `builtins` or a function
of `math`. So each module of Finale's and of Python's library is looked at when it is loaded, before
code of the user's can reach it, and again when a key is asked for. Objects are compared by
identity, so no code of the user's runs. Python itself says when the code of a function is set.
The place of a module's file tells whose the module is. A name does not: a folder on `PYTHONPATH`
may have a `string.py`, too.
"""

from __future__ import annotations

# What is looked at here may be any object.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
import builtins
import operator
import os
import site
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import finale

from .code import PURE_MODULES

#: Names that Python itself writes into a module or a class when it needs them, and those that
#: Finale replaces while a user's code runs.
_OF_PYTHON = frozenset(
    (
        *("__warningregistry__", "__annotations__", "__builtins__", "__cached__", "__slotnames__"),
        *("_exit", "stdout", "stderr", "last_type", "last_value", "last_traceback"),
    )
)
#: Tables that Finale itself fills, by the modules that have them.
_CACHES: Mapping[str, tuple[str, ...]] = {
    "finale.model.expressions": ("_INTEGERS",),
    "finale.model.garbage": ("_COME",),
    "finale.model.language.contents": ("_KNOWN", "_WATCHING", "NAMES_OF_LANGUAGE"),
    "finale.model.language.instrumenting": ("_CODES",),
    "finale.model.language.syntax": ("_CHECKED", "_CODES", "_READERS", "NAMES_OF_LANGUAGE"),
    "finale.checker.cache.code": ("_TEXTS",),
    "finale.checker.cache.user_code": ("_WATCHING",),
}
#: Code of Finale's that runs while rules are explored: the rest searches and prints.
_OWN = ("finale.model", "finale.checker.cache", "finale.rules")
#: What has nothing of its own that can change, or is looked at elsewhere.
_PLAIN = frozenset(
    (str, int, bool, tuple, frozenset, type(None), type, types.FunctionType, property)
)
#: What a module has that is no state, beside what can be called.
_CONSTANTS = (types.ModuleType, int, float, complex, str, bytes, tuple, frozenset, range)
#: What Python says when one of these is set: see `UserCode.watched`.
AUDITED = frozenset(("__code__", "__defaults__", "__kwdefaults__", "__bases__", "__class__"))


class Intact:
    """The modules that no user wrote, as they were when they were loaded."""

    def __init__(self) -> None:
        #: Whether the code of a function or the bases of a class were set, or a module replaced.
        self.was_set = False
        self._seen: dict[str, _Seen] = {}
        for module in list(sys.modules.values()):
            self.add(module)

    def add(self, module: types.ModuleType) -> None:
        """Take note of a module that was just loaded, if it is Finale's or Python's.

        If a user's module has the name of one of these, none of them is what its name says.
        """
        name = module.__name__
        if name in self._seen or not _is_watched(name):
            return
        if is_foreign(module):
            self.was_set = True
        else:
            self._seen[name] = _Seen(module)

    def is_so(self) -> bool:
        """Return whether no object of these modules has changed since."""
        return not self.was_set and next(self.changed(), None) is None

    def changed(self) -> Iterator[str]:
        """Yield the names of the modules in which something has changed."""
        return (name for name, seen in self._seen.items() if not seen.is_same())


def _is_own(name: str) -> bool:
    return name.startswith(_OWN)


def _is_watched(name: str) -> bool:
    return _is_own(name) or name.partition(".")[0] in sys.stdlib_module_names


class _Seen:
    """What a module had: its names and values, and what the values have of their own."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module
        own = self._own()
        name = module.__name__
        self._kinds = [
            each for each in own.values() if isinstance(each, type) and each.__module__ == name
        ]
        #: Attributes of classes, functions and members, and what is in containers.
        self._tables: list[tuple[Any, list[object]]] = []
        self._objects: list[tuple[type, dict[str, object], dict[str, object]]] = []
        is_own = _is_own(name)
        if is_own:
            filled = _CACHES.get(name, ())
            self._add([each for key, each in own.items() if key not in filled])
        for kind in self._kinds:
            self._tables.append((vars(kind), [*vars(kind), *vars(kind).values()]))
            if is_own:
                self._add(vars(kind).values())
        self._before = own
        self._classes = list(self._of_classes())
        self._may_gain = not is_own and name != "builtins"
        self._has_state = self._may_gain and name.partition(".")[0] not in PURE_MODULES

    def _own(self) -> dict[str, object]:
        own = _without_python(vars(self._module))
        for key, value in list(own.items()):
            is_module = isinstance(value, types.ModuleType)
            if is_module and vars(value).get("__name__") == f"{self._module.__name__}.{key}":
                del own[key]  # a module of this package, loaded since
        return own

    def _of_classes(self) -> Iterator[object]:
        return (each for kind in self._kinds for each in (type(kind), kind.__bases__))

    def _add(self, values: Iterable[object]) -> None:
        for value in values:
            kind = type(value)
            if kind in _PLAIN:
                continue
            if kind is dict:
                table = cast("dict[object, object]", value)
                self._tables.append((table, [*table, *table.values()]))
            elif kind in (list, set):
                self._tables.append((value, list(cast("list[object]", value))))
            elif _is_own(kind.__module__) and isinstance(own := _attributes(value), dict):
                # Without what is worked out when it is first asked for.
                names = [name for name in own if not _is_cached(kind, name)]
                self._objects.append((kind, own, {name: own[name] for name in names}))

    def is_same(self) -> bool:
        """Return whether all of it is the same."""
        return (
            self._has_same_names()
            and _are_same(list(self._of_classes()), self._classes)
            and all(_is_same_table(table, before) for table, before in self._tables)
            and all(_is_same_object(*each) for each in self._objects)
        )

    def _has_same_names(self) -> bool:
        """Return whether the module's names have the values that they had.

        Modules of Python's that more than compute have a state, too, such as locks, streams and
        what they work out when it is first asked for. A name that is new in a module of Python's
        is used by nobody, unless it hides one of `builtins`.
        """
        now, before = self._own(), self._before
        if not self._may_gain:
            return _are_same([*now, *now.values()], [*before, *before.values()])
        if any(name not in before and hasattr(builtins, name) for name in now):
            return False
        if self._has_state:
            before = {name: value for name, value in before.items() if _says_what_code_does(value)}
        now = {name: now[name] for name in before if name in now}
        return _are_same([*now, *now.values()], [*before, *before.values()])


def _says_what_code_does(value: object) -> bool:
    return callable(value) or isinstance(value, _CONSTANTS)


def _attributes(value: object) -> dict[str, object] | None:
    """The attributes of an object; None if it has none, or answers for `__dict__` itself."""
    own: object = getattr(value, "__dict__", None)
    return cast("dict[str, object]", own) if isinstance(own, dict) else None


def _is_same_table(table: Any, before: list[object]) -> bool:
    if isinstance(table, list | set):
        return _are_same([*table], before)
    now = [*table, *table.values()]
    if _are_same(now, before):
        return True
    half = len(before) // 2  # Python may have written something of its own
    earlier = _without_python(dict(zip(before[:half], before[half:], strict=True)))
    later = _without_python(table)
    return _are_same([*later, *later.values()], [*earlier, *earlier.values()])


def _is_cached(kind: type, name: str) -> bool:
    return isinstance(getattr(kind, name, None), cached_property)


def _is_same_object(kind: type, own: dict[str, object], before: dict[str, object]) -> bool:
    now = own if len(own) == len(before) else {k: own[k] for k in own if not _is_cached(kind, k)}
    return _are_same([*now, *now.values()], [*before, *before.values()])


def _are_same(now: list[object], before: list[object]) -> bool:
    return len(now) == len(before) and all(map(operator.is_, now, before))


def _without_python(own: Any) -> dict[Any, object]:
    return {key: value for key, value in own.items() if key not in _OF_PYTHON}


_FOLDER = Path(finale.__path__[0])


def _below(*folders: object) -> tuple[str, ...]:
    """The beginnings of paths below folders, as they are named and with links followed."""
    named = [Path(str(each)) for each in folders if each is not None]
    paths = [*named, *(each.resolve() for each in named)]
    return tuple(dict.fromkeys(f"{each}{os.sep}" for each in paths))


#: In a checkout the packages of Finale are links.
FINALE = _below(_FOLDER, *(each for each in _FOLDER.iterdir() if each.is_dir()))
INSTALLED = _below(
    *(sysconfig.get_path(name) for name in ("purelib", "platlib")),
    *site.getsitepackages(),
    site.getusersitepackages(),
)
PYTHON = _below(*(sysconfig.get_path(name) for name in ("stdlib", "platstdlib")))
_KNOWN = (*FINALE, *PYTHON, *INSTALLED)


def is_known(path: str) -> bool:
    """Whether a file belongs to Python, to Finale, or to an installed package."""
    return path.startswith(_KNOWN)


def is_installed(path: str) -> bool:
    """Whether a file belongs to an installed package other than Finale."""
    return path.startswith(INSTALLED) and not path.startswith(FINALE)


def is_foreign(module: object) -> bool:
    """Whether a module has a file that is neither Python's nor Finale's, and of no package.

    A module without a file is built in, or another module made it.
    """
    file = getattr(module, "__dict__", {}).get("__file__")
    return isinstance(file, str) and not is_known(file)


__all__ = ["Intact", "is_foreign", "is_installed", "is_known"]
