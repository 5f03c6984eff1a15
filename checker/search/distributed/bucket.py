"""One owner's part of a distributed search: the states that it owns, and its work on a level.

For each level, an owner takes the new states from its mail, asks the questions about them, and
computes their successors. It keeps successors that it owns and posts the others for the next level.
Any worker can do the work of any owner: it first reads the owner's states from files.
"""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from finale.checker.search.native.kernel import places as at
from finale.checker.search.native.layout import Words
from finale.checker.search.native.loops import KernelLoops, loops
from finale.checker.search.native.tables import Tables
from finale.checker.search.native.workers import SearchThread

from .files import CHUNK, LEVELS, MAIL, Chunks, SearchFolder, StatesFile
from .program import CompiledProgram

#: States that there is room for in a box at least, and entries for states that were sent (2 to the
#: power of it): as many as a processor keeps near.
BOX_ROOM_MIN = 1 << 15
SENT_BITS = 18
#: What is settled once, beside topics.
DEADLOCK, FAULT = "deadlock", "fault"

Settled = Mapping[str, int]
"""The names of what is settled, each with a level: topics of states are "s0", "s1", …, those of
steps "t0", "t1", …"""


@dataclass(frozen=True)
class LevelTask:
    """The work of an owner on a level. Topics in `settled` need not be asked again."""

    owners: int
    level: int
    settled: Settled
    memory_max: int | None = None


@dataclass(frozen=True)
class LevelResult:
    """The result of an owner's work on a level; if `stopped` says why it failed, nothing else."""

    owner: int
    states: int = 0
    transitions: int = 0
    settled: tuple[str, ...] = ()
    visited: bytes = b""
    seen: bytes = b""
    chunks: Chunks | None = None
    mail: Chunks | None = None
    memory: int = 0
    stopped: str = ""


class Boxes:
    """States to send away, sorted by recipient."""

    def __init__(self, owners: int, own: int, width: int, room: int) -> None:
        self._width, self._room = width, room
        self.counts: NDArray[np.int64] = np.zeros(owners, np.int64)
        self._boxes: Words = np.empty(owners * room * width, np.uint64)
        self._sent: Words = np.zeros(width << SENT_BITS, np.uint64)
        self.block: NDArray[np.int64] = np.zeros(at.MAIL_COUNT, np.int64)
        self.block[at.MAIL_OWNERS], self.block[at.MAIL_OWN] = owners, own
        self.block[at.MAIL_BOXES], self.block[at.MAIL_ROOM] = self._boxes.ctypes.data, room
        self.block[at.MAIL_COUNTS] = self.counts.ctypes.data
        self.block[at.MAIL_SENT] = self._sent.ctypes.data
        self.block[at.MAIL_SENT_BITS] = SENT_BITS
        loops().forget_sent(self.address, width)

    @property
    def address(self) -> int:
        """Where the block is that the loops share."""
        return self.block.ctypes.data

    @property
    def bytes(self) -> int:
        """What it takes of memory."""
        return self._boxes.nbytes + self._sent.nbytes

    def empty(self, files: Sequence[StatesFile]) -> None:
        """Write all states into the file of each owner, or all into the only file."""
        for owner, count in enumerate(self.counts.tolist()):
            begin = owner * self._room * self._width
            file = files[owner] if len(files) > 1 else files[0]
            file.write(self._boxes[begin : begin + count * self._width], owner)
        self.counts[:] = 0


class Bucket:
    """The states of one owner, in memory: all up to a level, and the first answers after it."""

    def __init__(
        self, code: CompiledProgram, owner: int, owners: int, memory_max: int | None
    ) -> None:
        sizes = code.program.sizes
        self.code, self.owner, self.width = code, owner, code.program.width
        #: The level that comes next, and how many states there are before it.
        self.level, self.begin = 0, 0
        self.loops: KernelLoops = loops()
        self.block = code.block()
        self.state_found: NDArray[np.int64] = np.full(sizes.state_topics, -1, np.int64)
        self.step_found: NDArray[np.int64] = np.full(sizes.step_topics, -1, np.int64)
        self.step_base: NDArray[np.int64] = np.full(sizes.step_topics, -1, np.int64)
        self.visited: NDArray[np.uint8] = np.zeros(sizes.leaves, np.uint8)
        self.seen: NDArray[np.uint8] = np.zeros(sizes.branches + 1, np.uint8)
        arrays: dict[int, NDArray[np.int64] | NDArray[np.uint8]] = {
            at.STATE_FOUND: self.state_found,
            at.STEP_FOUND: self.step_found,
            at.STEP_BASE: self.step_base,
            at.VISITED: self.visited,
            at.SEEN: self.seen,
        }
        for place, array in arrays.items():
            self.block[place] = array.ctypes.data
        self.tables = Tables(self.width, self.block, self.loops, memory_max=memory_max)
        self._worker = SearchThread(sizes, self.tables)
        self._boxes = Boxes(owners, owner, self.width, max(BOX_ROOM_MIN, 2 * sizes.steps_max))
        self.tables.claim(self._boxes.bytes)

    @property
    def _address(self) -> int:
        return self.block.ctypes.data

    @property
    def _states(self) -> int:
        return int(self.block[at.STATES])

    # --- where it is -----------------------------------------------------------------------------

    def catch_up(self, folder: SearchFolder, level: int) -> None:
        """Read the work that others did for this owner. Raises LimitHit, `resume-corrupted`."""
        while self.level < level:
            chunks = folder.chunks(LEVELS, self.level)[self.owner]
            for words in folder.read(LEVELS, self.level, self.owner, self.width, chunks, None):
                self._receive(words)
            self.level += 1
            self.begin = self._states

    def _receive(self, words: Words) -> None:
        count, done = len(words) // self.width, 0
        while True:
            done = self.loops.receive(self._address, words.ctypes.data, done, count)
            if done == count:
                return
            self.tables.grow(int(self.block[at.NEEDED]))

    # --- a level ---------------------------------------------------------------------------------

    def work(self, folder: SearchFolder, order: LevelTask) -> LevelResult:
        """Do the work of a level. Raises LimitHit, `resume-corrupted`, `disk-full`."""
        assert self.level == order.level
        self._ask_for(order.settled)
        mail = folder.chunks(MAIL, order.level)
        for sender, chunks in enumerate(mail):
            own = self.owner
            for words in folder.read(MAIL, order.level, sender, self.width, chunks, own):
                self._receive(words)
        begin, end = self.begin, self._states
        with StatesFile(folder, LEVELS, order.level, self.owner, self.width) as kept:
            self._write(kept, begin, end)
        self.loops.ask_all(self._address, self._worker.address, begin, end)
        with StatesFile(folder, MAIL, order.level + 1, self.owner, self.width) as sent:
            self._send(sent, begin, end)
            self._write(sent, end, self._states)
        self.level, self.begin = order.level + 1, end
        return LevelResult(
            self.owner,
            end - begin,
            int(self.block[at.TRANSITIONS]),
            tuple(self._settled(order.settled)),
            self.visited.tobytes(),
            self.seen.tobytes(),
            kept.chunks,
            sent.chunks,
            self.tables.bytes,
        )

    def _write(self, file: StatesFile, begin: int, end: int) -> None:
        file.write(self.tables.store[begin * self.width : end * self.width], self.owner)

    def _send(self, file: StatesFile, begin: int, end: int) -> None:
        # A level may take long, and looks at nothing else: the whole of it is done or it is not.
        boxes = self._boxes
        self.block[at.TRANSITIONS] = 0
        while begin < end:
            self.block[at.NEEDED] = 0
            arguments = begin, min(end, begin + CHUNK), boxes.address
            done = self.loops.send(self._address, self._worker.address, *arguments)
            if done < arguments[1] and self.block[at.NEEDED]:
                self.tables.grow(int(self.block[at.NEEDED]))
            elif done < arguments[1]:
                boxes.empty([file])
            begin = done
        boxes.empty([file])

    # --- what is asked ---------------------------------------------------------------------------

    def _topics(self) -> dict[str, tuple[NDArray[np.int64], int]]:
        found = {f"s{topic}": (self.state_found, topic) for topic in range(len(self.state_found))}
        found |= {f"t{topic}": (self.step_found, topic) for topic in range(len(self.step_found))}
        return found | {DEADLOCK: (self.block, at.DEADLOCK), FAULT: (self.block, at.FAULT_STATE)}

    def _ask_for(self, settled: Settled) -> None:
        for name, (array, place) in self._topics().items():
            array[place] = 0 if name in settled else -1

    def _settled(self, before: Settled) -> list[str]:
        found = self._topics().items()
        return [name for name, (array, at_) in found if name not in before and array[at_] >= 0]


__all__ = [
    "BOX_ROOM_MIN",
    "DEADLOCK",
    "FAULT",
    "Boxes",
    "Bucket",
    "LevelResult",
    "LevelTask",
    "Settled",
]
