"""Finds every code of an error that the source can raise, by reading it.

A code is the first argument of `FinaleError` or `FaultHere`. Mostly it is written there; where it
is a parameter of the function around, or a text made from one, the calls of that function say what
it may be. A function that is called by its bare name is the one that the module defines or imports.
Of a method only the name is known: rather a value too many than one too few.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

PACKAGES = tuple(f"finale/{part}" for part in ("model", "reference", "checker", "pipeline", "cli"))
RAISED = ("FinaleError", "FaultHere")
#: Functions that are called by a name that is not their own.
ALIASES = {"complain": "__call__"}
#: No parameter is so many texts, unless a function adds to its own argument forever.
TEXTS_MAX = 1_000


@cache
def codes(root: Path, packages: tuple[str, ...] = PACKAGES) -> set[str]:
    """Every code that some file of the packages below a folder can raise."""
    files = (file for name in packages for file in (root / name).rglob("*.py"))
    source = _Source(_Module(file, file.relative_to(root)) for file in files)
    while True:
        found = {
            code
            for name in RAISED
            for call, function in source.raised[name]
            for code in source.texts(call.args[0], function)
        }
        if not source.grows():
            return found


class _Function:
    """A function, and what each of its parameters is by default."""

    def __init__(self, node: ast.FunctionDef, module: _Module, *, is_method: bool) -> None:
        self.name, self.module, self.is_method = node.name, module, is_method
        names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
        self.defaults = dict(zip(reversed(names), reversed(node.args.defaults), strict=False))
        self.parameters = names[1:] if names[:1] == ["self"] else names
        self.loops = [each for each in ast.walk(node) if isinstance(each, ast.For)]


class _Module:
    """The functions of a file, its calls, and what it imports from where."""

    def __init__(self, file: Path, place: Path) -> None:
        parts = place.with_suffix("").parts
        self.package = parts if parts[-1] == "__init__" else parts[:-1]
        self.name = tuple(part for part in parts if part != "__init__")
        self.functions: dict[str, list[_Function]] = defaultdict(list)
        self.imported: dict[str, tuple[tuple[str, ...], str]] = {}
        self.calls: list[tuple[ast.Call, _Function]] = []
        self._read(ast.parse(file.read_text(encoding="utf-8")), None, in_class=False)

    def _read(self, node: ast.AST, function: _Function | None, *, in_class: bool) -> None:
        if isinstance(node, ast.FunctionDef):
            function = _Function(node, self, is_method=in_class)
            self.functions[node.name].append(function)
        elif isinstance(node, ast.Call) and function is not None:
            self.calls.append((node, function))
        elif isinstance(node, ast.ImportFrom):
            above = self.package[: len(self.package) + 1 - node.level] if node.level else ()
            source = (*above, *(node.module or "").split(".")) if node.module else above
            for each in node.names:
                self.imported[each.asname or each.name] = source, each.name
        for child in ast.iter_child_nodes(node):
            self._read(child, function, in_class=isinstance(node, ast.ClassDef))


class _Source:
    """The functions of some modules, and the calls of each."""

    def __init__(self, modules: Iterator[_Module]) -> None:
        self.modules = {module.name: module for module in modules}
        self.raised: dict[str, list[tuple[ast.Call, _Function]]] = defaultdict(list)
        self.calls: dict[_Function, list[tuple[ast.Call, _Function]]] = defaultdict(list)
        self._by_name: dict[str, list[_Function]] = defaultdict(list)
        #: What parameters may be, of those that were asked for, as far as that is known.
        self._known: dict[tuple[_Function, str], set[str]] = {}
        for module in self.modules.values():
            for name, functions in module.functions.items():
                self._by_name[name] += functions
        for module in self.modules.values():
            for call, function in module.calls:
                self._sort(call, function)

    def _sort(self, call: ast.Call, function: _Function) -> None:
        match call.func:
            case ast.Name(id=name):
                called = self._named(function.module, name)
            case ast.Attribute(attr=name):
                called = self._by_name[ALIASES.get(name, name)]
            case _:
                return
        if name in RAISED:
            self.raised[name].append((call, function))
        for each in called:
            self.calls[each].append((call, function))

    def _named(self, module: _Module, name: str) -> list[_Function]:
        """The functions that a bare name of a module can mean."""
        own = [each for each in module.functions.get(name, ()) if not each.is_method]
        if own:
            return own
        if name in module.imported:
            source, known_as = module.imported[name]
            return self._named(self.modules[source], known_as) if source in self.modules else []
        return self._by_name[ALIASES.get(name, name)]

    def grows(self) -> bool:
        """Ask once more what parameters may be that were asked for: whether more is known then."""
        before = {key: len(texts) for key, texts in self._known.items()}
        for function, name in [*self._known]:
            self._known[function, name] |= self._of_parameter(name, function)
            assert len(self._known[function, name]) <= TEXTS_MAX, function.name
        return before != {key: len(texts) for key, texts in self._known.items()}

    def texts(self, node: ast.expr, function: _Function) -> set[str]:
        """What an expression in a function may be, as far as literals tell."""
        match node:
            case ast.Constant(value=str(text)):
                return {text}
            case ast.Name(id=name):
                return self._of_name(name, function)
            case ast.IfExp(body=body, orelse=other):
                return self.texts(body, function) | self.texts(other, function)
            case ast.JoinedStr(values=parts):
                each = [self.texts(part, function) for part in parts]
                return {"".join(chosen) for chosen in product(*each)}
            case ast.FormattedValue(value=value):
                return self.texts(value, function)
            case _:
                return set()

    def _of_name(self, name: str, function: _Function) -> set[str]:
        found: set[str] = set()
        for loop in function.loops:
            rows = loop.iter.elts if isinstance(loop.iter, ast.Tuple) else []
            for target, value in (pair for row in rows for pair in _pairs(loop.target, row)):
                if target == name and isinstance(value, ast.Name):
                    found |= self._known_of(value.id, function)
                elif target == name:
                    found |= self.texts(value, function)
        return found | self._known_of(name, function)

    def _known_of(self, name: str, function: _Function) -> set[str]:
        if name not in function.parameters:
            return set()
        return self._known.setdefault((function, name), set())

    def _of_parameter(self, name: str, function: _Function) -> set[str]:
        found: set[str] = set()
        if name in function.defaults:
            found |= self.texts(function.defaults[name], function)
        for call, caller in self.calls[function]:
            given = [*zip(function.parameters, call.args, strict=False)]
            given += [(each.arg or "", each.value) for each in call.keywords]
            for parameter, value in given:
                found |= self.texts(value, caller) if parameter == name else set()
        return found


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that a loop over a literal gives values to."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, other in zip(target.elts, value.elts, strict=True):
            yield from _pairs(one, other)
