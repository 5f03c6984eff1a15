"""Refuses code of a user that is not simple, while the layout of a system is guarded.

A guard looks at what code reads of an entity. Python has many ways around an entity: reflection,
iterators, texts, and objects that one round of a loop changes and the next one sees. So a closed
list says what guarded code may *do*. Its syntax is looked at before it runs, with all values that
it reaches by a name, and each call is looked at again when it is made. Finale's own code is not
looked at: `layout.py` knows what it reads.
"""

from __future__ import annotations

import ast
import builtins
import enum
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import is_dataclass
from functools import cache
from typing import Any, NoReturn, cast

from finale.model.errors import FinaleError, Place
from finale.model.values import Record

from .decorators import mark_of
from .entities import Entity, Field
from .instrumenting import NAME
from .loops import text_of

_Function = ast.FunctionDef | ast.Lambda

# --- the closed lists ----------------------------------------------------------------------------

#: Statements and expressions, and the parts of these. Some have a method below that says more.
_SYNTAX = (
    *(ast.arguments, ast.arg, ast.Lambda),
    *(ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Assert, ast.Pass),
    *(ast.If, ast.For, ast.Break, ast.Continue, ast.Match, ast.match_case),
    *(ast.MatchValue, ast.MatchClass, ast.MatchAs, ast.MatchOr, ast.MatchSingleton),
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Constant, ast.Tuple),
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.keyword),
    *(ast.GeneratorExp, ast.comprehension),
    *(ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop),
)
#: Functions and classes of Python that code may name and call.
_OF_PYTHON: tuple[object, ...] = (
    *(all, any, sum, min, max, abs, len, isinstance),
    *(super, bool, int, range, property, staticmethod, typing.cast),
)
#: Functions that take a generator expression.
_OF_ROUNDS = frozenset({"all", "any", "sum", "min", "max"})
_PLAIN = (type(None), bool, int, float, str, bytes, enum.Enum)
#: Modules of Finale whose functions code of a user may call; of the others, what `rules` exports.
_PUBLIC = ("protocols", "properties", "values", "topology")
#: Of fields, what tells a number of the layout.
_OF_LAYOUT = frozenset({"capacity"})
_STARTING = "__init__"
_LISTING = "entities"


def is_finales(module: str) -> bool:
    """Return whether a module is one of Finale's."""
    return module.partition(".")[0] == "finale"


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def refuse_other_code(
    kinds: Iterable[type], functions: Iterable[Callable[..., object]], fields: frozenset[str]
) -> None:
    """Refuse code of a user that is not simple: of classes, and of further functions.

    `fields` are the names of all fields. Raises `reads-layout`.
    """
    walk = _Walk(fields)
    for base in dict.fromkeys(base for kind in kinds for base in kind.__mro__):
        if not is_finales(base.__module__) and not _is_library(base.__module__):
            walk.members(base)
    for each in functions:
        walk.value(each, Place())


class _Walk:
    """Looks at values, and at all that the code of each reaches by a name."""

    def __init__(self, fields: frozenset[str]) -> None:
        self.fields = fields
        self._seen: dict[int, object] = {}

    def value(self, value: Any, place: Place, name: str = "") -> None:
        """Refuse a value that simple code may not reach."""
        if isinstance(value, _PLAIN) or id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if isinstance(value, tuple | frozenset):
            for each in cast("tuple[object, ...]", value):
                self.value(each, place, name)
        elif any(value is each for each in _OF_PYTHON):
            pass
        elif isinstance(value, Field):
            if isinstance(value.initial, types.FunctionType):
                self.value(value.initial, place, name)
        elif isinstance(value, type):
            self._class(value, place, name)
        elif isinstance(value, property):
            for each in (value.fget, value.fset):
                self.value(each, place, name)
        elif isinstance(value, staticmethod | classmethod):
            self.value(value.__func__, place, name)
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif not _is_constant_of_finale(value):
            _refuse(
                place, f"a variant reaches {name or 'a value'}, a {type(value).__name__} of Python"
            )

    def _class(self, kind: type, place: Place, name: str) -> None:
        if is_finales(kind.__module__):
            return
        if not may_be_made(kind):
            _refuse(
                place, f"a variant reaches {name}, a class that is no entity, record or enumeration"
            )
        self.members(kind)

    def members(self, kind: type) -> None:
        """Refuse what a class has that is not simple."""
        for name, value in vars(kind).items():
            special = name.startswith("__") and name.endswith("__")
            is_code = isinstance(value, types.FunctionType | property | staticmethod | classmethod)
            if name == "_abc_impl" or (not is_code and (special or issubclass(kind, enum.Enum))):
                continue
            if special and is_dataclass(kind) and _source_of(value) is None:
                continue  # it was made by `dataclass`
            if name.startswith("_") and issubclass(kind, enum.Enum) and _is_of_library(value):
                continue
            where = sys.modules.get(kind.__module__)
            self.value(value, Place(getattr(where, "__file__", None)), f"{kind.__name__}.{name}")

    def _function(self, function: types.FunctionType) -> None:
        mark = mark_of(function)
        plain = cast(types.FunctionType, mark.function) if mark is not None else function
        if plain is not function:
            self.value(plain, Place())
        elif is_finales(str(plain.__globals__.get("__name__"))):
            if not _is_public(plain):
                place = Place(plain.__code__.co_filename, plain.__code__.co_firstlineno)
                _refuse(place, f"{plain.__name__} is not part of the rule language")
        else:
            code = plain.__code__
            place = Place(code.co_filename, code.co_firstlineno)
            cells = [each.cell_contents for each in plain.__closure__ or ()]
            given = (*(plain.__defaults__ or ()), *(plain.__kwdefaults__ or {}).values())
            for each in (*given, *cells, *_wrapped_by(plain)):
                self.value(each, place, plain.__name__)
            node = _source_of(plain)
            if node is None:
                _refuse(place, f"{plain.__qualname__} has no source that can be found")
            for one in node:
                _Syntax(self, plain, one).look()


def _is_of_library(value: object) -> bool:
    plain = getattr(value, "__func__", value)
    if not isinstance(plain, types.FunctionType):
        return False
    return _is_library(str(plain.__globals__.get("__name__")))


def _wrapped_by(function: Any) -> tuple[object, ...]:
    """The function that a decorator of a user has wrapped, if one has."""
    return (function.__wrapped__,) if hasattr(function, "__wrapped__") else ()


def _is_constant_of_finale(value: object) -> bool:
    kind = type(value)
    return is_finales(kind.__module__) and not isinstance(value, Entity)


def may_be_made(kind: type) -> bool:
    """Return whether simple code may make objects of a class: they do not change, or are state."""
    if is_dataclass(kind):
        return bool(cast(Any, kind).__dataclass_params__.frozen)
    return issubclass(kind, Entity | Record | enum.Enum)


def _is_public(function: types.FunctionType) -> bool:
    module = function.__module__.removeprefix("finale.model.")
    rules = vars(sys.modules.get("finale.model.rules", types))
    is_exported = rules.get(function.__name__) is function
    return is_exported or mark_of(function) is not None or module.partition(".")[0] in _PUBLIC


# --- syntax --------------------------------------------------------------------------------------


@cache
def _functions_by_line(text: str) -> dict[int, list[_Function]]:
    found: dict[int, list[_Function]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
            first = decorators[0] if decorators else node
            found.setdefault(first.lineno, []).append(node)
    return found


def _source_of(function: object) -> list[_Function] | None:
    """The syntax of a function; of lambdas all that stand on its line."""
    if not isinstance(function, types.FunctionType):
        return None
    code = function.__code__
    try:
        nodes = _functions_by_line(text_of(code.co_filename)).get(code.co_firstlineno, [])
    except SyntaxError:
        return None
    return [each for each in nodes if getattr(each, "name", "<lambda>") == code.co_name] or None


class _Syntax(ast.NodeVisitor):
    """Looks at the syntax of one function."""

    def __init__(self, walk: _Walk, function: types.FunctionType, node: _Function) -> None:
        self.walk, self.function, self.node = walk, function, node
        self.own = set(_bound_in(node))
        code = function.__code__
        self.cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))

    def look(self) -> None:
        """Raises `reads-layout`."""
        body = self.node.body if isinstance(self.node.body, list) else [self.node.body]
        for each in body:
            self.visit(each)

    def place(self, node: ast.AST) -> Place:
        """Return the place of a node."""
        return Place(self.function.__code__.co_filename, getattr(node, "lineno", None))

    def not_simple(self, node: ast.AST, what: str) -> NoReturn:
        """Raises `reads-layout`."""
        _refuse(self.place(node), f"{self.function.__qualname__} {what}")

    def generic_visit(self, node: ast.AST) -> None:
        if not isinstance(node, _SYNTAX):
            shown = ast.unparse(node).partition("\n")[0] if hasattr(node, "lineno") else ""
            self.not_simple(node, f"has a {type(node).__name__}: {shown}")
        super().generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        if node.orelse:
            self.not_simple(node, "has a loop with `else`")
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        for each in (node.target, node.value):
            if each is not None:
                self.visit(each)

    def visit_Tuple(self, node: ast.Tuple) -> None:
        self._parts(node.elts)

    def visit_List(self, node: ast.List) -> None:
        if self.function.__name__ != _LISTING:
            self.not_simple(node, f"makes a list: {ast.unparse(node)}")
        self._parts(node.elts)

    def _parts(self, parts: Iterable[ast.expr]) -> None:
        """What a tuple is made of; `entities` adds to those of its base."""
        for each in parts:
            listed = isinstance(each, ast.Starred) and self.function.__name__ == _LISTING
            self.visit(cast(ast.Starred, each).value if listed else each)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self.own:
            return
        if isinstance(node.ctx, ast.Store):
            self.not_simple(node, f"binds {node.id}, which is not its own")
        value = self.named(node.id)
        if isinstance(value, types.ModuleType):
            self.not_simple(node, f"reaches the module {node.id}")
        self.walk.value(value, self.place(node), node.id)

    def named(self, name: str) -> Any:
        """Return what a name stands for, outside of the function."""
        if name in self.cells:
            return self.cells[name].cell_contents
        return self.function.__globals__.get(name, getattr(builtins, name, None))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        special = node.attr.startswith("__")
        if node.attr in _OF_LAYOUT:
            self.not_simple(node, f"reads {node.attr}, a number of the layout")
        if special and not (node.attr == _STARTING and _is_super(node.value)):
            self.not_simple(node, f"reads {node.attr}")
        if isinstance(node.ctx, ast.Store):
            self._stored(node, node)
        module = self._module(node.value)
        if module is None:
            self.visit(node.value)
        else:
            found = getattr(module, node.attr, None)
            if not isinstance(found, types.ModuleType):
                self.walk.value(found, self.place(node), node.attr)

    def _module(self, node: ast.expr) -> types.ModuleType | None:
        if isinstance(node, ast.Attribute):
            outer = self._module(node.value)
            found = getattr(outer, node.attr, None) if outer is not None else None
        else:
            is_free = isinstance(node, ast.Name) and node.id not in self.own
            found = self.named(cast(ast.Name, node).id) if is_free else None
        return found if isinstance(found, types.ModuleType) else None

    def _stored(self, node: ast.expr, field: ast.Attribute) -> None:
        """Refuse to change what is no field, but for attributes that `__init__` gives."""
        root: ast.expr = field
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        is_own = isinstance(root, ast.Call) or (isinstance(root, ast.Name) and root.id in self.own)
        starts = self.function.__name__ == _STARTING and node is field
        if not is_own or not (starts or field.attr in self.walk.fields):
            self.not_simple(node, f"changes {ast.unparse(node)}, which is no field")

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            if not isinstance(node.value, ast.Attribute):
                self.not_simple(node, f"changes {ast.unparse(node)}, which is no field")
            self._stored(node, node.value)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if not isinstance(node.func, ast.Name | ast.Attribute):
            self.not_simple(node, f"calls {ast.unparse(node.func)}")
        if any(each.arg is None for each in node.keywords):
            self.not_simple(node, "passes a mapping as keywords")
        self.visit(node.func)
        rounds = isinstance(node.func, ast.Name) and node.func.id in _OF_ROUNDS
        for each in node.args:
            if isinstance(each, ast.GeneratorExp) and rounds and len(node.args) == 1:
                super().generic_visit(each)
            else:
                self.visit(each)
        for keyword in node.keywords:
            self.visit(keyword.value)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self.not_simple(node, f"has a generator other than in all or any: {ast.unparse(node)}")

    def visit_Lambda(self, node: ast.Lambda) -> None:
        if node.args.defaults or node.args.kw_defaults:
            self.not_simple(node, "has a lambda with defaults")
        self.visit(node.body)


def _bound_in(node: ast.AST) -> Iterator[str]:
    """The names that a function binds, its lambdas and generators among it."""
    for each in ast.walk(node):
        match each:
            case ast.arg(arg=name) | ast.MatchAs(name=str(name)):
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case _:
                pass


def _is_super(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="super")):
            return True
        case _:
            return False


# --- calls ---------------------------------------------------------------------------------------

_guarded = False


def guard(is_on: bool) -> None:
    """Look at the calls of a user's code, or look no more."""
    global _guarded  # noqa: PLW0603 - instrumented code must find it
    _guarded = is_on


def refuse_call(function: object, arguments: Iterable[object]) -> None:
    """Refuse a call that is not in the list, if a layout is guarded. Raises `reads-layout`."""
    if not _guarded:
        return
    for each in (function, *filter(callable, arguments)):
        if not _may_be_called(each):
            frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
            place = Place(frame.f_code.co_filename, frame.f_lineno)
            shown = getattr(each, "__qualname__", None) or type(each).__name__
            _refuse(place, f"{frame.f_code.co_name} calls {shown}")


def _may_be_called(function: Any) -> bool:
    if any(function is each for each in _OF_PYTHON):
        return True
    if isinstance(function, type):
        return may_be_made(function)
    if isinstance(function, types.MethodType):
        of_language = is_finales(function.__func__.__module__)
        private = function.__name__.startswith("_") and function.__name__ != _STARTING
        if not of_language or not private or "language" not in function.__func__.__module__:
            return isinstance(function.__func__, types.FunctionType)
        return False
    if isinstance(function, types.FunctionType):
        return NAME in function.__globals__ or _is_public(function)
    return _is_constant_of_finale(function)


def _refuse(place: Place, what: str) -> NoReturn:
    raise FinaleError(
        "reads-layout",
        f"{what}: in a proof, and beside live_checkpoints, code of a variant is simple",
        place=place,
        advice="docs/proofs.md lists what simple code is: fields, comparisons, helpers, all(...) "
        "and any(...)",
    )
