"""Reports the progress of a Spark job while the calling thread waits."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SECONDS_BETWEEN_REPORTS = 0.25


@dataclass(frozen=True)
class Tasks:
    """The tasks of the stages that run now, and how many of them are done, running, failed."""

    total: int
    done: int
    running: int
    failed: int
    seconds: float


@contextmanager
def watched(spark: SparkSession, tell: Callable[[Tasks], None]) -> Generator[None]:
    """Report the progress of Spark a few times a second, from a separate thread."""
    ended, began = Event(), perf_counter()
    tracker = spark.sparkContext.statusTracker()

    def watch() -> None:
        while not ended.wait(SECONDS_BETWEEN_REPORTS):
            stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
            known = [each for each in stages if each is not None]
            tell(
                Tasks(
                    sum(each.numTasks for each in known),
                    sum(each.numCompletedTasks for each in known),
                    sum(each.numActiveTasks for each in known),
                    sum(each.numFailedTasks for each in known),
                    perf_counter() - began,
                )
            )

    thread = Thread(target=watch, name="finale-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
