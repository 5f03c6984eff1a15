"""Walks over the ten kinds of expression nodes, once for all back ends.

`nodes` yields every node once, `fold` computes something for each of them from what was computed
for its parts, and `with_parts` replaces the parts of a node. `folded` simplifies an expression by
what a path of a decision tree has learned; `paths` yields the paths of a tree.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar, assert_never
from weakref import WeakKeyDictionary

from finale.model.expressions import (
    FALSE,
    TRUE,
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
    choose,
    conjunction,
    disjunction,
    equal,
    less,
    minus,
    negation,
    parts,
    plus,
)
from finale.model.system import Blocked, Fault, Test, Tree, Update

Result = TypeVar("Result")

#: The operators of the nodes that have a left and a right part: as functions, and as text.
OPERATIONS = {Add: operator.add, Subtract: operator.sub, Equal: operator.eq, Less: operator.lt}
SIGNS = {Add: "+", Subtract: "-", Equal: "==", Less: "<"}

Known = dict[Expression, Expression]
"""What each decided test, and each term that a test has pinned down, is on this path."""


def learn(known: Known, test: Expression, outcome: bool) -> Known:
    """Return what is known after a test: the test, and what follows from the test at once."""
    known = dict(known)
    pending = [(test, outcome)]
    while pending:
        node, holds = pending.pop()
        known[node] = TRUE if holds else FALSE
        match node:
            case Not():
                pending.append((node.operand, not holds))
            case And() if holds:
                pending += [(operand, True) for operand in node.operands]
            case Or() if not holds:
                pending += [(operand, False) for operand in node.operands]
            case Equal(right=Constant()) if holds:
                known[node.left] = node.right
            case _:
                pass
    return known


def sides(tree: Test, known: Known) -> tuple[Expression, list[tuple[bool, Tree, Known]]]:
    """Return a test as it is where `known` holds, and the sides that it may lead to.

    A side comes with the outcome of the test that leads there, and with what is known there.
    """
    test = folded(tree.condition, known, {})
    both = ((True, tree.yes), (False, tree.no))
    if isinstance(test, Constant):
        return test, [(outcome, side, known) for outcome, side in both if outcome == test.value]
    return test, [
        (outcome, side, learn(learn(known, tree.condition, outcome), test, outcome))
        for outcome, side in both
    ]


@dataclass(frozen=True)
class TreePath:
    """A way through a decision tree: the tests with their outcomes, the leaf, what is known."""

    tests: tuple[tuple[Expression, bool], ...]
    end: Update | Blocked | Fault
    known: Known

    def writes(self) -> dict[int, Expression]:
        """Return the new values that the leaf writes, simplified by what is known there."""
        memo: Known = {}
        writes = self.end.writes if isinstance(self.end, Update) else ()
        return {index: folded(value, self.known, memo) for index, value in writes}


def paths(
    tree: Tree, known: Known, tests: tuple[tuple[Expression, bool], ...] = ()
) -> Iterator[TreePath]:
    """Yield the ways through a decision tree where `known` holds, `yes` before `no`."""
    if not isinstance(tree, Test):
        yield TreePath(tests, tree, known)
        return
    test, further = sides(tree, known)
    for outcome, side, below in further:
        decided = () if isinstance(test, Constant) else ((test, outcome),)
        yield from paths(side, below, (*tests, *decided))


def folded(expression: Expression, known: Known, memo: Known) -> Expression:
    """Return the expression, simplified where `known` holds. `memo` is for one `known`."""
    if isinstance(expression, Constant):
        return expression
    found = known.get(expression) or memo.get(expression)
    if found is None:
        found = memo[expression] = with_parts(expression, lambda part: folded(part, known, memo))
    return found


def with_parts(node: Expression, of: Callable[[Expression], Expression]) -> Expression:
    """Return the node with each of its parts replaced by what `of` gives for it."""
    match node:
        case Constant() | Cell():
            return node
        case Add():
            return plus(of(node.left), of(node.right))
        case Subtract():
            return minus(of(node.left), of(node.right))
        case Equal():
            return equal(of(node.left), of(node.right))
        case Less():
            return less(of(node.left), of(node.right))
        case Not():
            return negation(of(node.operand))
        case And():
            return conjunction(map(of, node.operands))
        case Or():
            return disjunction(map(of, node.operands))
        case IfThenElse():
            return choose(of(node.condition), of(node.yes), of(node.no))
        case _:
            assert_never(node)


def nodes(
    roots: Iterable[Expression],
    known: Container[Expression] = (),
    parts_of: Callable[[Expression], Sequence[Expression]] = parts,
) -> Iterator[Expression]:
    """Yield each node of some expressions once, after its parts.

    Nodes that are `known`, and what only they are made of, are left out.
    """
    done: set[Expression] = set()
    pending = [*reversed([*roots])]
    while pending:
        node = pending[-1]
        if node in done or node in known:
            pending.pop()
        elif missing := [each for each in parts_of(node) if each not in done and each not in known]:
            pending += reversed(missing)
        else:
            pending.pop()
            done.add(node)
            yield node


def fold(
    root: Expression,
    make: Callable[[Expression], Result],
    made: dict[Expression, Result],
    parts_of: Callable[[Expression], Sequence[Expression]] = parts,
) -> Result:
    """Return what `make` makes of an expression; `made` keeps what was made of each node.

    `make` is called once a node, after `made` has the results of the node's parts.
    """
    for node in nodes([root], made, parts_of):
        made[node] = make(node)
    return made[root]


#: The cells that each node reads: asked again and again, and most parts are shared.
_READ: WeakKeyDictionary[Expression, frozenset[Cell]] = WeakKeyDictionary()


def cells_of(root: Expression) -> frozenset[Cell]:
    """Return all cells that an expression reads."""
    read = _READ.get(root)
    if read is None:
        for node in nodes([root], _READ):
            own = (node,) if isinstance(node, Cell) else ()
            read = _READ[node] = frozenset(own).union(*(_READ[each] for each in parts(node)))
    assert read is not None
    return read


def cells_read(expressions: Iterable[Expression]) -> set[Cell]:
    """Return all cells that the expressions read."""
    return set[Cell]().union(*map(cells_of, expressions))


__all__ = [
    "OPERATIONS",
    "SIGNS",
    "Known",
    "TreePath",
    "cells_of",
    "cells_read",
    "fold",
    "folded",
    "learn",
    "nodes",
    "parts",
    "paths",
    "sides",
    "with_parts",
]
