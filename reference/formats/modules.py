"""Loads functions of users, named `module:name`, from modules beside the job file.

A user's module may have any name, even that of one of ours: beside the job theirs is found first,
and once it is loaded ours are back under their names.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import sysconfig
import traceback
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from finale.model.errors import FinaleError, Place
from finale.reference.channel import Record

#: Where code is that no user has written: Finale's, Python's and what is installed beside it.
NOT_THEIRS = (
    Path(__file__).parents[2],
    *(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
)


def function_of(folder: Path, key: str, said: str) -> Callable[[Record], Any]:
    """The function that a job's key names. Raises `no-function`."""
    module, _, name = said.partition(":")
    try:
        with _found_first(folder, _top(module)):
            found = getattr(importlib.import_module(module), name)
    except (Exception, SystemExit) as reason:
        told = in_a_line(reason) if isinstance(reason, ImportError) else said_of(reason)
        raise _refused(key, f'"{said}" cannot be found: {told}{raised_in(reason)}') from reason
    if not callable(found):
        raise _refused(key, f'"{said}" is {found!r:.80}, and no function')
    return cast("Callable[[Record], Any]", found)


def said_of(reason: BaseException) -> str:
    """Describe an exception of user code on one line."""
    told = in_a_line(reason)
    return f"{type(reason).__name__}: {told}" if told else type(reason).__name__


def in_a_line(reason: BaseException) -> str:
    """Return the message of an exception; empty if the message itself fails."""
    try:
        return " ".join(str(reason).split())
    except Exception:
        return ""


def raised_in(reason: BaseException) -> str:
    """Half a sentence: where users' code has raised it, not what that has called of Python's own.

    Nothing, if no code of theirs was at work.
    """
    of_theirs = ""
    for frame, line in traceback.walk_tb(reason.__traceback__):
        file = frame.f_code.co_filename
        path = Path(file)
        if path.is_absolute() and not any(path.is_relative_to(each) for each in NOT_THEIRS):
            of_theirs = f", in {_as_seen(path)}:{line}"
    return of_theirs


def _as_seen(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _refused(key: str, problem: str) -> FinaleError:
    return FinaleError(
        "no-function",
        problem,
        place=Place(key=key),
        advice="write it as module:function, with the module beside the job's file",
    )


@contextmanager
def _found_first(folder: Path, wanted: str) -> Generator[None]:
    """Modules in a folder are found before all others, but for Python's own.

    One that is `wanted` is so even before those.
    """
    home = folder.resolve()
    names = _names_in(home)
    beside = names & ({wanted} | (names - sys.stdlib_module_names))
    others = {
        name: module
        for name, module in sys.modules.items()
        if _top(name) in beside and not _is_in(home, getattr(module, "__file__", None))
    }
    _forget({_top(name) for name in others})
    importlib.invalidate_caches()
    sys.path.insert(0, str(home))
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.path.remove(str(home))
        for name in beside:
            _leave(home, name)
        _forget({_top(name) for name in others})
        sys.modules.update(others)


def _leave(home: Path, name: str) -> None:
    """Forget a module if somebody else has one of its name, and may load it later."""
    kept = _forget({name})
    spec = importlib.util.find_spec(name)
    if spec is None or _is_in(home, spec.origin):
        sys.modules.update(kept)


def _forget(tops: Collection[str]) -> dict[str, ModuleType]:
    names = [name for name in sys.modules if _top(name) in tops]
    return {name: sys.modules.pop(name) for name in names}


def _top(name: str) -> str:
    return name.partition(".")[0]


def _names_in(folder: Path) -> set[str]:
    """Return the modules in a folder, without modules of Python itself such as `__main__`."""
    files = {file.stem for file in folder.glob("*.py") if not file.stem.startswith("__")}
    return files | {file.parent.name for file in folder.glob("*/__init__.py")}


def _is_in(folder: Path, file: str | None) -> bool:
    return file is not None and Path(file).resolve().is_relative_to(folder)
