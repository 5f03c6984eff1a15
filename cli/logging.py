"""`finale logging`: the log levels that `finale validate` needs."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from finale.checker.logs.read.line_patterns import log4j2, table

from .blocked import NEWEST
from .output import to_file_or_stdout
from .parameters import TableName


def logging(
    engine: Annotated[Literal["flink"], Parameter(help="Engine that writes the logs.")] = "flink",
    /,
    *,
    table_name: TableName = NEWEST,
) -> int:
    """Print the lines for log4j.properties with which finale validate can decide most."""
    assert engine == "flink"
    to_file_or_stdout(log4j2(table(table_name)), None)
    return 0
