"""Check a system with numpy alone: this is the portable search as others call it.

It answers what the native search answers, from the same layout and the same topics, and is about
as fast as the readable search; it needs far less memory a state.
"""

from __future__ import annotations

from checker.search.answer import Report
from checker.search.limits import Limits, Progress, check_witnesses
from checker.search.state_graph.verdicts import answers_of
from model.expressions import TRUE
from model.language.explore import Branch
from model.system import System, Update

from .steps import Machine
from .walk import Search

NO_LIMITS = Limits()


def check(system: System, limits: Limits = NO_LIMITS, progress: Progress | None = None) -> Report:
    """Answer every property of a system, and the rows that all systems have.

    Raises `witness-missing`, `domain-too-large`.
    """
    check_witnesses(system)
    search = Search(Machine(system), limits, progress)
    search.run()
    answers = answers_of(search)
    rules = system.rules
    return Report(
        "portable",
        answers,
        search.statistics,
        dead_branches=() if search.stopped else _dead(search),
        stopped=search.stopped or search.stopped_after,
        exercised=frozenset(rules[search.leaves[leaf].rule].rule.name for leaf in search.visited),
    )


def _dead(search: Search) -> tuple[Branch, ...]:
    """The branches that some leaf has and no transition exercised, by file and line."""
    written: set[Branch] = set()
    found = set(search.machine.seen)
    for number, leaf in enumerate(search.leaves):
        for branch, condition in leaf.end.branches if isinstance(leaf.end, Update) else ():
            written.add(branch)
            if condition is TRUE and number in search.visited:
                found.add(branch)
    return tuple(sorted(written - found, key=lambda each: (each.file, each.line, not each.outcome)))


__all__ = ["check"]
