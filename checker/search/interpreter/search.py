"""Explores a protocol by running its rules on plain values: a second opinion on every count.

`breadth_first.py` searches, and `verdicts.py` draws the verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence

from finale.checker.search.limits import Limits, ProgressListener, check_witnesses
from finale.checker.search.verdict import Report
from finale.model.language.build import build
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol
from finale.model.system import System

from .breadth_first import InterpreterSearch
from .execution import PlainSystem
from .verdicts import verdicts_of

NO_LIMITS = Limits()


def explore(
    protocol: Protocol,
    families: Sequence[Family] = (),
    limits: Limits = NO_LIMITS,
    progress: ProgressListener | None = None,
) -> Report:
    """Search all states of a protocol by running its rules, and answer its properties.

    Liveness properties are `unknown` here. Raises `witness-missing`.
    """
    system = build(protocol, families)
    return explore_plain(PlainSystem(protocol, families), system, limits, progress)


def explore_plain(
    plain: PlainSystem,
    system: System,
    limits: Limits = NO_LIMITS,
    progress: ProgressListener | None = None,
) -> Report:
    """Search a protocol that was built; the system only gives traces their numbers."""
    check_witnesses(system)
    search = InterpreterSearch(plain, limits, progress)
    search.run()
    verdicts = verdicts_of(search, system)
    return Report(
        "concrete",
        verdicts,
        search.statistics,
        stopped=search.stopped,
        exercised=frozenset(search.exercised),
    )
