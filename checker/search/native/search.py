"""Checks a system with the native search: its entry point.

`breadth_first.py` searches, `kernel/` has the inner loops, and `finished.py` gives verdicts what
they read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from finale.checker.search.limits import (
    COMPILING,
    Limits,
    ProgressListener,
    SearchProgress,
    check_witnesses,
    looking,
)
from finale.checker.search.options import DEFAULT, SearchOptions
from finale.checker.search.state_graph.verdicts import EXHAUSTIVE, verdicts_of
from finale.checker.search.verdict import Report, Timing, Verdict
from finale.model.expressions import TRUE, Constant
from finale.model.garbage import uncollected
from finale.model.language.explore import Branch
from finale.model.system import System, Update

from .breadth_first import NativeSearch
from .finished import FinishedSearch
from .graph import where
from .loops import compile_within, loops, must_be_compiled
from .machine import NativeMachine
from .storage import Storage, collision_probability

if TYPE_CHECKING:
    from finale.checker.search.reductions.canonical import Canonical
    from finale.checker.search.reductions.kinds import AppliedReduction

NO_LIMITS = Limits()
PREPARING = "compiling the rules"
#: Nothing is told of what takes less.
SECONDS_UNTOLD = 1.0
UPPER_BOUND = "symmetry: what is interchangeable names each other: the count is an upper bound"


def check(
    system: System,
    limits: Limits = NO_LIMITS,
    progress: ProgressListener | None = None,
    under: Sequence[AppliedReduction] = (),
    options: SearchOptions = DEFAULT,
) -> Report:
    """Return the verdicts on every property of a system, and to the rows that all systems have.

    The caller must ask only for properties that the reductions keep. Raises `witness-missing`,
    `domain-too-large`, and `TimeOver` if the time is over before the search begins.
    """
    check_witnesses(system)
    began = perf_counter()
    search = searched(system, limits, progress, under, options)
    compiling = perf_counter() - began - search.clock.seconds
    report = report_of(search)
    return replace(report, timing=replace(report.timing, compiling=compiling))


def searched(
    system: System,
    limits: Limits,
    progress: ProgressListener | None,
    under: Sequence[AppliedReduction] = (),
    options: SearchOptions = DEFAULT,
) -> NativeSearch:
    """Return the finished search of a system. Raises `TimeOver` if it cannot begin in time."""
    began = perf_counter()
    prepare(limits, progress)
    look = looking(limits.after(perf_counter() - began), progress, PREPARING, SECONDS_UNTOLD)
    with uncollected():
        machine = _machine(system, under, look)
    search = NativeSearch(machine, limits.after(perf_counter() - began), progress, options)
    search.run()
    return search


def _machine(
    system: System, under: Sequence[AppliedReduction], look: Callable[[], None]
) -> NativeMachine:
    if not under:
        return NativeMachine(system, look=look)
    from finale.checker.search.reductions.under import canonical_of, partial_order_among

    canonical, order = canonical_of(system, under), partial_order_among(system, under)
    return NativeMachine(system, canonical=canonical, partial_order=order, look=look)


def prepare(limits: Limits, progress: ProgressListener | None) -> None:
    """Compile the loops if necessary. Raises `TimeOver` if that takes longer than the limit."""
    if progress is not None and must_be_compiled():
        progress(SearchProgress(0, 0, 0, 0, 0.0, before=COMPILING))
    if limits.seconds_max is not None:
        compile_within(limits.seconds_max)
    loops()


def report_of(search: NativeSearch) -> Report:
    """Return the report of a search that has ended."""
    canonical = search.machine.canonical
    finished = FinishedSearch(search)
    if canonical is not None:
        from .lifted import LiftedSearch

        finished = LiftedSearch(search, canonical)
    verdicts = verdicts_of(finished)
    if search.storage is Storage.HASHED:
        verdicts = tuple(_but_for_collisions(verdict, search) for verdict in verdicts)
    return Report(
        "native",
        verdicts,
        search.statistics,
        dead_branches=() if search.stopped else dead_branches(search),
        stopped=search.stopped or finished.stopped_after,
        exercised=frozenset(exercised(search)),
        memory=search.memory,
        remarks=tuple(_remarks(search)),
        timing=Timing(searching=search.seconds, liveness=search.clock.seconds_of_liveness),
    )


def _remarks(search: NativeSearch) -> Iterator[str]:
    canonical = search.machine.canonical
    if canonical is not None and _in_doubt(search, canonical):
        yield UPPER_BOUND
    if search.unsaved:
        yield f"{search.unsaved}; what was saved before is still good"
    if search.storage is Storage.HASHED:
        yield (
            "hashed storage: some states may have been taken for others, "
            f"with a probability below {collision_probability(search.statistics.states):.0e}"
        )


def _but_for_collisions(verdict: Verdict, search: NativeSearch) -> Verdict:
    """What was not found may have been taken for another state. What was found is replayed."""
    if verdict.counterexample is not None or verdict.how != EXHAUSTIVE:
        return verdict
    probability = collision_probability(search.statistics.states)
    how = f"{verdict.how} but for hash collisions (probability below {probability:.0e})"
    return replace(verdict, how=how)


def _in_doubt(search: NativeSearch, canonical: Canonical) -> bool:
    """Whether more than one state of some class may be among those counted."""
    doubt = canonical.doubt(search.machine.system)
    if isinstance(doubt, Constant):
        return bool(doubt.value)
    return bool(search.statistics.states) and bool(where(search, doubt).any())


class Covered(Protocol):
    """A search that knows which leaves and branches were taken."""

    @property
    def machine(self) -> NativeMachine: ...
    @property
    def visited(self) -> NDArray[np.uint8]: ...
    @property
    def seen(self) -> NDArray[np.uint8]: ...


def dead_branches(search: Covered) -> tuple[Branch, ...]:
    """Return the branches that no transition has taken, by file and line."""
    found = {branch for branch, place in search.machine.branches.items() if search.seen[place]}
    for leaf, visited in zip(search.machine.leaves, search.visited, strict=True):
        if visited and isinstance(leaf.end, Update):
            found |= {branch for branch, condition in leaf.end.branches if condition is TRUE}
    dead = search.machine.branches.keys() - found
    return tuple(sorted(dead, key=lambda each: (each.file, each.line, not each.outcome)))


def exercised(search: Covered) -> list[str]:
    """Yield the names of the rules that some transition takes."""
    pairs = zip(search.machine.leaves, search.visited, strict=True)
    return [search.machine.system.rules[leaf.rule].rule.name for leaf, visited in pairs if visited]
