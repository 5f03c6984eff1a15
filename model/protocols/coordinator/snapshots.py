"""What a completed checkpoint leaves behind for another job, as plain values by names."""

from __future__ import annotations

from dataclasses import dataclass

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
