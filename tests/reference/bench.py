"""The subtasks of one operator on a bench: fed, and restarted with other numbers of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from finale.reference.channel import Record
from finale.reference.formats.files import MemoryFiles
from finale.reference.operators.base import Context, Operator
from finale.reference.operators.keys import ByKey, InTurn, KeyField

#: A case is a whole run: a fifth of the examples is enough.
few = settings(max_examples=settings().max_examples // 5)
Make = Callable[[Context], Operator]
Fed = tuple[int, Sequence[Record]]
"""An input, and records that come over it."""


class Bench:
    """The subtasks of an operator, fed as a job feeds them."""

    def __init__(self, make: Make, count: int, key: str | None = None, broadcast: int = -1) -> None:
        self.make, self.key, self.broadcast = make, key, broadcast
        self.files = MemoryFiles()
        self.emitted: list[Any] = []
        self.number = 0
        self.subtasks = self.made(count)

    def made(self, count: int) -> list[Operator]:
        names = ["D"] if count == 1 else [f"D.{i}" for i in range(count)]
        contexts = [Context(name, self.files, i, count) for i, name in enumerate(names)]
        return [self.make(context) for context in contexts]

    def feed(self, port: int, records: Sequence[Record]) -> None:
        shares = [records] * len(self.subtasks)
        if port != self.broadcast:
            keyed = self.key is not None
            share = ByKey(KeyField("D", "key", self.key or None)) if keyed else InTurn()
            shares = list(share(records, len(self.subtasks)))
        for subtask, some in zip(self.subtasks, shares, strict=True):
            subtask.process(port, some, self.emitted.extend)

    def watermark(self, time: int) -> None:
        for subtask in self.subtasks:
            subtask.watermark(time, self.emitted.extend)

    def rescale(self, count: int) -> None:
        """A checkpoint, and a start from it with so many subtasks."""
        self.number += 1
        taken = [each.snapshot(self.number, last=False) for each in self.subtasks]
        written = json.dumps(taken)
        kind = type(self.subtasks[0])
        self.subtasks = self.made(count)
        for index, subtask in enumerate(self.subtasks):
            subtask.restore(kind.share(json.loads(written), index, count))

    def finish(self) -> list[Any]:
        for subtask in self.subtasks:
            subtask.last_watermark(self.emitted.extend)
            subtask.finish(self.emitted.extend)
        return self.emitted


def plain(records: Sequence[Record]) -> Counter[str]:
    return Counter(json.dumps(record, sort_keys=True) for record in records)


def flat(buffers: Sequence[Sequence[Any]]) -> list[Any]:
    return [record for records in buffers for record in records]


def emitted(make: Make, *fed: Fed, counts: Sequence[int] = (1,), **how: Any) -> list[Any]:
    """What is emitted of it all, with the number of subtasks changed again and again."""
    bench = Bench(make, counts[0], **how)
    for number, (port, records) in enumerate(fed):
        if number and len(counts) > 1:
            bench.rescale(counts[number % len(counts)])
        bench.feed(port, records)
    return bench.finish()


KEYS = st.one_of(st.text(max_size=2), st.integers(0, 3), st.booleans(), st.none())
NUMBERS = st.one_of(st.integers(), st.floats(-1e6, 1e6))
TABLES = st.lists(
    st.lists(st.fixed_dictionaries({"k": KEYS, "n": NUMBERS}), max_size=8), max_size=5
)
COUNTS = st.lists(st.integers(1, 5), min_size=2, max_size=4)
BUFFERS = st.lists(st.lists(st.integers(0, 9), max_size=7), max_size=5)
