"""Checks copies of checkpoints: number, original, and the tasks that had finished.

A process writes a copy when it starts. The copy has the finished tasks of its original. If the new
job has another number of subtasks, an operator that had finished has only finished subtasks. After
a drain the sources do not start again. `reference/formats/resuming.py` writes copies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from finale.model.topology import Job
from finale.reference.formats.snapshots import Copied


class CheckpointCopy(NamedTuple):
    """One that was made for a start."""

    number: int
    of: int
    why: str


def origin_of(start: Mapping[str, Any]) -> int | None:
    """The checkpoint that a section starts from."""
    origin = start.get("from") if start.get("starts") == "restoring" else None
    return origin if isinstance(origin, int) else None


def copies_of(start: Mapping[str, Any]) -> tuple[CheckpointCopy, ...]:
    """What a section says of its checkpoint being a copy, maybe of a copy: the oldest first."""
    said, origin = start.get("copied"), origin_of(start)
    if not isinstance(said, dict) or origin is None:
        return ()
    table = cast("dict[str, Any]", said)
    chain = [CheckpointCopy(*each) for each in table.get("chain", ())]
    found = (*chain, CheckpointCopy(origin, table["of"], table["why"]))
    return found if {each.why for each in found} <= {each.value for each in Copied} else ()


def carried(finished: frozenset[str], old: Job, now: Job, *, drained: bool) -> frozenset[str]:
    """Who has finished in a copy for a job as it is now."""
    tasks_of = {
        job: {
            vertex.name: [each.name for each in job.subtasks if each.vertex.name == vertex.name]
            for vertex in job.vertices
        }
        for job in (old, now)
    }
    found: set[str] = set()
    for vertex in now.vertices:
        before, tasks = tasks_of[old].get(vertex.name, []), tasks_of[now][vertex.name]
        known = next((each for each in old.vertices if each.name == vertex.name), None)
        ended = drained and known is not None and not old.edges_into(known)
        if before and (ended or finished >= set(before)):
            found |= set(tasks)
        else:
            found |= finished & set(before)
    return frozenset(found)
