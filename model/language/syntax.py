"""Rewrites the source of a rule for exploration. Plain execution runs the source unchanged.

Rewritten are: what tests truth values but is a value itself (`and`, `or`, `not`, `in`, chains of
comparisons, conditional expressions, `isinstance`), `all`, `any`, `sum`, `min` and `max`, and loops
that branch (`loops.py`), so that they merge instead of forking; statements that branch, so that
coverage knows which lines were taken; and what is assigned, so that only the state is.
`checks.py` says what is refused beforehand.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar, cast

from finale.model.errors import FinaleError, Place

from .checks import MUTATORS, SyntaxCheck
from .contents import NAMES_OF_LANGUAGE
from .explore import Branch
from .instrumenting import NAME, instrumented_function, with_checks
from .loops import MergeableLoops, merged_loop, text_of
from .path_ends import is_inner

_QUANTIFIERS = {"all": "_all", "any": "_any", "sum": "_sum", "min": "_min_of", "max": "_max_of"}
_EXTREMES = {"min": "_min", "max": "_max"}
_LISTS = {"all": "_all_in", "any": "_any_in"}
_CHANGING = {"add", "remove", "clear", "discard", *MUTATORS}

Function = ast.FunctionDef | ast.AsyncFunctionDef


_Node = TypeVar("_Node", bound=ast.AST)


def _listed(container: ast.expr) -> ast.expr:
    """A container as `in` looks into it: a set that is written out as a tuple."""
    if not isinstance(container, ast.Set):
        return container
    return _at(container, ast.Tuple(container.elts, ast.Load()))


def _at(place: Any, node: _Node) -> _Node:
    """The node, which stands where another one does."""
    new: Any = node
    new.lineno, new.end_lineno = place.lineno, place.end_lineno
    new.col_offset, new.end_col_offset = place.col_offset, place.end_col_offset
    return node


class _Rewrite(ast.NodeTransformer):
    """Rewrites one function. `shadowed` are builtins that have another meaning in it."""

    def __init__(
        self,
        definition: ast.FunctionDef,
        name: str,
        first: str,
        shadowed: Callable[[str], bool],
    ) -> None:
        self._kinds = {type(node) for node in ast.walk(definition)}
        self.branches: list[tuple[int, bool]] = []
        self._loops = MergeableLoops(definition) if ast.For in self._kinds else None
        self.shadowed = shadowed
        self.first = first
        owner = name.split(".")[-2] if "." in name else ""
        self.owner = "" if owner == "<locals>" else owner.lstrip("_")

    def _holds(self, node: ast.AST, *kinds: type[ast.AST]) -> bool:
        """Whether there is one of some kinds in a node: few functions have any at all."""
        wanted = tuple(kind for kind in kinds if kind in self._kinds)
        return bool(wanted) and any(isinstance(each, wanted) for each in ast.walk(node))

    def generic_visit(self, node: ast.AST) -> ast.AST:
        # As that of the library, which takes twice the time.
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
            elif isinstance(value, list):
                parts: list[object] = []
                for each in cast("list[object]", value):
                    new: object = self.visit(each) if isinstance(each, ast.AST) else each
                    parts += cast("list[object]", new) if isinstance(new, list) else [new]
                value[:] = parts
        return node

    def _call(self, at: ast.AST, name: str, *arguments: ast.expr) -> ast.Call:
        own = _at(at, ast.Name(name, ast.Load()))
        for each in arguments:
            if not hasattr(each, "lineno"):
                _at(at, each)
        return _at(at, ast.Call(own, list(arguments), []))

    def _thunk(self, body: ast.expr) -> ast.expr:
        arguments = ast.arguments([], [], None, [], [], None, [])
        return _at(body, ast.Lambda(arguments, body))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        # A function that is marked itself is rewritten when it is called.
        return node if node.decorator_list else self.generic_visit(node)

    # --- operators -------------------------------------------------------------------------------

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if self._holds(node, ast.NamedExpr):
            return node  # a name that is bound within a lambda would be lost outside
        name = "_and" if isinstance(node.op, ast.And) else "_or"
        return self._call(node, name, *(self._thunk(value) for value in node.values))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        is_not = isinstance(node.op, ast.Not)
        return self._call(node, "_not", node.operand) if is_not else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        line = node.test.lineno
        self.branches += [(line, True), (line, False)]
        if self._holds(node.body, ast.NamedExpr) or self._holds(node.orelse, ast.NamedExpr):
            node.test = self._taken(line, node.test)
            return node
        yes, no = self._thunk(node.body), self._thunk(node.orelse)
        return self._call(node, "_if", ast.Constant(line), node.test, yes, no)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        first = node.ops[0]
        if len(node.ops) == 1:
            if isinstance(first, ast.In | ast.NotIn):
                name = "_in" if isinstance(first, ast.In) else "_not_in"
                return self._call(node, name, _listed(node.comparators[0]), node.left)
            if isinstance(first, ast.Is | ast.IsNot):
                name = "_is" if isinstance(first, ast.Is) else "_is_not"
                return self._call(node, name, node.left, node.comparators[0])
            return node
        if self._holds(node, ast.NamedExpr, ast.In, ast.NotIn):
            return node
        arguments = [node.left]
        for op, right in zip(node.ops, node.comparators, strict=True):
            arguments += [ast.Constant(type(op).__name__), self._thunk(right)]
        return self._call(node, "_compare", *arguments)

    # --- calls -----------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
            method = ast.Constant(node.func.attr)
            node.func.value = self._call(node.func.value, "_changeable", node.func.value, method)
        if not isinstance(node.func, ast.Name) or self.shadowed(node.func.id):
            return node
        name, plain = node.func.id, not node.keywords
        if name == "super" and not node.args and self.first:
            # Without arguments it does not work in the lambdas that operators become.
            own = ast.Name("__class__", ast.Load())
            return self._call(node, "super", own, ast.Name(self.first, ast.Load()))
        if name == "isinstance" and plain and len(node.args) == 2:
            return self._call(node, "_isinstance", *node.args)
        if name == "bool" and plain and len(node.args) == 1:
            return self._call(node, "_bool", *node.args)
        if name in _QUANTIFIERS and plain and node.args:
            return self._quantified(node, name)
        return node

    def _quantified(self, node: ast.Call, name: str) -> ast.AST:
        first = node.args[0]
        if not isinstance(first, ast.GeneratorExp):
            if name in _LISTS and not isinstance(first, ast.Starred):
                return self._call(node, _LISTS[name], first)
            several = name in _EXTREMES and len(node.args) > 1
            starred = any(isinstance(each, ast.Starred) for each in node.args)
            return (
                self._call(node, _EXTREMES[name], *node.args) if several and not starred else node
            )
        simple = len(first.generators) == 1 and not first.generators[0].ifs
        if self._holds(first, ast.NamedExpr) or (name in _EXTREMES and not simple):
            return node
        # all(body for x in XS if c)  ->  _all(XS, lambda _one: (body for x in _one if c))
        outer = first.generators[0]
        items, outer.iter = outer.iter, _at(first, ast.Name("_one", ast.Load()))
        arguments = ast.arguments([], [_at(node, ast.arg("_one"))], None, [], [], None, [])
        each = ast.Lambda(arguments, first)
        return self._call(node, _QUANTIFIERS[name], items, each, *node.args[1:])

    # --- loops -----------------------------------------------------------------------------------

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        assert self._loops is not None
        merges = self._loops.can_merge(node)
        self.generic_visit(node)
        return merged_loop(node) if merges else node

    # --- what is assigned ------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        self._mangle(node)
        if isinstance(node.ctx, ast.Store):
            node.value = self._call(node.value, "_owner", node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Store):
            node.value = self._call(node.value, "_slots", node.value)
        return node

    def _mangle(self, node: ast.Attribute) -> None:
        """Names with two underscores belong to the class that the body is no longer in."""
        if self.owner and node.attr.startswith("__") and not node.attr.endswith("__"):
            node.attr = f"_{self.owner}{node.attr}"

    # --- statements that branch ------------------------------------------------------------------

    def _taken(self, line: int, test: ast.expr) -> ast.expr:
        return self._call(test, "_branch", ast.Constant(line), test)

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        self.branches += [(node.test.lineno, True), (node.test.lineno, False)]
        node.test = self._taken(node.test.lineno, node.test)
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        self.generic_visit(node)
        if any(self._holds(case.pattern, ast.MatchClass) for case in node.cases):
            node.subject = self._call(node.subject, "_subject", node.subject)
        for case in node.cases:
            line = case.pattern.lineno
            self.branches.append((line, True))
            taken = self._taken(line, _at(case.pattern, ast.Constant(True)))
            case.body.insert(0, _at(case.pattern, ast.Expr(taken)))
        return node


# --- sources -------------------------------------------------------------------------------------


@lru_cache
def _definitions(file: str) -> dict[int, Function]:
    """The function definitions of a file by the line that Python calls their first.

    Rewriting changes them: two files of one text may not share them.
    """
    text = text_of(file)
    found: dict[int, Function] = {}
    pending: list[ast.AST] = [ast.parse(text)]
    while pending:
        node = pending.pop()
        if isinstance(node, Function):
            decorators = [decorator.lineno for decorator in node.decorator_list]
            found[min([node.lineno, *decorators])] = node
        # Definitions stand among statements, never within an expression.
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, part, ())
            pending += inner if isinstance(inner, list) else ()
    return found


def _definition_of(function: Callable[..., Any]) -> Function:
    code = function.__code__
    definition = _definitions(code.co_filename).get(code.co_firstlineno)
    if definition is None or definition.name != function.__name__:
        what = (
            f"the source of {function.__qualname__} cannot be read"
            if definition is None
            else f"{function.__qualname__} is made by another function: its code is that of "
            f"{definition.name}"
        )
        raise FinaleError(
            "source-unavailable",
            what,
            place=Place(code.co_filename, code.co_firstlineno, rule=function.__qualname__),
            advice="define rules, helpers and properties with def, in a file and under their own "
            "names, and put no decorator beneath @rule, @define and @step",
        )
    return definition


Key = tuple[str, int, str]
_CHECKED: set[Key] = set()
_CODES: dict[Key, tuple[types.CodeType, tuple[tuple[int, bool], ...]]] = {}


def _key(function: Callable[..., Any]) -> Key:
    code = function.__code__
    return code.co_filename, code.co_firstlineno, function.__qualname__


def _names(function: Callable[..., Any]) -> dict[str, object]:
    """The known values of the names of the module and of enclosing functions."""
    names = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:
            continue  # not yet assigned
    return names


def checked(function: Callable[..., Any]) -> None:
    """Raise a coded error for what the language refuses in a function."""
    key = _key(function)
    if key in _CHECKED:
        return
    definition = _definition_of(function)
    check = SyntaxCheck(function.__code__.co_filename, function.__qualname__, _names(function))
    _check(definition, check)
    _CHECKED.add(key)


_READERS: set[types.CodeType] = set()


def check_reader(code: types.CodeType) -> None:
    """Raise a coded error for what the language refuses in a function that reads a field.

    A function that is not marked, such as a property, runs as it is written: it may read the state
    too, and must not compare it with `is`.
    """
    if code in _READERS:
        return
    _READERS.add(code)
    if is_inner(code.co_filename) or code.co_name.startswith("<"):
        return  # lambdas and comprehensions are part of a function that is checked
    definition = _definitions(code.co_filename).get(code.co_firstlineno)
    if definition is not None and definition.name == code.co_name:
        _check(definition, SyntaxCheck(code.co_filename, code.co_qualname, {}, is_rewritten=False))


def _check(definition: Function, check: SyntaxCheck) -> None:
    if isinstance(definition, ast.AsyncFunctionDef):
        check.visit(definition)
    for statement in definition.body:
        check.visit(statement)


@dataclass(frozen=True)
class Prepared:
    """A function as exploring runs it, and the branches that its source has."""

    function: Callable[..., Any]
    branches: tuple[Branch, ...]


def prepared(function: Callable[..., Any], helpers: Mapping[str, object]) -> Prepared:
    """The function as exploring runs it. Raises a coded error for what the language refuses.

    `helpers` are the functions that the rewrites call, given to the body as local names.
    """
    checked(function)
    key = _key(function)
    NAMES_OF_LANGUAGE.update(helpers)
    if key not in _CODES:
        _CODES[key] = _rewritten(function, tuple(helpers))
        _READERS.add(_CODES[key][0])
    code, lines = _CODES[key]
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    closure = tuple(
        cells[name] if name in cells else types.CellType(helpers[name]) for name in code.co_freevars
    )
    result = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    result.__kwdefaults__ = function.__kwdefaults__
    result.__qualname__ = function.__qualname__
    file = function.__code__.co_filename
    return Prepared(result, tuple(Branch(file, line, outcome) for line, outcome in lines))


def _rewritten(
    function: Callable[..., Any], helpers: tuple[str, ...]
) -> tuple[types.CodeType, tuple[tuple[int, bool], ...]]:
    """The code of the rewritten function, which closes over the helpers, and its branches."""
    names, own = function.__globals__, function.__code__
    definition = _definition_of(function)
    assert isinstance(definition, ast.FunctionDef)
    parameters = own.co_varnames[: own.co_argcount]
    local = {*own.co_varnames, *own.co_cellvars, *own.co_freevars} - {"__class__"}
    rewrite = _Rewrite(
        definition,
        function.__qualname__,
        parameters[0] if parameters else "",
        lambda name: name in names or name in local,
    )
    definition.decorator_list = []
    definition.returns = None
    given = definition.args
    for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs):
        argument.annotation = None
    given.defaults = []
    given.kw_defaults = [None] * len(given.kwonlyargs)
    rewritten = rewrite.visit(definition)
    if NAME in names:
        rewritten = instrumented_function(rewritten, helpers)
    # A factory whose parameters are the helpers and the free names makes them cells of the body.
    cells = [_at(definition, ast.arg(name)) for name in (*helpers, *own.co_freevars)]
    arguments = ast.arguments([], cells, None, [], [], None, [])
    returned = ast.Return(_at(definition, ast.Name(definition.name, ast.Load())))
    body: list[ast.stmt] = [rewritten, _at(definition, returned)]
    factory = _at(definition, ast.FunctionDef("_factory", arguments, body, [], None))
    module = ast.Module([factory], [])
    outer = compile(module, own.co_filename, "exec", dont_inherit=True)
    inner = _code_in(_code_in(outer, "_factory"), definition.name)
    if NAME in names:
        with_checks(inner)
    return inner, tuple(sorted(set(rewrite.branches)))


def _code_in(code: types.CodeType, name: str) -> types.CodeType:
    inner = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return next(each for each in inner if each.co_name == name)
