"""What a Python file is made from beside its own text: what it imports, and what it may read.

The files of a user's folder are looked at here: no code of theirs runs.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import finale

from .code import CHANGING, PURE_MODULES, READS_OUTSIDE, is_of_model, words

#: What users import of the model: names of its modules, and nothing else.
FACES = ("finale.rules", "finale.jobs", "finale.protocols", "finale.properties")
#: Code that says one of these may reach what no comparison of modules, classes and tables sees: a
#: cell of a function, or an object that the language shares.
_REACHES = words("attrgetter cell_contents delattr getattr methodcaller setattr vars")
_OPEN = (*FACES, *CHANGING, "finale.model.rules", "finale.model.topology")
#: Names of this form that do not lead into an object.
_HARMLESS = words("__class__ __doc__ __eq__ __hash__ __init__ __module__ __name__ __post_init__")
#: Code that says one of these may load or read what no import says.
_LOADS = words("""
    __builtins__ __globals__ __loader__ __package__ __path__ __spec__ __subclasses__ breakpoint
    environ f_builtins f_globals modules os posix sys
""")
_NAMES = READS_OUTSIDE | _LOADS
_TEXTS = _NAMES - {"open", "input", "modules"}
#: Functions of Python whose results differ from process to process.
_UNSTABLE = frozenset({"hash", "id"})


@cache
def reads_outside(
    text: bytes, modules: frozenset[str] = frozenset(), banned: frozenset[str] = frozenset()
) -> bool:
    """Whether a file may read what neither it nor a file that it imports at its beginning says.

    That is so if it imports anything but the model, its siblings, `modules`, and those modules of
    Python that read nothing but what they are given, or if it names `open`, one of the `banned`
    names, or the like.
    """
    nodes = list(ast.walk(ast.parse(text)))
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and _is_stored(node)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    names, texts = _NAMES | banned | (_UNSTABLE - bound), _TEXTS | banned
    return any(_is_outside(node, modules, names, texts) for node in nodes) or any(
        isinstance(each, ast.ImportFrom) and each.level > 0
        for function in nodes
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for each in ast.walk(function)
    )


@cache
def reaches_inside(text: bytes) -> bool:
    """Whether a file may change an object of Finale's that is not the value of a name.

    That is so if it imports more of Finale than its faces, protocols and properties, or names what
    leads into an object, such as `__closure__` or `getattr`.
    """
    return any(map(_reaches, ast.walk(ast.parse(text))))


def _reaches(node: ast.AST) -> bool:
    match node:
        case ast.Import(imported):
            return any(_is_internal(alias.name) for alias in imported)
        case ast.ImportFrom(module, imported, 0):
            return _is_internal(module or "") or any(map(_leads_inside, (a.name for a in imported)))
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return _leads_inside(name)
        case ast.MatchClass(kwd_attrs=names):
            return any(map(_leads_inside, names))
        case _:
            return False


def _leads_inside(name: str) -> bool:
    is_special = name.startswith("__") and name.endswith("__")
    return name in _REACHES or (is_special and name not in _HARMLESS)


def _is_internal(module: str) -> bool:
    """Whether a module is one of Finale's that users need not import."""
    is_ours = module.partition(".")[0] == finale.__name__
    return is_ours and not f"{module}.".startswith(tuple(f"{open_}." for open_ in _OPEN))


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _is_outside(
    node: ast.AST, modules: frozenset[str], names: frozenset[str], texts: frozenset[str]
) -> bool:
    match node:
        case ast.Import(imported):
            return not all(_is_known(each.name, modules) for each in imported)
        case ast.ImportFrom(module, imported, level):
            is_own = level > 0 or module is None or _is_known(module, modules)
            return not is_own or any(each.name in names - _UNSTABLE for each in imported)
        case ast.Attribute(attr=name):
            return name in names and name not in _UNSTABLE
        case ast.Name(id=name):
            return name in names
        case ast.Constant(value=str(name)):
            return name in texts
        case _:
            return False


def _is_known(module: str, modules: frozenset[str] = frozenset()) -> bool:
    if is_of_model(module) or module in FACES:
        return True
    parts = module.split(".")
    if all(".".join(parts[:end]) in modules for end in range(1, len(parts) + 1)):
        return True
    return parts[0] in PURE_MODULES - {"builtins"}


def passed_on() -> frozenset[str]:
    """Return the names by which modules that code may import have others, which it may not."""
    return frozenset().union(*map(_passed_on, list(sys.modules)))


@cache
def _passed_on(name: str) -> frozenset[str]:
    if not _is_known(name):
        return frozenset()
    own = getattr(sys.modules.get(name), "__dict__", {})
    has = ((key, value) for key, value in own.items() if isinstance(value, types.ModuleType))
    return frozenset(key for key, value in has if not _is_known(value.__name__))


def with_imports(files: Iterable[Path], folders: Sequence[Path]) -> set[Path]:
    """Files, and what they import of the code in some folders, one from the other."""
    packages: dict[Path, str] = {}
    for module in list(sys.modules.values()):
        file, package = (vars(module).get(name) for name in ("__file__", "__package__"))
        if isinstance(file, str) and isinstance(package, str):
            packages[_resolved(file)] = package
    found, todo = set[Path](), list(files)
    while todo:
        file = todo.pop()
        if file not in found:
            found.add(file)
            if file in packages and any(file.is_relative_to(folder) for folder in folders):
                todo += _imported(file.read_bytes(), packages[file])
    return found


@cache
def _resolved(file: str) -> Path:
    return Path(file).resolve()


@cache
def _imported(text: bytes, package: str) -> tuple[Path, ...]:
    """The files of the modules that a text may import, and of the packages that these are in."""
    parts = (name.split(".") for name in _names(text, package))
    names = {".".join(each[:end]) for each in parts for end in range(1, len(each) + 1)}
    return tuple(filter(None, map(_file_of, sorted(names))))


def _names(text: bytes, package: str) -> Iterator[str]:
    """The names after `import` and `from`, absolute; some of them may be no modules."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names):
                yield from (each.name for each in names)
            case ast.ImportFrom(module, names, level):
                above = package.rsplit(".", level - 1)[:1] if level else []
                parts = [*above, *([module] if module else [])]
                yield ".".join(parts)
                yield from (".".join([*parts, each.name]) for each in names)
            case _:
                pass


@cache
def _file_of(module: str) -> Path | None:
    """The file of a module; None if it has none, or there is no such module."""
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return None
    if found is None or not found.has_location or found.origin is None:
        return None
    return Path(found.origin).resolve()


__all__ = ["passed_on", "reads_outside", "with_imports"]
