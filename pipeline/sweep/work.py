"""The work of one worker in a sweep: it searches one cell, and returns rows as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter

from finale.checker.search.limits import INTERRUPTED, Limits
from finale.checker.search.rows import SEARCH, SpecResult
from finale.checker.search.run import run
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.model.errors import FinaleError
from finale.pipeline.session import shipped

from .cells import spec_in

NOT_REACHED = "not-reached"
"""The verdict on a situation that no run reaches, as `finale check` words it."""


@dataclass(frozen=True)
class SweepOrder:
    """The part of the work that all cells share: spec, properties, limits, user code.

    `file` is below `root`, which has the specs in it that the cells are resumed from.
    """

    root: str
    file: str
    properties: tuple[str, ...]
    states_max: int | None
    seconds_max: float | None
    memory_max: int | None
    protocols: str | None

    @property
    def limits_given(self) -> tuple[float | None, ...]:
        """The limits, of states, seconds and memory."""
        return self.states_max, self.seconds_max, self.memory_max

    @property
    def limits(self) -> Limits:
        """The limits of the search of a cell."""
        return Limits(self.states_max, self.seconds_max, self.memory_max)


@dataclass(frozen=True)
class CellVerdict:
    """The verdict on one property in one cell: the columns of the table, whatever the matrix."""

    property: str
    verdict: str
    how: str
    states: int
    steps: int | None
    seconds: float
    why: str


@dataclass(frozen=True)
class CellResult:
    """The result of a cell. `stopped` names a reached limit, `error` a raised error."""

    key: str
    setting: tuple[tuple[str, str], ...]
    rows: tuple[CellVerdict, ...]
    seconds: float
    stopped: str = ""
    error: str = ""
    limits: tuple[float | None, ...] = ()


def done(
    order: SweepOrder, key: str, setting: tuple[tuple[str, str], ...], table: Mapping[str, object]
) -> CellResult:
    """Search a cell. An error in one cell is reported, and the other cells continue."""
    began = perf_counter()
    try:
        known = _catalogue(order.protocols)
        spec = spec_in(table, shipped(Path(order.root)) / order.file, known)
        result = run(spec, order.limits, None, order.properties)
    except FinaleError as error:
        return CellResult(key, setting, (), perf_counter() - began, error=str(error))
    if result.report.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    seconds = round(perf_counter() - began, 4)
    rows = tuple(_rows(result, order.properties, seconds))
    stopped = result.report.stopped
    return CellResult(key, setting, rows, seconds, stopped, limits=order.limits_given)


def _rows(result: SpecResult, names: tuple[str, ...], seconds: float) -> Iterator[CellVerdict]:
    found = {row.property: row for row in result.rows if row.property != SEARCH}
    for name in names or tuple(found):
        states = result.report.statistics_of(name).states
        if name not in found:
            why = "it says nothing about this protocol, or its history is not kept"
            yield CellVerdict(name, Word.DOES_NOT_APPLY, "", states, None, seconds, why)
            continue
        row = found[name]
        why = row.why if row.word in (Word.UNKNOWN, "vacuous", Word.NOT_ASKED) else ""
        word = NOT_REACHED if row.is_unreached else row.word
        yield CellVerdict(name, word, row.how, states, row.steps, seconds, why)


@cache
def _catalogue(folder: str | None) -> Catalogue:
    return catalogue(None if folder is None else shipped(Path(folder)))
