"""Runs a sweep: takes known results from the folder, and searches the other cells."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from finale.checker.cache.plain_data import plain, typed
from finale.model.journal import open_journal
from finale.pipeline.sweep.cells import SweepCell, SweepPlan
from finale.pipeline.sweep.work import CellResult, SweepOrder

JOURNAL = "cells.ndjson"


class SweepStore:
    """The journal of a folder, open for more. Raises `sweep-folder`, `sweep-in-use`."""

    def __init__(self, folder: Path) -> None:
        self.known: dict[str, CellResult] = {}
        path = folder / JOURNAL
        self._journal = open_journal("sweep", path, "--output", {"v": 1}, self._take)

    def __enter__(self) -> SweepStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()

    def keep(self, done: CellResult) -> None:
        """Write down what became of a cell. One that raised an error is not kept: it is mended."""
        self.known[done.key] = done
        if not done.error:
            self._journal.write(plain(done))

    def seconds(self) -> dict[tuple[tuple[str, str], ...], float]:
        """Return the last search time of each setting, with any version of the code."""
        return {done.setting: done.seconds for done in self.known.values()}

    def _take(self, record: Any) -> None:
        done = typed(CellResult, record)
        self.known[done.key] = done


SearchCells = Callable[[Sequence[SweepCell], SweepOrder], Iterator[CellResult]]
"""Searches cells, and gives each when it is known: in this process, in several, on Spark."""


@dataclass(frozen=True)
class Swept:
    """The cells of a plan that are known, in its order; how many of them were searched now."""

    plan: SweepPlan
    cells: tuple[CellResult, ...]
    searched: int
    seconds: float
    interrupted: bool = False

    @property
    def errors(self) -> tuple[CellResult, ...]:
        """The cells that could not be searched."""
        return tuple(done for done in self.cells if done.error)

    @property
    def stopped(self) -> tuple[CellResult, ...]:
        """The cells that came to a limit."""
        return tuple(done for done in self.cells if done.stopped)


@dataclass(frozen=True)
class SweepProgress:
    """The progress of a sweep: known, searched and remaining cells, and the estimated work."""

    total: int
    searched: int
    known: int
    seconds: float
    weight_done: float
    weight: float

    @property
    def seconds_left(self) -> float | None:
        """An estimate, or None while nothing can be said."""
        if not self.weight_done:
            return None
        return self.seconds * (self.weight - self.weight_done) / self.weight_done


def order_of(plan: SweepPlan, protocols: str | None) -> SweepOrder:
    """Return the part of the work that all cells share."""
    matrix, limits = plan.matrix, plan.matrix.limits
    root = plan.root
    file = str(matrix.base.resolve().relative_to(root))
    most = (limits.states_max, limits.seconds_max, limits.memory_max)
    return SweepOrder(str(root), file, matrix.properties, *most, protocols)


def unknown_cells(plan: SweepPlan, store: SweepStore, order: SweepOrder) -> list[SweepCell]:
    """Return the cells to search: new, changed, or stopped by a limit that was raised.

    The most work comes first: as long as it took, where the setting was searched before.
    """
    took = store.seconds()
    ahead: dict[str, SweepCell] = {}
    for cell in plan.cells:
        known = store.known.get(cell.key)
        if known is None or known.error or (known.stopped and known.limits != order.limits_given):
            ahead.setdefault(cell.key, cell)
    scale = _seconds_a_weight(ahead.values(), took)
    weighed = [replace(c, weight=took.get(c.setting, c.weight * scale)) for c in ahead.values()]
    return sorted(weighed, key=lambda cell: -cell.weight)


def sweep(
    plan: SweepPlan,
    store: SweepStore,
    order: SweepOrder,
    search: SearchCells,
    tell: Callable[[SweepProgress], None],
) -> Swept:
    """Search what is not known, and keep each cell at once. Ctrl-C ends it with what there is."""
    began = perf_counter()
    ahead = unknown_cells(plan, store, order)
    weights = {cell.key: cell.weight for cell in ahead}
    total, known = len(ahead), len(plan.cells) - len(ahead)
    count, weight, interrupted = 0, 0.0, False
    try:
        if ahead:
            for found in search(ahead, order):
                store.keep(found)
                count, weight = count + 1, weight + weights[found.key]
                seconds = perf_counter() - began
                tell(SweepProgress(total, count, known, seconds, weight, sum(weights.values())))
    except KeyboardInterrupt:
        interrupted = True
    there = [cell for cell in plan.cells if cell.key in store.known]
    results = tuple(replace(store.known[cell.key], setting=cell.setting) for cell in there)
    return Swept(plan, results, count, perf_counter() - began, interrupted)


def _seconds_a_weight(
    cells: Collection[SweepCell], took: dict[tuple[tuple[str, str], ...], float]
) -> float:
    """Estimate the seconds of one unit of weight from known results."""
    pairs = [(cell.weight, took[cell.setting]) for cell in cells if cell.setting in took]
    weight = sum(guess for guess, _ in pairs)
    return sum(seconds for _, seconds in pairs) / weight if weight else 1.0
