"""Explores a system completely, and keeps the state graph: states, transitions, faults.

Small systems are explored by the readable search, others by the native one, as in `finale check`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from finale.checker.search.backends import FEW
from finale.checker.search.bfs.machine import CompiledSuccessors
from finale.checker.search.bfs.search import ReadableSearch
from finale.checker.search.limits import INTERRUPTED, LimitHit, Limits, ProgressListener
from finale.checker.search.state_graph.graph import Leaf
from finale.model.errors import FinaleError
from finale.model.system import State, System

from .lts import Numbers

if TYPE_CHECKING:
    from finale.checker.search.native.layout import StateLayout


@dataclass(frozen=True, eq=False)
class Explored:
    """A complete state graph. The first `initial` states are the initial ones.

    Transition `e` takes leaf `leaf[e]` from `source[e]` to `target[e]`. `faulty` has the leaves
    that are faults, by state.
    """

    system: System
    leaves: Sequence[Leaf]
    states: Sequence[State]
    initial: int
    source: Numbers
    leaf: Numbers
    target: Numbers
    faulty: Mapping[int, Sequence[int]]
    columns: Columns


class Columns(Protocol):
    """The cells of all states, by columns."""

    def column(self, cell: int) -> Numbers:
        """Return the values of a cell in all states."""
        ...


def explored(system: System, limits: Limits, progress: ProgressListener | None) -> Explored:
    """Return the state graph of a system. Raises `LimitHit`, `TimeOver`, KeyboardInterrupt."""
    if not _has_native():
        return _readably(system, limits, progress)
    began = perf_counter()
    few = limits
    if limits.states_max is None or limits.states_max > FEW.states:
        few = replace(limits, states_max=FEW.states)
    try:
        return _readably(system, few, progress)
    except LimitHit as limit:
        if few is limits or str(limit) != few.states_word:
            raise
    limits = limits.after(perf_counter() - began)
    try:
        return _natively(system, limits, progress)
    except FinaleError as error:
        if error.code not in {"domain-too-large", "too-many-rules"}:
            raise
        return _readably(system, limits, progress)


def _has_native() -> bool:
    from finale.checker.search.native import support

    return not support.why_not()


def _refuse_stopped(stopped: str) -> None:
    if stopped == INTERRUPTED:
        raise KeyboardInterrupt
    if stopped:
        raise LimitHit(stopped)


def _readably(system: System, limits: Limits, progress: ProgressListener | None) -> Explored:
    search = ReadableSearch(CompiledSuccessors(system), limits, progress)
    search.graph.keeps_edges = True
    search.run()
    _refuse_stopped(search.stopped)
    graph = search.graph
    return Explored(
        system,
        graph.leaves,
        graph.states,
        graph.initial,
        _sources(np.array(graph.starts, np.int64)),
        np.array(graph.taken, np.int64),
        np.array(graph.targets, np.int64),
        graph.faulty,
        TupleColumns(graph.states),
    )


def _natively(system: System, limits: Limits, progress: ProgressListener | None) -> Explored:
    from finale.checker.search.native.graph import edges_of
    from finale.checker.search.native.search import searched

    search = searched(system, limits, progress)
    _refuse_stopped(search.stopped)
    stored = edges_of(search)
    count = len(stored.states)
    return Explored(
        system,
        stored.leaves,
        stored.states,
        stored.initial,
        _sources(stored.first_edge),
        stored.leaf.astype(np.int64),
        stored.target.astype(np.int64),
        stored.faulty,
        PackedColumns(search.machine.layout, search.tables.unpacked(0, count)),
    )


def _sources(first: Numbers) -> Numbers:
    """The state of each transition; state `i` has those from `first[i]` up to `first[i + 1]`."""
    found: Numbers = np.repeat(np.arange(len(first) - 1), first[1:] - first[:-1])
    return found


@dataclass(frozen=True)
class TupleColumns:
    """The cells of states that are tuples."""

    states: Sequence[State]

    def column(self, cell: int) -> Numbers:
        """Return the values of a cell in all states."""
        return np.fromiter((state[cell] for state in self.states), np.int64, len(self.states))


@dataclass(frozen=True)
class PackedColumns:
    """The cells of states that are packed in words."""

    layout: StateLayout
    words: NDArray[np.uint64]

    def column(self, cell: int) -> Numbers:
        """Return the values of a cell in all states."""
        slot = self.layout.slots[cell]
        word = self.words.reshape(-1, self.layout.width)[:, slot.word]
        values = word >> np.uint64(slot.shift) & np.uint64(slot.ones)
        return values.astype(np.int64) + slot.low
