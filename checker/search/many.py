"""Searches many specs at once, each in a process of its own, and hands out results by spec."""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkContext
from pathlib import Path
from typing import Generic, TypeVar, cast

from model.errors import FinaleError

from .processes import Processes, Work

FORK: ForkContext = multiprocessing.get_context("fork")

T = TypeVar("T")
"""What is found out about a spec: a report, or more."""


Look = Callable[[Sequence[Path], int, int], None]
"""Called a few times a second: the files being searched, how many are done, and of how many."""


@dataclass(frozen=True)
class _Sent(Generic[T]):
    """What a worker sends: a result, an error of the user, or the traceback of one of ours."""

    file: Path
    result: T | None = None
    error: FinaleError | None = None
    defect: str = ""


def searched(
    files: Sequence[Path],
    search: Callable[[Path], T],
    count: int,
    look: Look,
) -> Iterator[tuple[Path, T | FinaleError]]:
    """Yield the result of each spec, or the error in it, in the order of the files.

    `search` runs in a fork of this process. Raises RuntimeError for a defect in a worker.
    """
    done: dict[Path, T | FinaleError] = {}

    def do(file: Path) -> _Sent[T]:
        try:
            return _Sent(file, search(file))
        except FinaleError as error:
            return _Sent(file, error=error)
        except Exception:
            return _Sent(file, defect=traceback.format_exc())

    def lost(file: Path, how: str, _seconds: float) -> _Sent[T]:
        return _Sent(file, error=_died(file, how))

    work = Work[Path, _Sent[T]](do, lost)
    processes = Processes(files, work, count, FORK, lambda busy: look(busy, len(done), len(files)))
    results, waiting = processes.results(), iter(files)
    file = next(waiting, None)
    for sent in results:
        if sent.defect:
            raise RuntimeError(f"while {sent.file} was searched:\n{sent.defect}")
        done[sent.file] = cast("T", sent.result) if sent.error is None else sent.error
        while file is not None and file in done:
            yield file, done[file]
            file = next(waiting, None)


def _died(file: Path, how: str) -> FinaleError:
    return FinaleError(
        "worker-died",
        f"the process that searched {file} ended with {how}",
        advice="if memory was short, set --max-memory or --jobs 1",
    )


__all__ = ["Look", "searched"]
