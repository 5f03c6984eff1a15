"""Finds a shortest run of one system whose observations the other system cannot make.

The search walks the first system and remembers in which states the second one can be after the same
observations: a set of states, determinised on the way. A run distinguishes if that set is empty.
Breadth-first order makes the first run found a shortest one, counted in steps of the first system.
An ending is no step: all pairs at one distance are asked for their endings before any takes a step.

Two things keep the search small, and neither hides nor delays a shortest run:

- Antichains (De Wulf, Doyen, Henzinger, Raskin): a pair of a state and a set is skipped if the
  state was met before with a smaller set. A run that leaves the larger set without an answer leaves
  the smaller one without an answer, too.
- Bisimilarity: a pair is skipped if the second system can be in a state of the same class. All that
  can follow can follow there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from .bisimulation import distinct_rows
from .lts import SILENT, Lts, Numbers

PAIRS_BETWEEN_LOOKS = 1024


class Determinised:
    """The sets of classes in which a system can be, after silent steps too, as they are needed."""

    def __init__(self, lts: Lts, block: Numbers) -> None:
        source, target = block[lts.source], block[lts.target]
        kept = (lts.label != SILENT) | (source != target)
        rows = np.stack([source[kept], lts.label[kept], target[kept]], axis=1)
        first, _ = distinct_rows(rows)
        self._silent: dict[int, list[int]] = {}
        self._visible: dict[int, list[tuple[int, int]]] = {}
        for one, label, other in rows[first].tolist():
            if label == SILENT:
                self._silent.setdefault(one, []).append(other)
            else:
                self._visible.setdefault(one, []).append((label, other))
        self.sets: list[frozenset[int]] = []
        self._numbers: dict[frozenset[int], int] = {}
        self._after: dict[int, dict[int, int]] = {}
        self.empty = self._number(frozenset())
        self.root = self._number(self._closed([int(block[lts.root])]))

    def after(self, number: int, label: int) -> int:
        """Return the set after an observation: the empty one if it cannot be made."""
        return self.choices(number).get(label, self.empty)

    def choices(self, number: int) -> dict[int, int]:
        """Return the observations that can be made next, each with the set after it."""
        found = self._after.get(number)
        if found is None:
            reached: dict[int, list[int]] = {}
            for each in self.sets[number]:
                for label, other in self._visible.get(each, ()):
                    reached.setdefault(label, []).append(other)
            found = {label: self._number(self._closed(them)) for label, them in reached.items()}
            self._after[number] = found
        return found

    def _closed(self, states: Iterable[int]) -> frozenset[int]:
        found = set(states)
        pending = list(found)
        while pending:
            for other in self._silent.get(pending.pop(), ()):
                if other not in found:
                    found.add(other)
                    pending.append(other)
        return frozenset(found)

    def _number(self, states: frozenset[int]) -> int:
        found = self._numbers.get(states)
        if found is None:
            found = self._numbers[states] = len(self.sets)
            self.sets.append(states)
        return found


@dataclass(frozen=True)
class Unmatched:
    """A run as transitions of one system; the other one makes all its observations but the last.

    `instead` are the observations that the other system can make in place of the last one.
    """

    transitions: tuple[int, ...]
    observations: tuple[int, ...]
    instead: tuple[int, ...]


def unmatched(
    lts: Lts, own: Numbers, other: Determinised, look: Callable[[], None] = lambda: None
) -> Unmatched | None:
    """Return a shortest run of a system that the other one cannot match, or None.

    `own` are the classes of the system's states, shared with those of the other system. `look` is
    called now and then: what it raises ends the search.
    """
    block = own.tolist()
    label, target = lts.label.tolist(), lts.target.tolist()
    met: dict[int, list[int]] = {}
    queue: list[tuple[int, int, int, int]] = []  # state, set, place before, transition

    def meet(state: int, number: int, before: int, transition: int) -> None:
        members = other.sets[number]
        if block[state] in members:
            return
        known = met.setdefault(state, [])
        if any(each == number or other.sets[each] <= members for each in known):
            return
        known.append(number)
        queue.append((state, number, before, transition))

    def run_to(place: int, transition: int) -> Unmatched:
        run, number = [transition], queue[place][1]
        while queue[place][3] >= 0:
            run.append(queue[place][3])
            place = queue[place][2]
        run.reverse()
        observed = tuple(label[each] for each in run if label[each] != SILENT)
        return Unmatched(tuple(run), observed, tuple(sorted(other.choices(number))))

    endings: dict[int, list[int]] = {}
    for transition in lts.endings:
        endings.setdefault(int(lts.source[transition]), []).append(transition)
    meet(lts.root, other.root, -1, -1)
    begin, end = 0, len(queue)  # the places at one distance
    while begin < end:
        for place in range(begin, end):
            state, number, _, _ = queue[place]
            for transition in endings.get(state, ()):
                if other.after(number, label[transition]) == other.empty:
                    return run_to(place, transition)
        for place in range(begin, end):
            if place % PAIRS_BETWEEN_LOOKS == 0:
                look()
            state, number, _, _ = queue[place]
            for transition in lts.outgoing(state):
                seen = label[transition]
                after = number if seen == SILENT else other.after(number, seen)
                if after == other.empty:
                    return run_to(place, transition)
                meet(target[transition], after, place, transition)
        begin, end = end, len(queue)
    return None


def matching(lts: Lts, observations: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shortest run of a system that makes just these observations, as transitions."""
    label, target = lts.label.tolist(), lts.target.tolist()
    queue = [(lts.root, 0, -1, -1)]  # state, observations made, place before, transition
    met = {(lts.root, 0)}
    for place, (state, made, _, _) in enumerate(queue):  # it grows while it is read
        if made == len(observations):
            run: list[int] = []
            while queue[place][3] >= 0:
                run.append(queue[place][3])
                place = queue[place][2]  # noqa: PLW2901 - the search is over
            return tuple(reversed(run))
        for transition in lts.outgoing(state):
            seen = label[transition]
            if seen not in (SILENT, observations[made]):
                continue
            after = (target[transition], made + (seen != SILENT))
            if after not in met:
                met.add(after)
                queue.append((*after, place, transition))
    raise AssertionError("the observations cannot be made")
