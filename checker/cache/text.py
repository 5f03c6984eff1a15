"""Writes expressions, decision trees and predicates as JSON, and reads them again.

Expressions are shared, so they are written as a table: each node names its parts by their number.
Reading runs no code that the text could name.
"""

from __future__ import annotations

# What JSON gives has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
import json
from collections.abc import Sequence
from typing import Any

from finale.model.errors import Place
from finale.model.expressions import (
    Add,
    And,
    Cell,
    Constant,
    Equal,
    Expression,
    IfThenElse,
    Less,
    Not,
    Or,
    Subtract,
    parts,
    shared,
)
from finale.model.language.explore import Branch
from finale.model.system import Blocked, Fault, Predicate, Test, Tree, Update

from .code import Reached

_KINDS = (Constant, Cell, Add, Subtract, Equal, Less, Not, And, Or, IfThenElse)
_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}
_LEAVES = {_NUMBERS[Constant], _NUMBERS[Cell]}
_JOINED = {_NUMBERS[And], _NUMBERS[Or]}
_BOUNDED = {_NUMBERS[Add], _NUMBERS[Subtract]}


class Writer:
    """Writes one part of a system.

    Places are written by function, wherever the function stands, if what the part reaches is known.
    """

    def __init__(self, reached: Reached | None = None) -> None:
        self._reached = reached
        self._numbers: dict[Expression, int] = {}
        self._nodes: list[list[object]] = []

    def text(self, said: object) -> str:
        """Return the text of a part whose nodes were written."""
        return json.dumps([self._nodes, said], separators=(",", ":"))

    def node(self, root: Expression) -> int:
        """Return the number of an expression."""
        todo = [root]
        while todo:
            node = todo[-1]
            if node in self._numbers:
                todo.pop()
                continue
            missing = [part for part in parts(node) if part not in self._numbers]
            if missing:
                todo += missing
                continue
            self._numbers[node] = len(self._nodes)
            self._nodes.append(self._written(node))
            todo.pop()
        return self._numbers[root]

    def _written(self, node: Expression) -> list[object]:
        number = _NUMBERS[type(node)]
        match node:
            case Constant():
                return [number, node.value, node.boolean]
            case Cell():
                return [number, node.index, node.low, node.high, node.boolean, node.after]
            case Add() | Subtract():
                sides = (self._numbers[node.left], self._numbers[node.right])
                return [number, *sides, node.low, node.high]
            case IfThenElse():
                own = [self._numbers[each] for each in (node.condition, node.yes, node.no)]
                return [number, *own, node.low, node.high, node.boolean]
            case _:
                return [number, *(self._numbers[part] for part in parts(node))]

    def tree(self, tree: Tree) -> list[object]:
        """Return a decision tree as lists."""
        match tree:
            case Test():
                return ["test", self.node(tree.condition), self.tree(tree.yes), self.tree(tree.no)]
            case Blocked():
                return ["blocked", tree.bound]
            case Fault():
                return ["fault", tree.code, tree.message, self._place(tree.place)]
            case Update():
                writes = [[index, self.node(value)] for index, value in tree.writes]
                branches = [
                    [*self._spot(each.file, each.line), each.outcome, self.node(condition)]
                    for each, condition in tree.branches
                ]
                return ["update", writes, branches]

    def _place(self, place: Place) -> list[object]:
        if place.file is None or place.line is None:
            return [None, None, place.key, place.rule]
        return [*self._spot(place.file, place.line), place.key, place.rule]

    def _spot(self, file: str, line: int) -> tuple[str, int]:
        return (file, line) if self._reached is None else self._reached.spot(file, line)

    def predicates(self, predicates: Sequence[Predicate]) -> list[object]:
        """Return predicates as lists."""
        return [
            [list(each.binding), *map(self.node, (each.when, each.claim, each.fault, each.moved))]
            for each in predicates
        ]


class Reader:
    """Reads one part of a system."""

    def __init__(self, text: str, reached: Reached | None) -> None:
        self._reached = reached
        nodes, self.said = json.loads(text)
        made: list[Expression] = []
        for number, *own in nodes:
            kind: Any = _KINDS[number]
            if number in _LEAVES:
                node = shared(kind, *own)
            elif number in _BOUNDED:
                node = shared(kind, made[own[0]], made[own[1]], own[2], own[3])
            elif number in _JOINED:
                node = shared(kind, tuple([made[part] for part in own]))
            elif kind is IfThenElse:
                condition, yes, no = made[own[0]], made[own[1]], made[own[2]]
                node = shared(kind, condition, yes, no, own[3], own[4], own[5])
            else:
                node = shared(kind, *[made[part] for part in own])
            made.append(node)
        self.nodes = made

    def tree(self, said: list[Any]) -> Tree:
        """Return the decision tree that lists say."""
        kind, *own = said
        if kind == "test":
            return Test(self.nodes[own[0]], self.tree(own[1]), self.tree(own[2]))
        if kind == "blocked":
            return Blocked(own[0])
        if kind == "fault":
            return Fault(own[0], own[1], self._place(own[2]))
        writes = tuple((index, self.nodes[value]) for index, value in own[0])
        branches = tuple(
            (Branch(*self._place_of(name, line), outcome), self.nodes[condition])
            for name, line, outcome, condition in own[1]
        )
        return Update(writes, branches)

    def _place(self, said: list[Any]) -> Place:
        name, line, key, rule = said
        if name is None:
            return Place(None, None, key, rule)
        return Place(*self._place_of(name, line), key, rule)

    def _place_of(self, name: str, line: int) -> tuple[str, int]:
        return (name, line) if self._reached is None else self._reached.place(name, line)

    def predicates(self, said: list[Any]) -> tuple[Predicate, ...]:
        """Return the predicates that lists say."""
        return tuple(
            Predicate(
                tuple((name, value) for name, value in binding), *(self.nodes[each] for each in own)
            )
            for binding, *own in said
        )
