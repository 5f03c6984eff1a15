"""Judges pieces on Spark, in bundles; each bundle is a Spark job.

The driver knows the results of a bundle when its job is done. It submits just enough bundles to
keep all processors busy: bundles and results are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from finale.checker.logs.read.log_files import LogShelf
from finale.model.errors import FinaleError, Place
from finale.pipeline.session import SparkCluster, frugal, session

from .judging import Given, JudgingOrder, PieceOutcome
from .work import BundleResult, Keep, Numbered, PieceBundle, Search, work

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: A task should have so many bytes to do at least, if there are as many, and at most.
BUNDLE_MIN, BUNDLE_MAX = 2**20, 16 * 2**20
#: So many bundles a processor, so that all are at work until the end.
BUNDLES_PER_SLOT = 8
#: Bundles may carry the bytes of their logs, in megabytes.
_SETTINGS = {"spark.rpc.message.maxSize": "1024"}
#: What Spark says of an exception in Python code; of all others the process is not there any more,
#: or had too little memory.
_RAISED, _NO_MEMORY = "PythonException", "MemoryError"


def judged_on(cluster: SparkCluster) -> Search:
    """A search that starts Spark first."""
    settled = frugal(replace(cluster, conf={**_SETTINGS, **cluster.conf}))

    def search(
        order: JudgingOrder, pieces: Sequence[Numbered], keep: Keep
    ) -> Generator[PieceOutcome]:
        with session(settled, "finale validate") as spark:
            yield from OnSpark(spark, order, ships=not cluster.is_nearby).judge(pieces, keep)

    return search


class OnSpark:
    """Pieces as jobs. `ships`: workers do not see the files of this machine."""

    def __init__(
        self,
        spark: SparkSession,
        order: JudgingOrder,
        *,
        ships: bool,
        task: Callable[[PieceBundle], Iterator[BundleResult]] = work,
    ) -> None:
        self._context, self._task = spark.sparkContext, task
        self._order, self._ships, self._ended = order, ships, False

    def judge(self, pieces: Sequence[Numbered], keep: Keep) -> Generator[PieceOutcome]:
        """What becomes of pieces, as it is known."""
        slots = self._context.defaultParallelism
        ahead = iter(_bundles(pieces, slots))
        pool = ThreadPoolExecutor(2 * slots, "finale-validate")
        running: set[Future[list[BundleResult]]] = set()
        try:
            with LogShelf() as shelf:
                while True:
                    for bundle in islice(ahead, 2 * slots - len(running)):
                        loaded, failed = self._loaded(bundle, shelf)
                        yield from failed
                        running.add(pool.submit(self._results, loaded))
                    if not running:
                        return
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for result in (each for future in done for each in future.result()):
                        keep(result)
                        yield from (outcome for _, _, outcome in result.judged)
        finally:
            self._ended = True
            self._context.cancelAllJobs()
            pool.shutdown(cancel_futures=True)

    def _loaded(
        self, pieces: Sequence[Numbered], shelf: LogShelf
    ) -> tuple[PieceBundle, Sequence[PieceOutcome]]:
        """A bundle with the bytes that workers cannot read, and what cannot be read here either."""
        given: list[Given | None] = []
        kept: list[Numbered] = []
        failed: list[PieceOutcome] = []
        for number, piece in pieces:
            try:
                ships = self._ships or piece.is_in_archive
                given.append(piece.content(shelf) if ships else None)
                kept.append((number, piece))
            except FinaleError as error:
                failed.append(PieceOutcome(piece.key, errors=(str(error),)))
        return PieceBundle(self._order, kept, given), failed

    def _results(self, bundle: PieceBundle, *, again: bool = False) -> list[BundleResult]:
        """What a bundle comes to; one whose worker dies, piece by piece: most of them are good."""
        from py4j.protocol import Py4JJavaError

        try:
            return self._context.parallelize([bundle], 1).flatMap(self._task).collect()
        except Py4JJavaError as error:
            told = str(error)
            if self._ended or (_RAISED in told and _NO_MEMORY not in told):
                raise
            if self._context._jsc is None or self._context._jsc.sc().isStopped():
                raise
        if not again:
            alone = zip(bundle.pieces, bundle.given, strict=True)
            parts = (replace(bundle, pieces=[each], given=[given]) for each, given in alone)
            return [result for part in parts for result in self._results(part, again=True)]
        ((number, piece),) = bundle.pieces
        died = FinaleError(
            "worker-died",
            "the process that judged these logs ended, and so it did when it had nothing else",
            place=Place(piece.where),
            advice="if memory was short, give workers more by --conf, or judge these logs here",
        )
        return [BundleResult([(number, piece, PieceOutcome(piece.key, errors=(str(died),)))], {})]


def _bundles(pieces: Sequence[Numbered], slots: int) -> list[list[Numbered]]:
    """Bundles of about equal work; what is larger by itself comes first, to be done in time."""
    total = sum(piece.size for _, piece in pieces)
    size = min(max(total // (slots * BUNDLES_PER_SLOT), BUNDLE_MIN), BUNDLE_MAX)
    bundles = list(bundled(pieces, size))
    return sorted(bundles, key=lambda bundle: _size(bundle) <= BUNDLE_MAX)


def bundled(pieces: Sequence[Numbered], size: int) -> Iterator[list[Numbered]]:
    """The pieces in bundles of at most so many bytes, but for a piece that is larger by itself."""
    bundle: list[Numbered] = []
    for each in pieces:
        if bundle and _size(bundle) + each[1].size > size:
            yield bundle
            bundle = []
        bundle.append(each)
    if bundle:
        yield bundle


def _size(bundle: Sequence[Numbered]) -> int:
    return sum(piece.size for _, piece in bundle)
