"""How a property is weakened: each change makes it claim less, and never more.

A consequent loses a conjunct, a comparison admits more, `all` becomes `any`; an antecedent gets
narrower in the opposite way. What a property asks a function of its file, or keeps in a name, is
followed: what it says there is changed in the sense in which it is used.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

#: A comparison that admits more, if both sides have an order.
LOOSER: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE,),
    ast.Gt: (ast.GtE,),
    ast.Eq: (ast.LtE, ast.GtE),
}
TIGHTER: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.LtE: (ast.Lt, ast.Eq),
    ast.GtE: (ast.Gt, ast.Eq),
}


@dataclass(frozen=True)
class Weakening:
    """One place, and what is there instead."""

    operator: str
    place: ast.expr
    after: ast.expr


@dataclass
class Weakener:
    """The weakenings of one property; `functions` are those of its file, by name."""

    functions: dict[str, ast.FunctionDef]
    names: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    """What the names of the function stand for that is looked through at the moment."""
    inside: tuple[str, ...] = ()

    def of_property(self, function: ast.FunctionDef) -> Iterator[Weakening]:
        """All weakenings of a property."""
        yield from self._body(function, weaker=True)
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and _is_call(call, "when"):
                for condition in call.args:
                    yield Weakening("never-applies", condition, ast.Constant(False))
                    yield from self._changed(condition, weaker=False)

    def _body(self, function: ast.FunctionDef, *, weaker: bool) -> Iterator[Weakening]:
        outside = self.names, self.inside
        self.names = dict(_assigned(function))
        self.inside = (*self.inside, function.name)
        for each in ast.walk(function):
            if isinstance(each, ast.Return) and each.value is not None:
                if not isinstance(each.value, ast.Constant):
                    yield Weakening("claims-nothing", each.value, ast.Constant(weaker))
                yield from self._changed(each.value, weaker=weaker)
        self.names, self.inside = outside

    def _changed(self, node: ast.expr, *, weaker: bool) -> Iterator[Weakening]:
        match node:
            case ast.BoolOp(op=op, values=values):
                if isinstance(op, ast.And) == weaker:
                    yield from _dropped(node, weaker=weaker)
                for each in values:
                    yield from self._changed(each, weaker=weaker)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield from self._changed(operand, weaker=not weaker)
            case ast.IfExp(body=body, orelse=other):
                yield from self._changed(body, weaker=weaker)
                yield from self._changed(other, weaker=weaker)
            case ast.Compare(ops=[one]):
                yield from _compared(node, one, weaker=weaker)
            case ast.Name(id=name) if name in self.names:
                known = self.names[name]
                self.names = {each: node for each, node in self.names.items() if each != name}
                yield from self._changed(known, weaker=weaker)
                self.names[name] = known
            case ast.Call():
                yield from self._called(node, weaker=weaker)
            case _:
                pass

    def _called(self, node: ast.Call, *, weaker: bool) -> Iterator[Weakening]:
        match node:
            case ast.Call(
                func=ast.Name(id="all" | "any" as name), args=[ast.GeneratorExp() as made]
            ):
                if (name == "all") == weaker:
                    other = ast.Name("any" if name == "all" else "all")
                    yield Weakening("all-any", node.func, other)
                if name == "any":
                    yield from self._filtered(made, weaker=weaker)
                yield from self._changed(made.elt, weaker=weaker)
            case ast.Call(func=ast.Name(id="before"), args=[ast.Lambda(body=body)]):
                yield from self._changed(body, weaker=weaker)
            case ast.Call(func=ast.Name(id=name)) if name in self.functions:
                if name not in self.inside:
                    yield from self._body(self.functions[name], weaker=weaker)
            case _:
                pass

    def _filtered(self, made: ast.GeneratorExp, *, weaker: bool) -> Iterator[Weakening]:
        """Of what `any` looks at: more of it is weaker."""
        for condition in (each for one in made.generators for each in one.ifs):
            if weaker and "isinstance" not in ast.unparse(condition):
                yield Weakening("drop-filter", condition, ast.Constant(True))


def _is_call(node: ast.Call, name: str) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == name


def _assigned(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    for each in function.body:
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case _:
                pass


def _dropped(node: ast.BoolOp, *, weaker: bool) -> Iterator[Weakening]:
    for index in range(len(node.values)):
        left = [*node.values[:index], *node.values[index + 1 :]]
        after = ast.BoolOp(node.op, left) if len(left) > 1 else left[0]
        yield Weakening("drop-conjunct" if weaker else "drop-disjunct", node, after)


def _compared(node: ast.Compare, one: ast.cmpop, *, weaker: bool) -> Iterator[Weakening]:
    if isinstance(one, ast.Eq) and not _is_number(node):
        return
    for other in (LOOSER if weaker else TIGHTER).get(type(one), ()):
        after = copy.deepcopy(node)
        after.ops = [other()]
        yield Weakening("loosen" if weaker else "tighten", node, after)


def _is_number(node: ast.Compare) -> bool:
    """Whether a side of a comparison is a number as written, or counts something."""
    sides = (node.left, *node.comparators)
    return any(_counts(each) for each in sides)


def _counts(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int) and not isinstance(value, bool)
        case ast.IfExp(body=body):
            return _counts(body)
        case ast.Attribute(attr=name):
            return name in ("sent", "received")
        case _:
            return False


__all__ = ["Weakener", "Weakening"]
