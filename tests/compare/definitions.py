"""The two comparisons by their definitions, as sets: slow, and without any of the algorithms."""

from __future__ import annotations

from finale.checker.compare.lts import SILENT, Lts, joined
from tests.compare.random_systems import rows_of


def are_bisimilar(one: Lts, other: Lts, *, divergence: bool) -> bool:
    """Whether the roots are branching bisimilar: the greatest relation, by leaving pairs out."""
    both = joined(one, other)
    steps: dict[int, list[tuple[int, int]]] = {state: [] for state in range(both.states)}
    for source, label, target in rows_of(both):
        if (label, source) != (SILENT, target):
            steps[source].append((label, target))
    states = range(both.states)
    related = {(s, t) for s in states for t in states}
    while True:
        kept = {
            (s, t)
            for s, t in related
            if _transfers(steps, related, s, t)
            and _transfers(steps, related, t, s)
            and (not divergence or _agree_on_divergence(steps, related, s, t))
        }
        if kept == related:
            return (both.root, one.states + other.root) in related
        related = kept


Steps = dict[int, list[tuple[int, int]]]
Relation = set[tuple[int, int]]


def _transfers(steps: Steps, related: Relation, s: int, t: int) -> bool:
    """Whether t answers each step of s: silently through states related to s, and then alike."""
    reached = _silently(steps, t, lambda other: (s, other) in related)
    for label, after in steps[s]:
        if label == SILENT and (after, t) in related:
            continue
        if not any(
            label == its and (after, end) in related
            for other in reached
            for its, end in steps[other]
        ):
            return False
    return True


def _agree_on_divergence(steps: Steps, related: Relation, s: int, t: int) -> bool:
    """Whether both or neither can go on silently forever through states related to s."""

    def diverges(state: int) -> bool:
        region = _silently(steps, state, lambda other: (s, other) in related)
        while True:
            left = {
                each
                for each in region
                if any(label == SILENT and after in region for label, after in steps[each])
            }
            if left == region:
                return state in region
            region = left

    return diverges(s) == diverges(t)


def _silently(steps: Steps, state: int, inside: object) -> set[int]:
    assert callable(inside)
    found, pending = {state}, [state]
    while pending:
        for label, after in steps[pending.pop()]:
            if label == SILENT and after not in found and inside(after):
                found.add(after)
                pending.append(after)
    return found


def shortest_unmatched(one: Lts, other: Lts) -> int | None:
    """The number of steps of a shortest run of one system that the other cannot match: all pairs.

    Lengths are relaxed until none gets shorter. An ending is no step.
    """
    steps: dict[int, list[tuple[int, int, int]]] = {state: [] for state in range(one.states)}
    for number, (source, label, target) in enumerate(rows_of(one)):
        steps[source].append((label, target, 0 if number in one.endings else 1))
    its: dict[int, list[tuple[int, int]]] = {state: [] for state in range(other.states)}
    for source, label, target in rows_of(other):
        its[source].append((label, target))
    start = (one.root, frozenset(_silently(its, other.root, lambda _: True)))
    lengths, pending = {start: 0}, [start]
    found: list[int] = []
    while pending:
        state, members = pending.pop()
        for label, target, counts in steps[state]:
            length = lengths[state, members] + counts
            after = members
            if label != SILENT:
                after = frozenset(
                    end
                    for member in members
                    for its_label, reached in its[member]
                    if its_label == label
                    for end in _silently(its, reached, lambda _: True)
                )
            if not after:
                found.append(length)
            elif lengths.get((target, after), length + 1) > length:
                lengths[target, after] = length
                pending.append((target, after))
    return min(found, default=None)
