"""Judges logs: takes known results from the results folder, judges the rest, and stores it."""

from __future__ import annotations

import hashlib
import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from time import perf_counter

from finale.checker.logs.read.log_files import LogShelf
from finale.model.errors import FinaleError
from finale.pipeline.sweep.sources import digest_of as digest_of_code

from .judging import JudgingOrder, PieceOutcome
from .pieces import Piece, digest_of
from .store import ResultStore
from .work import BundleResult, Search

#: What a verdict depends on: this module and all that it imports, of these packages.
_CODE, _WITHIN = "finale.pipeline.validating.judging", ("finale",)


@dataclass(frozen=True)
class ValidationProgress:
    """How far it is: pieces to be judged, and judged; their bytes; how many were known before."""

    total: int
    judged: int
    known: int
    bytes_total: int
    bytes_judged: int
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """An estimate, or None while nothing can be said."""
        if not self.bytes_judged:
            return None
        return self.seconds * (self.bytes_total - self.bytes_judged) / self.bytes_judged


def digest_of_order(order: JudgingOrder, version: str) -> str:
    """What verdicts depend on beside the logs: options, the table of lines, code."""
    asked = (order.engine, order.table, sorted(order.levels.items()), order.accepts,
             order.every, order.draws, version)  # fmt: skip
    told = hashlib.sha256(pickle.dumps(asked))
    told.update(digest_of_code([_CODE], _WITHIN).encode())
    return told.hexdigest()


def validated(
    pieces: Sequence[Piece],
    order: JudgingOrder,
    search: Search,
    store: ResultStore | None,
    tell: Callable[[ValidationProgress], None],
) -> Generator[PieceOutcome]:
    """What is said of pieces, in their order. The tables of the store are written at the end."""
    known = _known(pieces, store)
    ahead = [piece for piece in pieces if piece.key not in known]
    numbered = [
        (number if store is None else store.number(), piece)
        for number, piece in enumerate(ahead, 1)
    ]

    def keep(result: BundleResult) -> None:
        if store is not None and result.judged:
            store.keep(result.judged, result.tables)

    def counted(found: Iterable[PieceOutcome]) -> Iterator[PieceOutcome]:
        """Tell of each; what was known is not judged."""
        began, news = perf_counter(), first
        sizes = {piece.key: piece.size for piece in ahead}
        for outcome in found:
            count, size = news.judged + 1, news.bytes_judged + sizes[outcome.key]
            news = replace(news, judged=count, bytes_judged=size, seconds=perf_counter() - began)
            tell(news)
            yield outcome

    size = sum(piece.size for piece in ahead)
    first = ValidationProgress(len(ahead), 0, len(pieces) - len(ahead), size, 0, 0.0)
    tell(first)
    if numbered:
        # What is closed early still keeps what it has.
        with closing(search(order, numbered, keep)) as found:
            yield from _in_order(pieces, known, counted(found))
    else:
        yield from _in_order(pieces, known, ())
    if store is not None:
        store.finish(piece.key for piece in pieces)


def _in_order(
    pieces: Iterable[Piece], known: dict[str, PieceOutcome], found: Iterable[PieceOutcome]
) -> Iterator[PieceOutcome]:
    """What is said of each piece, as soon as that is known of all before it."""
    waiting = deque(piece.key for piece in pieces)
    for outcome in chain((None,), found):
        if outcome is not None:
            known[outcome.key] = outcome
        while waiting and waiting[0] in known:
            yield known.pop(waiting.popleft())
    assert not waiting, "each piece comes to something"


def _known(pieces: Iterable[Piece], store: ResultStore | None) -> dict[str, PieceOutcome]:
    """What the store knows of these pieces, where they have not changed."""
    if store is None:
        return {}
    with LogShelf() as shelf:

        def digest(piece: Piece) -> str:
            try:
                return digest_of(piece.content(shelf))
            except FinaleError:
                return ""  # whoever judges it tells what is wrong

        return {
            piece.key: store.known[piece.key].outcome
            for piece in pieces
            if store.has(piece, partial(digest, piece))
        }
