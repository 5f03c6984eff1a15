"""What a mutant changes: a fixed list of small mistakes, each found at places of a syntax tree."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

Places = Iterator[tuple[str, ast.expr, ast.expr]]
"""An operator's name, what it replaces, and by what."""

COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
NAMES = {"any": "all", "all": "any", "min": "max", "max": "min"}
METHODS = {"add": "discard", "discard": "add", "issuperset": "issubset", "append": "remove"}
MEMBERS = {
    "Phase": ("RESTORING", "RUNNING", "FINISHING", "DRAINING", "CLOSED", "FAILED"),
    "Status": ("PENDING", "COMPLETED", "ABORTED"),
    "CheckpointKind": ("CHECKPOINT", "SAVEPOINT", "DRAIN", "SUSPEND"),
    "RequestStatus": ("UNUSED", "ADMITTED", "SUCCEEDED", "FAILED"),
    "JobStatus": ("RUNNING", "CANCELLING", "CANCELED", "FAILED"),
    "RequestKind": ("SAVEPOINT", "STOP", "CANCEL"),
}
#: What states a fact, a type or a text, and does nothing.
STATES = (ast.Assert, ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class Change:
    """Bytes of a source, and what is there instead."""

    operator: str
    function: str
    in_function: bool
    line: int
    start: int
    end: int
    after: str


def changes(source: bytes, places: Callable[[ast.AST], Places] | None = None) -> Iterator[Change]:
    """All changes of a source; `places` says what of a node is replaced."""
    finder = _Finder(source, places or replaced)
    yield from finder.below(ast.parse(source))


class _Finder:
    def __init__(self, source: bytes, places: Callable[[ast.AST], Places]) -> None:
        self.source = source
        self.places = places
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.function = ""
        """The function or class that is looked through, by its qualified name."""
        self.in_function = False

    def below(self, node: ast.AST) -> Iterator[Change]:
        """The changes of a node and of all below it."""
        if isinstance(node, STATES) or _is_for_types(node):
            return
        outside = self.function, self.in_function
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not self.in_function:
            self.function = f"{self.function}.{node.name}".removeprefix(".")
            self.in_function = isinstance(node, ast.FunctionDef)
        for body in _blocks(node):
            yield from self._dropped(body)
            yield from self._swapped(body)
        for operator, old, new in self.places(node):
            yield self._change(operator, old, f"({ast.unparse(new)})")
        for child in _children(node):
            yield from self.below(child)
        self.function, self.in_function = outside

    def _dropped(self, body: Sequence[ast.stmt]) -> Iterator[Change]:
        for statement in body:
            if _does(statement) or (isinstance(statement, ast.Return) and statement.value is None):
                yield self._change("drop-statement", statement, "pass")

    def _swapped(self, body: Sequence[ast.stmt]) -> Iterator[Change]:
        for one, other in pairwise(body):
            if _does(one) and _does(other) and _is_call(one, other):
                (start, middle), (after, end) = self._range(one), self._range(other)
                parts = self.source[after:end], self.source[middle:after], self.source[start:middle]
                yield self._change("swap-statements", one, b"".join(parts).decode(), end)

    def _change(
        self, operator: str, node: ast.stmt | ast.expr, after: str, end: int | None = None
    ) -> Change:
        start, usual = self._range(node)
        return Change(
            operator=operator,
            function=self.function,
            in_function=self.in_function,
            line=node.lineno,
            start=start,
            end=usual if end is None else end,
            after=after,
        )

    def _range(self, node: ast.stmt | ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """What is below a node, but for types and what marks a function."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases", "type_comment"):
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST):
                yield each


def _blocks(node: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _does(statement: ast.stmt) -> bool:
    """Whether a statement changes something beside names of its own."""
    match statement:
        case ast.Expr(value=ast.Call()):
            return True
        case ast.Assign(targets=targets):
            return not all(isinstance(each, ast.Name) for each in targets)
        case ast.AnnAssign(target=ast.Attribute(), value=ast.expr()):
            return True
        case ast.AugAssign():
            return True
        case ast.Expr(value=ast.Yield(value=ast.Constant())):
            return True
        case _:
            return False


def _is_call(*statements: ast.stmt) -> bool:
    """Whether some statement may do anything: of two assignments the order hardly matters."""
    return any(isinstance(each, ast.Expr) for each in statements)


def replaced(node: ast.AST) -> Places:
    """What a small mistake makes of one node."""
    yield from _conditions(node)
    match node:
        case ast.Compare(ops=[one, *_]):
            for compared in COMPARED.get(type(one), ()):
                new = copy.deepcopy(node)
                new.ops[0] = compared()
                yield "compare", node, new
        case ast.BoolOp():
            yield from _connected(node)
        case ast.UnaryOp(op=ast.Not()):
            yield "drop-not", node, node.operand
        case ast.Constant(value=bool()):
            yield "constant", node, ast.Constant(not node.value)
        case ast.Constant(value=int()):
            assert isinstance(node.value, int)
            yield "constant", node, ast.Constant(node.value + 1)
            yield "constant", node, ast.Constant(node.value - 1)
        case ast.BinOp() if type(node.op) in COMPUTED:
            yield "compute", node, ast.BinOp(node.left, COMPUTED[type(node.op)](), node.right)
        case ast.Call(func=ast.Name(id=name)) if name in NAMES:
            yield "any-all", node.func, ast.Name(NAMES[name])
        case ast.Attribute(attr=name) if name in METHODS:
            yield "add-discard", node, ast.Attribute(node.value, METHODS[name], ast.Load())
        case ast.Attribute(value=ast.Name(id=kind), attr=name) if name in MEMBERS.get(kind, ()):
            for other in MEMBERS[kind]:
                if other != name:
                    yield "member", node, ast.Attribute(node.value, other, ast.Load())
        case ast.comprehension() if node.ifs:
            for condition in node.ifs:
                yield "drop-filter", condition, ast.Constant(True)
        case _:
            pass


def _conditions(node: ast.AST) -> Places:
    """What decides: it is turned round."""
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield "negate", test, ast.UnaryOp(ast.Not(), test)
        case ast.Yield(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "negate", value, ast.UnaryOp(ast.Not(), value)
        case ast.Return(value=ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()) as value):
            yield "negate", value, ast.UnaryOp(ast.Not(), value)
        case ast.comprehension():
            for condition in node.ifs:
                yield "negate", condition, ast.UnaryOp(ast.Not(), condition)
        case _:
            pass


def _connected(node: ast.BoolOp) -> Places:
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield "and-or", node, ast.BoolOp(other, node.values)
    for index in range(len(node.values)):
        left = [*node.values[:index], *node.values[index + 1 :]]
        yield "drop-conjunct", node, ast.BoolOp(node.op, left) if len(left) > 1 else left[0]
