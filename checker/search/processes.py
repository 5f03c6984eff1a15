"""Does tasks in several processes of this machine, and yields each result when it is known.

A worker that dies takes its task with it, and no more: another one is started in its place. When
whoever asked dies, the workers end too.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkContext, SpawnContext
from multiprocessing.process import BaseProcess
from threading import Thread
from time import perf_counter
from typing import Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

SPAWN: SpawnContext = multiprocessing.get_context("spawn")
#: Code of a user is kept from calling it, and sees another function under its name.
_end_at_once = os._exit
#: Who was asked looks up so often, in seconds, where somebody wants to hear of it.
SECONDS_BETWEEN_LOOKS = 0.2


@dataclass(frozen=True)
class Work(Generic[Task, Result]):
    """What to do with a task, and what to say of one whose worker died, how, and after how long."""

    do: Callable[[Task], Result]
    lost: Callable[[Task, str, float], Result]


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0))


@dataclass
class _Worker(Generic[Task]):
    """A process, what it is at, and since when."""

    process: BaseProcess
    line: Connection
    task: Task
    began: float


class Processes(Generic[Task, Result]):
    """Tasks that are done in `count` processes, in this order.

    `look` is called a few times a second with the tasks that are being done. A context that forks
    hands the work to the workers as it is; one that spawns needs work that can be pickled.
    """

    def __init__(
        self,
        tasks: Iterable[Task],
        work: Work[Task, Result],
        count: int,
        context: SpawnContext | ForkContext = SPAWN,
        look: Callable[[Sequence[Task]], None] | None = None,
    ) -> None:
        self._ahead = iter(tasks)
        self._work = work
        self._count = count
        self._context = context
        self._look = look
        self._busy: dict[Connection, _Worker[Task]] = {}

    def results(self) -> Iterator[Result]:
        """Yield each result when it is known."""
        seconds = None if self._look is None else SECONDS_BETWEEN_LOOKS
        try:
            for _ in range(self._count):
                self._begin()
            while self._busy:
                for line in wait(list(self._busy), seconds):
                    assert isinstance(line, Connection)
                    yield self._received(line)
                if self._look is not None:
                    self._look([worker.task for worker in self._busy.values()])
        finally:
            for worker in self._busy.values():
                worker.process.kill()
                worker.process.join()

    def _received(self, line: Connection) -> Result:
        worker = self._busy.pop(line)
        try:
            found: Result = line.recv()
        except (EOFError, OSError):
            self._begin()
            return self._lost(worker)
        self._go_on(worker)
        return found

    def _begin(self) -> None:
        """Start a worker, if there is a task for it."""
        for task in self._ahead:
            ours, theirs = self._context.Pipe()
            others = (*self._busy, ours) if isinstance(self._context, ForkContext) else ()
            process = self._context.Process(
                target=_serve, args=(self._work.do, theirs, others), daemon=True
            )
            process.start()
            theirs.close()  # so that the end of the process is the end of the line
            with suppress(OSError):
                ours.send(task)
            self._busy[ours] = _Worker(process, ours, task, perf_counter())
            return

    def _go_on(self, worker: _Worker[Task]) -> None:
        for task in self._ahead:
            with suppress(OSError):  # it died just now: its line tells so when it is waited for
                worker.line.send(task)
            self._busy[worker.line] = _Worker(worker.process, worker.line, task, perf_counter())
            return
        worker.line.close()
        worker.process.join()

    def _lost(self, worker: _Worker[Task]) -> Result:
        worker.process.join()
        code = worker.process.exitcode or 0
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return self._work.lost(worker.task, how, perf_counter() - worker.began)


def _serve(do: Callable[[Task], Result], line: Connection, others: Sequence[Connection]) -> None:
    """Do tasks in a worker process until the parent process ends."""
    for other in others:  # a fork has the lines of the others too, and must not keep them open
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for whoever started us
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # no result of ours is told
    Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            task: Task = line.recv()
        except EOFError:
            return
        line.send(do(task))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    _end_at_once(1)
