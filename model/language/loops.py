"""Finds the loops with branches that can be merged, one iteration at a time.

    for task in tasks:                      def _iteration(_item):
        if task.is_finished:        ->          task = _item
            ...                                 if task.is_finished: ...
                                            _each(tasks, _iteration)

Each iteration is then explored on its own, as the body of `each` is: a loop over sixteen tasks that
branches in each is one path and not 65 536. It means the same if no iteration leaves the loop, and
no name that one binds is read by another or after the loop; otherwise the loop stays as it is.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import cache

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class MergeableLoops:
    """The loops of a function, and the names that they bind."""

    def __init__(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.parameters = {
            each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)
        }
        self.names = [each for each in ast.walk(function) if isinstance(each, ast.Name)]
        self.regions = [
            (frozenset(_bound(node)), frozenset(map(id, ast.walk(node))))
            for node in ast.walk(function)
            if isinstance(node, (ast.For, *_SCOPES, *_COMPREHENSIONS)) and node is not function
        ]

    def can_merge(self, loop: ast.For) -> bool:
        """Whether the iterations of a loop can be explored one by one, and are worth it."""
        branches = any(isinstance(each, ast.If | ast.Match) for each in _within(loop.body))
        return branches and self.is_apart(loop)

    def is_apart(self, loop: ast.For) -> bool:
        """Whether no iteration of a loop knows of another by a name that it binds."""
        inner = list(_within(loop.body))
        if loop.orelse:
            return False
        if any(isinstance(each, ast.Return) for each in inner) or _breaks(loop.body):
            return False
        bound = set(_bound(loop))
        if bound & self.parameters or any(_is_carried(name, loop) for name in bound):
            return False
        own = frozenset(map(id, ast.walk(loop)))
        return all(
            id(each) in own or self._is_bound_elsewhere(each, own)
            for each in self.names
            if each.id in bound
        )

    def _is_bound_elsewhere(self, name: ast.Name, loop: frozenset[int]) -> bool:
        """Whether a name outside of a loop is bound by another loop, function or comprehension."""
        return any(
            name.id in bound and id(name) in nodes and not loop <= nodes
            for bound, nodes in self.regions
        )


def keeps_rounds_apart(file: str, line: int) -> bool:
    """Whether the loop over what stands on a line has iterations that know nothing of each other.

    They must not share a Python object that one of them changes, either.
    """
    return _keeps_rounds_apart(text_of(file), line)


@cache
def _keeps_rounds_apart(text: str, line: int) -> bool:
    found = [
        (function, loop)
        for function in functions_in(text)
        for loop in ast.walk(function)
        if isinstance(loop, ast.For) and loop.iter.lineno <= line <= (loop.iter.end_lineno or line)
    ]
    return bool(found) and all(
        MergeableLoops(function).is_apart(loop) and not _shares(function, loop)
        for function, loop in found
    )


def text_of(file: str) -> str:
    """Return the text of a file as it is now: a process may load a file again after an edit."""
    linecache.checkcache(file)
    return "".join(linecache.getlines(file))


@cache
def functions_in(text: str) -> tuple[ast.FunctionDef, ...]:
    """Return the functions of a text, also those that are part of others."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ()
    return tuple(each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))


_CHANGES = frozenset(
    (
        *("append", "appendleft", "extend", "insert", "pop", "popleft", "update", "setdefault"),
        *("add", "discard", "remove", "clear", "sort", "reverse", "__setitem__", "send"),
    )
)
_MOVES = frozenset({"next", "setattr", "exec", "eval"})


def _shares(function: ast.FunctionDef, loop: ast.For) -> bool:
    """Whether an iteration may change a Python object that the next one sees: it calls what
    changes something on a name that is no parameter, or what moves on with each call."""
    own = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    own |= set(_bound(loop))
    return any(_changes(node, own) for node in ast.walk(loop))


def _changes(node: ast.AST, own: set[str]) -> bool:
    """Whether a node changes a Python object, other than by a method of one of these names."""
    match node:
        case ast.Global() | ast.Nonlocal() | ast.NamedExpr() | ast.Yield():
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _MOVES
        case ast.Call(func=ast.Attribute(attr=method)) if method in _CHANGES:
            root: ast.expr = node.func
            while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
                root = root.func if isinstance(root, ast.Call) else root.value
            return not (isinstance(root, ast.Name) and root.id in own)
        case ast.Subscript(value=of, ctx=ast.Store()):
            return not isinstance(of, ast.Attribute)
        case _:
            return False


def merged_loop(loop: ast.For) -> list[ast.stmt]:
    """The statements that a loop becomes, as a function of one item and a call of `_each`."""
    item = ast.Name("_item", ast.Load())
    first = ast.Assign([loop.target], item)
    body = [_Continue().visit(statement) for statement in loop.body]
    arguments = ast.arguments([], [ast.arg("_item")], None, [], [], None, [])
    iteration = ast.FunctionDef("_iteration", arguments, [first, *body], [], None)
    call = ast.Call(
        ast.Name("_each", ast.Load()), [loop.iter, ast.Name("_iteration", ast.Load())], []
    )
    statements: list[ast.stmt] = [iteration, ast.Expr(call)]
    for statement in statements:
        ast.fix_missing_locations(ast.copy_location(statement, loop))
    return statements


class _Continue(ast.NodeTransformer):
    """An iteration that is cut short ends its function."""

    def visit_Continue(self, node: ast.Continue) -> ast.AST:
        return ast.copy_location(ast.Return(None), node)

    def visit_For(self, node: ast.For) -> ast.AST:
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node


# --- names ---------------------------------------------------------------------------------------


def _within(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes of statements, but not of functions that are defined in them."""
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, _SCOPES):
            pending.extend(ast.iter_child_nodes(node))


def _breaks(body: list[ast.stmt]) -> bool:
    """Whether statements break the loop that they are the body of."""
    for statement in body:
        if isinstance(statement, ast.Break):
            return True
        blocks: list[list[ast.stmt]] = []
        match statement:
            case ast.If():
                blocks = [statement.body, statement.orelse]
            case ast.For():
                blocks = [statement.orelse]  # what breaks its body breaks only that
            case ast.Match():
                blocks = [case.body for case in statement.cases]
            case _:
                pass
        if any(map(_breaks, blocks)):
            return True
    return False


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a loop, a function or a comprehension binds."""
    if isinstance(node, _SCOPES):
        yield from (each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg))
    elif isinstance(node, _COMPREHENSIONS):
        for generator in node.generators:
            yield from _stored(generator.target)
    else:
        assert isinstance(node, ast.For)
        yield from _stored(node.target)
        for statement in node.body:
            yield from _stored(statement)


def _stored(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield node.name
        return
    if isinstance(node, ast.Lambda):
        return
    for child in ast.iter_child_nodes(node):
        if not (isinstance(node, _COMPREHENSIONS) and isinstance(child, ast.comprehension)):
            yield from _stored(child)


# --- from one iteration to the next --------------------------------------------------------------


def _is_carried(name: str, loop: ast.For) -> bool:
    """Whether an iteration may read what an earlier one has bound to a name."""
    return name not in _stored(loop.target) and _reads_first(name, loop.body)[0]


def _reads_first(name: str, body: list[ast.stmt]) -> tuple[bool, bool]:
    """Whether statements may read a name that they have not bound, and surely bind it."""
    for statement in body:
        reads, binds = _reads_and_binds(name, statement)
        if reads or binds:
            return reads, binds
    return False, False


def _reads_and_binds(name: str, statement: ast.stmt) -> tuple[bool, bool]:
    match statement:
        case ast.If():
            (reads, binds), (also, too) = (
                _reads_first(name, block) for block in (statement.body, statement.orelse)
            )
            return _loads(name, statement.test) or reads or also, binds and too
        case ast.For():
            inner = name not in _stored(statement.target) and _reads_first(name, statement.body)[0]
            after = _reads_first(name, statement.orelse)[0]
            return _loads(name, statement.iter) or inner or after, False
        case ast.Match():
            cases = [
                name not in _stored(case.pattern)
                and (_loads(name, case.guard) or _reads_first(name, case.body)[0])
                for case in statement.cases
            ]
            return _loads(name, statement.subject) or any(cases), False
        case ast.AugAssign(target=ast.Name(id=target)) if target == name:
            return True, True
        case _:
            return _loads(name, statement), name in _stored(statement)


def _loads(name: str, node: ast.AST | None) -> bool:
    """Whether a name is read somewhere, other than as a name of a function or comprehension."""
    if node is None:
        return False
    if isinstance(node, (*_SCOPES, *_COMPREHENSIONS)) and name in _bound(node):
        return False
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Load)
    return any(_loads(name, child) for child in ast.iter_child_nodes(node))
