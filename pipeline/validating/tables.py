"""Writes Parquet tables of lines and verdicts; `docs/pipeline.md` lists the columns."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from finale.checker.cache.plain_data import plain
from finale.checker.logs.findings import Finding, Severity
from finale.checker.logs.read.kept_lines import RawLines
from finale.checker.logs.replay.checkpoint_history import FATES
from finale.checker.logs.verdicts import JobVerdict
from finale.model.visible import visible

from .judging import PieceLines

VERDICTS, FINDINGS, EVENTS, REST = "verdicts", "findings", "events", "rest"
TABLES = (VERDICTS, FINDINGS, EVENTS, REST)
#: Those of lines, which are too many for memory.
OF_LINES = (EVENTS, REST)
#: What a number of a table holds; one that is larger is in the line itself.
_NUMBER_MAX = 2**63 - 1
#: Rows are written when they have so many bytes.
GROUP_BYTES = 32 * 2**20
_COMPRESSION = "zstd"

Row = tuple[Any, ...]


class TablesChanged(Exception):
    """A table is not what was written."""


def schema(name: str) -> Any:
    """The columns of a table."""
    pa = _arrow()
    text, number, texts = pa.string(), pa.int64(), pa.list_(pa.string())
    numbers, bytes_, map_ = pa.list_(pa.int64()), pa.large_binary(), pa.map_(text, text)
    needs = pa.map_(text, texts)
    at = [("piece", number), ("file", text), ("line", number), ("lines", number)]
    raw = [("raw", bytes_), ("end", bytes_)]
    columns: dict[str, list[tuple[str, Any]]] = {
        VERDICTS: [
            ("logs", text), ("job", text), ("name", text), ("state", text), ("coverage", text),
            ("events", number), *((fate.value, numbers) for fate in FATES), ("restored", numbers),
            ("failed", number), *((each.value, number) for each in Severity), ("decided", texts),
            ("undecided", texts), ("needs", needs), ("ambiguous", texts), ("conforms", map_),
            ("untold", texts), ("asked", pa.bool_()), ("restarts", number),
            ("stops", texts),
        ],
        FINDINGS: [
            ("logs", text), ("job", text), ("property", text), ("binding", map_),
            ("severity", text), ("file", text), ("line", number), ("sentence", text), ("why", text),
        ],
        EVENTS: [
            *at, ("job", text), ("time", text), ("event", text), ("clock", text), ("task", text),
            ("attempt", number), ("checkpoint", number), ("fields", map_), *raw,
        ],
        REST: [*at, ("why", text), *raw],
    }  # fmt: skip
    return pa.schema(columns[name])


def packed(lines: Sequence[tuple[int, PieceLines]]) -> dict[str, bytes]:
    """The tables of the lines of some pieces, each under the number that it has here."""
    rows: dict[str, list[Row]] = {
        EVENTS: [row for number, each in lines for row in _events(number, each)],
        REST: [row for number, each in lines for row in _rest(number, each)],
    }
    found: dict[str, bytes] = {}
    for name, table in rows.items():
        out = io.BytesIO()
        _parquet().write_table(_table(name, table), out, compression=_COMPRESSION)
        found[name] = out.getvalue()
    return found


#: Halves of characters, which no text in UTF-8 has.
_WITHOUT = re.compile("[\ud800-\udfff]+")


def write_rows(file: Path, name: str, rows: Iterable[Row]) -> None:
    """A table of rows that are in memory. Raises `OSError`."""
    _parquet().write_table(_table(name, list(rows)), file, compression=_COMPRESSION)


def write_joined(file: Path, name: str, sources: Iterable[tuple[Path, Collection[int]]]) -> None:
    """A table of lines: of each source those of some pieces. Raises `OSError`, `TablesChanged`.

    No more than a group of rows is in memory.
    """
    pa, columns = _arrow(), schema(name)
    with _parquet().ParquetWriter(file, columns, compression=_COMPRESSION) as writer:
        ahead: list[Any] = []
        for source, pieces in sources:
            for group in _groups(source, name, pieces):
                ahead.append(group)
                if sum(each.nbytes for each in ahead) >= GROUP_BYTES:
                    writer.write_table(pa.concat_tables(ahead))
                    ahead = []
        if ahead:
            writer.write_table(pa.concat_tables(ahead))


def _groups(source: Path, name: str, pieces: Collection[int]) -> Iterator[Any]:
    compute: Any = import_module("pyarrow.compute")
    pa = _arrow()
    wanted = pa.array(sorted(pieces), pa.int64())
    try:
        with _parquet().ParquetFile(source) as file:
            if not file.schema_arrow.equals(schema(name)):
                raise TablesChanged(source.name)
            for number in range(file.num_row_groups):
                group = file.read_row_group(number)
                yield group.filter(compute.is_in(group["piece"], wanted))
    except pa.lib.ArrowException:
        raise TablesChanged(source.name) from None


def verdict_row(verdict: JobVerdict) -> Row:
    """A row of the table of verdicts: the fields, with checkpoints and findings told by kind."""
    told: dict[str, Any] = plain(verdict)
    told |= {fate.value: list(verdict.checkpoints.get(fate, ())) for fate in FATES}
    told["stops"] = [each.text for each in verdict.stops]
    severities = [each.severity for each in verdict.findings]
    told |= {each.value: severities.count(each) for each in Severity}
    if told["conforms"] is not None:
        told["conforms"] = {
            name: json.dumps(value) if name in ("told", "tried") else str(value)
            for name, value in told["conforms"].items()
            if value is not None
        }
    return _row(VERDICTS, told)


def finding_row(verdict: JobVerdict, found: Finding) -> Row:
    """A row of the table of findings."""
    return _row(FINDINGS, plain(found) | {"logs": verdict.logs, "job": verdict.job})


def _row(table: str, told: Mapping[str, object]) -> Row:
    return tuple(_cell(told[column]) for column in schema(table).names)


def _cell(value: Any) -> object:
    """A value of plain data as Arrow takes it."""
    match value:
        case bool() | None:
            return value
        case int():
            return _number(value)
        case str():
            return _text(value)
        case dict():
            return [(_text(key), _cell(each)) for key, each in value.items()]
        case _:
            return [_cell(each) for each in value]


def _events(number: int, lines: PieceLines) -> Iterator[Row]:
    for event in lines.events:
        yield (
            *_at(number, lines, event.at), _text(event.job), _text(event.time), event.word,
            event.clock, _text(event.task), _number(event.attempt), _number(event.checkpoint),
            _pairs(event.fields), event.at.raw, event.at.end,
        )  # fmt: skip


def _rest(number: int, lines: PieceLines) -> Iterator[Row]:
    for each in lines.rest:
        yield (*_at(number, lines, each.at), each.why.value, each.at.raw, each.at.end)


def _at(number: int, lines: PieceLines, raw: RawLines) -> Row:
    return number, _text(lines.files[raw.log][raw.part]), raw.line, raw.lines


def _number(value: int | None) -> int | None:
    return None if value is None or abs(value) > _NUMBER_MAX else value


def _text(text: str | None) -> str | None:
    """Bytes that are no UTF-8 become question marks: the line itself has them."""
    return None if text is None else text.encode("utf-8", "replace").decode()


def _pairs(fields: Mapping[str, str]) -> list[tuple[str | None, str | None]]:
    return [(_text(key), _text(value)) for key, value in fields.items()]


def _table(name: str, rows: Sequence[Row]) -> Any:
    pa, columns = _arrow(), schema(name)
    by_column = list(zip(*map(_in_unicode, rows), strict=True)) if rows else [()] * len(columns)
    arrays = [pa.array(each, kind) for each, kind in zip(by_column, columns.types, strict=True)]
    return pa.table(arrays, schema=columns)


def _in_unicode(row: Row) -> Sequence[object]:
    """A row for Arrow: bytes of a name that are no UTF-8 are shown as escapes."""
    return [
        each if not isinstance(each, str) or each.isprintable() else _WITHOUT.sub(_escape, each)
        for each in row
    ]


def _escape(found: re.Match[str]) -> str:
    return visible(found[0])


def _arrow() -> Any:
    """It comes without types."""
    return import_module("pyarrow")


def _parquet() -> Any:
    return import_module("pyarrow.parquet")


__all__ = [
    "EVENTS",
    "FINDINGS",
    "GROUP_BYTES",
    "OF_LINES",
    "REST",
    "TABLES",
    "VERDICTS",
    "TablesChanged",
    "finding_row",
    "packed",
    "schema",
    "verdict_row",
    "write_joined",
    "write_rows",
]
