"""Leads a distributed search: lets workers do one level after another, and records each level.

A *crew* does the work of a level: workers of a cluster, or this process itself.
"""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter

from finale.checker.search.limits import (
    INTERRUPTED,
    LimitHit,
    Limits,
    ProgressListener,
    SearchProgress,
)
from finale.checker.search.verdict import Statistics

from .bucket import LevelResult, LevelTask
from .files import LEVELS, MAIL, Manifest, SearchFolder

Crew = Callable[[LevelTask], Sequence[LevelResult]]
"""Does the work of a level for all owners: what came of it, by owner."""


class Spread:
    """A distributed search. `stopped` says why it has not seen all states."""

    def __init__(
        self,
        folder: SearchFolder,
        manifest: Manifest,
        limits: Limits,
        progress: ProgressListener | None = None,
    ) -> None:
        self.folder, self.manifest = folder, manifest
        self.limits, self.progress = limits, progress
        self.stopped = ""
        self.memory = 0
        self._seconds_before = manifest.seconds
        self._began = perf_counter()

    @property
    def seconds(self) -> float:
        """The time that it took, with the searches that it resumed."""
        return self._seconds_before + perf_counter() - self._began

    @property
    def statistics(self) -> Statistics:
        """The counts so far, of complete levels."""
        manifest = self.manifest
        frontier = 0 if manifest.is_complete else (manifest.levels or (0,))[-1]
        return Statistics(
            sum(manifest.levels),
            manifest.transitions,
            max(0, len(manifest.levels) - 1),
            manifest.seconds,
            manifest.is_complete,
            frontier,
        )

    def run(self, crew: Crew) -> None:
        """Search until all states are seen, a limit is hit, or the user interrupts."""
        self.folder.forget_after(len(self.manifest.levels))
        try:
            while not self.manifest.is_complete:
                self._look()
                order = LevelTask(
                    self.manifest.owners,
                    len(self.manifest.levels),
                    self.manifest.first,
                    self.limits.memory_max,
                )
                self._commit(order, crew(order))
        except LimitHit as limit:
            self.stopped = str(limit)
        except KeyboardInterrupt:
            self.stopped = INTERRUPTED

    def _look(self) -> None:
        """Tell how far it is. Raises LimitHit when its time is over, or it has seen enough."""
        limits, found = self.limits, self.statistics
        if limits.seconds_max is not None and perf_counter() - self._began > limits.seconds_max:
            raise LimitHit(limits.seconds_word)
        if limits.states_max is not None and found.states >= limits.states_max:
            raise LimitHit(limits.states_word)
        self.tell()

    def tell(self) -> None:
        """Report the progress."""
        if self.progress is not None:
            found = self.statistics
            counts = found.states, found.transitions, found.depth, found.frontier
            self.progress(SearchProgress(*counts, self.seconds, self.memory))

    def _commit(self, order: LevelTask, done: Sequence[LevelResult]) -> None:
        """Make a level count. Raises LimitHit where it was not done."""
        for each in done:
            if each.stopped:
                raise LimitHit(f"{each.stopped}, which one of {order.owners} workers came to")
        assert [each.owner for each in done] == list(range(order.owners))
        states = sum(each.states for each in done)
        kept = [each.chunks or [] for each in done]
        mail = [each.mail or [] for each in done]
        self.folder.write_chunks(LEVELS, order.level, kept)
        self.folder.write_chunks(MAIL, order.level + 1, mail)
        first = dict(self.manifest.first)
        for each in done:
            for name in each.settled:
                first.setdefault(name, order.level)
        self.manifest = replace(
            self.manifest,
            levels=(*self.manifest.levels, states) if states else self.manifest.levels,
            transitions=self.manifest.transitions + sum(each.transitions for each in done),
            first=first,
            visited=_either([self.manifest.visited, *(each.visited.hex() for each in done)]),
            seen=_either([self.manifest.seen, *(each.seen.hex() for each in done)]),
            seconds=self.seconds,
            is_complete=not any(mail),
        )
        self.memory = max(self.memory, sum(each.memory for each in done))
        self.folder.write_manifest(self.manifest)
        self.folder.forget_mail(order.level, order.owners)


def _either(sets: Sequence[str]) -> str:
    """The union of sets of flags, each a byte, in hexadecimal digits."""
    found = 0
    for each in sets:
        found |= int(each or "0", 16)
    return f"{found:0{len(sets[0])}x}" if sets[0] else ""
