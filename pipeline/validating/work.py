"""Judges a bundle of pieces, in this process or in a Spark task."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass

from finale.checker.logs.read.log_files import LogShelf

from .judging import Given, JudgingOrder, PieceLines, PieceOutcome, judged
from .pieces import Piece
from .tables import packed

#: Here, what was judged is kept when it has so many bytes.
BATCH_BYTES = 4 * 2**20
#: After so many bytes of logs Python looks for garbage: what is left of jobs has cycles.
GARBAGE_BYTES = 16 * 2**20
#: A piece and the number under which the tables have its lines.
Numbered = tuple[int, Piece]


@dataclass(frozen=True)
class PieceBundle:
    """Pieces that are judged by one task, and their bytes where a task cannot read them itself."""

    order: JudgingOrder
    pieces: Sequence[Numbered]
    given: Sequence[Given | None]


@dataclass(frozen=True)
class BundleResult:
    """What became of a bundle, and the tables of its lines."""

    judged: Sequence[tuple[int, Piece, PieceOutcome]]
    tables: dict[str, bytes]


class TableBatch:
    """Judges pieces one by one, and puts the tables of their lines together."""

    def __init__(self, order: JudgingOrder) -> None:
        self._order = order
        self._judged: list[tuple[int, Piece, PieceOutcome]] = []
        self._lines: list[tuple[int, PieceLines]] = []
        self.size = 0

    def judge(
        self, numbered: Numbered, given: Given | None = None, shelf: LogShelf | None = None
    ) -> PieceOutcome:
        """Judge one more. Whoever interrupts loses that one only."""
        number, piece = numbered
        outcome, lines = judged(self._order, piece, given, shelf)
        self._judged.append((number, piece, outcome))
        self._lines.append((number, lines))
        self.size += piece.size
        return outcome

    def result(self) -> BundleResult:
        """What became of them."""
        tables = packed(self._lines) if self._order.keeps else {}
        return BundleResult(self._judged, tables)


Keep = Callable[[BundleResult], None]
"""Keeps what a few pieces came to."""

Search = Callable[[JudgingOrder, Sequence[Numbered], Keep], Generator[PieceOutcome]]
"""Judges pieces, and gives each when it is known: in this process, on Spark."""


def work(bundle: PieceBundle) -> Iterator[BundleResult]:
    """What a task does."""
    batch = TableBatch(bundle.order)
    for numbered, given in zip(bundle.pieces, bundle.given, strict=True):
        batch.judge(numbered, given)
    yield batch.result()
    gc.collect()


def judged_here(
    order: JudgingOrder, pieces: Sequence[Numbered], keep: Keep
) -> Generator[PieceOutcome]:
    """What becomes of pieces, one after the other. Whoever interrupts loses one at most."""
    batch, since = TableBatch(order), 0
    try:
        with LogShelf() as shelf:
            for numbered in pieces:
                yield batch.judge(numbered, shelf=shelf if numbered[1].is_in_archive else None)
                since += numbered[1].size
                if since >= GARBAGE_BYTES:
                    gc.collect()
                    since = 0
                if batch.size >= BATCH_BYTES:
                    done, batch = batch, TableBatch(order)
                    keep(done.result())
    finally:
        keep(batch.result())
