"""Checks whether a job can start from a snapshot of another job, by its finished operators.

Models RC-8 (`VertexFinishedStateChecker`) of the fact sheet. The check sees whole vertices: all of
a vertex finished, a part of it, or nothing. An operator that the snapshot does not know runs.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from finale.model.errors import FinaleError, Place
from finale.model.protocols.coordinator.metadata import Flags
from finale.model.protocols.task.stateful import DEALT_OUT
from finale.model.topology import Edge, Job, Pattern


class Finished(enum.Enum):
    """How much of an operator had finished in a snapshot; the words of the fact sheet."""

    RUNNING = "running"
    PARTIALLY = "partially"
    FULLY = "fully"


class Check(enum.Enum):
    """RC-8: what of the check is made.

    ONE_ID looks operators up by the id that is generated, and does not find those to which the user
    has given one; IGNORE_PARTIAL compares only what has finished altogether.
    """

    FULL = "full"
    OFF = "off"
    ONE_ID = "one-id"
    IGNORE_PARTIAL = "ignore-partial"


#: By vertex, how much of each of its operators had finished.
Statuses = Mapping[str, Sequence[Finished]]


@dataclass(frozen=True)
class GraphCheck:
    """The check of a job against what a snapshot says of its vertices."""

    job: Job
    check: Check = Check.FULL

    def refusal(self, statuses: Statuses) -> str | None:
        """RC-8: why the job may not start, or None if it may."""
        if self.check is Check.OFF:
            return None
        for vertex in self.job.vertices:
            found = set(self._of(statuses, vertex.name))
            if len(found) > 1:
                return f"the operators of {vertex} have not all finished alike"
        for edge in self.job.edges:
            if not self._admits(edge, statuses):
                return f"{edge.target} has finished, and {edge.source} that it reads goes on"
        return None

    def _of(self, statuses: Statuses, name: str) -> Sequence[Finished]:
        # The names of a user are on all operators or on none here.
        unknown = name not in statuses or self.check is Check.ONE_ID
        return (Finished.RUNNING,) if unknown else statuses[name]

    def _admits(self, edge: Edge, statuses: Statuses) -> bool:
        """RC-8: (ii) and (iii), what a vertex that has finished may read."""
        source, target = self._of(statuses, edge.source)[0], self._of(statuses, edge.target)[0]
        match target:
            case Finished.FULLY:
                return source is Finished.FULLY
            case Finished.PARTIALLY if self.check is Check.FULL:
                if edge.pattern is Pattern.POINTWISE:
                    return source is not Finished.RUNNING
                return source is Finished.FULLY
            case _:
                return True


def statuses_in(flags: Mapping[str, Flags]) -> Statuses:
    """RC-8: what had finished of each vertex."""
    return {name: (_status(each),) for name, each in flags.items()}


def _status(flags: Flags) -> Finished:
    if flags.is_full:
        return Finished.FULLY
    return Finished.PARTIALLY if flags.finished else Finished.RUNNING


def refuse_changes(former: Job, job: Job) -> None:
    """Refuse what a snapshot of the former job says nothing about, or too much."""
    new = {vertex.name: vertex for vertex in job.vertices}
    for old in former.vertices:
        vertex = new.get(old.name)
        if vertex is None:
            problem = f'the job has no "{old.name}", whose state would be lost'
        elif (vertex.kind, vertex.sink) != (old.kind, old.sink):
            problem = f'"{old.name}" is of another kind than in the job before'
        elif vertex.records != old.records:
            problem = f'the source "{old.name}" has other records than in the job before'
        elif vertex.parallelism != old.parallelism and vertex.kind not in DEALT_OUT:
            problem = f'"{old.name}" has another parallelism, and a state that is not dealt out'
        else:
            continue
        raise FinaleError(
            "resume-changes-too-much",
            problem,
            place=Place(key="job"),
            advice="keep the vertices of the job before; add some, or change the parallelism of "
            "those with keyed, split, union or broadcast state",
        )
