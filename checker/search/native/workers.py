"""The threads of a native search: the arrays that each one works with, and how they run."""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false
import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from finale.checker.search.state_graph.questions import Asked, Topic

from .kernel import places as at
from .loops import KernelLoops
from .machine import NativeMachine
from .tables import Block, Tables, new_block

#: More threads than this find too little to do between two turns.
THREADS_MAX = 8
#: Threads are worth waking for so many states between two looks.
STATES_WORTH_THREADS = 1 << 13
TOPICS = (at.STATE_FIRST, at.STEP_FIRST)


@dataclass(frozen=True)
class Sizes:
    """The numbers of a system: ground rules, leaves, and so on.

    Under partial order, `order` are the sizes of its arrays by position, and `antecedents` are the
    positions of those topics, of states and of steps.
    """

    rules: int
    chunks: int
    leaves: int
    branches: int
    state_topics: int
    step_topics: int
    order: Mapping[int, int] = field(default_factory=dict[int, int])
    antecedents: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    @property
    def steps_max(self) -> int:
        """The largest number of steps of one batch."""
        return at.BATCH * max(1, self.rules)


def sizes_of(machine: NativeMachine) -> Sizes:
    """Return the sizes of a machine's system."""
    topics, order = machine.topics, machine.order
    sizes = Sizes(
        len(machine.system.rules),
        machine.chunks,
        len(machine.leaves),
        len(machine.branches),
        len(topics.in_states),
        len(topics.on_steps),
    )
    if order is None:
        return sizes
    antecedents = _antecedents(topics.in_states), _antecedents(topics.on_steps)
    return replace(sizes, order=order.sizes, antecedents=antecedents)


def _antecedents(topics: Iterable[Topic]) -> tuple[int, ...]:
    return tuple(place for place, (asked, _) in enumerate(topics) if asked is Asked.WHEN)


class SearchThread:
    """The arrays of one thread (`kernel/places.py`); partial order needs some of them twice."""

    def __init__(self, sizes: Sizes, tables: Tables, is_for_chains: bool = False) -> None:
        steps_max = sizes.steps_max
        width = tables.width
        self.block = new_block(at.OWN_COUNT)
        words = {
            at.OUT: steps_max * width,
            at.HASHES: steps_max,
            at.SIFTED: 2 * steps_max + 4,  # lists are written to behind their ends
            at.CANDIDATES: 2 * steps_max + 2,
            at.STARTS: sizes.chunks * (at.BATCH + 1),
            at.STATE_FIRST: sizes.state_topics,
            at.STEP_FIRST: sizes.step_topics,
        }
        if tables.nodes is not None:
            parts = max(1, len(tables.nodes.below))
            words |= {at.BEFORE: at.BATCH * width, at.BEFORE_IDS: at.BATCH * parts}
            words |= {at.OUT_IDS: parts}
        if sizes.order:
            words |= sizes.order
            words |= {at.CHAIN_STEPS: steps_max, at.CHAIN_STATES: steps_max * width}
        arrays = {place: np.empty(size, np.int64) for place, size in words.items()}
        if is_for_chains:
            for place, antecedents in zip(TOPICS, sizes.antecedents, strict=True):
                arrays[place][:] = at.CLOSED
                arrays[place][list(antecedents)] = at.OPEN
        leaves, branches = sizes.leaves, sizes.branches + 1
        bytes_of = {at.FRESH: leaves, at.OWN_VISITED: leaves, at.OWN_SEEN: branches}
        flags = {place: np.zeros(size, np.uint8) for place, size in bytes_of.items()}
        halves_of = {
            at.LEAVES: steps_max,
            at.IN_ORDER: steps_max + at.RULES_IN_CHUNK,
            at.STUCK: at.BATCH + 1,
            at.FRESH_STEPS: steps_max + 1,
            at.NEW_PARTS: steps_max,
            at.PICKS: at.BATCH + 1,
            at.RECENT: 1 << at.RECENT_BITS,
        }
        halves = {place: np.empty(size, np.int32) for place, size in halves_of.items()}
        self._arrays: dict[int, NDArray[np.generic]] = {**arrays, **flags, **halves}
        for place, array in self._arrays.items():
            self.block[place] = array.ctypes.data
        if sizes.order and not is_for_chains:
            self._for_chains = SearchThread(sizes, tables, is_for_chains=True)
            self.block[at.CHAIN] = self._for_chains.address

    @property
    def address(self) -> int:
        """The address of its block."""
        return self.block.ctypes.data


class SearchThreads:
    """All threads of a search; the calling thread works too."""

    def __init__(
        self, machine: NativeMachine, tables: Tables, loops: KernelLoops, threads: int
    ) -> None:
        self.count = threads
        self._sizes, self._tables, self._loops = sizes_of(machine), tables, loops
        self._workers = [SearchThread(self._sizes, tables)]
        self._pool: ThreadPoolExecutor | None = None

    @property
    def first(self) -> SearchThread:
        """The calling thread."""
        return self._workers[0]

    def advance(self, block: Block, states: int) -> None:
        """Expand about this many states, until there is a reason to stop."""
        shared = block.ctypes.data
        block[at.TAKEN], block[at.REASON] = block[at.EXPANDED], at.RUNNING
        if self.count == 1 or states < STATES_WORTH_THREADS:
            self._loops.advance(shared, self.first.address)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.count - 1, "search")
            self._workers += [
                SearchThread(self._sizes, self._tables) for _ in range(self.count - 1)
            ]
        others = [
            self._pool.submit(self._loops.advance, shared, worker.address)
            for worker in self._workers[1:]
        ]
        try:
            self._loops.advance(shared, self.first.address)
            wait(others)
        except BaseException:  # an interrupt must not leave them at work on what is being told
            block[at.STOP] = 0
            wait(others)
            raise

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def threads_for(asked: int | None, searches: int = 1) -> int:
    """Return the number of threads: the number asked for, or the processors of one search."""
    return asked or max(1, min(THREADS_MAX, _processors()) // searches)


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
