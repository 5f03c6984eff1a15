"""Looks up the steps of a run by what they read, and learns each step that is not known yet.

Machine code follows the run (`checker/search/native/kernel/cache_follow.py`). If a path is missing,
it returns, and `functions.py` runs the rule or the property once. The reads and the result become a
path of a decision tree.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from finale.checker.logs.event_log.section_judge import STATES_AHEAD
from finale.checker.search.native.kernel import cache_block as at

from .cells import Pair
from .functions import ProtocolFunctions

#: A node gets room for so many times the children that it needs.
CHILDREN_MORE = 2


@dataclass(frozen=True)
class Failure:
    """A predicate fails: at which event, -1 before the first, and with which ids."""

    event: int
    number: int
    ids: tuple[int, ...]


@dataclass(frozen=True)
class RunBegin:
    """The state in which a run begins: its cells, the ids that are known, the next number or 0."""

    state: tuple[int, ...]
    ids: tuple[int, ...]
    following: int


class StepCache:
    """What was learned so far, and the run that is being followed."""

    def __init__(self, functions: ProtocolFunctions) -> None:
        from finale.checker.search.native.loops import loops

        self._loops = loops()
        self.functions, self.cells = functions, functions.cells.count
        self.learned = 0
        """How many paths were learned."""
        states, words = functions.state_words, functions.set_words
        cells, ids = 2 * self.cells + functions.steps.count, len(functions.ids)
        self._every = _set(
            [*functions.predicates, *(64 * states + each for each in functions.leads)], words
        )
        shown = [each for each in functions.predicates if each not in functions.leads]
        self._memory: dict[int, array[int]] = {
            at.STATE: _halves([0] * cells),
            at.ASKED: _halves([0] * cells),
            at.ROOTS: _halves([0] * functions.count),
            at.NODES: _halves([0, 0, 0]),
            at.CHILDREN: _halves([0]),
            at.STEPS: _halves([each for rule in functions.steps.of_rules for each in rule]),
            at.RULE_LEAVES: _halves([0, 0] * (1 + at.BOUNDED)),
            at.WRITES: _halves([]),
            at.EVENTS: _words([]),
            at.CODES: _halves([]),
            at.RULES_AT: _halves([]),
            at.IDS: _words([0] * ids),
            at.STATUS_CELLS: _halves(functions.statuses),
            at.READERS: _set((), cells * words),
            at.DUE: _set((), words),
            at.FAILING: _set((), words),
            at.SHOWN: _set(shown, words),
            at.REPORTED: _set((), words),
            at.LEADS: _set(functions.leads, states),
            at.OPEN: _set((), states),
            at.SINCE: _words([0] * (64 * states)),
            at.RENUMBERED: _halves(
                0 if now is None else now + 1
                for each in functions.renumbered
                for now in (*each, *[None] * (64 * states - len(each)))
            ),
            at.TRIED: _halves(functions.promised),
            at.OUT: _halves([0] * (self.cells * len(functions.promised))),
        }
        self._block = _words([0] * at.PLACES_COUNT)
        for place, value in (
            (at.CELLS, self.cells), (at.STEP_CELLS, functions.steps.count), (at.IDS_ROOM, ids),
            (at.RULE_COUNT, len(functions.rules)), (at.SET_WORDS, words), (at.STATE_WORDS, states),
            (at.RESTORED, functions.restored), (at.FREE, functions.free),
            (at.FORGET, functions.forget), (at.UNUSED_VALUE, functions.unused),
            (at.TRIED_COUNT, len(functions.promised)),
        ):  # fmt: skip
            self._block[place] = value

    # --- codes and runs --------------------------------------------------------------------------

    def code(self, kind: int, rules: Sequence[int | None], *, begins: bool) -> int:
        """Return a number for events: the rule by the place of the id, or the only rule."""
        self._memory[at.CODES].extend((kind, begins))
        room = len(self.functions.ids)
        by_id = [*rules, *[None] * (room - len(rules))]
        self._memory[at.RULES_AT].extend(0 if each is None else each + 1 for each in by_id)
        return len(self._memory[at.CODES]) // 2 - 1

    def follow(
        self, begin: RunBegin, events: array[int], look: Callable[[int], None]
    ) -> tuple[int, list[Failure]]:
        """Follow a run: return how many events are explained, one after the other, and what fails.

        Events are pairs of words: a code, and a number or 0. `look` is called with the event
        before something is learned.
        """
        block, memory, failures = self._block, self._memory, list[Failure]()
        memory[at.EVENTS], memory[at.DUE] = events, self._every[:]
        for place in (at.FAILING, at.OPEN, at.REPORTED):
            memory[place] = _set((), len(memory[place]))
        memory[at.STATE][: self.cells] = memory[at.ASKED][: self.cells] = _halves(begin.state)
        memory[at.IDS][: len(begin.ids)] = _words(begin.ids)
        block[at.IDS_COUNT], block[at.NEXT_NUMBER] = len(begin.ids), begin.following
        block[at.EVENT_COUNT], block[at.AT], block[at.IS_TAKEN] = len(events) // 2, -1, 1
        while True:
            why = self._run("follow")
            if why == at.FOUND:
                failures += self._found()
            elif why == at.LEARN:
                look(min(block[at.AT], block[at.EVENT_COUNT] - 1))
                self._learn(block[at.WANTED], memory[at.STATE])
            else:
                return block[at.AT], failures

    def state(self) -> array[int]:
        """Return the state that was reached."""
        return self._memory[at.STATE][: self.cells]

    def open(self) -> list[tuple[int, int]]:
        """Return the duties that are open: the predicate, and the event since when."""
        return [(each, self._memory[at.SINCE][each]) for each in _members(self._memory[at.OPEN])]

    def ids(self) -> tuple[int, ...]:
        """Return the ids that are known."""
        return tuple(self._memory[at.IDS][: self._block[at.IDS_COUNT]])

    def _run(self, loop: str) -> int:
        for place, known in self._memory.items():
            self._block[place] = known.buffer_info()[0]  # arrays that have grown may have moved
        why: int = getattr(self._loops, loop)(self._block.buffer_info()[0])
        return why

    def _found(self) -> Iterator[Failure]:
        """Report what fails: first of the step, then of the state."""
        failing, shown, reported = (
            self._memory[place] for place in (at.FAILING, at.SHOWN, at.REPORTED)
        )
        fresh = array("Q", (f & s & ~r for f, s, r in zip(failing, shown, reported, strict=True)))
        for place, each in enumerate(fresh):
            reported[place] |= each
        event, ids = self._block[at.AT], self.ids()
        for number in sorted(_members(fresh), key=lambda each: each < self.functions.first_step):
            yield Failure(event, number, ids)

    # --- the states to come ----------------------------------------------------------------------

    def stuck(self, numbers: Sequence[int], end: array[int]) -> set[int]:
        """Return those of some duties whose goal cannot come any more, as `Ahead` says it."""
        first = len(self.functions.rules) + 64 * self.functions.state_words
        stuck = set(numbers)
        for state in self._ahead(end):
            if state is None:
                return set()
            stuck = {each for each in stuck if self._leaf(first + each, state) != at.HOLDS}
            if not stuck:
                break
        return stuck

    def _ahead(self, end: array[int]) -> Iterator[array[int] | None]:
        todo, seen = [end], {end.tobytes()}
        while todo:
            state = todo.pop()
            yield state
            if len(seen) > STATES_AHEAD:
                yield None
            for after in self._after(state):
                if after is None:
                    yield None
                elif (key := after.tobytes()) not in seen:
                    seen.add(key)
                    todo.append(after)

    def _after(self, state: array[int]) -> Iterator[array[int] | None]:
        """Return the states that promised rules lead to; None if only a bound forbids one."""
        block, cells = self._block, self.cells
        self._memory[at.STATE][:cells] = state
        block[at.NEXT_RULE] = block[at.OUT_COUNT] = 0
        while (why := self._run("take_all")) != at.DONE:
            if why == at.BEYOND:
                yield None
            else:
                self._learn(block[at.WANTED], self._memory[at.STATE])
        for place in range(0, block[at.OUT_COUNT] * cells, cells):
            yield self._memory[at.OUT][place : place + cells]

    def _leaf(self, function: int, state: Sequence[int]) -> int:
        """Return the leaf that a function leads to in a state."""
        nodes, children = self._memory[at.NODES], self._memory[at.CHILDREN]
        node = self._memory[at.ROOTS][function]
        while 0 < node < at.LEAF:
            cell, begin, span = nodes[3 * node : 3 * node + 3]
            node = children[begin + state[cell]] if state[cell] < span else 0
        if node:
            return node - at.LEAF
        self._learn(function, state)
        return self._leaf(function, state)

    # --- learning --------------------------------------------------------------------------------

    def _learn(self, function: int, state: Sequence[int]) -> None:
        for learned, reads, value in self.functions.paths(function, state):
            leaf = value if isinstance(value, int) else self._rule_leaf(value)
            self._path(learned, reads, leaf)
            self._note_readers(learned, reads)

    def _rule_leaf(self, written: Sequence[Pair]) -> int:
        """Return a new leaf of a rule with these writes."""
        leaves, writes = self._memory[at.RULE_LEAVES], self._memory[at.WRITES]
        begin = len(writes) // 2
        writes.extend(each for pair in written for each in pair)
        leaves.extend((begin, len(writes) // 2))
        return len(leaves) // 2 - 1

    def _path(self, function: int, reads: Sequence[Pair], leaf: int) -> None:
        """A function reads these cells, one after the other, and comes to this leaf."""
        nodes, children = self._memory[at.NODES], self._memory[at.CHILDREN]
        slots, slot = self._memory[at.ROOTS], function
        for cell, value in reads:
            node = slots[slot]
            assert node < at.LEAF, "what was read does not decide"
            if node == 0:
                slots[slot] = node = len(nodes) // 3
                nodes.extend((cell, 0, 0))
            assert nodes[3 * node] == cell, "a function reads something else than before"
            begin, span = nodes[3 * node + 1], nodes[3 * node + 2]
            if value >= span:
                more = CHILDREN_MORE * (value + 1)
                nodes[3 * node + 1 : 3 * node + 3] = _halves((len(children), more))
                children.extend([*children[begin : begin + span], *[0] * (more - span)])
            slots, slot = children, nodes[3 * node + 1] + value
        assert slots[slot] in (0, at.LEAF | leaf), "what was read does not decide"
        self.learned += slots[slot] == 0
        slots[slot] = at.LEAF | leaf

    def _note_readers(self, function: int, reads: Sequence[Pair]) -> None:
        """Note that a predicate reads cells: it is due if one of them changes."""
        first = len(self.functions.rules)
        if first <= function < self.functions.restored:
            word, bit = divmod(function - first, 64)
            for cell, _ in reads:
                self._memory[at.READERS][cell * self.functions.set_words + word] |= 1 << bit


def _halves(values: Iterator[int] | Sequence[int]) -> array[int]:
    return array("I", values)


def _words(values: Sequence[int]) -> array[int]:
    return array("q", values)


def _set(members: Sequence[int], words: int) -> array[int]:
    found = array("Q", bytes(8 * words))
    for each in members:
        found[each // 64] |= 1 << each % 64
    return found


def _members(bits: array[int]) -> list[int]:
    return [
        64 * place + bit for place, word in enumerate(bits) if word for bit in range(64)
        if word >> bit & 1
    ]  # fmt: skip
