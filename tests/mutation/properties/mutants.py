"""Mutants of properties: each a place in a file of properties, with what is weaker there."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from finale.checker.spec.catalogue import catalogue
from finale.model.system import Kind
from tests.mutation.mutants import ROOT, Mutant
from tests.mutation.properties.weakening import Weakener, Weakening

FOLDER = ROOT / "model" / "properties"
#: What any file of properties may ask.
SHARED = "observed"
#: What must not claim less. A `reachable` property is a witness: it is to be reached, and to reach
#: it more easily hides nothing that another property claims.
KINDS = frozenset({Kind.ALWAYS, Kind.ON_STEP, Kind.LEADS_TO, Kind.EVENTUALLY})


@dataclass(frozen=True)
class Weaker:
    """A property that claims less: the change, and the file that the property itself is in."""

    property: str
    module: str
    mutant: Mutant


def all_weaker() -> list[Weaker]:
    """All of them, in the order of the files and places."""
    found: list[Weaker] = []
    for name, family in sorted(catalogue().properties.items()):
        module = family.mark.function.__module__.rsplit(".", 1)[-1]
        if family.kind in KINDS and (FOLDER / f"{module}.py").exists():
            found += weaker_of(name, module)
    return found


def weaker_of(name: str, module: str) -> list[Weaker]:
    """The weakenings of one property, each place once."""
    functions = {**functions_of(SHARED), **functions_of(module)}
    function = functions_of(module)[name.replace("-", "_")]
    alike: Counter[Mutant] = Counter()
    found: dict[tuple[str, int, int, str], Weaker] = {}
    for each in Weakener(functions).of_property(function):
        mutant = _mutant(name, module, each)
        place = mutant.file, mutant.start, mutant.end, mutant.after
        if place not in found:
            key = replace(mutant, line=0, start=0, end=0)
            found[place] = Weaker(name, module, replace(mutant, ordinal=alike[key]))
            alike[key] += 1
    return list(found.values())


def _mutant(name: str, module: str, each: Weakening) -> Mutant:
    path = _file_of(each.place, module)
    source = (ROOT / path).read_bytes()
    start, end = _range(source, each.place)
    return Mutant(
        file=path,
        function=name.replace("-", "_"),
        line=each.place.lineno,
        operator=each.operator,
        start=start,
        end=end,
        before=source[start:end].decode(),
        after=f"({ast.unparse(each.after)})",
    )


def _file_of(place: ast.expr, module: str) -> str:
    own = any(place is node for tree in functions_of(module).values() for node in ast.walk(tree))
    return f"model/properties/{module if own else SHARED}.py"


def _range(source: bytes, node: ast.expr) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    start = starts[node.lineno - 1] + node.col_offset
    return start, starts[node.end_lineno - 1] + node.end_col_offset


@cache
def functions_of(module: str) -> dict[str, ast.FunctionDef]:
    """The functions of a file of properties, by name."""
    tree = ast.parse((FOLDER / f"{module}.py").read_bytes())
    return {each.name: each for each in _functions(tree)}


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for each in tree.body:
        if isinstance(each, ast.FunctionDef):
            yield each
