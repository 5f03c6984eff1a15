"""Spark for tests: one for a module, skipped where it cannot run, and a failure under CI."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from finale.model.errors import FinaleError
from finale.pipeline.java import require_spark
from finale.pipeline.session import SparkCluster, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def java() -> int:
    """The version of Java. Whoever lacks it sees why these tests are skipped."""
    try:
        return require_spark()
    except FinaleError as error:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"no Spark here: {error.message}")


@pytest.fixture(scope="module")
def spark(java: int) -> Iterator[SparkSession]:
    """Spark on two processors of this machine. The tests of this folder run on one worker."""
    assert java
    with session(SparkCluster("local[2]")) as started:
        yield started
