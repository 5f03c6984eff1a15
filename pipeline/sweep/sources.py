"""Computes a digest of a module and of all modules that it imports.

The imports are read from the source, those inside functions too, and followed within some packages.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from finale._face import PUBLIC, defining


def digest_of(modules: Iterable[str], within: Sequence[str], without: Sequence[str] = ()) -> str:
    """A digest of modules and what they import, of these packages and not of those."""
    told = hashlib.sha256()
    for name in sorted(_closure(frozenset(modules), tuple(within), tuple(without))):
        file = _file(name)
        assert file is not None
        told.update(f"{name}\n".encode())
        told.update(hashlib.sha256(file.read_bytes()).digest())
    return told.hexdigest()


@cache
def _closure(
    modules: frozenset[str], within: tuple[str, ...], without: tuple[str, ...]
) -> frozenset[str]:
    seen: set[str] = set()
    ahead = list(modules)
    while ahead:
        name = ahead.pop()
        ahead += defining(name)
        is_ours = any(_is_in(name, each) for each in within)
        if name in seen or not is_ours or any(_is_in(name, each) for each in without):
            continue
        file = _file(name)
        if file is not None:
            seen.add(name)
            ahead += _imports(name, file)
    return frozenset(seen)


def _is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


@cache
def _file(name: str) -> Path | None:
    """The source of a module; None where a name is none."""
    loaded = sys.modules.get(name)
    try:
        spec = find_spec(name) if loaded is None else loaded.__spec__
    except (ImportError, AttributeError, ValueError):
        return None
    origin = None if spec is None else spec.origin
    return Path(origin) if origin and origin.endswith(".py") else None


@cache
def _imports(name: str, file: Path) -> tuple[str, ...]:
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    tree = ast.parse(file.read_bytes())
    return tuple(each for node in ast.walk(tree) for each in _named(node, package))


def _named(node: ast.AST, package: str) -> Iterator[str]:
    """Return the modules that an import may name."""
    match node:
        case ast.Import():
            names = [alias.name for alias in node.names]
        case ast.ImportFrom():
            parts = package.split(".")
            above = parts[: len(parts) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            names = [f"{base}.{alias.name}" for alias in node.names]
        case _:
            names = []
    yield from names
    yield from (f"{each}.*" for each in names if each in PUBLIC)
