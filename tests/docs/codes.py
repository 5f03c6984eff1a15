"""Finds every code of an error that the source can raise, by reading it.

A code is the first argument of `FinaleError` or `FaultHere`. Mostly it is written there; where it
is a parameter of the function around, or a text made from one, the calls of that function say what
it may be. Functions are known by their last name only: rather a value too many than one too few.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path

PACKAGES = ("model", "reference", "checker", "pipeline", "cli")
RAISED = ("FinaleError", "FaultHere")
#: Functions that are called by a name that is not their own.
ALIASES = {"complain": "__call__"}


def codes(root: Path) -> set[str]:
    """Every code that some file of the packages below a folder can raise."""
    source = _Source(file for name in PACKAGES for file in (root / name).rglob("*.py"))
    return {
        code
        for name in RAISED
        for call, function in source.calls[name]
        for code in source.texts(call.args[0], function)
    }


class _Function:
    """A function, and what each of its parameters is by default."""

    def __init__(self, node: ast.FunctionDef) -> None:
        self.name = node.name
        names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
        self.defaults = dict(zip(reversed(names), reversed(node.args.defaults), strict=False))
        self.parameters = names[1:] if names[:1] == ["self"] else names
        self.loops = [each for each in ast.walk(node) if isinstance(each, ast.For)]


class _Source:
    """The functions of some files, and the calls of each name."""

    def __init__(self, files: Iterator[Path]) -> None:
        self.calls: dict[str, list[tuple[ast.Call, _Function]]] = defaultdict(list)
        self.asked: set[tuple[str, str]] = set()
        for file in files:
            self._read(ast.parse(file.read_text(encoding="utf-8")), None)

    def _read(self, node: ast.AST, function: _Function | None) -> None:
        if isinstance(node, ast.FunctionDef):
            function = _Function(node)
        if isinstance(node, ast.Call) and function is not None:
            match node.func:
                case ast.Name(id=name) | ast.Attribute(attr=name):
                    self.calls[ALIASES.get(name, name)].append((node, function))
                case _:
                    pass
        for child in ast.iter_child_nodes(node):
            self._read(child, function)

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
                found |= self.texts(value, function) if target == name else set()
        if name in function.parameters and (function.name, name) not in self.asked:
            self.asked.add((function.name, name))
            found |= self._of_parameter(name, function)
            self.asked.remove((function.name, name))
        return found

    def _of_parameter(self, name: str, function: _Function) -> set[str]:
        found: set[str] = set()
        if name in function.defaults:
            found |= self.texts(function.defaults[name], function)
        for call, caller in self.calls[function.name]:
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
