"""Computes what an update of a rule may write, whatever the cells outside of a projection are.

A cell outside of the projection can have any of its reachable values. So the update is taken once
for each of these values, and constants are folded, until it reads no such cell any more. Values
that fold the update to the same share one case. Most updates have few cases, and different rules
have the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from finale.checker.search.state_graph.folding import (
    Known,
    cells_of,
    cells_read,
    folded,
    with_parts,
)
from finale.model.expressions import (
    FALSE,
    TRUE,
    Cell,
    Expression,
    conjunction,
    constant,
    negation,
    parts,
)

Conditions = tuple[tuple[Expression, int], ...]
"""Conditions, and what they are."""
ProjectedUpdate = tuple[Expression, ...]
"""The condition of an update, and the new values of the cells that it writes."""
CellValues = Mapping[int, frozenset[int]]
"""By cell, the values that it may have. Cells of many values are left out."""


def holds(conditions: Conditions) -> Expression:
    """Return the condition that holds if all conditions are what they are said to be."""
    return conjunction([node if value else negation(node) for node, value in conditions])


def simplified(update: ProjectedUpdate, values: CellValues) -> ProjectedUpdate:
    """Return an update in which the cells with one possible value are constants."""
    known: Known = {}
    for cell in cells_read(update):
        value, *others = values.get(cell.index, (0, 1))
        if not others:
            known[cell] = constant(value, cell.boolean)
    memo = Known()
    return tuple(folded(node, known, memo) for node in update)


def cases_of(
    update: ProjectedUpdate,
    own: frozenset[int],
    values: CellValues,
    *,
    way_max: int,
) -> list[ProjectedUpdate] | None:
    """Return the cases of an update, which depend on the cells `own` alone.

    Return None if more than `way_max` updates are on the way to the cases.
    """
    todo, found = [update], dict[ProjectedUpdate, None]()
    seen, memos = {update}, dict[tuple[Cell, int], Known]()
    while todo:
        case = todo.pop()
        if (TRUE, *case[1:]) in found:
            continue
        cell = _first_cell(case[1:], own) or _first_cell(case[:1], own)
        if cell is None:
            found[case] = None
            continue
        if cell.index not in values or len(seen) > way_max:
            return None
        for value in sorted(values[cell.index]):
            memo = memos.setdefault((cell, value), {cell: constant(value, cell.boolean)})
            after = tuple(_replaced(node, cell, memo) for node in case)
            if after[0] is not FALSE and after not in seen:
                seen.add(after)
                todo.append(after)
    return [*found]


def _replaced(node: Expression, cell: Cell, memo: Known) -> Expression:
    """An expression with another one for a cell; `memo` has that, and what is replaced already.

    It does what `folded` does for one cell, and leaves out the parts that do not read the cell.
    """
    if cell not in cells_of(node):
        return node
    if node not in memo:
        memo[node] = with_parts(node, lambda part: _replaced(part, cell, memo))
    return memo[node]


def _first_cell(nodes: Sequence[Expression], own: frozenset[int]) -> Cell | None:
    """The first cell outside of the projection that expressions read."""
    seen, todo = set[Expression](), [*reversed(nodes)]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Cell):
            if node.index not in own:
                return node
        else:
            todo += reversed(parts(node))
    return None
