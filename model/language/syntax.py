"""A rule's source: what the language refuses in it, and the few rewrites that exploring needs.

Refused is what would silently mean something else over symbolic values (`is`, `case None`, a bare
capture), what cannot be explored (`while`, `try`), and what keeps state outside the state. Rewritten
are, for exploring only: `all`, `any` and `sum` over a generator, whose elements are then merged one
by one; and the statements that branch, so that coverage knows which lines were taken. Plain
execution runs the body as it is written.
"""

from __future__ import annotations

import ast
import copy
import linecache
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn

from model.errors import FinaleError, Place

from .explore import Branch

#: Method names that change Python containers; the collections of the state have other names.
_MUTATORS = {"append", "extend", "insert", "pop", "update", "setdefault", "sort", "reverse"}
_QUANTIFIERS = {"all": "_quantify_all", "any": "_quantify_any", "sum": "_quantify_sum"}


class _Check(ast.NodeVisitor):
    def __init__(self, file: str, rule: str) -> None:
        self.file = file
        self.rule = rule

    def refuse(self, node: ast.AST, code: str, message: str, advice: str) -> NoReturn:
        line = getattr(node, "lineno", None)
        raise FinaleError(
            code, message, place=Place(self.file, line, rule=self.rule), advice=advice
        )

    def visit_Compare(self, node: ast.Compare) -> None:
        if any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            self.refuse(
                node,
                "rule-uses-is",
                "`is` compares Python objects, not values of the state",
                "write == or !=; compare with Nothing instead of None",
            )
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Invert):
            self.refuse(node, "rule-uses-invert", "`~` of a plain bool is a number", "write `not`")
        self.generic_visit(node)

    def visit_MatchSingleton(self, node: ast.MatchSingleton) -> None:
        self.refuse(
            node,
            "case-singleton",
            f"`case {node.value}` compares by identity and never matches a value of the state",
            "use if with ==, or `case NothingType():` for Nothing",
        )

    def visit_match_case(self, node: ast.match_case) -> None:
        self._check_pattern(node.pattern)
        self.generic_visit(node)

    def _check_pattern(self, pattern: ast.pattern) -> None:
        if isinstance(pattern, ast.MatchOr):
            for each in pattern.patterns:
                self._check_pattern(each)
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is None and pattern.name:
            self.refuse(
                pattern,
                "case-captures",
                f"`case {pattern.name}` matches everything and binds a new name",
                f"write `case {pattern.name}():` for a record class, "
                "a dotted name for a constant, `case _:` for the rest",
            )
        if isinstance(pattern, ast.MatchSequence | ast.MatchMapping | ast.MatchStar):
            self.refuse(
                pattern,
                "case-shape",
                "sequence and mapping patterns do not match values of the state",
                "match record classes, or compare the parts",
            )

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
            self.refuse(
                node,
                "rule-mutates",
                f"`.{node.func.attr}(...)` changes a Python object that is not part of the state",
                "keep what must last in a field; build lists with comprehensions",
            )
        self.generic_visit(node)

    def _statement(self, node: ast.AST, word: str, advice: str) -> NoReturn:
        self.refuse(node, f"rule-uses-{word}", f"`{word}` cannot be explored", advice)

    def visit_While(self, node: ast.While) -> None:
        self._statement(node, "while", "loop over the topology or the domain with `for`")

    def visit_Try(self, node: ast.Try) -> None:
        self._statement(node, "try", "test beforehand; what no rule may do is a fault")

    def visit_With(self, node: ast.With) -> None:
        self._statement(node, "with", "a rule only reads and writes fields")

    def visit_Global(self, node: ast.Global) -> None:
        self._statement(node, "global", "keep what must last in a field of an entity")

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._statement(node, "nonlocal", "keep what must last in a field of an entity")

    def visit_Delete(self, node: ast.Delete) -> None:
        self._statement(node, "del", "assign a value, or remove from a Set field")

    def visit_Yield(self, node: ast.Yield) -> None:
        self._statement(node, "yield", "a rule takes one step; write one rule a step")

    def visit_Await(self, node: ast.Await) -> None:
        self._statement(node, "await", "a rule takes one step; write one rule a step")

    def _built(self, node: ast.AST, word: str) -> NoReturn:
        self.refuse(
            node,
            "rule-builds-set",
            f"a {word} cannot be built from values of the state",
            "use a tuple for `in`, a Set or PerEntity field for what must last",
        )

    def visit_Set(self, node: ast.Set) -> None:
        self._built(node, "set")

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._built(node, "set")

    def visit_Dict(self, node: ast.Dict) -> None:
        self._built(node, "dict")

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._built(node, "dict")


class _Rewrite(ast.NodeTransformer):
    def __init__(self) -> None:
        self.branches: list[tuple[int, bool]] = []

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        first = node.args[0] if node.args else None
        if name not in _QUANTIFIERS or not isinstance(first, ast.GeneratorExp):
            return node
        # all(body for x in XS if c)  ->  _quantify_all(XS, lambda _one: (body for x in _one if c))
        outer = first.generators[0]
        items, outer.iter = outer.iter, ast.Name("_one", ast.Load())
        arguments = ast.arguments([], [ast.arg("_one")], None, [], [], None, [])
        quantifier = ast.Name(_QUANTIFIERS[name], ast.Load())
        call = ast.Call(quantifier, [items, ast.Lambda(arguments, first), *node.args[1:]], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def _taken(self, line: int, test: ast.expr) -> ast.expr:
        call = ast.Call(ast.Name("_branch", ast.Load()), [ast.Constant(line), test], [])
        return ast.fix_missing_locations(ast.copy_location(call, test))

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        self.branches += [(node.test.lineno, True), (node.test.lineno, False)]
        node.test = self._taken(node.test.lineno, node.test)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        self.branches += [(node.test.lineno, True), (node.test.lineno, False)]
        node.test = self._taken(node.test.lineno, node.test)
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        self.generic_visit(node)
        for case in node.cases:
            line = case.pattern.lineno
            self.branches.append((line, True))
            taken = ast.Expr(self._taken(line, ast.Constant(True)))
            case.body.insert(0, ast.fix_missing_locations(ast.copy_location(taken, case.body[0])))
        return node


@lru_cache
def _definitions(file: str) -> dict[int, ast.FunctionDef]:
    """The function definitions of a file by the line that Python calls their first."""
    text = "".join(linecache.getlines(file))
    found: dict[int, ast.FunctionDef] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            decorators = [decorator.lineno for decorator in node.decorator_list]
            found[min([node.lineno, *decorators])] = node
    return found


@dataclass(frozen=True)
class Prepared:
    """A function as exploring runs it, and the branches that its source has."""

    function: Callable[..., Any]
    branches: tuple[Branch, ...]


def prepared(function: Callable[..., Any], helpers: Mapping[str, object]) -> Prepared:
    """The function as exploring runs it. Raises a coded error for what the language refuses.

    `helpers` are the functions that the rewrites call, given to the body as local names.
    """
    name, code = function.__qualname__, function.__code__
    definition = _definitions(code.co_filename).get(code.co_firstlineno)
    if definition is None or definition.name != function.__name__:
        raise FinaleError(
            "source-unavailable",
            f"the source of {name} cannot be read",
            place=Place(code.co_filename, code.co_firstlineno, rule=name),
            advice="define rules, helpers and properties with def, in a file",
        )
    check = _Check(code.co_filename, name)
    for statement in definition.body:
        check.visit(statement)
    rewrite = _Rewrite()
    rewritten = rewrite.visit(copy.deepcopy(definition))
    branches = tuple(Branch(code.co_filename, line, outcome) for line, outcome in rewrite.branches)
    return Prepared(_recompiled(function, rewritten, helpers), branches)


def _recompiled(
    function: Callable[..., Any], definition: ast.FunctionDef, helpers: Mapping[str, object]
) -> Callable[..., Any]:
    """The changed definition as a function with the globals and the closure of the original."""
    free = function.__code__.co_freevars
    definition.decorator_list = []
    definition.returns = None
    for argument in (
        *definition.args.posonlyargs,
        *definition.args.args,
        *definition.args.kwonlyargs,
    ):
        argument.annotation = None
    definition.args.defaults = []
    definition.args.kw_defaults = [None] * len(definition.args.kwonlyargs)
    # A factory whose parameters are the helpers and the free names makes them cells of the body.
    names = [*helpers, *free]
    parameters = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
    returned = ast.Return(ast.Name(definition.name, ast.Load()))
    factory = ast.FunctionDef("_factory", parameters, [definition, returned], [], None)
    module = ast.fix_missing_locations(ast.Module([ast.copy_location(factory, definition)], []))
    compiled = compile(module, function.__code__.co_filename, "exec", dont_inherit=True)
    namespace: dict[str, Any] = {}
    exec(compiled, function.__globals__, namespace)
    inner = next(
        constant
        for constant in namespace["_factory"].__code__.co_consts
        if isinstance(constant, types.CodeType) and constant.co_name == definition.name
    )
    cells = dict(zip(free, function.__closure__ or (), strict=True))
    cells |= {key: types.CellType(value) for key, value in helpers.items()}
    closure = tuple(cells[key] for key in inner.co_freevars)
    result = types.FunctionType(
        inner, function.__globals__, function.__name__, function.__defaults__, closure
    )
    result.__kwdefaults__ = function.__kwdefaults__
    result.__qualname__ = function.__qualname__
    return result
