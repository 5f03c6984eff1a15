"""Searches cells in several processes of this machine; a worker that dies costs one cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from finale.checker.search.processes import Processes, Work, processors
from finale.model.errors import FinaleError

from .cells import SweepCell
from .run import SearchCells
from .work import CellResult, SweepOrder, done


def searched_here(workers: int | None) -> SearchCells:
    """A search with so many workers, of all processors if not given, and never more than cells."""
    count = workers or processors()
    return lambda cells, order: in_processes(cells, order, min(count, len(cells)))


def in_processes(cells: Sequence[SweepCell], order: SweepOrder, count: int) -> Iterator[CellResult]:
    """Search cells in processes, in this order, and yield each result when it is known."""
    if count == 1:
        yield from (_searched(order, cell) for cell in cells)
        return
    yield from Processes(cells, Work(partial(_searched, order), _lost), count).results()


def _searched(order: SweepOrder, cell: SweepCell) -> CellResult:
    return done(order, cell.key, cell.setting, cell.table)


def _lost(cell: SweepCell, how: str, seconds: float) -> CellResult:
    error = FinaleError(
        "worker-died",
        f"the process that searched this cell ended with {how}",
        advice="if memory was short, set limits.megabytes or take fewer --workers",
    )
    return CellResult(cell.key, cell.setting, (), seconds, error=str(error))
