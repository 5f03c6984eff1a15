"""Operators that hold records: in batches, counted, or joined with another input."""

from __future__ import annotations

from collections.abc import Sequence

from finale.reference.channel import Record
from finale.reference.formats.snapshots import State
from finale.reference.operators.base import Context, Emit, Operator
from finale.reference.operators.keys import KeyField, merged, value_of

Kept = dict[str, list[Record]]
LEFT, RIGHT = 0, 1


class Hold(Operator):
    """Keeps records until there are so many of them, or to the end, and hands them on in turn.

    Its state is split: a subtask more or less, and the records are dealt out anew.
    """

    def __init__(self, context: Context, *, number: int | None = None) -> None:
        super().__init__(context)
        self.number = number
        self.held: list[Record] = []

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        self.held += records
        if self.number is not None and len(self.held) >= self.number:
            whole = len(self.held) - len(self.held) % self.number
            emit(self.held[:whole])
            del self.held[:whole]

    def finish(self, emit: Emit) -> None:
        emit(self.held)
        self.held = []

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        return self.held

    def restore(self, state: State) -> None:
        self.held = list(state)

    @classmethod
    def share(cls, states: Sequence[State], index: int, count: int) -> State:
        return [record for state in states for record in state or ()][index::count]


class Number(Operator):
    """Give each record a number that is unique over all subtasks.

    Its state is a union: all subtasks are told the numbers of all, and go on behind the largest.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.next = context.index

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        step = self.context.count
        emit([{"number": self.next + i * step, "record": r} for i, r in enumerate(records)])
        self.next += step * len(records)

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        return self.next

    def restore(self, state: State) -> None:
        self.next = state + (self.context.index - state) % self.context.count

    @classmethod
    def share(cls, states: Sequence[State], index: int, count: int) -> State:
        return max((state for state in states if state is not None), default=None)


class Join(Operator):
    """Pairs the records of two inputs that have a key in common; both sides are kept for good."""

    def __init__(self, context: Context, *, key: str) -> None:
        super().__init__(context)
        self.key = KeyField(context.vertex, "key", key)
        self.sides: tuple[Kept, Kept] = {}, {}

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        pairs: list[Record] = []
        for text, record in zip(self.key.texts(records), records, strict=True):
            self.sides[port].setdefault(text, []).append(record)
            for other in self.sides[1 - port].get(text, ()):
                left, right = (record, other) if port == LEFT else (other, record)
                pairs.append(_pair(text, left, right))
        emit(pairs)

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        return {"left": self.sides[LEFT], "right": self.sides[RIGHT]}

    def restore(self, state: State) -> None:
        self.sides = state["left"], state["right"]

    @classmethod
    def share(cls, states: Sequence[State], index: int, count: int) -> State:
        known = [state for state in states if state is not None]
        return {side: merged((s[side] for s in known), index, count) for side in ("left", "right")}


class Lookup(Operator):
    """Pairs each record of the first input with the one of the second that has its key.

    The second input goes to all subtasks, and is kept by all: broadcast state. A record that it has
    nothing for waits; at the end it is emitted with nothing. Those that wait are split state.
    """

    def __init__(self, context: Context, *, key: str) -> None:
        super().__init__(context)
        self.key = KeyField(context.vertex, "key", key)
        self.table: dict[str, Record] = {}
        self.waiting: Kept = {}

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        pairs: list[Record] = []
        for text, record in zip(self.key.texts(records), records, strict=True):
            if port == RIGHT:
                self.table[text] = record
                pairs += [_pair(text, each, record) for each in self.waiting.pop(text, ())]
            elif text in self.table:
                pairs.append(_pair(text, record, self.table[text]))
            else:
                self.waiting.setdefault(text, []).append(record)
        emit(pairs)

    def finish(self, emit: Emit) -> None:
        waiting = self.waiting.items()
        emit([_pair(text, each, None) for text, records in waiting for each in records])
        self.waiting.clear()

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        return {"table": self.table, "waiting": self.waiting}

    def restore(self, state: State) -> None:
        self.table, self.waiting = dict(state["table"]), state["waiting"]

    @classmethod
    def share(cls, states: Sequence[State], index: int, count: int) -> State:
        """All have the same table. What waits is dealt out by key, as good as by any rule."""
        known = [state for state in states if state is not None]
        if not known:
            return None
        waiting: Kept = {}
        for state in known:
            for text, records in state["waiting"].items():
                waiting.setdefault(text, []).extend(records)
        return {
            "table": known[index % len(known)]["table"],
            "waiting": merged([waiting], index, count),
        }


def _pair(text: str, left: Record, right: Record) -> Record:
    return {"key": value_of(text), "left": left, "right": right}
