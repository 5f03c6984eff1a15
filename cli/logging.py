"""`finale logging`: what makes the logs of an engine decidable."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from checker.logs.read.logging import log4j2
from checker.logs.read.patterns import table, tables

from .output import to_file_or_stdout


def logging(
    engine: Annotated[Literal["flink"], Parameter(help="Whose logs they are.")] = "flink",
    /,
    *,
    table_name: Annotated[
        str, Parameter(name="--table", help="The table of what lines tell, by engine and release.")
    ] = tables()[-1],
) -> int:
    """Print what to add to log4j.properties, so that finale validate decides most."""
    assert engine == "flink"
    to_file_or_stdout(log4j2(table(table_name)), None)
    return 0
