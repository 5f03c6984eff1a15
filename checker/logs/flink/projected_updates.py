"""Computes what a rule does to a projection, whatever the cells outside of it are.

A cell outside of the projection can have any value. So each update is taken once for each of these
values, and constants are folded: the result reads only cells of the projection. Values with the
same result share one update. Most rules leave few updates, and different rules leave the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from checker.search.state_graph.folding import Known, folded, learn, parts
from model.expressions import (
    FALSE,
    Cell,
    Expression,
    IfThenElse,
    conjunction,
    integer,
    negation,
    truth,
)

Conditions = tuple[tuple[Expression, int], ...]
"""Conditions, and what they are."""

#: An update whose status comes about in more ways is not split.
WAYS_MAX = 128
#: A way that has so many residues on the way to them is left as it is.
FEW = 60
#: A cell with more values than these is not taken value by value.
VALUES_MAX = 12
#: More residues than these are not worth their time; nor is an update that has so many on the way.
RESIDUES_MAX, WAY_MAX = 40, 400


@dataclass(frozen=True)
class ProjectedUpdate:
    """An update of a part: where it is taken, and the new values of cells."""

    condition: Expression
    writes: tuple[tuple[int, Expression], ...]


def whole_of(on: Conditions, writes: Mapping[int, Expression]) -> ProjectedUpdate:
    """Return an update as it is. `on`: its conditions, and what they are."""
    where = conjunction([node if value else negation(node) for node, value in on])
    return ProjectedUpdate(where, tuple(writes.items()))


def ways(whole: ProjectedUpdate, cell: int) -> list[ProjectedUpdate]:
    """Return an update split by the conditions that decide the new value of a cell.

    In each of the ways these conditions are constants, in all other writes, too. So the writes of
    a way go together: an update that fails a task and clears what the task has taken, or does
    neither, has two ways.
    """
    todo, found = [whole], list[ProjectedUpdate]()
    while todo:
        way = todo.pop()
        new = dict(way.writes).get(cell)
        if not isinstance(new, IfThenElse):
            found.append(way)
            continue
        node = new.condition
        while isinstance(node, IfThenElse):
            node = node.condition
        for value in (False, True):
            where = conjunction([way.condition, node if value else negation(node)])
            if where is not FALSE:
                known, memo = learn({}, node, value), Known()
                writes = tuple((n, folded(new, known, memo)) for n, new in way.writes)
                todo.append(ProjectedUpdate(where, writes))
        if len(todo) + len(found) > WAYS_MAX:
            return [whole]
    return found


def projected_updates(
    whole: ProjectedUpdate, own: frozenset[int], most: int = WAY_MAX
) -> list[ProjectedUpdate] | None:
    """Return the residues of an update for the cells `own`; None if they are too many."""
    cells = [cell for cell, _ in whole.writes]
    todo: list[tuple[Expression, ...]] = [(whole.condition, *(new for _, new in whole.writes))]
    known, found = set(todo), dict[ProjectedUpdate, None]()
    while todo:
        nodes = todo.pop()
        if nodes[0] is FALSE:
            continue
        cell = _first_free(nodes[1:], own) or _first_free(nodes[:1], own)
        if cell is None:
            found[ProjectedUpdate(nodes[0], tuple(zip(cells, nodes[1:], strict=True)))] = None
            continue
        for value in range(cell.low, cell.high + 1):
            known_cell: Known = {cell: constant(cell, value)}
            memo = Known()
            after = tuple(
                folded(node, known_cell, memo) if cell.index in cells_of(node) else node
                for node in nodes
            )
            if after not in known:
                known.add(after)
                todo.append(after)
        if len(known) > most or len(found) > RESIDUES_MAX:
            return None
    return [*found]


def constant(cell: Cell, value: int) -> Expression:
    """Return the value of a cell as an expression."""
    return truth(bool(value)) if cell.boolean else integer(value)


@lru_cache(maxsize=100_000)
def cells_of(node: Expression) -> frozenset[int]:
    """Return the cells that an expression reads."""
    if isinstance(node, Cell):
        return frozenset((node.index,))
    return frozenset[int]().union(*map(cells_of, parts(node)))


def _first_free(nodes: Sequence[Expression], own: frozenset[int]) -> Cell | None:
    """The first cell outside of the part, of few values, that expressions read."""
    seen, todo = set[Expression](), [*reversed(nodes)]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Cell):
            if node.index not in own and node.high - node.low < VALUES_MAX:
                return node
        else:
            todo += reversed(parts(node))
    return None
