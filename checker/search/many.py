"""Searches many specs at once, each in a process of its own, and hands out reports by spec."""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkContext
from pathlib import Path

from model.errors import FinaleError

from .answer import Report
from .processes import Processes, Work

FORK: ForkContext = multiprocessing.get_context("fork")

Found = Report | FinaleError


@dataclass(frozen=True)
class _Sent:
    """What a worker sends: a report, an error of the user, or the traceback of one of ours."""

    file: Path
    report: Report | None = None
    error: FinaleError | None = None
    defect: str = ""


def searched(
    files: Sequence[Path],
    search: Callable[[Path], Report],
    count: int,
    look: Callable[[Sequence[Path], int], None],
) -> Iterator[tuple[Path, Found]]:
    """Yield the report of each spec, or the error in it, in the order of the files.

    `look` is called a few times a second with the files that are being searched, and how many are
    done. `search` runs in a fork of this process. Raises RuntimeError for a defect in a worker.
    """
    done: dict[Path, Found] = {}

    def do(file: Path) -> _Sent:
        try:
            return _Sent(file, search(file))
        except FinaleError as error:
            return _Sent(file, error=error)
        except Exception:
            return _Sent(file, defect=traceback.format_exc())

    processes = Processes(files, Work(do, _lost), count, FORK, lambda busy: look(busy, len(done)))
    results, waiting = processes.results(), iter(files)
    file = next(waiting, None)
    for sent in results:
        if sent.defect:
            raise RuntimeError(f"while {sent.file} was searched:\n{sent.defect}")
        found = sent.report or sent.error
        assert found is not None
        done[sent.file] = found
        while file is not None and file in done:
            yield file, done[file]
            file = next(waiting, None)


def _lost(file: Path, how: str, _seconds: float) -> _Sent:
    error = FinaleError(
        "worker-died",
        f"the process that searched {file} ended with {how}",
        advice="if memory was short, set --max-memory or --jobs 1",
    )
    return _Sent(file, error=error)


__all__ = ["Found", "searched"]
