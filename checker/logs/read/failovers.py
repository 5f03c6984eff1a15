"""Finds where a new coordinator takes a job over, and counts attempts across coordinators.

A JobManager that crashes, or loses its leadership, leaves its jobs to a new JobMaster. The new one
knows nothing of attempts: it makes a new graph of executions, and each task begins with attempt 0
again. The adaptive scheduler makes a new graph at each restart, too, but goes on counting.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Place = tuple[str, int]
"""A vertex, and a subtask of it."""


class Failover(enum.Enum):
    """What a line tells of a coordinator that is followed by another one."""

    SUSPENDED = "the old coordinator gives the job up"
    BEGINS = "the new coordinator begins"


@dataclass
class GraphAttempts:
    """The attempts of one graph of executions, as lines tell them: the least and the greatest."""

    least: dict[Place, int] = field(default_factory=dict[Place, int])
    greatest: dict[Place, int] = field(default_factory=dict[Place, int])

    def note(self, place: Place, attempt: int) -> None:
        """Take an attempt of a task into account."""
        self.least[place] = min(self.least.get(place, attempt), attempt)
        self.greatest[place] = max(self.greatest.get(place, attempt), attempt)

    def begins_anew(self, latest: Mapping[Place, int]) -> bool:
        """Whether no task that was known goes on counting its attempts."""
        both = self.least.keys() & latest.keys()
        return bool(both) and all(self.least[each] <= latest[each] for each in both)


def first_attempts(
    graphs: Iterable[tuple[str, str]], attempts: Mapping[str, GraphAttempts]
) -> tuple[dict[str, int], frozenset[str]]:
    """Return by graph the number that its attempts count from, and the graphs of new coordinators.

    `graphs` are in the order of their creation, each with its job.
    """
    first: dict[str, int] = {}
    taken_over: set[str] = set()
    latest: defaultdict[str, dict[Place, int]] = defaultdict(dict)
    base: defaultdict[str, int] = defaultdict(int)
    for graph, job in graphs:
        own = attempts.get(graph, GraphAttempts())
        if own.begins_anew(latest[job]):
            base[job] += max(latest[job].values()) + 1
            latest[job] = {}
            taken_over.add(graph)
        first[graph] = base[job]
        for place, attempt in own.greatest.items():
            latest[job][place] = max(latest[job].get(place, 0), attempt)
    return first, frozenset(taken_over)
