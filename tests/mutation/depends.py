"""What a verdict depends on: the sources that a spec's two sides are made of, and the spec itself.

A comment, a text that explains, or a protocol that the spec does not use changes no verdict. How
mutants are judged is not looked at: whoever changes that begins anew.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache

from finale.checker.logs.event_log.section_setting import protocol_of
from finale.checker.spec.catalogue import catalogue
from finale.reference.protocols import ENGINES
from tests.engine_runs.random_runs import KINDS
from tests.mutation.mutants import ROOT
from tests.mutation.runs import RUN, chosen
from tests.mutation.specs import CUT, file_of
from tests.protocols.specs import spec_of

#: Lists of all protocols: what is in them is followed for the spec's protocol alone.
REGISTRIES = frozenset(
    {
        "finale.reference.protocols",
        "finale.reference.broken",
        "finale.model.protocols",
        "finale.checker.conformance",
    }
)
FOLLOWED = ("finale.checker.conformance", "tests.engine_runs", "finale.reference", "finale.model")


@cache
def about(name: str) -> str:
    """A digest of all that the outcome of a trial depends on."""
    run = name.startswith(RUN)
    says = repr(chosen(name)) if run else f"{name} {file_of(name).read_text()}"
    return digest(says, modules_of(name))


def digest(says: str, modules: Iterable[str]) -> str:
    """A digest of a text, and of what modules and all that they import mean."""
    texts = [says, *(_meaning(module) for module in sorted(_with_imports(modules)))]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def modules_of(name: str) -> set[str]:
    """The modules of both sides of a trial, and of what compares them."""
    sides: tuple[type, type]
    if name.startswith(RUN):
        key, begin = chosen(name).protocol, "tests.engine_runs.random_runs"
        sides = KINDS[key], protocol_of(key, catalogue())
    else:
        spec, begin = spec_of(file_of(name)), _comparing(name)
        sides = ENGINES[spec.protocol.key], type(spec.instance())
    of_sides = {each.__module__ for side in sides for each in side.__mro__}
    return _with_imports(of_sides | {begin, "finale.reference.operators.program"})


def _comparing(name: str) -> str:
    if name.startswith(CUT):
        return "tests.engine_runs.microsteps"
    return "finale.checker.conformance.lockstep"


def _with_imports(modules: Iterable[str]) -> set[str]:
    found: set[str] = set()
    todo = {each for each in modules if each.startswith(FOLLOWED)} - REGISTRIES
    while todo:
        found |= todo
        todo = {each for module in todo for each in _imports(module)} - found
    return found


@cache
def _imports(module: str) -> frozenset[str]:
    """The modules of the repository that a module imports."""
    named = set[str]()
    for node in ast.walk(_tree(module)):
        match node:
            case ast.Import(names=names):
                named |= {each.name for each in names}
            case ast.ImportFrom(module=origin, names=names, level=level):
                above = ".".join(module.split(".")[:-level]) + "." if level else ""
                base = (above + (origin or "")).rstrip(".")
                named |= {base, *(f"{base}.{each.name}" for each in names)}
            case _:
                pass
    own = (each for each in named if each.startswith(FOLLOWED) and each not in REGISTRIES)
    return frozenset(each for each in own if _exists(each))


def _exists(module: str) -> bool:
    return any((ROOT / path).is_file() for path in _paths(module))


def _paths(module: str) -> Iterator[str]:
    path = module.removeprefix("finale.").replace(".", "/")
    yield f"{path}.py"
    yield f"{path}/__init__.py"


@cache
def _tree(module: str) -> ast.Module:
    path = next(path for path in _paths(module) if (ROOT / path).is_file())
    return ast.parse((ROOT / path).read_bytes())


@cache
def _meaning(module: str) -> str:
    """A module without what only explains."""
    tree = ast.parse(ast.unparse(_tree(module)))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not _explains(each)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _explains(statement: object) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
