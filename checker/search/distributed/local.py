"""Searches in one process first, and hands the levels to owners when the search outgrows it.

Most searches end in one process, and are then answered like any native search. A search that comes
to the limit goes back to where its last level began, and forgets what it has seen of that level.
"""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from collections.abc import Iterable, Iterator
from contextlib import ExitStack

import numpy as np
from numpy.typing import NDArray

from finale.checker.search.limits import LimitHit, Limits, ProgressListener
from finale.checker.search.native.breadth_first import NativeSearch
from finale.checker.search.native.kernel import places as at
from finale.checker.search.native.layout import Words
from finale.checker.search.native.loops import loops
from finale.checker.search.native.machine import NativeMachine
from finale.checker.search.options import DEFAULT, SearchOptions

from .bucket import BOX_ROOM_MIN, DEADLOCK, FAULT, Boxes
from .files import CHUNK, LEVELS, MAIL, Manifest, SearchFolder, StatesFile
from .program import SystemProgram


class Local(NativeSearch):
    """A native search that may be outgrown: by a number of states, or by its memory."""

    def __init__(
        self,
        machine: NativeMachine,
        limits: Limits,
        progress: ProgressListener | None,
        options: SearchOptions = DEFAULT,
        states_here: int | None = None,
    ) -> None:
        super().__init__(machine, limits, progress, options)
        self.states_here = states_here
        self.is_outgrown = False

    def look(self) -> None:
        super().look()
        if self.states_here is not None and self.block[at.STATES] > self.states_here:
            self.is_outgrown = True
            raise LimitHit(f"more than {self.states_here} states in process")

    def _make_room(self) -> None:
        try:
            super()._make_room()
        except LimitHit:
            self.is_outgrown = self.block[at.REASON] != at.LIMIT
            raise

    @property
    def transitions_before_level(self) -> int:
        """The transitions from all levels before the last one."""
        begin, end = (
            int(self.tables.levels[int(self.block[at.DEPTH])]),
            int(self.block[at.EXPANDED]),
        )
        return int(self.block[at.TRANSITIONS]) - self._transitions(begin, end)

    def _transitions(self, begin: int, end: int) -> int:
        """The transitions from some states, counted anew."""
        first_edge: NDArray[np.int64] = np.zeros(end + 1, np.int64)
        faulty: NDArray[np.int64] = np.empty((1, 2), np.int64)
        nothing = np.empty(at.BATCH * max(1, len(self.machine.system.rules)), np.int32)
        count = 0
        for head in range(begin, end, at.BATCH):
            first_edge[head] = 0
            arrays = np.array(
                [first_edge.ctypes.data, nothing.ctypes.data, nothing.ctypes.data,
                 faulty.ctypes.data, 0]
            )  # fmt: skip
            stop = min(head + at.BATCH, end)
            worker = self.workers.first.address
            self.loops.edges(self.address, worker, head, stop, arrays.ctypes.data, 0)
            count += int(first_edge[stop])
        return count


def hand_over(search: Local, folder: SearchFolder, program: SystemProgram, owners: int) -> Manifest:
    """Write what a search has seen as levels of this many owners. Raises `disk-full`."""
    depth, levels = int(search.block[at.DEPTH]), search.tables.levels
    for level in range(depth + 1):
        kind = LEVELS if level < depth else MAIL
        words = _parts(search, int(levels[level]), int(levels[level + 1]))
        _distribute(folder, kind, level, owners, program.width, words)
    manifest = Manifest(
        program.identity,
        owners,
        tuple(int(levels[level + 1] - levels[level]) for level in range(depth)),
        search.transitions_before_level,
        dict(_first(search, int(levels[depth]))),
        search.visited.tobytes().hex(),
        search.seen.tobytes().hex(),
        search.seconds,
    )
    folder.write_program(program.text)
    folder.write_manifest(manifest)
    return manifest


def _parts(search: Local, begin: int, end: int) -> Iterator[Words]:
    for part in range(begin, end, CHUNK):
        yield search.tables.unpacked(part, min(part + CHUNK, end))


def _distribute(
    folder: SearchFolder, kind: str, level: int, owners: int, width: int, parts: Iterable[Words]
) -> None:
    """Write the states of a level: each for its owner in its file, or all as mail of the first."""
    boxes = Boxes(owners, 0, width, BOX_ROOM_MIN)
    with ExitStack() as stack:
        files = [
            stack.enter_context(StatesFile(folder, kind, level, owner, width))
            for owner in range(owners)
        ]
        for words in parts:
            done, count = 0, len(words) // width
            while done < count:
                done = loops().sort_out(boxes.address, words.ctypes.data, width, done, count)
                boxes.empty(files if kind == LEVELS else files[:1])
    folder.write_chunks(kind, level, [file.chunks for file in files])


def _first(search: Local, begin: int) -> Iterator[tuple[str, int]]:
    """What was settled in the states before one, and on their steps, with its level.

    A step to a later state counts, that state does not: it will be asked when it is found again.
    """
    found = [(f"s{topic}", int(number)) for topic, number in enumerate(search.state_found)]
    for topic, step in enumerate(search.step_found):
        if step >= 0:
            base = int(search.step_base[topic]) + int(step) // at.RULES_MAX
            found.append((f"t{topic}", base))
    found += [(DEADLOCK, int(search.block[at.DEADLOCK]))]
    found += [(FAULT, int(search.block[at.FAULT_STATE]))]
    for name, number in found:
        if 0 <= number < begin:
            yield name, search.tables.level_of(number)
