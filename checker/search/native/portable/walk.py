"""The search with numpy alone: the states, their numbers and the answers of the native search.

Steps of a batch of states are computed side by side and then taken in the order of the readable
search: by state, and by rule. States are found in a dictionary by their bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from checker.search.answer import Statistics
from checker.search.limits import INTERRUPTED, SECONDS_BETWEEN_NEWS, Limits, News, Progress
from checker.search.native.layout import Words
from checker.search.state_graph.fairness import Fair
from checker.search.state_graph.leaves import Leaf
from checker.search.state_graph.questions import FAULTS, Finding, Question, Topic
from checker.search.state_graph.search import LimitHit
from model.expressions import disjunction
from model.semantics import evaluate, outcome, updated
from model.system import Kind, State, System, Update
from model.trace import Trace

from .columns import Rows
from .edges import KeptEdges, KeptFair
from .steps import Batch, Machine

#: So many states are expanded side by side. More of them need more memory, and gain little.
STATES_IN_BATCH = 4096
ROOM_MIN = 1 << 12
#: What a state takes in the dictionary of CPython 3.11, beside its bytes.
BYTES_IN_INDEX = 180

Binding = tuple[tuple[str, str], ...]


class Search:
    """A breadth-first search: what it has seen, and how far it is.

    `stopped` says why it did not see all, `stopped_after` why the work after it was cut short.
    """

    def __init__(self, machine: Machine, limits: Limits, progress: Progress | None) -> None:
        self.machine, self.limits, self.progress = machine, limits, progress
        self.system: System = machine.system
        self.leaves: Sequence[Leaf] = machine.leaves
        self.findings: dict[Topic, Finding] = {}
        self.deadlock: int | None = None
        self.visited: set[int] = set()
        self.stopped = self.stopped_after = ""
        self.states = self.transitions = self.expanded = self.depth = 0
        self.seconds = 0.0
        self._store: Words = np.empty(ROOM_MIN * machine.layout.width, np.uint64)
        self._index: dict[bytes, int] = {}
        self._parents: list[tuple[int, int]] = []
        self._levels: list[int] = []
        lively = any(p.kind in (Kind.LEADS_TO, Kind.EVENTUALLY) for p in self.system.properties)
        self._edges = KeptEdges() if lively else None
        self._fair: KeptFair | None = None
        self._asked = {
            topic: disjunction(question.condition for question in questions)
            for topic, questions in machine.topics.in_states.items()
        }
        self._started = self._told = perf_counter()

    # --- searching -------------------------------------------------------------------------------

    def run(self) -> None:
        """Search until all is seen, a limit is hit, or the user interrupts."""
        try:
            self._run()
        except LimitHit as limit:
            self.stopped = str(limit)
        except KeyboardInterrupt:
            self.stopped = INTERRUPTED
        self.seconds = perf_counter() - self._started

    def _run(self) -> None:
        layout = self.machine.layout
        words = [layout.encode(state) for state in dict.fromkeys(self.system.initial)]
        rows = np.array(words, np.uint64).reshape(-1, layout.width)
        targets = self._numbered(rows, [(-1, -1)] * len(rows))
        if len(targets) < len(rows):
            raise LimitHit(self.limits.states_word)
        while self.expanded < self.states:
            begin, end = self._levels[-1], self.states
            self._levels.append(end)
            while self.expanded < end:
                self.look()
                self._expand(min(end, self.expanded + STATES_IN_BATCH))
            if self.states > end:
                self.depth += 1
            assert begin < end

    def _expand(self, end: int) -> None:
        """Take the steps of the states that are not expanded yet, up to this one."""
        begin = self.expanded
        batch = Batch(self.machine, self.rows(begin, end))
        states, taken = batch.states.tolist(), batch.leaves.tolist()
        origins = [(begin + s, leaf) for s, leaf in zip(states, taken, strict=True)]
        targets = self._numbered(batch.after, origins)
        is_cut = len(targets) < len(states)
        # A step that finds a state too many is taken, and nothing after it is seen.
        stop = len(targets) + 1 if is_cut else len(states)
        below = (states[stop - 1], self._rule(taken[stop - 1])) if is_cut else (end - begin, 0)
        self.transitions += stop
        self.visited.update(taken[:stop])
        self._note_steps(batch, begin, below)
        self._note_deadlock(batch, begin, below[0], targets)
        self.expanded = begin + below[0]
        if is_cut:
            raise LimitHit(self.limits.states_word)
        if self._edges is not None:
            self._edges.append(batch, begin, targets)

    def _rule(self, leaf: int) -> int:
        return self.machine.leaves[leaf].rule

    def _numbered(self, rows: Rows, origins: Sequence[tuple[int, int]]) -> list[int]:
        """The numbers of states, new ones included; fewer where a limit does not allow more."""
        index, parents = self._index, self._parents
        states_max = self.limits.states_max
        size = rows.shape[1] * 8
        self._claim(len(rows))
        if not self._levels:
            self._levels.append(0)
        fresh: list[int] = []
        targets: list[int] = []
        keys: list[bytes] = np.ascontiguousarray(rows).view(f"V{size}").ravel().tolist()
        for place, key in enumerate(keys):
            number = index.get(key)
            if number is None:
                number = len(index)
                if number == states_max:
                    break
                index[key] = number
                parents.append(origins[place])
                fresh.append(place)
            targets.append(number)
        self._keep(rows[fresh])
        return targets

    def _keep(self, rows: Rows) -> None:
        """Store new states, and ask of them what is still open."""
        first, width = self.states, rows.shape[1]
        self.states += len(rows)
        room = len(self._store)
        while room < self.states * width:
            room *= 2
        if room > len(self._store):
            self._store = np.concatenate(
                [self._store, np.empty(room - len(self._store), np.uint64)]
            )
        self._store[first * width : self.states * width] = rows.ravel()
        if not len(rows):
            return
        columns = self.machine.columns(rows)
        for topic, condition in list(self._asked.items()):
            settles = columns.truth(condition)
            if settles.any():
                del self._asked[topic]
                self._note_state(topic, first + int(settles.argmax()))

    def _claim(self, more: int) -> None:
        memory_max = self.limits.memory_max
        each = BYTES_IN_INDEX + 16 * self.machine.layout.width
        if memory_max is not None and (self.states + more) * each > memory_max:
            raise LimitHit(f"the limit of {memory_max / 2**20:,.0f} MB of memory")

    def look(self) -> None:
        """Tell how far the search is. Raises LimitHit when its time is over."""
        now = perf_counter()
        seconds, seconds_max = now - self._started, self.limits.seconds_max
        if seconds_max is not None and seconds > seconds_max:
            raise LimitHit(self.limits.seconds_word)
        if self.progress is not None and now - self._told >= SECONDS_BETWEEN_NEWS:
            self._told = now
            frontier = self.states - self.expanded
            news = News(self.states, self.transitions, self.depth, frontier, seconds)
            self.progress(news)

    # --- what is found on the way ----------------------------------------------------------------

    def _note(self, topic: Topic, finding: Finding) -> None:
        known = self.findings.get(topic)
        if known is None or finding.place < known.place:
            self.findings[topic] = finding

    def _note_state(self, topic: Topic, number: int) -> None:
        state, (position, leaf) = self.state(number), self._parents[number]
        rule = self._rule(leaf) if leaf >= 0 else -1
        length = self.depth + 1 if leaf >= 0 else 0
        binding = _binding(self.machine.topics.in_states[topic], state, None)
        place = (length, position if leaf >= 0 else number, rule)
        self._note(topic, Finding(place, number, binding=binding))

    def _note_steps(self, batch: Batch, begin: int, below: tuple[int, int]) -> None:
        """The faults, and the steps that settle something, of a batch as far as it is seen."""
        for state, leaf in batch.faults[:1]:
            if state < below[0]:
                place = (self.depth + 1, begin + state, self._rule(leaf))
                self._note(FAULTS, Finding(place, begin + state, leaf))
        for topic, (state, rule) in batch.settling.items():
            if (state, rule) < below:
                self.machine.settled(topic)
                before = self.state(begin + state)
                end = outcome(self.system.rules[rule].tree, before)
                assert isinstance(end, Update)
                after = updated(end, before)
                binding = _binding(self.machine.topics.of_rule[rule][topic], before, after)
                leaf = self.machine.numbers[rule, id(end)]
                place = (self.depth + 1, begin + state, rule)
                self._note(topic, Finding(place, begin + state, leaf, after, binding))

    def _note_deadlock(self, batch: Batch, begin: int, below: int, targets: list[int]) -> None:
        if self.deadlock is not None:
            return
        still = ~batch.at_bound
        states = batch.states[: len(targets)]
        still[states[begin + states != np.array(targets, np.int64)]] = False
        still[[state for state, _ in batch.faults]] = False
        still &= ~batch.columns.truth(self.system.terminal)
        found = np.flatnonzero(still[:below])
        if len(found):
            self.deadlock = begin + int(found[0])

    # --- what was found --------------------------------------------------------------------------

    @property
    def statistics(self) -> Statistics:
        """The counts so far."""
        depth = self.depth
        if self.stopped and self.states:
            depth = self.trace_to(self.states - 1).length
        frontier = self.states - self.expanded
        return Statistics(
            self.states, self.transitions, depth, self.seconds, not self.stopped, frontier
        )

    @property
    def fair(self) -> Fair:
        """The fairness of the system, on its complete state graph."""
        if self._fair is None:
            assert self._edges is not None, "edges are kept where there is liveness"
            self._fair = KeptFair(self.machine, self._edges.graph(self))
        return self._fair

    def rows(self, begin: int, end: int) -> Rows:
        """Packed states, by their numbers."""
        width = self.machine.layout.width
        return self._store[begin * width : end * width].reshape(-1, width)

    def state(self, number: int) -> State:
        """A state, by its number."""
        words: Any = self.rows(number, number + 1)[0].tolist()
        return self.machine.layout.decode(words)

    def trace_to(self, position: int) -> Trace:
        """The least shortest run to a state."""
        states, rules = [self.state(position)], list[int]()
        while (before := self._parents[position])[0] >= 0:
            position, leaf = before
            rules.append(self._rule(leaf))
            states.append(self.state(position))
        return Trace(tuple(reversed(states)), tuple(reversed(rules)))


def _binding(questions: Sequence[Question], state: State, after: State | None) -> Binding:
    first = next(each for each in questions if evaluate(each.condition, state, after))
    return first.predicate.binding


__all__ = ["Search"]
