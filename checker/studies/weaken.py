"""Leaves out the assumptions of a spec's rules, one at a time, and says what each protects.

An assumption is a guard or a step of the rules that stands for a mechanism of the modelled system
(`model/language/assumptions.py`). If data are lost or a job hangs without it, the mechanism is a
place to read in the source, and to test.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from finale.checker.search.limits import INTERRUPTED, Limits
from finale.checker.search.many import WORKER_DIED, searched
from finale.checker.search.run import run
from finale.checker.search.verdict import Report, Verdict, Word
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import varied
from finale.checker.spec.grid import without as left_out
from finale.checker.spec.reading import spec_of
from finale.model.errors import FinaleError, nearest
from finale.model.language.assumptions import Assumption
from finale.model.trace import Trace

from .effects import Effect, effect_of

#: What a spec says that is no part of its setting.
_SAID = ("search", "expect", "cites", "fixed_in")


@dataclass(frozen=True)
class Fall:
    """A property that falls without an assumption: its effect, and a shortest counterexample."""

    property: str
    effect: Effect
    trace: Trace

    @builtins.property  # the field of that name hides the word
    def steps(self) -> int:
        """The length of the counterexample."""
        return self.trace.length


@dataclass(frozen=True)
class Weakened:
    """A spec without one assumption: what falls, the worst first.

    `is_same` is true if the search saw the same states, steps and verdicts as with the assumption.
    `stopped` names the limit that ended the search, and `refused` the error of a setting that
    cannot be without the assumption.
    """

    assumption: Assumption
    falls: tuple[Fall, ...] = ()
    is_same: bool = False
    stopped: str = ""
    refused: str = ""

    @property
    def first(self) -> Fall | None:
        """The worst fall; of several the shortest one."""
        return self.falls[0] if self.falls else None

    @property
    def rank(self) -> tuple[int, int]:
        """The worst effect first, then the shortest counterexample."""
        first = self.first
        return (list(Effect).index(first.effect), first.steps) if first else (len(Effect), 0)


@dataclass(frozen=True)
class Weakening:
    """A spec, and what each of its assumptions protects, the worst first.

    `unjudged` are the assumptions that were not looked at before the user stopped the work.
    """

    spec: Spec
    report: Report
    found: tuple[Weakened, ...]
    unjudged: tuple[str, ...] = ()

    @cached_property
    def needed(self) -> tuple[Weakened, ...]:
        """The assumptions without which some property falls."""
        return tuple(each for each in self.found if each.falls)

    @property
    def is_interrupted(self) -> bool:
        """Whether the user stopped the work."""
        return bool(self.unjudged)

    @property
    def is_complete(self) -> bool:
        """Whether no search came to a limit."""
        return not any(each.stopped for each in self.found) and not self.report.stopped


def weaken(
    spec: Spec,
    names: Collection[str],
    limits: Limits,
    jobs: int,
    look: Callable[[Sequence[str], int, int], None],
) -> Weakening:
    """Search a spec without each of its assumptions in turn: all of them, or some by name.

    Raises `unknown-assumption`, `no-assumptions`. Ctrl-C ends the work with what is known.
    """
    assumptions = chosen_of(spec, names)
    base = run(spec, limits).report
    if base.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    found: list[Weakened] = []
    try:
        work = searched(
            tuple(assumptions),
            lambda name: _searched(weaker(spec, name), limits),
            jobs,
            look,
        )
        for name, report in work:
            found.append(_outcome(spec, base, assumptions[name], report))
    except KeyboardInterrupt:
        pass
    known = {each.assumption.name for each in found}
    unjudged = tuple(name for name in assumptions if name not in known)
    return Weakening(spec, base, tuple(sorted(found, key=lambda each: each.rank)), unjudged)


def chosen_of(spec: Spec, names: Collection[str]) -> Mapping[str, Assumption]:
    """Return the assumptions of a spec's protocol that it has not left out itself."""
    known = {
        name: each
        for name, each in spec.protocol.assumptions().items()
        if name not in spec.setting.without
    }
    for name in names:
        if name not in known:
            raise FinaleError(
                "unknown-assumption",
                f'"{spec.protocol.key}" makes no assumption "{name}"',
                advice=nearest(name, known, "docs/assumptions.md lists all assumptions"),
            )
    if not known:
        raise FinaleError(
            "no-assumptions",
            f'no rule of "{spec.protocol.key}" is marked as an assumption',
            advice="mark a helper with @assumed (docs/rules.md), or choose a spec of another "
            "protocol",
        )
    return {name: each for name, each in known.items() if not names or name in names}


def weaker(spec: Spec, name: str) -> Spec:
    """Return a spec without one more assumption."""
    assert spec.table is not None
    names = [*sorted(spec.setting.without), name]
    table = varied(left_out(spec.table, _SAID), [("without", names)])
    made = spec_of(spec.file, table, spec.lines, spec.catalogue)
    left = (*spec.left_out, name)
    return replace(made, variant=spec.variant, values=spec.values, left_out=left)


def _searched(spec: Spec, limits: Limits) -> Report:
    report = run(spec, limits).report
    if report.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    return report


def _outcome(
    spec: Spec, base: Report, assumption: Assumption, report: Report | FinaleError
) -> Weakened:
    if isinstance(report, FinaleError) and report.code == WORKER_DIED:
        return Weakened(assumption, stopped=report.message)
    if isinstance(report, FinaleError):
        return Weakened(assumption, refused=report.message)
    falls = sorted(
        _falls(spec, base, report), key=lambda f: (list(Effect).index(f.effect), f.steps)
    )
    return Weakened(assumption, tuple(falls), _is_same(base, report), report.stopped)


def _falls(spec: Spec, base: Report, report: Report) -> Iterator[Fall]:
    """The claims that fall now and held before; a witness that is no longer reached is no claim.

    What was unknown before may have fallen before, too.
    """
    before = {each.property: each for each in base.verdicts}
    families = {each.name: each for each in spec.families}
    for verdict in report.verdicts:
        family, trace = families.get(verdict.property), verdict.counterexample
        if trace is not None and _held(before.get(verdict.property)):
            yield Fall(verdict.property, effect_of(verdict.property, family), trace)


def _held(verdict: Verdict | None) -> bool:
    """Whether no run violates a property, be it that none tests the property."""
    return verdict is not None and verdict.word in (Word.HOLDS, Word.VACUOUS)


def _is_same(one: Report, other: Report) -> bool:
    """Whether two complete searches saw the same."""
    if one.stopped or other.stopped:
        return False
    numbers = [
        (each.statistics.states, each.statistics.transitions, each.statistics.depth)
        for each in (one, other)
    ]
    words = [{a.property: a.word for a in each.verdicts} for each in (one, other)]
    return numbers[0] == numbers[1] and words[0] == words[1]
