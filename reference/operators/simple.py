"""Operators for small test jobs: records are words that list the tasks they passed.

They are what the vertices of a spec's job are run with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from finale.reference.channel import Buffer, Record
from finale.reference.formats.snapshots import State
from finale.reference.operators.base import Context, Emit, Operator, SourceOperator, Word


class Numbered(SourceOperator):
    """Emits `S#1`, `S#2`, … one at a time."""

    def __init__(self, context: Context, *, count: int, bounded: bool = True) -> None:
        super().__init__(context)
        self.count = count
        self.bounded = bounded
        self.emitted = 0

    def peek(self) -> Buffer | None:
        if self.emitted == self.count:
            return None
        return Buffer((f"{self.context.task}#{self.emitted + 1}",))

    def advance(self) -> None:
        self.emitted += 1

    @property
    def has_ended(self) -> bool:
        return self.bounded and self.emitted == self.count

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        return {"emitted": self.emitted}

    def restore(self, state: State) -> None:
        self.emitted = state["emitted"]

    def seen(self) -> tuple[tuple[str, Word], ...]:
        return (("emitted", self.emitted),)


class PassOn(Operator):
    """Hands each record on."""

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        emit(records)


class HoldBack(Operator):
    """Keeps all records until the end, and hands them on in their order."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.held: Counter[Record] = Counter()

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        self.held.update(records)

    def finish(self, emit: Emit) -> None:
        emit(sorted(self.held.elements(), key=str))
        self.held.clear()

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        return {"held": sorted(self.held.elements(), key=str)}

    def restore(self, state: State) -> None:
        self.held = Counter(state["held"])

    def seen(self) -> tuple[tuple[str, Word], ...]:
        return (("held", tuple(sorted(str(record) for record in self.held.elements()))),)


class HoldUntilLast(HoldBack):
    """Waits for a time that never comes: only the last watermark lets go what it holds."""

    def last_watermark(self, emit: Emit) -> None:
        super().finish(emit)

    def finish(self, emit: Emit) -> None:
        """Without that watermark it holds them still."""
