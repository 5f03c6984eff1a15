"""Searches many specs at once, each in a process of its own, and hands out results by spec.

A spec has a key: its file, or whatever else tells the specs of one question apart.
"""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkContext
from pathlib import Path
from typing import Generic, TypeVar, cast

from finale.model.errors import FinaleError

from .processes import Processes, Work

#: The code of the error for a spec whose process was killed: nothing is wrong with the spec.
WORKER_DIED = "worker-died"
FORK: ForkContext = multiprocessing.get_context("fork")

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
"""What is found out about a spec: a report, or more."""


Look = Callable[[Sequence[Path], int, int], None]
"""What looks at a search of files."""


@dataclass(frozen=True)
class _Sent(Generic[K, T]):
    """What a worker sends: a result, an error of the user, or the traceback of one of ours."""

    key: K
    result: T | None = None
    error: FinaleError | None = None
    defect: str = ""


def searched(
    keys: Sequence[K],
    search: Callable[[K], T],
    count: int,
    look: Callable[[Sequence[K], int, int], None],
    heed: Callable[[K, T | FinaleError], None] = lambda _key, _result: None,
) -> Iterator[tuple[K, T | FinaleError]]:
    """Yield the result of each spec, or the error in it, in the order of the keys.

    `look` is called a few times a second: the keys of the specs that are being searched, how many
    are done, and of how many. `heed` is called with each result as soon as it is there. `search`
    runs in a fork of this process. Raises RuntimeError for a defect in a worker.
    """
    done: dict[K, T | FinaleError] = {}

    def do(key: K) -> _Sent[K, T]:
        try:
            return _Sent(key, search(key))
        except FinaleError as error:
            return _Sent(key, error=error)
        except Exception:
            return _Sent(key, defect=traceback.format_exc())

    def lost(key: K, how: str, _seconds: float) -> _Sent[K, T]:
        return _Sent(key, error=_died(key, how))

    work = Work[K, _Sent[K, T]](do, lost)
    processes = Processes(keys, work, count, FORK, lambda busy: look(busy, len(done), len(keys)))
    results, waiting = processes.results(), iter(keys)
    key = next(waiting, None)
    for sent in results:
        if sent.defect:
            raise RuntimeError(f"while {sent.key} was searched:\n{sent.defect}")
        done[sent.key] = cast("T", sent.result) if sent.error is None else sent.error
        heed(sent.key, done[sent.key])
        while key is not None and key in done:
            yield key, done[key]
            key = next(waiting, None)


def _died(key: object, how: str) -> FinaleError:
    return FinaleError(
        WORKER_DIED,
        f"the process that searched {key} ended with {how}",
        advice="if memory was short, set --max-memory or --workers 1",
    )
