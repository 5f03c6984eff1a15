"""Searches cells on Spark, in bins of about equal work.

Jobs are asked for by threads, many at once, and Spark takes the next where there is room. A bin is
known when its job is done, so a driver that is killed has lost the bins that ran and nothing else;
a worker that is killed costs a repetition, which is Spark's.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING

from finale.pipeline.session import SparkCluster, session

from .cells import SweepCell
from .run import SearchCells
from .work import CellResult, SweepOrder, done

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: So many bins a processor: few enough that starting tasks costs little, many enough to even out.
BINS_PER_SLOT = 16
#: So many jobs wait in Spark at once.
JOBS_MAX = 64

_Bin = tuple[SweepOrder, list[tuple[str, tuple[tuple[str, str], ...], Mapping[str, object]]]]


def on_spark(
    spark: SparkSession, cells: Sequence[SweepCell], order: SweepOrder
) -> Iterator[CellResult]:
    """Search cells on Spark, the largest first, and yield each result when it is known."""
    context = spark.sparkContext
    bins = packed_evenly(cells, BINS_PER_SLOT * context.defaultParallelism)

    def searched(part: Sequence[SweepCell]) -> list[CellResult]:
        told: _Bin = (order, [(cell.key, cell.setting, cell.table) for cell in part])
        return context.parallelize([told], 1).flatMap(search_bin).collect()

    pool = ThreadPoolExecutor(min(JOBS_MAX, len(bins)), "finale-sweep")
    try:
        for future in as_completed([pool.submit(searched, part) for part in bins]):
            yield from future.result()
    except BaseException:
        context.cancelAllJobs()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def search_bin(told: _Bin) -> Iterator[CellResult]:
    """Search the cells of one bin."""
    order, cells = told
    for key, setting, table in cells:
        yield done(order, key, setting, table)


def packed_evenly(cells: Sequence[SweepCell], count: int) -> list[list[SweepCell]]:
    """The cells in so many bins: each, the heaviest first, into the one that is lightest so far."""
    count = max(1, min(count, len(cells)))
    bins: list[list[SweepCell]] = [[] for _ in range(count)]
    light = [(0.0, number) for number in range(count)]
    for cell in sorted(cells, key=lambda cell: -cell.weight):
        weight, number = heapq.heappop(light)
        bins[number].append(cell)
        heapq.heappush(light, (weight + cell.weight, number))
    return sorted((part for part in bins if part), key=lambda part: -sum(c.weight for c in part))


def searched_on(cluster: SparkCluster) -> SearchCells:
    """A search that starts Spark first: where nothing is to be searched, it does not start."""

    def search(cells: Sequence[SweepCell], order: SweepOrder) -> Iterator[CellResult]:
        with session(cluster, "finale sweep") as spark:
            yield from on_spark(spark, cells, order)

    return search
