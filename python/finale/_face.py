"""Loads the names of a public module when somebody asks for them: one protocol loads no other.

The stub beside the module (`jobs.pyi` beside `jobs.py`) is the only list of these names. Type
checkers and editors read it, and so does this file.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec

#: The packages that Finale was before it was one.
FORMER = ("model", "checker", "cli", "pipeline", "reference")
#: The public modules with a stub. `rules` has none: it is loaded whole.
LISTED = ("jobs", "protocols", "properties")
PUBLIC = frozenset(f"finale.{module}" for module in LISTED)


@cache
def origins(module: str) -> Mapping[str, tuple[str, str]]:
    """Return where each name of a public module is defined: its module, and its name there."""
    stub = files("finale").joinpath(f"{module}.pyi").read_text(encoding="utf-8")
    imports = (node for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom))
    return {
        alias.asname or alias.name: (str(node.module), alias.name)
        for node in imports
        for alias in node.names
    }


def defining(name: str) -> frozenset[str]:
    """Return the modules that define a name of a public module, or all if the name is `*`.

    For `finale.jobs.Task` that is the module of `Task`. Other names have no such modules.
    """
    module, _, name = name.rpartition(".")
    if module not in PUBLIC:
        return frozenset()
    places = origins(module.removeprefix("finale.")).items()
    return frozenset(where for each, (where, _) in places if name in ("*", each))


def public_name(value: object) -> tuple[str, str] | None:
    """Return the public module that has a value, and its name there; None if it is private."""
    for module in LISTED:
        for name, (where, original) in origins(module).items():
            defined_in = sys.modules.get(where)
            if defined_in is not None and vars(defined_in).get(original) is value:
                return f"finale.{module}", name
    return None


def import_of(name: str) -> str | None:
    """Return the import of a public name; None if no public module has the name."""
    if name in vars(import_module("finale.rules")).get("__all__", ()):
        return f"from finale.rules import {name}"
    module = next((module for module in LISTED if name in origins(module)), None)
    return None if module is None else f"from finale.{module} import {name}"


def new_imports(statement: ast.stmt) -> list[str]:
    """Return the imports to write in place of an import from a former package; else none."""
    if isinstance(statement, ast.Import):
        former = [each for each in statement.names if _is_former(each.name)]
        return [f"import {_written(_new_module(each.name), each.asname)}" for each in former]
    if not isinstance(statement, ast.ImportFrom) or not _is_former(statement.module):
        return []
    wanted: dict[str, list[str]] = {}
    for each in statement.names:
        module, name = _new_place(str(statement.module), each.name)
        used = each.asname or each.name
        wanted.setdefault(module, []).append(_written(name, None if used == name else used))
    return [f"from {module} import {', '.join(names)}" for module, names in wanted.items()]


def _written(name: str, used: str | None) -> str:
    return name if used is None else f"{name} as {used}"


def _new_module(former: str) -> str:
    return "finale.rules" if former == "model.rules" else f"finale.{former}"


def _new_place(former: str, name: str) -> tuple[str, str]:
    """Return the module that has a name of a former module, and the name there."""
    if _is_former(f"{former}.{name}"):
        return _new_module(f"{former}.{name}").rpartition(".")[0], name
    rules = import_module("finale.rules")
    value = vars(import_module(f"finale.{former}")).get(name)
    if value is not None and vars(rules).get(name) is value:
        return "finale.rules", name
    return public_name(value) or (_new_module(former), name)


def _is_former(module: str | None) -> bool:
    """Whether there was a module of Finale with this name."""
    if module is None or module.partition(".")[0] not in FORMER:
        return False
    try:
        return find_spec(f"finale.{module}") is not None
    except ModuleNotFoundError:  # of a package on the way
        return False


def load(module: str, name: str) -> object:
    """Return what a name of a public module stands for. Raises AttributeError."""
    if name not in origins(module):
        raise AttributeError(f"module 'finale.{module}' has no attribute {name!r}", name=name)
    where, original = origins(module)[name]
    return getattr(import_module(where), original)
