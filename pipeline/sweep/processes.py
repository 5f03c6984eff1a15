"""Searches cells in several processes of this machine.

A worker that dies takes its cell with it, and no more: another one is started in its place. When
whoever asked dies, the workers end too.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import Thread
from time import perf_counter

from model.errors import FinaleError

from .cells import SweepCell
from .run import SearchCells
from .work import CellResult, SweepOrder, done

_SPAWN: SpawnContext = multiprocessing.get_context("spawn")


@dataclass
class _Worker:
    """A process, what it is at, and since when."""

    process: SpawnProcess
    line: Connection
    cell: SweepCell
    began: float


def searched_here(workers: int | None) -> SearchCells:
    """A search with so many workers, of all processors if not given, and never more than cells."""
    count = workers or len(os.sched_getaffinity(0))
    return lambda cells, order: in_processes(cells, order, min(count, len(cells)))


def in_processes(cells: Sequence[SweepCell], order: SweepOrder, count: int) -> Iterator[CellResult]:
    """Search cells in processes, in this order, and yield each result when it is known."""
    if count == 1:
        for cell in cells:
            yield done(order, cell.key, cell.setting, cell.table)
        return
    ahead = iter(cells)
    busy: dict[Connection, _Worker] = {}
    try:
        for _ in range(count):
            _begin(order, ahead, busy)
        while busy:
            for line in wait(list(busy)):
                assert isinstance(line, Connection)
                worker = busy.pop(line)
                try:
                    found: CellResult = line.recv()
                except (EOFError, OSError):
                    yield _lost(worker)
                    _begin(order, ahead, busy)
                    continue
                _go_on(worker, ahead, busy)
                yield found
    finally:
        for worker in busy.values():
            worker.process.kill()
            worker.process.join()


def _begin(order: SweepOrder, ahead: Iterator[SweepCell], busy: dict[Connection, _Worker]) -> None:
    """Start a worker, if there is a cell for it."""
    cell = next(ahead, None)
    if cell is None:
        return
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_work, args=(order, theirs), daemon=True)
    process.start()
    theirs.close()  # so that the end of the process is the end of the line
    with suppress(OSError):
        ours.send((cell.key, cell.setting, cell.table))
    busy[ours] = _Worker(process, ours, cell, perf_counter())


def _go_on(worker: _Worker, ahead: Iterator[SweepCell], busy: dict[Connection, _Worker]) -> None:
    cell = next(ahead, None)
    if cell is None:
        worker.line.close()
        worker.process.join()
        return
    with suppress(OSError):  # it died just now: its line tells so when it is waited for
        worker.line.send((cell.key, cell.setting, cell.table))
    busy[worker.line] = _Worker(worker.process, worker.line, cell, perf_counter())


def _lost(worker: _Worker) -> CellResult:
    worker.process.join()
    code = worker.process.exitcode or 0
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    error = FinaleError(
        "worker-died",
        f"the process that searched this cell ended with {how}",
        advice="if memory was short, set limits.megabytes or take fewer --workers",
    )
    seconds = perf_counter() - worker.began
    return CellResult(worker.cell.key, worker.cell.setting, (), seconds, error=str(error))


def _work(order: SweepOrder, line: Connection) -> None:
    """Search cells in a worker process until the parent process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for whoever started us
    Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            key, setting, table = line.recv()
        except EOFError:
            return
        line.send(done(order, key, setting, table))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


__all__ = ["in_processes", "searched_here"]
