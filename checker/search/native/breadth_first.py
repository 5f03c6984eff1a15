"""The native search: breadth-first over packed states, in the order of the readable search.

States are numbered in the order found and expanded in that order, and rules are taken in their
order. So counts, first answers and traces are those of the readable search. The search keeps no
parents: for the few traces that are shown, they are found again, level by level.
"""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from finale.checker.search.limits import (
    INTERRUPTED,
    LimitHit,
    Limits,
    ProgressListener,
    SearchClock,
    SearchProgress,
)
from finale.checker.search.options import DEFAULT, SearchOptions
from finale.checker.search.state_graph.liveness import is_judged
from finale.checker.search.verdict import Statistics
from finale.model.errors import FinaleError
from finale.model.system import State

from .code import Compilation
from .free_memory import share_of_free_memory
from .kernel import places as at
from .loops import loops
from .machine import NativeMachine
from .resume import ResumeFolder
from .saving import Saving, identity
from .storage import STORAGES, DiskStore, Storage
from .tables import STATES_MAX, Tables, new_block
from .workers import SearchThreads, threads_for

#: Between two looks at the clock: at first this many states, then as many as take so long.
STATES_BETWEEN_LOOKS = 256
SECONDS_BETWEEN_LOOKS = 0.05
#: Whether levels shrink, and how fast, is told from so many.
LEVELS_LOOKED_AT = 4
#: Judging liveness takes about so many times as long as the search: it finds all steps again.
LIVENESS_SHARE = 1.0
#: So many are looked at for bits that no cell has, when Python checks what is asserted.
STATES_CHECKED = 1 << 12
#: Better code takes three to six times as long to make, and saves a tenth to a fifth of the time:
#: it is made when the search has taken so many times as long as making the first.
WORTH = 60
Flags = NDArray[np.uint8]
Numbers = NDArray[np.int64]


class NativeSearch:
    """A breadth-first search: what it has seen, and how far it is.

    `stopped` says why the search did not see all states; `unsaved` says why the end of the search
    is not in the folder to resume from.
    """

    def __init__(
        self,
        machine: NativeMachine,
        limits: Limits,
        progress: ProgressListener | None,
        options: SearchOptions = DEFAULT,
    ) -> None:
        self.machine = machine
        self.limits = limits
        self.options = options
        self.storage = STORAGES[options.storage]
        self.stopped = ""
        self.unsaved = ""
        self.seconds = 0.0
        topics = machine.topics
        self.loops = loops()
        self.block = new_block()
        self.block[[at.DEADLOCK, at.FAULT_STATE, at.FAULT_LEAF]] = -1
        self.state_found: Numbers = np.full(len(topics.in_states), -1, np.int64)
        self.step_found: Numbers = np.full(len(topics.on_steps), -1, np.int64)
        self.step_base: Numbers = np.full(len(topics.on_steps), -1, np.int64)
        self.visited: Flags = np.zeros(len(machine.leaves), np.uint8)
        self.seen: Flags = np.zeros(len(machine.branches) + 1, np.uint8)
        self.clock = SearchClock(limits, progress)
        self._judges_liveness = any(map(is_judged, machine.system.properties))
        self._tables: Tables | None = None
        self._workers: SearchThreads | None = None
        self._better: Compilation | None = None
        self._opened: Saving | None = None
        self._saving: Saving | None = None
        #: What searches that this one goes on from have taken.
        self._seconds_before = 0.0

    @property
    def tables(self) -> Tables:
        """The states; there are none before the search begins."""
        assert self._tables is not None
        return self._tables

    @property
    def workers(self) -> SearchThreads:
        """The threads."""
        assert self._workers is not None
        return self._workers

    @property
    def arrays(self) -> dict[str, Numbers | Flags]:
        """The arrays of findings, by the names under which they are saved."""
        return {
            "state_found": self.state_found,
            "step_found": self.step_found,
            "step_base": self.step_base,
            "visited": self.visited,
            "seen": self.seen,
        }

    @property
    def address(self) -> int:
        """The address of the block that all loops share."""
        return self.block.ctypes.data

    # --- searching -------------------------------------------------------------------------------

    def run(self) -> None:
        """Search until all states are seen, a limit is hit, or the user interrupts."""
        ended = False
        try:
            self._prepare()
            self._begin()
            self._saving = self._opened  # what was not begun is not saved
            if self._saving is not None:
                self._saving.save(self._seconds_before)
            self._run()
            ended = True
            assert self._are_canonical(), "a step writes more than its state"
        except LimitHit as limit:
            self.stopped = str(limit)
        except KeyboardInterrupt:
            self.stopped = INTERRUPTED
        finally:
            self.seconds = self._seconds_before + self.clock.seconds
            self._end(ended)

    def _are_canonical(self) -> bool:
        """Whether the last states found are what encoding them gives: if not, some count twice."""
        states = int(self.block[at.STATES])
        words = self.tables.unpacked(max(0, states - STATES_CHECKED), states)
        return self.machine.layout.is_canonical(words)

    def _end(self, ended: bool) -> None:
        if self._workers is not None:
            self._workers.close()
        if self._better is not None:
            self._better.close()
        saving, self._saving = self._saving, None
        try:  # a state that the limit of states cut off is not saved: it would be counted twice
            if saving is not None and self.block[at.REASON] != at.LIMIT:
                saving.save(self.seconds)
        except FinaleError as error:
            if not ended:
                raise
            self.unsaved = error.message  # the answer is known: it is not given up for this
        finally:
            if self._opened is not None:
                self._opened.folder.close()

    @property
    def _states_word(self) -> str:
        """Of the limit of states, which is that of the loops where none was given."""
        return replace(self.limits, states_max=int(self.block[at.STATES_MAX])).states_word

    def _prepare(self) -> None:
        """Tell the loops all that they need to know."""
        machine, block = self.machine, self.block
        self._tell_code()
        block[at.CHUNKS], block[at.LEAF_RULES] = machine.chunks, machine.leaf_rules.ctypes.data
        block[at.PARTS] = len(machine.lowering.asking.parts)
        block[at.LEAF_PARTS] = machine.leaf_parts.ctypes.data
        block[at.STATES_MAX] = self.limits.states_max or STATES_MAX
        block[at.BRANCHES], block[at.LEAVES_COUNT] = len(self.seen), len(self.visited)
        block[at.STATE_TOPICS], block[at.STEP_TOPICS] = len(self.state_found), len(self.step_found)
        block[at.VISITED], block[at.SEEN] = self.visited.ctypes.data, self.seen.ctypes.data
        block[at.STATE_FOUND] = self.state_found.ctypes.data
        block[at.STEP_FOUND] = self.step_found.ctypes.data
        block[at.STEP_BASE] = self.step_base.ctypes.data
        disk = DiskStore() if self.storage is Storage.HASHED else None
        threads = threads_for(self.options.threads, self.options.searches)
        memory_max = self.limits.memory_max or share_of_free_memory(self.options.searches)
        self._tables = Tables(
            machine.layout.width, block, self.loops, self.storage, memory_max, disk
        )
        self._workers = SearchThreads(machine, self._tables, self.loops, threads)

    def _begin(self) -> None:
        """The initial states are the first level, unless more was seen before."""
        if self.options.resume is not None and self._restored(self.options.resume):
            if self.block[at.STATES] > self.block[at.STATES_MAX]:
                raise LimitHit(self._states_word)
            return
        tables, layout, block = self.tables, self.machine.layout, self.block
        initial = self.machine.initial
        taken = initial[: int(block[at.STATES_MAX])]
        words = [word for state in taken for word in layout.encode(state)]
        tables.append(np.array(words, np.uint64))
        block[at.LEVEL_END] = tables.levels[1] = len(taken)
        self.loops.ask_all(self.address, self.workers.first.address, 0, len(taken))
        if len(taken) < len(initial):
            raise LimitHit(self._states_word)

    def _restored(self, path: Path) -> bool:
        """Whether the search goes on from what was saved. From then on it is saved there."""
        folder = ResumeFolder(path, identity(self.machine, self.storage is Storage.HASHED))
        saving = Saving(folder, self.block, self.tables, self.arrays)
        try:
            before = saving.restore()
        except BaseException:
            saving.folder.close()  # what is refused is left alone
            raise
        self._opened, self._seconds_before = saving, before or 0.0
        return before is not None

    def _run(self) -> None:
        between = STATES_BETWEEN_LOOKS
        while True:
            self.look()
            began = perf_counter()
            self.block[at.STOP] = self.block[at.EXPANDED] + between
            self.workers.advance(self.block, between)
            while self.block[at.REASON] not in {at.PAUSED, at.DONE}:
                self._make_room()
                self.workers.advance(self.block, between)
            if self.block[at.REASON] == at.DONE:
                return
            if perf_counter() - began < SECONDS_BETWEEN_LOOKS / 2:
                between *= 2
            self._optimise()

    def _optimise(self) -> None:
        """Compile with more effort, beside the search, once it takes long enough to be worth it."""
        machine = self.machine
        if self._better is None:
            if machine.level == 0 and self.clock.seconds > WORTH * machine.seconds:
                self._better = machine.compilation(1)
        elif self._better.is_done:
            machine.take(self._better.code(), 1)
            self._better = None
            self._tell_code()

    def _tell_code(self) -> None:
        places = [at.EXPAND, at.ASK, at.COVER, at.IS_STUCK, at.ASK_PART, at.CANONICAL]
        self.block[places] = self.machine.code
        order = self.machine.order
        self.block[at.ORDER] = order.address if order is not None else 0

    def _make_room(self) -> None:
        reason = int(self.block[at.REASON])
        if reason == at.LIMIT:
            raise LimitHit(self._states_word)
        if reason == at.FULL:
            self.tables.grow(int(self.block[at.NEEDED]))
        elif reason == at.FULL_NODE:
            self.tables.grow_nodes()
        else:
            self.tables.grow_levels()

    def look(self) -> None:
        """Report the progress. Raises LimitHit when the time is over."""
        self.clock.check()
        if self._saving is not None:
            self._saving.save_in_time(self._seconds_before + self.clock.seconds)
        self.clock.report(self._progress)

    def _progress(self, seconds: float) -> SearchProgress:
        seconds += self._seconds_before
        states, expanded = int(self.block[at.STATES]), int(self.block[at.EXPANDED])
        transitions, depth = int(self.block[at.TRANSITIONS]), int(self.block[at.DEPTH])
        frontier, memory = states - expanded, self.tables.bytes
        left = states_left(self.tables.levels[: depth + 2], frontier)
        seconds_left = None if left is None or not expanded else left * seconds / expanded
        if seconds_left is not None and self._judges_liveness:
            seconds_left += LIVENESS_SHARE * (seconds + seconds_left)
        return SearchProgress(states, transitions, depth, frontier, seconds, memory, seconds_left)

    # --- what was found --------------------------------------------------------------------------

    @property
    def statistics(self) -> Statistics:
        """The counts so far."""
        states, expanded = int(self.block[at.STATES]), int(self.block[at.EXPANDED])
        depth = int(self.block[at.DEPTH])
        if self.stopped and states:
            depth = self.tables.level_of(states - 1)
        return Statistics(
            states,
            int(self.block[at.TRANSITIONS]),
            depth,
            self.seconds,
            not self.stopped,
            states - expanded,
        )

    @property
    def memory(self) -> int:
        """The most bytes that the search has taken."""
        return self._tables.peak if self._tables is not None else 0

    def state(self, number: int) -> State:
        """A state, by its number."""
        return self.machine.layout.decode(self.tables.words(number))


def states_left(levels: Numbers, frontier: int) -> float | None:
    """Return how many states are still to be expanded, if levels go on to shrink; None if not.

    `levels` has the first state of each level.
    """
    sizes = np.diff(levels)[-LEVELS_LOOKED_AT:]
    if len(sizes) < LEVELS_LOOKED_AT or not sizes[0] > sizes[-1] > 0:
        return None
    ratio: float = float(sizes[-1] / sizes[0]) ** (1 / (len(sizes) - 1))
    return frontier + float(sizes[-1]) * ratio / (1 - ratio)
