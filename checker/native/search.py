"""Check a system: search all of its states, packed and compiled, and answer every property.

This is the native back end as others call it; `walk.py` searches, `kernel.py` has its inner loops.
"""

from __future__ import annotations

from checker.answer import Report
from checker.explicit.verdicts import answers_of
from checker.question import Limits, Progress, check_witnesses
from model.language.explore import Branch
from model.system import System

from .machine import Machine
from .walk import Search

NO_LIMITS = Limits()


def check(system: System, limits: Limits = NO_LIMITS, progress: Progress | None = None) -> Report:
    """Answer every property of a system, and the rows that all systems have.

    Raises `witness-missing`, `domain-too-large`.
    """
    check_witnesses(system)
    return report_of(searched(system, limits, progress))


def searched(system: System, limits: Limits, progress: Progress | None) -> Search:
    """The search of a system, ended."""
    search = Search(Machine(system), limits, progress)
    search.run()
    return search


def report_of(search: Search) -> Report:
    """What a search that has ended says of all properties."""
    answers = answers_of(search)
    return Report(
        "native",
        answers,
        search.statistics,
        dead_branches=() if search.stopped else _dead(search),
        stopped=search.stopped or search.stopped_after,
        exercised=frozenset(_exercised(search)),
    )


def _dead(search: Search) -> tuple[Branch, ...]:
    """The branches that some leaf has and no transition exercised, by file and line."""
    dead = [branch for branch, place in search.machine.branches.items() if not search.seen[place]]
    return tuple(sorted(dead, key=lambda each: (each.file, each.line, not each.outcome)))


def _exercised(search: Search) -> list[str]:
    """The names of the rules that some transition takes."""
    pairs = zip(search.leaves, search.visited, strict=True)
    return [search.system.rules[leaf.rule].rule.name for leaf, visited in pairs if visited]


__all__ = ["check", "report_of", "searched"]
