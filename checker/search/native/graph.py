"""Builds the complete state graph after a native search, for the judgement of liveness."""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from finale.checker.search.limits import LimitHit
from finale.checker.search.state_graph.fairness import Fair, Keys
from finale.checker.search.state_graph.graph import Leaf, Path
from finale.checker.search.state_graph.liveness import questions_of
from finale.model.expressions import Constant, Expression
from finale.model.system import State

from .breadth_first import NativeSearch
from .code import compiled
from .layout import ALL_ONES, WORD, Words
from .loops import Loop
from .lower import answers_source, words_for
from .machine import NativeMachine
from .tables import Tables

#: Edges lead to states by numbers of 31 bits.
EDGES_MAX = 2**31 - 1
#: Of so many states, questions are worth compiling with more effort: ten times as fast.
STATES_WORTH_OPTIMISING = 50_000
#: What judging liveness takes for each state, beside sets of keys: the most is for a stem.
BYTES_OF_STATE = 48
#: Between two looks at the clock.
STATES_BETWEEN_LOOKS = 1 << 15


Arrays = list[NDArray[Any]]


class Decoded(Sequence[State]):
    """The states by their numbers, unpacked one at a time."""

    def __init__(self, machine: NativeMachine, tables: Tables, count: int) -> None:
        self._machine, self._tables, self._count = machine, tables, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> State:  # type: ignore[override]
        if not 0 <= number < self._count:
            raise IndexError(number)
        return self._machine.layout.decode(self._tables.words(number))


@dataclass(frozen=True)
class Stored:
    """All edges: those of state `i` from `first_edge[i]` up to `first_edge[i + 1]`."""

    leaves: Sequence[Leaf]
    states: Sequence[State]
    initial: int
    first_edge: NDArray[np.int64]
    target: NDArray[np.int32]
    leaf: NDArray[np.int32]
    faulty: Mapping[int, Sequence[int]]

    @property
    def targets(self) -> Sequence[int]:
        """The states after the edges."""
        return cast(Sequence[int], self.target.data)

    @property
    def taken(self) -> Sequence[int]:
        """The leaves that the edges take."""
        return cast(Sequence[int], self.leaf.data)

    def edges(self, position: int) -> range:
        """Return the edges of a state, in rule order."""
        return range(int(self.first_edge[position]), int(self.first_edge[position + 1]))

    def successors(self, position: int) -> Sequence[int]:
        """Return the states after one step, itself too where a step changes nothing."""
        edges = self.edges(position)
        return self.targets[edges.start : edges.stop]


def edges_of(search: NativeSearch) -> Stored:
    """Return the state graph of a complete search. Raises LimitHit."""
    tables = search.tables
    states, transitions = search.statistics.states, search.statistics.transitions
    if max(states, transitions) > EDGES_MAX:
        raise LimitHit(f"a state graph has at most {EDGES_MAX} states and edges")
    tables.claim((states + 1) * 8 + transitions * 8)
    first_edge = np.zeros(states + 1, np.int64)
    target, leaf = np.empty(transitions, np.int32), np.empty(transitions, np.int32)
    faulty, faults, begin = np.empty((1024, 2), np.int64), 0, 0
    while begin < states:
        search.look()
        end = min(begin + STATES_BETWEEN_LOOKS, states)
        arrays = np.array(
            [*(each.ctypes.data for each in (first_edge, target, leaf, faulty)), len(faulty)]
        )
        found = search.loops.edges(
            search.address, search.workers.first.address, begin, end, arrays.ctypes.data, faults
        )
        if found > len(faulty):
            faulty = np.concatenate([faulty, np.empty((2 * found, 2), np.int64)])
            continue  # once more, with room for the faults
        faults, begin = int(found), end
    at_fault: dict[int, list[int]] = {}
    for state, number in faulty[:faults].tolist():
        at_fault.setdefault(state, []).append(number)
    decoded = Decoded(search.machine, tables, states)
    initial = int(tables.levels[1])
    return Stored(search.machine.leaves, decoded, initial, first_edge, target, leaf, at_fault)


def where(search: NativeSearch, question: Expression) -> Words:
    """Return for each state found one if the question is true there, else zero."""
    return answers(search, [question])[:, 0]


def answers(search: NativeSearch, questions: Sequence[Expression]) -> Words:
    """Return for each state found a row with the set of questions that are true there."""
    words, count = words_for(len(questions)), search.statistics.states
    search.tables.claim(count * words * 8)
    found = np.zeros((count, words), np.uint64)
    source = answers_source(search.machine.layout, questions, "questions")
    code = compiled([source], int(count > STATES_WORTH_OPTIMISING))
    [address] = code.addresses(["questions"])
    worker = search.workers.first.address
    search.loops.answer(search.address, worker, address, words, found.ctypes.data)
    return found


def _is_empty(sets: Words) -> NDArray[np.bool_]:
    """Which rows are empty sets."""
    empty: NDArray[np.bool_] = np.all(sets == 0, axis=1)
    return empty


class StoredFair(Fair):
    """Fairness on the stored graph, by loops over arrays that answer for all states at once.

    Of the arrays that have sets of fairness keys, a row has one set, `words` words long.
    """

    def __init__(self, search: NativeSearch, graph: Stored) -> None:
        super().__init__(search.machine.system, graph, search.machine.state_test)
        self.search = search
        self.stored = graph
        self.count = len(graph.states)
        self.words = max(1, words_for(max(self.key, default=0).bit_length()))
        #: The words that have the answers to a question, and which of their bits.
        self._answers: dict[Expression, tuple[Words, int]] = {}
        search.tables.claim(self.count * (BYTES_OF_STATE + 2 * 8 * self.words))
        self._ask(questions_of(self.system))

    # --- keys ------------------------------------------------------------------------------------

    def enabled(self, state: int, strict: bool) -> Keys:
        """Return the fair keys enabled in a state; if `strict`, also those blocked by bounds."""
        row = (self._strict_keys if strict else self._enabled_keys)[state]
        return int.from_bytes(row.tobytes(), "little")

    @cached_property
    def _enabled_keys(self) -> Words:
        enabled = np.zeros((self.count, self.words), np.uint64)
        for state, leaves in self.stored.faulty.items():
            enabled[state] = np.bitwise_or.reduce(self._keys_of_leaves[list(leaves)])
        self._loop("enabled_keys", self.count, self.words, over=[*self._steps, enabled])
        return enabled

    @cached_property
    def _strict_keys(self) -> Words:
        enabled = self._enabled_keys.copy()
        self._ask(question for _, _, question in self.blocked)
        for key, _, question in self.blocked:
            enabled[np.frombuffer(self.where(question), np.bool_)] |= self._row(key)
        return enabled

    @cached_property
    def _keys_of_leaves(self) -> Words:
        rows = [self._row(self.key[leaf.rule]) for leaf in self.stored.leaves]
        return np.array(rows, np.uint64).reshape(-1, self.words)

    def _row(self, keys: Keys) -> Words:
        return np.frombuffer(keys.to_bytes(8 * self.words, "little"), np.uint64)

    @property
    def _steps(self) -> Arrays:
        graph = self.stored
        return [graph.first_edge, graph.target, graph.leaf, self._keys_of_leaves]

    def _loop(self, name: str, *numbers: int, over: Arrays) -> int:
        """Call a loop with some numbers and a block of the addresses of some arrays."""
        block = np.array([array.ctypes.data for array in over], np.int64)
        loop: Loop = getattr(self.search.loops, name)
        return loop(*numbers, block.ctypes.data)

    # --- components ------------------------------------------------------------------------------

    @property
    def staying(self) -> Sequence[int]:
        """The states in which a run may stay, or to which it may return, forever."""
        return cast(Sequence[int], self._staying)

    @cached_property
    def _staying(self) -> NDArray[np.int64]:
        labels, count = self._labels(np.ones(self.count, np.uint8))
        looping = np.bincount(labels, minlength=count + 1)[labels] > 1
        resting = _is_empty(self._enabled_keys)
        return np.flatnonzero(looping | resting)

    def _labels(self, inside: NDArray[np.uint8]) -> tuple[NDArray[np.int32], int]:
        """The component of each state inside, from 1; zero for others; and how many there are."""
        graph, label = self.stored, np.zeros(self.count, np.int32)
        scratch = [np.empty(self.count, np.int32) for _ in range(3)]
        is_root = np.empty_like(inside)
        arrays: Arrays = [graph.first_edge, graph.target, inside, label, is_root, *scratch]
        return label, self._loop("components", self.count, over=arrays)

    def ends(
        self, region: bytearray, strict: bool
    ) -> tuple[bytearray, Callable[[int], Sequence[int]]]:
        """Mark the states of a region in which a fair run can stay; and tell in which component."""
        found, numbered = np.zeros(self.count, np.int32), 0
        enabled = self._strict_keys if strict else self._enabled_keys
        weak, strong = self._row(self.weak), self._row(self.strong)
        inside = np.zeros(self.count, np.uint8)
        inside[self._staying] = np.frombuffer(region, np.uint8)[self._staying]
        while inside.any():
            label, count = self._labels(inside)
            always: Words = np.full((count + 1, self.words), ALL_ONES, np.uint64)
            sometimes, taken = np.zeros_like(always), np.zeros_like(always)
            arrays = [*self._steps, enabled, label, always, sometimes, taken]
            self._loop("keys_of_parts", self.count, self.words, over=arrays)
            starved = sometimes & strong & ~taken
            may_be = _is_empty(always & weak & ~taken)
            may_be[0] = False
            is_fair = may_be & _is_empty(starved)
            ended = is_fair[label]
            found[ended] = label[ended] + numbered
            numbered += count
            feeds = _is_empty(enabled & starved[label])
            inside = ((may_be & ~is_fair)[label] & feeds).astype(np.uint8)
        marks = bytearray((found > 0).tobytes())
        return marks, lambda state: np.flatnonzero(found == found[state]).tolist()

    def holds_among(self, question: Expression, states: Sequence[int]) -> bool:
        """Return whether the question is true in one of these states."""
        marks = np.frombuffer(self.where(question), np.uint8)
        if isinstance(states, range):
            return bool(marks[states.start : states.stop].any())
        return bool(marks[np.asarray(states, np.int64)].any())

    def where(self, question: Expression) -> bytearray:
        """Mark the states in which the question is true."""
        if isinstance(question, Constant):
            return bytearray([question.value]) * self.count
        self._ask([question])
        words, bit = self._answers[question]
        octets = words.view(np.uint8)[bit // 8 :: 8]
        return bytearray((octets >> bit % 8 & 1).tobytes())

    def _ask(self, questions: Iterable[Expression]) -> None:
        """Ask questions of all states: many together take less time than one by one."""
        missing = [
            question
            for question in dict.fromkeys(questions)
            if question not in self._answers and not isinstance(question, Constant)
        ]
        if missing:
            found = answers(self.search, missing).T.copy()
            for number, question in enumerate(missing):
                self._answers[question] = found[number // WORD], number % WORD

    # --- runs ------------------------------------------------------------------------------------

    def reached(self, causes: bytearray, pending: bytearray) -> bytearray:
        """Mark the states that are reachable from causes through pending states only."""
        marks, graph, queue = bytearray(causes), self.stored, np.empty(self.count, np.int32)
        views = [np.frombuffer(each, np.uint8) for each in (pending, marks)]
        self._loop("reach", self.count, over=[graph.first_edge, graph.target, *views, queue])
        return marks

    def stem(self, causes: bytearray, pending: bytearray, ends: bytearray, at_once: bool) -> Path:
        """Return the least shortest run into `ends`, as `state_graph/graph.py` defines it."""
        graph, room = self.stored, 2 * self.count
        views = [np.frombuffer(each, np.uint8) for each in (causes, pending, ends)]
        seen, phases = np.zeros(self.count, np.uint8), np.empty(room, np.uint8)
        tried, before, by = (np.empty(room, np.int32) for _ in range(3))
        arrays: Arrays = [graph.first_edge, graph.target, *views, seen]
        arrays += [tried, phases, before, by]
        place = self._loop("stem", graph.initial, int(at_once), over=arrays)
        assert place, "no run leads into states that were reached"
        path: Path = []
        while place:
            earlier = int(before[place - 1])
            leaf = int(graph.leaf[by[place - 1]]) if earlier else -1
            path.append((int(tried[place - 1]), leaf))
            place = earlier
        return path[::-1]
