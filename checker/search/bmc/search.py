"""Checks a system with a solver: the entry point of the bounded search.

`checker/search/solving/encoding.py` makes the transition relation, `runs.py` asks for runs,
`bmc.py` asks for counterexamples, and `verdicts.py` draws the verdicts.
"""

from __future__ import annotations

from collections.abc import Collection

from finale.checker.search.limits import Limits, ProgressListener, check_witnesses
from finale.checker.search.verdict import Report, Statistics, Timing
from finale.model.system import System

from .bmc import BoundedSearch
from .verdicts import verdicts_of

NO_LIMITS = Limits()


def check(
    system: System,
    limits: Limits = NO_LIMITS,
    progress: ProgressListener | None = None,
    only: Collection[str] = (),
) -> Report:
    """Return the verdicts on every property of a system; with `only`, look at these rows alone.

    Raises `witness-missing`.
    """
    check_witnesses(system)
    search = BoundedSearch(system, limits, progress, only)
    search.run()
    depth = max(search.refuted, 0)
    return Report(
        "bmc",
        verdicts_of(search),
        Statistics(0, 0, depth, search.seconds, search.is_complete),
        stopped=search.stopped,
        timing=Timing(searching=search.seconds),
        lists_states=False,
    )
