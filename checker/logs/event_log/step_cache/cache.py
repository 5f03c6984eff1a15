"""Looks up the steps of a run by what they read, and learns each step that is not known yet.

Machine code follows the run (`checker/search/native/kernel/cache_follow.py`). If a path is missing,
it returns, and `functions.py` runs the rule or the property once. The reads and the result become a
path of a decision tree.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from checker.logs.event_log.section_judge import STATES_AHEAD
from checker.search.native.kernel import cache_block as at
from checker.search.native.loops import loops

from .cells import Pair, RulePart
from .functions import PropertyAnswer, ProtocolFunctions

HALF, WORD = 4, 8
#: Children of a node: at least so many, and so many times those that are needed.
CHILDREN_LEAST, CHILDREN_MORE = 2, 2


@dataclass(frozen=True)
class EventCode:
    """What events are: the rule, or with `by_id` where rules are listed by id."""

    rule: int
    by_id: bool = False
    restores: bool = False
    counts: int = at.NONE


@dataclass(frozen=True)
class FailureRecord:
    """A predicate fails: at which event, -1 before the first, and with which ids."""

    event: int
    of_state: bool
    number: int
    ids: tuple[int, ...]


@dataclass(frozen=True)
class RunBegin:
    """The state in which a run begins: its cells, the ids that are known, the next number or 0."""

    state: tuple[int, ...]
    ids: tuple[int, ...]
    following: int


class CopiedMemory:
    """Memory in which each array has its place: it can be copied as a whole."""

    def __init__(self) -> None:
        self._sizes: list[tuple[int, int]] = []
        self._bytes = 0

    def add(self, place: int, size: int) -> None:
        """Room for so many bytes, whose address is told at a place of the block."""
        self._sizes.append((place, self._bytes))
        self._bytes += -(-size // WORD) * WORD

    def made(self, block: array[int]) -> ctypes.Array[ctypes.c_char]:
        """The memory; the block knows where everything is."""
        memory = ctypes.create_string_buffer(self._bytes)
        base = ctypes.addressof(memory)
        for place, offset in self._sizes:
            block[place] = base + offset
        return memory


class StepCache:
    """What was learned so far, and the run that is being followed."""

    def __init__(self, functions: ProtocolFunctions) -> None:
        form = functions.sizes
        assert form.cells % 2 == 0, "states are copied in words"
        self.form, self.functions = form, functions
        self._block: array[int] = array("q", [0] * at.PLACES_COUNT)
        self.states, self.steps = len(form.leads), len(form.plain)
        self._frees = form.rules + 2 * self.states + self.steps + 1
        self._roots = _halves([0] * (self._frees + 2 * len(form.statuses)))
        self._nodes, self._children = _halves([0, 0, 0]), _halves([0])
        self._said, self._starts, self._cells = _halves([]), _halves([0]), _halves([])
        self._read_sets: dict[tuple[int, ...], int] = {}
        self._leaves: dict[tuple[int, int], int] = {}
        self._rule_leaves, self._writes = _halves([]), _halves([])
        ids = len(form.statuses)
        self._sources = _halves([at.NOT_LEARNED] * (form.cells * ids))
        self._moves = _halves([0] * (form.cells * ids))
        self._maps = _halves([0])
        self._parts: dict[tuple[int, object], tuple[int, int]] = {}
        """By id and key the last map of values, and of how many."""
        self._codes: array[int] = array("q")
        self._rules_at = _halves([])
        self._asked: array[int] = array("q", [0, 0] * form.rules)
        self._asked_list = _halves([])
        self._told_cells = _halves([each for rule in form.told for each in rule])
        self._memory = self._run_memory()
        self._begun: dict[tuple[int, ...], bytes] = {}
        """Of states in which runs begin, the memory when all that is asked there was asked;"""
        self._begun_records: dict[tuple[int, ...], list[int]] = {}
        """and the predicates that fail there."""
        self._grown = True
        """The loop must be told where everything is."""
        self.learned = 0
        """How many paths were learned."""

    def _run_memory(self) -> ctypes.Array[ctypes.c_char]:
        form, block, area = self.form, self._block, CopiedMemory()
        block[at.CELLS], block[at.RULE_COUNT] = form.cells, form.rules
        block[at.STATE_COUNT], block[at.STEP_COUNT] = self.states, self.steps
        of_states, of_steps = -(-self.states // 64), -(-self.steps // 64)
        block[at.STATE_WORDS], block[at.STEP_WORDS] = of_states, of_steps
        block[at.IDS_ROOM], block[at.UNUSED_VALUE] = len(form.statuses), form.unused
        block[at.TOLD_COUNT] = len(form.told[0])
        area.add(at.STATE, (2 * form.cells + len(form.told[0])) * HALF)
        area.add(at.IDS, len(form.statuses) * WORD)
        for place in (at.STATE_READERS, at.GOAL_READERS):
            area.add(place, form.cells * of_states * WORD)
        area.add(at.STEP_READERS, 2 * form.cells * of_steps * WORD)
        for place in (at.STATE_READ, at.GOAL_READ):
            area.add(place, self.states * HALF)
        area.add(at.STEP_READ, self.steps * HALF)
        for place in (at.FAILING, at.OPEN, at.STATE_TOLD, at.STATE_DUE):
            area.add(place, of_states * WORD)
        for place in (at.WRONG, at.WRONG_NOW, at.STEP_TOLD, at.STEP_DUE):
            area.add(place, of_steps * WORD)
        area.add(at.SINCE, self.states * WORD)
        block[at.MOVED_WORDS] = -(-form.cells // 64)
        area.add(at.MOVED, block[at.MOVED_WORDS] * WORD)
        for place in (at.CHANGED, at.EARLIER):
            area.add(place, 2 * form.cells * HALF)
        memory = area.made(block)
        self._leads = _set_of(form.leads, of_states)
        self._plain = _set_of(form.plain, of_steps)
        self._statuses = _halves(form.statuses)
        moved = (number for each in form.renumbered for number in each)
        self._renumbered = _halves(0 if each is None else each + 1 for each in moved)
        room = at.RECORDS_ENOUGH + self.states + self.steps
        self._records: array[int] = array("q", [0] * (room * at.RECORD))
        self._misses = _halves([0] * at.MISSES_ROOM)
        return memory

    # --- codes and runs --------------------------------------------------------------------------

    def code(self, code: EventCode, by_id: Sequence[int | None] = ()) -> int:
        """A number for events; `by_id`: the rule for each place of an id."""
        kind, what = at.FIXED, code.rule
        if code.by_id:
            kind, what = at.BY_ID, len(self._rules_at)
            self._rules_at.extend(0 if each is None else each + 1 for each in by_id)
        elif code.restores:
            kind = at.RESTORES
        self._codes.extend((kind, what, code.counts))
        self._grown = True
        return len(self._codes) // 3 - 1

    def follow(self, begin: RunBegin, events: array[int]) -> tuple[int, list[FailureRecord]]:
        """Follow a run: how many events are explained, one after the other, and what fails.

        Events are pairs of words: a code, and a number or 0.
        """
        records = list(self._start(begin))
        block = self._block
        block[at.EVENTS] = events.buffer_info()[0]
        block[at.EVENT_COUNT], block[at.AT], block[at.AGAIN] = len(events) // 2, 0, 0
        block[at.EARLIER_COUNT], block[at.RECORDS_COUNT] = -1, 0
        while True:
            self._tell()
            why = loops().follow(block.buffer_info()[0])
            records += self._told()
            if why in (at.DONE, at.STOPPED):
                return block[at.AT], records
            self._learn(why)

    def state(self) -> bytes:
        """The state that was come to, packed."""
        return ctypes.string_at(self._block[at.STATE], HALF * self.form.cells)

    def open(self) -> list[tuple[int, int]]:
        """The duties that are open: the predicate, and the event since when."""
        words = _words(self._block[at.OPEN], self._block[at.STATE_WORDS])
        since = _words(self._block[at.SINCE], self.states)
        return [
            (number, since[number])
            for number in range(self.states)
            if words[number >> 6] >> (number & 63) & 1
        ]

    def ids(self) -> tuple[int, ...]:
        """The ids that are known."""
        return tuple(_words(self._block[at.IDS], self._block[at.IDS_COUNT]))

    def _start(self, begin: RunBegin) -> Iterator[FailureRecord]:
        block = self._block
        known = self._begun.get(begin.state)
        if known is None:
            ctypes.memset(self._memory, 0, len(self._memory))
            cells = self._state()
            cells[: self.form.cells] = list(begin.state)
            block[at.IDS_COUNT], block[at.RECORDS_COUNT], block[at.AT] = 0, 0, -1
            self._tell()
            while loops().follow_none(block.buffer_info()[0]) != at.DONE:
                self._learn(at.LEARN)
                self._tell()
            self._begun[begin.state] = self._memory.raw
            self._begun_records[begin.state] = [each.number for each in self._told()]
        else:
            ctypes.memmove(self._memory, known, len(known))
        _words(block[at.IDS], len(self.form.statuses))[: len(begin.ids)] = list(begin.ids)
        block[at.IDS_COUNT], block[at.NEXT_NUMBER] = len(begin.ids), begin.following
        for number in self._begun_records[begin.state]:
            yield FailureRecord(-1, of_state=True, number=number, ids=begin.ids)

    # --- one state, without a run ----------------------------------------------------------------

    def after(self, state: bytes, rules: Sequence[int]) -> Iterator[bytes | None]:
        """The states to which rules lead from one; None where only a bound forbids one of them."""
        block, size = self._block, len(state)
        tried = _halves(rules)
        out = ctypes.create_string_buffer(size * len(tried))
        ctypes.memmove(block[at.STATE] + size, state, size)
        block[at.TRIED], block[at.TRIED_COUNT] = tried.buffer_info()[0], len(tried)
        block[at.NEXT_RULE], block[at.OUT_COUNT] = 0, 0
        block[at.OUT] = ctypes.addressof(out)
        while True:
            self._tell()
            why = loops().take_all(block.buffer_info()[0])
            if why == at.BEYOND:
                yield None
            elif why != at.DONE:
                self._learn(why)
            else:
                break
        reached = ctypes.string_at(out, size * block[at.OUT_COUNT])
        for place in range(0, len(reached), size):
            yield reached[place : place + size]

    def says(self, function: int, state: bytes) -> int:
        """What a predicate says of a state."""
        block = self._block
        block[at.ASKED_FUNCTION] = function
        ctypes.memmove(block[at.STATE], state, len(state))
        while True:
            self._tell()
            leaf = loops().ask_one(block.buffer_info()[0])
            if leaf >= 0:
                return self._said[2 * leaf]
            self._misses[0], block[at.MISSES_COUNT] = function, 1
            self._learn(at.LEARN)

    def stuck(self, numbers: Iterable[int], end: bytes) -> set[int]:
        """Of state predicates those whose goal cannot come any more, as `Ahead` says it."""
        stuck = set(numbers)
        first = self.form.rules + self.states
        for state in self._ahead(end):
            if not stuck:
                break
            if state is None:
                return set()
            come = {each for each in stuck if self.says(first + each, state) == at.HOLDS}
            stuck -= come
        return stuck

    def _ahead(self, end: bytes) -> Iterator[bytes | None]:
        todo, seen = [end], {end}
        while todo:
            state = todo.pop()
            yield state
            if len(seen) > STATES_AHEAD:
                yield None
            for after in self.after(state, self.functions.promised):
                if after is None:
                    yield None
                elif after not in seen:
                    seen.add(after)
                    todo.append(after)

    def _state(self) -> ctypes.Array[ctypes.c_uint32]:
        count = 2 * self.form.cells + self._block[at.TOLD_COUNT]
        return (ctypes.c_uint32 * count).from_address(self._block[at.STATE])

    def _tell(self) -> None:
        """Tell the loop where everything is: arrays that have grown may have moved."""
        if not self._grown:
            return
        self._grown = False
        for place, known in (
            (at.ROOTS, self._roots), (at.NODES, self._nodes), (at.CHILDREN, self._children),
            (at.SAID_LEAVES, self._said), (at.READ_STARTS, self._starts),
            (at.READ_CELLS, self._cells), (at.RULE_LEAVES, self._rule_leaves),
            (at.WRITES, self._writes), (at.SOURCES, self._sources), (at.MOVES, self._moves),
            (at.MAPS, self._maps), (at.CODES, self._codes),
            (at.RULES_AT, self._rules_at), (at.STATUS_CELLS, self._statuses),
            (at.LEADS, self._leads), (at.PLAIN, self._plain), (at.ASKED, self._asked),
            (at.ASKED_LIST, self._asked_list), (at.RECORDS, self._records),
            (at.MISSES, self._misses), (at.TOLD, self._told_cells),
            (at.RENUMBERED, self._renumbered),
        ):  # fmt: skip
            self._block[place] = known.buffer_info()[0]

    def _told(self) -> Iterator[FailureRecord]:
        block, records = self._block, self._records
        for base in range(0, block[at.RECORDS_COUNT] * at.RECORD, at.RECORD):
            event, of_state, number, ids = records[base : base + 4]
            known = tuple(records[base + 4 : base + 4 + ids])
            yield FailureRecord(event, bool(of_state), number, known)
        block[at.RECORDS_COUNT] = 0

    # --- learning --------------------------------------------------------------------------------

    def _learn(self, why: int) -> None:
        block, cells = self._block, self.form.cells
        state = array("I", ctypes.string_at(block[at.STATE], ctypes.sizeof(self._state())))
        self._grown = True
        if why == at.LEARN_RULE:
            wanted, before = block[at.WANTED], state[cells : 2 * cells]
            last = self._frees + len(self.form.statuses)
            rule = wanted if wanted < last else wanted - last + self.form.rules
            self._rule(wanted, self.functions.rule(rule, before))
        elif why == at.LEARN_RENAMING:
            self._renaming(block[at.WANTED])
        elif why == at.LEARN_ASKED:
            self._asks(block[at.WANTED], state)
        elif why == at.LEARN:
            for function in self._misses[: block[at.MISSES_COUNT]]:
                said = self.functions.said(function, state)
                self._path(function, said.reads, self._said_leaf(said))
        else:
            assert why == at.FULL

    def _path(self, function: int, reads: Sequence[Pair], leaf: int) -> None:
        """A function reads these, one after the other, and comes to this leaf."""
        self.learned += 1
        nodes, children = self._nodes, self._children
        slots, slot = self._roots, function
        for cell, value in reads:
            node = slots[slot]
            assert node < at.LEAF, "what was read does not decide"
            if node == 0:
                node = len(nodes) // 3
                slots[slot] = node
                nodes.extend((cell, len(children), CHILDREN_LEAST))
                children.extend([0] * CHILDREN_LEAST)
            assert nodes[3 * node] == cell, "a function reads something else than before"
            begin, span = nodes[3 * node + 1], nodes[3 * node + 2]
            if value >= span:
                more = CHILDREN_MORE * (value + 1)
                nodes[3 * node + 1], nodes[3 * node + 2] = len(children), more
                children.extend(children[begin : begin + span])
                children.extend([0] * (more - span))
            slots, slot = children, nodes[3 * node + 1] + value
        assert slots[slot] in (0, at.LEAF | leaf), "what was read does not decide"
        slots[slot] = at.LEAF | leaf

    def _said_leaf(self, said: PropertyAnswer) -> int:
        cells = tuple(cell for cell, _ in said.reads)
        known = self._read_sets.get(cells)
        if known is None:
            known = self._read_sets[cells] = len(self._read_sets)
            self._cells.extend(cells)
            self._starts.append(len(self._cells))
        leaf = self._leaves.get((said.said, known))
        if leaf is None:
            leaf = self._leaves[said.said, known] = len(self._said) // 2
            self._said.extend((said.said, known))
        return leaf

    def _rule(self, function: int, parts: Sequence[RulePart]) -> None:
        for part in parts:
            leaf, following = self._leaf_of(function, part.reads), 0
            if leaf is None:
                leaf = len(self._rule_leaves) // 4
                begin = len(self._writes) // 2
                for pair in part.writes or ():
                    self._writes.extend(pair)
                how = at.ENDS
                if part.writes is None:
                    how = at.BOUNDED if part.bounded else at.REFUSED
                if part.gone is not None:
                    how, following = at.RENAMES + part.gone, len(self._roots)
                    self._roots.append(0)
                ends = len(self._writes) // 2
                self._rule_leaves.extend((begin, ends, how, following))
                self._path(function, part.reads, leaf)
            function = self._rule_leaves[4 * leaf + 3]

    def _leaf_of(self, function: int, reads: Sequence[Pair]) -> int | None:
        """The leaf to which a path leads that is known."""
        at_ = self._roots[function]
        for _, value in reads:
            if at_ == 0 or value >= self._nodes[3 * at_ + 2]:
                return None
            at_ = self._children[self._nodes[3 * at_ + 1] + value]
        return at_ - at.LEAF if at_ else None

    def _asks(self, rule: int, state: Sequence[int]) -> None:
        begin = len(self._asked_list) // 2
        first = self.form.rules + 2 * self.states
        for number, said in self.functions.asked(rule, state):
            self._asked_list.extend((number, first + number))
            if self._leaf_of(first + number, said.reads) is None:
                self._path(first + number, said.reads, self._said_leaf(said))
        self._asked[2 * rule] = begin
        self._asked[2 * rule + 1] = len(self._asked_list) // 2 + 1

    def _renaming(self, gone: int) -> None:
        base = gone * self.form.cells
        for cell, moved in enumerate(self.functions.moved(gone)):
            if moved.source is None:
                self._sources[base + cell], self._moves[base + cell] = at.CONSTANT, moved.values[0]
                continue
            self._sources[base + cell], part = moved.source, 0
            if moved.values:
                part, count = self._parts.get((gone, moved.key), (0, 0))
                if count < len(moved.values):
                    part, count = len(self._maps), len(moved.values)
                    self._parts[gone, moved.key] = part, count
                    self._maps.append(count)
                    self._maps.extend(value + 1 for value in moved.values)
            self._moves[base + cell] = part


def _halves(values: Iterable[int]) -> array[int]:
    made: array[int] = array("I", values)
    assert made.itemsize == HALF
    return made


def _words(address: int, count: int) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * count).from_address(address)


def _set_of(members: Sequence[bool], words: int) -> array[int]:
    bits = sum(1 << place for place, each in enumerate(members) if each)
    made: array[int] = array("Q", [bits >> 64 * place & (1 << 64) - 1 for place in range(words)])
    return made


__all__ = ["StepCache"]
