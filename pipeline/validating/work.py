"""What is done at once: a bundle of pieces, here or by a task of Spark's."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass

from checker.logs.read.sources import Shelf

from .judging import Given, Lines, Order, Outcome, judged
from .pieces import Piece
from .tables import packed

#: Here, what was judged is kept when it has so many bytes.
BATCH_BYTES = 4 * 2**20
#: A piece and the number under which the tables have its lines.
Numbered = tuple[int, Piece]


@dataclass(frozen=True)
class Bundle:
    """Pieces that are judged by one task, and their bytes where a task cannot read them itself."""

    order: Order
    pieces: Sequence[Numbered]
    given: Sequence[Given | None]


@dataclass(frozen=True)
class Result:
    """What became of a bundle, and the tables of its lines."""

    judged: Sequence[tuple[int, Piece, Outcome]]
    tables: dict[str, bytes]


class Batch:
    """Judges pieces one by one, and puts the tables of their lines together."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._judged: list[tuple[int, Piece, Outcome]] = []
        self._lines: list[tuple[int, Lines]] = []
        self.size = 0

    def judge(
        self, numbered: Numbered, given: Given | None = None, shelf: Shelf | None = None
    ) -> Outcome:
        """Judge one more. Whoever interrupts loses that one only."""
        number, piece = numbered
        outcome, lines = judged(self._order, piece, given, shelf)
        self._judged.append((number, piece, outcome))
        self._lines.append((number, lines))
        self.size += piece.size
        return outcome

    def result(self) -> Result:
        """What became of them."""
        tables = packed(self._lines) if self._order.keeps else {}
        return Result(self._judged, tables)


Keep = Callable[[Result], None]
"""Keeps what a few pieces came to."""

Search = Callable[[Order, Sequence[Numbered], Keep], Generator[Outcome]]
"""Judges pieces, and gives each when it is known: in this process, on Spark."""


def work(bundle: Bundle) -> Iterator[Result]:
    """What a task does."""
    batch = Batch(bundle.order)
    for numbered, given in zip(bundle.pieces, bundle.given, strict=True):
        batch.judge(numbered, given)
    yield batch.result()


def judged_here(order: Order, pieces: Sequence[Numbered], keep: Keep) -> Generator[Outcome]:
    """What becomes of pieces, one after the other. Whoever interrupts loses one at most."""
    batch = Batch(order)
    try:
        with Shelf() as shelf:
            for numbered in pieces:
                yield batch.judge(numbered, shelf=shelf if numbered[1].is_in_archive else None)
                if batch.size >= BATCH_BYTES:
                    done, batch = batch, Batch(order)
                    keep(done.result())
    finally:
        keep(batch.result())


__all__ = ["Batch", "Bundle", "Keep", "Numbered", "Result", "Search", "judged_here", "work"]
