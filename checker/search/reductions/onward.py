"""Finds the updates that no run takes twice between two equal states: they are on no cycle.

A stubborn set must not put off other steps forever. It cannot if it has a step that is on no cycle
of states. Such a step moves some cell from one value to another, and no steps lead back. To find
this, the values of each cell are nodes of a graph, and the steps that write the cell are its edges:
an update is on no cycle if all its edges lead from one strongly connected component to another.
Updates that are on no cycle are left out of the graphs, so that others may be seen to be on none:
after the failures that a counter allows, the status of a task only moves on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from finale.model.expressions import Expression, equal

from .canonical import Canonical
from .pairs import Facts, Pairs
from .transitions import Transitions

Edges = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class _Move:
    """An update: its guard, what may hold before it, and how it moves the cells that it writes."""

    guard: list[tuple[Expression, bool]]
    before: Facts
    writes: Mapping[int, Expression]
    edges: Mapping[int, Edges]


def onward_of(transitions: Transitions, pairs: Pairs, canonical: Canonical | None) -> int:
    """Return the set of the updates that are on no cycle of states, as bits.

    Where members are exchanged, the cells of a column share one graph: the sum of their ranks in it
    stays the same. Cells that name members are left out of account.
    """
    graph_of, lows = _graphs(transitions, canonical)
    moves: dict[int, _Move] = {}
    for number, leaf in enumerate(transitions.leaves):
        if leaf is not None and leaf.writes:
            atoms = transitions.atoms.all
            guard = [(atoms[each // 2], bool(each % 2)) for each in leaf.guard]
            before = pairs.where(guard)
            edges = {
                index: frozenset(pairs.moves(index, value, before))
                for index, value in leaf.writes.items()
                if before and index in graph_of
            }
            moves[number] = _Move(guard, before, leaf.writes, edges)
    resets = {
        index: frozenset((value, low) for value in pairs.values_of(index))
        for index, low in lows.items()
        if index in graph_of
    }
    found = 0
    while fresh := _fresh(transitions, pairs, moves, resets, graph_of):
        for number in fresh:
            found |= 1 << number
            del moves[number]
    return found


def _graphs(
    transitions: Transitions, canonical: Canonical | None
) -> tuple[dict[int, int], dict[int, int]]:
    """The graph of each cell, by number; and the value of each cell that is reset at times."""
    graph_of = {index: index for index in range(len(transitions.system.cells))}
    lows: dict[int, int] = {}
    if canonical is None:
        return graph_of, lows
    for reset in canonical.resets:
        lows |= {index: canonical.lows[index] for index in reset.cells}
    for group in canonical.groups:
        for column in group.columns:
            shared = {graph_of[index] for index in column}
            graph_of |= {i: column[0] for i, graph in graph_of.items() if graph in shared}
    for group in canonical.groups:
        for reference in [*group.shared, *(each for row in group.rows for each in row)]:
            graph_of.pop(reference.cell, None)
    return graph_of, lows


def _fresh(
    transitions: Transitions,
    pairs: Pairs,
    moves: Mapping[int, _Move],
    resets: Mapping[int, Edges],
    graph_of: Mapping[int, int],
) -> list[int]:
    """The updates that leave a component of some graph whenever they are taken."""
    graphs: dict[int, set[tuple[int, int]]] = {}
    for edges_of in [*(move.edges for move in moves.values()), resets]:
        for index, edges in edges_of.items():
            graphs.setdefault(graph_of[index], set()).update(edges)
    components = {graph: _components(edges) for graph, edges in graphs.items()}

    def leaves_or_stays(index: int, edges: Edges) -> bool:
        component = components[graph_of[index]]
        return all(one == other or component[one] != component[other] for one, other in edges)

    found: list[int] = []
    for number, move in moves.items():
        kept = [index for index, edges in move.edges.items() if leaves_or_stays(index, edges)]
        cells = transitions.system.cells
        # Of these cells, at least one changes.
        is_same = [(equal(move.writes[index], cells[index]), True) for index in kept]
        if not move.before or (kept and not pairs.where([*is_same, *move.guard], move.before)):
            found.append(number)
    return found


def _components(edges: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The strongly connected component of each value, named by its least value."""
    after: dict[int, set[int]] = {}
    for one, other in edges:
        after.setdefault(one, {one}).add(other)
        after.setdefault(other, {other})
    is_growing = True
    while is_growing:
        is_growing = False
        for one, reached in after.items():
            more = set[int]().union(*(after[each] for each in reached))
            if not more <= reached:
                after[one] |= more
                is_growing = True
    return {one: min(each for each in after[one] if one in after[each]) for one in after}


__all__ = ["onward_of"]
