"""Snapshots: the plain values that a completed checkpoint leaves behind for another job."""

from __future__ import annotations

from dataclasses import dataclass

from finale.model.language.collections import MapOf
from finale.model.protocols.job.elements import Datum

#: How often the effect of each record is there; records without effect are left out.
Contents = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Snapshot:
    """All that a job needs that is started from a checkpoint, and what is visible by then.

    `finished` are tasks that the checkpoint counts as finished, `remaining` says how many records
    sources had left, `held` what buffering operators held back, `shares` what each subtask has
    reported of its state, `visible` what sinks have shown once what was pending is committed, and
    `in_flight` the records that were logged on channels.
    """

    finished: frozenset[str] = frozenset()
    remaining: tuple[tuple[str, int], ...] = ()
    held: tuple[tuple[str, Contents], ...] = ()
    shares: tuple[tuple[str, Contents], ...] = ()
    visible: tuple[tuple[str, Contents], ...] = ()
    in_flight: tuple[tuple[str, tuple[str, ...]], ...] = ()


def contents_of(effects: MapOf[Datum, int], data: tuple[Datum, ...]) -> Contents:
    """What is there of the effects of records, by their names."""
    return tuple((record.name, effects[record]) for record in data if effects[record])


def fill(effects: MapOf[Datum, int], data: tuple[Datum, ...], contents: Contents) -> None:
    """Write what a snapshot says of the effects of records."""
    known = dict(contents)
    for record in data:
        effects[record] = known.get(record.name, 0)
