"""Check a system: search all of its states and answer every property.

This is the readable back end as others call it; `walk.py` searches, `verdicts.py` answers.
"""

from __future__ import annotations

from time import perf_counter

from checker.search.answer import Report
from checker.search.limits import Limits, Progress, check_witnesses
from checker.search.state_graph.verdicts import answers_of
from model.system import System

from .machine import Compiled, Defined
from .walk import Search

NO_LIMITS = Limits()


def check(
    system: System,
    limits: Limits = NO_LIMITS,
    progress: Progress | None = None,
    *,
    compiled: bool = True,
) -> Report:
    """Answer every property of a system, and the rows that all systems have.

    With `compiled` off the search walks `semantics.py` instead of generated code: much slower, and
    the same in everything. Raises `witness-missing`.
    """
    check_witnesses(system)
    began = perf_counter()
    machine = Compiled(system) if compiled else Defined(system)
    search = Search(machine, limits.after(perf_counter() - began), progress)
    search.run()
    answers = answers_of(search)
    return Report(
        "readable",
        answers,
        search.statistics,
        dead_branches=() if search.stopped else search.coverage.dead(),
        stopped=search.stopped or search.stopped_after,
        exercised=frozenset(search.coverage.rules),
    )


__all__ = ["check"]
