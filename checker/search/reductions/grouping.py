"""Builds a group from exchanges of neighbours: which cells belong to which member."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from finale.model.expressions import Expression
from finale.model.system import System

from .canonical import Reference, SymmetryGroup
from .renaming import CellMove, Renaming, guard_expression


def group_of(
    system: System, members: Sequence[object], exchanges: Sequence[Renaming]
) -> SymmetryGroup | str:
    """Return the group that exchanges of neighbours generate, or why it has no simple form."""
    columns: list[tuple[int, ...]] = []
    shared: list[Reference] = []
    rows: list[tuple[Reference, ...]] = []
    moves = [exchange.moves for exchange in exchanges]
    for orbit in _orbits(len(system.cells), moves):
        column = _column(orbit, moves)
        labelled = [each[cell] for each in moves for cell in orbit if each[cell].labels]
        if column is None:
            return "some cells belong to two members at once"
        if not labelled:
            if len(orbit) > 1:
                columns.append(column)
            continue
        naming = _naming(labelled, moves, column)
        if naming is None:
            return "some values name two members at once"
        references = _references(system, column, labelled[0], naming, moves)
        if references is None:
            return "whether a value names a member depends on which member it is"
        if len(orbit) > 1:
            rows.append(references)
        else:
            shared.append(references[0])
    return SymmetryGroup(tuple(map(str, members)), tuple(columns), tuple(shared), tuple(rows))


Moves = Sequence[Sequence[CellMove]]
"""For each exchange, what becomes of each cell."""


def _orbits(cells: int, moves: Moves) -> list[tuple[int, ...]]:
    """The cells that are moved to each other, in order; one that stays is alone."""
    leader = list(range(cells))

    def of(cell: int) -> int:
        while leader[cell] != cell:
            cell = leader[cell]
        return cell

    for each in moves:
        for move in each:
            one, other = of(move.source), of(move.target)
            leader[max(one, other)] = min(one, other)
    found: dict[int, list[int]] = {}
    for cell in range(cells):
        found.setdefault(of(cell), []).append(cell)
    return [tuple(orbit) for orbit in found.values()]


def _column(orbit: tuple[int, ...], moves: Moves) -> tuple[int, ...] | None:
    """One cell for each member, in their order; a cell that stays belongs to all of them."""
    count = len(moves) + 1
    if len(orbit) == 1:
        return orbit * count
    if len(orbit) != count:
        return None
    moved = [[cell for cell in orbit if each[cell].target != cell] for each in moves]
    if any(len(cells) != 2 for cells in moved):
        return None
    first = moved[0]
    if count > 2:  # of two members, either cell may be called the first one's
        first = sorted(first, key=lambda cell: cell in moved[1])
    column = list(first)
    for cells in moved[1:]:
        new = [cell for cell in cells if cell not in column]
        if len(new) != 1 or column[-1] not in cells:
            return None
        column += new
    return tuple(column)


def _naming(
    labelled: Iterable[CellMove], moves: Moves, column: tuple[int, ...]
) -> tuple[tuple[int, ...], ...] | None:
    """The values that name the members: one tuple for each orbit of values that are exchanged."""
    width = max(len(move.labels) for move in labelled)
    as_moves = [
        [
            CellMove(value, (each[column[0]].labels or tuple(range(width)))[value])
            for value in range(width)
        ]
        for each in moves
    ]
    found: list[tuple[int, ...]] = []
    for orbit in _orbits(width, as_moves):
        if len(orbit) == 1:
            continue
        values = _column(orbit, as_moves)
        if values is None:
            return None
        found.append(values)
    return tuple(found)


def _references(
    system: System,
    column: tuple[int, ...],
    move: CellMove,
    naming: tuple[tuple[int, ...], ...],
    moves: Moves,
) -> tuple[Reference, ...] | None:
    """The references of the members, each under its guard."""
    guards: list[Expression] = []
    position = column.index(move.source)
    for member in range(len(column)):
        guard = move.guard
        # The guard of a member is that of another one, with the cells of its own.
        for step in range(position, member, 1 if member > position else -1):
            each = moves[step if member > position else step - 1]
            guard = tuple((each[cell].target, values) for cell, values in guard)
        if any(each[cell].labels for each in moves for cell, _ in guard):
            return None
        guards.append(guard_expression(guard, system.cells))
    if len(set(column)) == 1 and len(set(guards)) > 1:
        return None
    return tuple(Reference(cell, guard, naming) for cell, guard in zip(column, guards, strict=True))


__all__ = ["group_of"]
