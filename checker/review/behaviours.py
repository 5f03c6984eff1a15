"""Compares what can happen before and after a change, as an observer outside of the job sees it.

A verdict says nothing about a run that no property speaks of. Small settings in which rules differ
are compared completely, until the time is over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

from finale.checker.compare.comparison import Comparison, Difference, Relation, compare
from finale.checker.search.limits import Limits
from finale.model.errors import FinaleError

from .cases import Case
from .pair import Pair

#: Settings with more states are not compared.
STATES_MAX = 20_000
#: So many settings are compared: a setting that is larger rarely shows another kind of run.
SETTINGS_MAX = 8
#: The codes of settings in which the observer has nothing to compare.
_NOTHING = ("nothing-observed", "incomparable", "ids-given-again")


#: What a relation says of the changed protocol.
_WITH_THE_CHANGE = {
    Relation.SAME: "the change shows the same runs",
    Relation.MORE: "the change shows further runs",
    Relation.LESS: "the change lacks runs",
    Relation.BOTH: "the change shows other runs",
    Relation.UNOBSERVABLE: "only steps that nobody sees differ",
    Relation.UNKNOWN: "no answer",
}


@dataclass(frozen=True)
class Behaviours:
    """The comparisons of some settings, the small ones first; `of` is how many settings differ.

    In each, the first system is that before the change. `refused` are the settings in which the
    observer has nothing to compare, and why.
    """

    compared: tuple[tuple[Case, Comparison], ...]
    of: int
    refused: tuple[tuple[Case, FinaleError], ...] = ()

    @property
    def relations(self) -> Mapping[Relation, int]:
        """How often each relation was found."""
        return Counter(each.relation for _, each in self.compared)

    @property
    def told(self) -> Iterator[str]:
        """Each relation in words, with how often it was found, and why others are unknown."""
        for relation, count in self.relations.items():
            why = {each.why for _, each in self.compared if each.relation is relation and each.why}
            yield f"{_WITH_THE_CHANGE[relation]} in {count}" + (
                f" ({', '.join(sorted(why))})" if why else ""
            )
        for message, count in Counter(error.message for _, error in self.refused).items():
            yield f"not comparable in {count} ({message})"

    @property
    def gained(self) -> tuple[Case, Difference] | None:
        """A shortest run that only the changed protocol has."""
        return _shortest((case, each.gained) for case, each in self.compared)

    @property
    def lost(self) -> tuple[Case, Difference] | None:
        """A shortest run that only the protocol without the change has."""
        return _shortest((case, each.lost) for case, each in self.compared)


def _shortest(found: Iterator[tuple[Case, Difference | None]]) -> tuple[Case, Difference] | None:
    runs = [(case, each) for case, each in found if each is not None]
    return min(runs, key=lambda each: each[1].run.trace.length, default=None)


def behaviours_of(
    tried: Sequence[tuple[Case, Pair]], seconds: float, states_max: int | None = None
) -> Behaviours:
    """Compare settings in which some rule steps otherwise, within limits of time and states.

    Specs of the user come first, then the smallest settings.
    """
    end = perf_counter() + seconds
    most = STATES_MAX if states_max is None else min(states_max, STATES_MAX)
    differing = [(case, pair) for case, pair in tried if not pair.is_same]
    found: list[tuple[Case, Comparison]] = []
    refused: list[tuple[Case, FinaleError]] = []
    for case, _ in sorted(differing, key=_order)[:SETTINGS_MAX]:
        left = end - perf_counter()
        if left <= 0:
            break
        try:
            answer = compare(
                case.base, case.changed, limits=Limits(most, left, seconds_given=seconds)
            )
        except FinaleError as error:
            if error.code not in _NOTHING:
                raise
            refused.append((case, error))
        else:
            found.append((case, answer))
    return Behaviours(tuple(found), len(differing), tuple(refused))


def _order(each: tuple[Case, Pair]) -> tuple[bool, int]:
    case, pair = each
    return not case.is_of_user, pair.base.statistics.states + pair.changed.statistics.states


__all__ = ["Behaviours", "behaviours_of"]
