"""Writes the rows of all cells as one Parquet table."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

from finale.model.errors import FinaleError, Place
from finale.model.written import write_whole

from .work import CellResult

TABLE = "table.parquet"


def write_table(folder: Path, results: Iterable[CellResult]) -> Path:
    """The table of some cells, in their order; it is there as a whole or not at all."""
    pa: Any = import_module("pyarrow")  # it comes without types
    parquet: Any = import_module("pyarrow.parquet")

    schema = pa.schema(
        [
            ("cell", pa.string()),
            ("setting", pa.map_(pa.string(), pa.string())),
            ("property", pa.string()),
            ("verdict", pa.string()),
            ("how", pa.string()),
            ("states", pa.int64()),
            ("steps", pa.int64()),
            ("seconds", pa.float64()),
            ("why", pa.string()),
        ]
    )
    rows = [(done, row) for done in results for row in done.rows]
    columns = [
        [done.key for done, _ in rows],
        [list(done.setting) for done, _ in rows],
        *([getattr(row, name) for _, row in rows] for name in schema.names[2:]),
    ]
    arrays = [pa.array(each, kind) for each, kind in zip(columns, schema.types, strict=True)]
    file, stream = folder / TABLE, BytesIO()
    try:
        parquet.write_table(pa.table(arrays, schema=schema), stream)
        write_whole(file, stream.getvalue(), f"{TABLE}.half")
    except OSError as error:
        raise FinaleError(
            "unwritable",
            f"the table cannot be written: {error.strerror or error}",
            place=Place(str(file)),
            advice="check the permission to write there, and the free space",
        ) from None
    return file
