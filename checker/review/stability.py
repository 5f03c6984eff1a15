"""Repeats verdicts with each bound one larger, and says which of them flip.

A verdict that holds within small bounds can fall in larger ones. Each bound of each case is raised
by one until the time is over: first the specs of the user, then the small cases. If the protocol
without the change flips the same way, the flip does not come from the change. If the property
falls without the change within the small bounds, too, the change mends it up to these bounds alone.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from finale.checker.search.limits import Limits
from finale.checker.search.many import Look, searched
from finale.checker.search.verdict import Report, Verdict, Word
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import varied, without
from finale.model.errors import FinaleError

from .again import rebuilt
from .cases import Case
from .pair import Pair, searched_within
from .settled import settled

#: A larger bound may have so many times the states of a case, and no fewer than that number.
STATES_FACTOR = 30
STATES_LEAST = 100_000
#: One search with a larger bound takes at most this part of the time of all.
PART_MAX = 0.25


@dataclass(frozen=True)
class Larger:
    """A case with one bound one larger."""

    case: Case
    bound: str
    value: int


@dataclass(frozen=True)
class Flip:
    """The verdict on a property that holds with a bound, and falls with the next larger one.

    `falls_before` says whether it falls there without the change, too; None if that verdict
    is unknown. `is_end_of_mend` says that without the change it falls with the smaller bound, too:
    the change mends it up to that bound alone.
    """

    larger: Larger
    verdict: Verdict
    falls_before: bool | None
    is_end_of_mend: bool = False

    @builtins.property  # a property of that name hides the word
    def property(self) -> str:
        """The property that falls."""
        return self.verdict.property

    @builtins.property
    def is_new(self) -> bool:
        """Whether the change brings the violation: without it the property is known to hold.

        A mend, too, can end with a new violation: if the protocol falls with the smaller bound
        alone.
        """
        return self.falls_before is False

    @builtins.property
    def is_unsettled(self) -> bool:
        """Whether nobody knows if the property flips without the change, too."""
        return self.falls_before is None and not self.is_end_of_mend

    @builtins.property
    def is_old(self) -> bool:
        """Whether the property flips without the change, too."""
        return bool(self.falls_before) and not self.is_end_of_mend


@dataclass(frozen=True)
class Stability:
    """The flips, and how many larger bounds were searched to the end, of how many."""

    flips: tuple[Flip, ...]
    searched: int
    of: int


def larger_bounds(case: Case) -> Iterator[Larger]:
    """Each bound of a case, one larger; a bound without a number is left as it is."""
    bounds = case.changed.setting.bounds
    for name in case.changed.protocol.bound_names():
        value = bounds.get(name)
        if value is not None:
            yield Larger(case, name, value + 1)


def raised(spec: Spec, larger: Larger) -> Spec:
    """Return a spec with the larger bound. Raises coded errors."""
    assert spec.table is not None
    bare = without(spec.table, ("expect",))
    values = [(f"bounds.{larger.bound}", larger.value)]
    return rebuilt(spec, varied(bare, values), values)


def stability_of(
    tried: Sequence[tuple[Case, Pair]],
    seconds: float,
    jobs: int,
    look: Look,
    states_max: int | None = None,
) -> Stability:
    """Return the flips of the properties that hold under the change, within limits.

    `states_max` is the maximal number of states of each search, if the user gives one.
    """
    plans = [
        larger
        for case, pair in sorted(tried, key=_order)
        if not pair.changed.stopped
        for larger in larger_bounds(case)
    ]
    pairs = {case.file: pair for case, pair in tried}
    fell = {case.file: _falling(pair.base) for case, pair in tried}
    names = {Path(f"{each.case.file}:{each.bound} = {each.value}"): each for each in plans}
    end = perf_counter() + seconds

    def search(name: Path) -> tuple[_Fallen, bool]:
        larger = names[name]
        left = end - perf_counter()
        if left <= 0:
            return (), False
        pair = pairs[larger.case.file]
        most = max(STATES_LEAST, STATES_FACTOR * pair.changed.statistics.states)
        limits = Limits(states_max or most, min(left, seconds * PART_MAX))
        return _fallen(larger, pair, limits)

    flips, done = list[Flip](), 0
    for name, found in searched([*names], search, max(1, min(jobs, len(names))), look):
        if isinstance(found, tuple):
            fallen, is_whole = found
            mended = fell[names[name].case.file]
            flips += [
                Flip(names[name], verdict, falls_before, verdict.property in mended)
                for verdict, falls_before in fallen
            ]
            done += is_whole
    flips.sort(key=_place)
    return Stability(tuple(flips), done, len(plans))


def _place(flip: Flip) -> tuple[bool, str, bool, int]:
    return not flip.is_new, flip.property, not flip.is_unsettled, flip.verdict.steps or 0


def _order(each: tuple[Case, Pair]) -> tuple[bool, int]:
    case, pair = each
    return not case.is_of_user, pair.changed.statistics.states


_Fallen = tuple[tuple[Verdict, bool | None], ...]
"""What falls, and whether it falls without the change, too."""


def _fallen(larger: Larger, pair: Pair, limits: Limits) -> tuple[_Fallen, bool]:
    """What falls in one case, and whether the search was complete."""
    try:
        changed = raised(larger.case.changed, larger)
        found = searched_within(changed, limits).report
    except FinaleError:
        return (), False
    holding = {each.property for each in pair.changed.verdicts if each.word is Word.HOLDS}
    falling = _falling(found)
    fallen = [each for each in found.verdicts if each.property in holding & falling]
    if not fallen:
        return (), not found.stopped
    before = pair.base  # if only the change has the bound, or can have it larger
    if larger.bound in larger.case.base.protocol.bound_names():
        with suppress(FinaleError):
            base = raised(larger.case.base, larger)
            before = settled(searched_within(base, limits).report, base, found, changed)
    unknown = {each.property for each in before.verdicts if each.word is Word.UNKNOWN}
    falls = _falling(before)
    return tuple(
        (each, None if each.property in unknown else each.property in falls) for each in fallen
    ), not found.stopped


def _falling(report: Report) -> frozenset[str]:
    """The properties that fall."""
    return frozenset(each.property for each in report.verdicts if each.counterexample is not None)


__all__ = ["Flip", "Larger", "Stability", "larger_bounds", "raised", "stability_of"]
