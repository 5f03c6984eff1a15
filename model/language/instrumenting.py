"""Rewrites the Python code of a user's folder, so that no operation misses the state unnoticed.

A rule is plain Python over symbolic values. Most operations reach the value (`==`, `+`, a truth
test), which answers or refuses. Some never do: `is`, `type`, `repr`, a C function, an `except` that
swallows a refusal. In instrumented code each of these operations calls `refusals.py` first. While a
rule is explored, an operation that is not known to be right is refused at its line. At all other
times the code means what it says.
"""

from __future__ import annotations

import ast
import builtins
import types
from typing import Any, cast

#: The name under which instrumented code finds `refusals.py`.
NAME = "__finale__"
#: Functions that look at the frame that calls them: such a call stays as it is.
_OF_FRAMES = frozenset({"super", "locals", "globals", "vars", "dir", "eval", "exec"})
#: Syntax that passes a value on, or takes it apart.
_PASSING = (
    ast.Return, ast.Yield, ast.YieldFrom, ast.Starred, ast.Assign, ast.AnnAssign, ast.AugAssign,
)  # fmt: skip
_STATEMENTS = {ast.Try: "try", ast.TryStar: "try", ast.With: "with", ast.Global: "global"}


class _Instrument(ast.NodeTransformer):
    """Rewrites the functions of a module, or one function. Calls of `own` names stay as written."""

    def __init__(self, own: frozenset[str] = frozenset(), *, inside: bool = False) -> None:
        self.own = own
        self.inside = inside

    def _to(self, name: str, node: ast.expr, *arguments: ast.expr) -> ast.Call:
        """A call of a function of this module, at the place of a node."""
        function = ast.Attribute(ast.Name(NAME, ast.Load()), name, ast.Load())
        call = ast.copy_location(ast.Call(function, list(arguments), []), node)
        return ast.fix_missing_locations(call)

    def _used(self, node: Any) -> Any:
        """Check a name, attribute or element whose value goes on: an iterator has none."""
        match node:
            case ast.Name() | ast.Attribute() | ast.Subscript() if isinstance(node.ctx, ast.Load):
                return self._to("used", node, node) if self.inside else node
            case ast.IfExp():
                node.body, node.orelse = self._used(node.body), self._used(node.orelse)
            case ast.BoolOp():
                node.values = [self._used(each) for each in node.values]
            case ast.NamedExpr():
                node.value = self._used(node.value)
            case _:
                pass
        return node

    def _function(self, node: Any) -> ast.AST:
        outer, self.inside = self.inside, True
        body = node.body if isinstance(node.body, list) else [node.body]
        new = [self.visit(each) for each in body]
        if isinstance(node, ast.Lambda):
            new = [self._used(each) for each in new]
        flat = [one for each in new for one in (each if isinstance(each, list) else [each])]
        node.body = flat if isinstance(node.body, list) else flat[0]
        self.inside = outer
        return cast(ast.AST, node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._function(node)

    def visit(self, node: ast.AST) -> Any:
        found = super().visit(node)
        if self.inside and isinstance(node, _PASSING):
            found.value = self._used(found.value)
        if self.inside and isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            found.iter = self._used(found.iter)
        word = _STATEMENTS.get(type(node))
        if word is None or not self.inside:
            return found
        check = self._to("refuse_statement", cast(ast.expr, node), ast.Constant(word))
        return [ast.copy_location(ast.Expr(check), node), found]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        node.args = [self._used(each) for each in node.args]
        for keyword in node.keywords:
            keyword.value = self._used(keyword.value)
        if not self.inside or name in self.own:
            return node
        if name in _OF_FRAMES:
            if name != "super":
                # f(…)  ->  (refused("f") or f)(…)
                check = self._to("refuse_of_frames", node, ast.Constant(name))
                node.func = ast.copy_location(ast.BoolOp(ast.Or(), [check, node.func]), node)
                ast.fix_missing_locations(node)
            return node
        node.args.insert(0, node.func)
        node.func = ast.copy_location(
            ast.Attribute(ast.Name(NAME, ast.Load()), "call", ast.Load()), node
        )
        return ast.fix_missing_locations(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if self.inside and any(isinstance(each, ast.Is | ast.IsNot) for each in node.ops):
            word = ast.Constant("is")
            node.left = self._to("plain", node.left, node.left, word)
            node.comparators = [self._to("plain", each, each, word) for each in node.comparators]
        elif any(isinstance(each, ast.In | ast.NotIn) for each in node.ops):
            node.comparators = [self._used(each) for each in node.comparators]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        special = node.attr.startswith("__") and node.attr.endswith("__")
        if self.inside and special and isinstance(node.ctx, ast.Load) and not _is_super(node.value):
            node.value = self._to("plain", node.value, node.value, ast.Constant(f".{node.attr}"))
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        self.generic_visit(node)
        if self.inside:
            node.value = self._to("plain", node.value, node.value, ast.Constant("text"))
        return node

    def _tested(self, node: Any) -> Any:
        """Check a name, attribute or element that is tested for truth."""
        is_read = isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
        return self._to("condition", node, node) if self.inside and is_read else node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        node.test = self._tested(node.test)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        node.test = self._tested(node.test)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        node.values = [self._tested(each) for each in node.values]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = self._tested(node.operand)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs = [self._tested(each) for each in node.ifs]
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if self.inside and isinstance(node.op, ast.Mod):
            return self._to("modulo", node, node.left, node.right)
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        self.generic_visit(node)
        if self.inside and any(_misses_the_state(case.pattern) for case in node.cases):
            node.subject = self._to("plain", node.subject, node.subject, ast.Constant("match"))
        return node


def _is_super(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
    )


def _misses_the_state(pattern: ast.pattern) -> bool:
    """Whether a pattern compares by identity, or asks for a class of Python's."""
    for node in ast.walk(pattern):
        if isinstance(node, ast.MatchSingleton | ast.MatchSequence | ast.MatchMapping):
            return True
        if isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name):
            return isinstance(vars(builtins).get(node.cls.id), type)
    return False


def instrumented(tree: ast.Module) -> ast.Module:
    """Return the code of a module, with checks in all functions."""
    return cast(ast.Module, _Instrument().visit(tree))


_CODES: set[types.CodeType] = set()


def with_checks(code: types.CodeType) -> types.CodeType:
    """Return code that was compiled from what is instrumented, and remember all code in it.

    What `eval` and `exec` compile shares the names of a module, and has no checks.
    """
    _CODES.add(code)
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            with_checks(each)
    return code


def has_checks(function: types.FunctionType) -> bool:
    """Whether the code of a function was instrumented."""
    return function.__code__ in _CODES


def instrumented_function(definition: ast.FunctionDef, own: tuple[str, ...]) -> ast.FunctionDef:
    """Return a function that was rewritten for exploration, with checks.

    `own` are the names of the functions that the first rewriting calls.
    """
    return cast(ast.FunctionDef, _Instrument(frozenset(own), inside=True).visit(definition))
