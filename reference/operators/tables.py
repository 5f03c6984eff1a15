"""Sources that read records from lines of JSON, or from rows of a table."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

from finale.model.errors import FinaleError, Place
from finale.model.given import line_of
from finale.reference.channel import Record
from finale.reference.operators import sources
from finale.reference.operators.base import Context
from finale.reference.operators.keys import NUMBERS, fields_of
from finale.reference.operators.sources import Bad, LineSource, Position


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return _finite(text)


def _finite(text: str) -> float:
    number = float(text)
    if number - number != 0:
        raise ValueError(f"{text} is not finite")
    return number


#: What a field may be, and how a text becomes that.
TYPES: dict[str, tuple[set[type], Callable[[str], Record]]] = {
    "text": ({str}, str),
    "number": (NUMBERS, _number),
    "whole": ({int}, int),
}


class TableSource(LineSource):
    """Lines that are records with fields. `time` names the one that tells when they happened."""

    def __init__(
        self,
        context: Context,
        *,
        files: Mapping[str, Path],
        follow: bool = False,
        time: str | None = None,
        out_of_order: int = 0,
        types: Mapping[str, str] | None = None,
        on_bad: str = "refuse",
    ) -> None:
        super().__init__(context, files=files, follow=follow, bad=on_bad == "keep")
        self.time = time
        self.out_of_order = out_of_order
        self.types = {**(types or {}), **({time: "whole"} if time is not None else {})}

    def latest(self, records: Sequence[Any], before: int | None) -> int | None:
        if self.time is None:
            return None
        times = [record[self.time] for record in records]
        return max(times if before is None else [before, *times], default=None)


class Ndjson(TableSource):
    """Each line is JSON; empty ones are nothing."""

    def records(
        self, position: Position, lines: Sequence[str], bad: Callable[[Bad], object]
    ) -> Sequence[Record]:
        records: list[Record] = []
        for number, line in enumerate(lines):
            if line and not line.isspace():
                try:
                    records.append(self._record(line.removeprefix(BOM)))
                except (ValueError, RecursionError) as reason:
                    bad(Bad(number, f"the line is not JSON: {reason}"))
                except Bad as reason:
                    bad(Bad(number, reason.problem))
        return records

    def _record(self, line: str) -> Record:
        record: Record = DECODER.decode(line)
        fields = fields_of(record) if self.types else {}
        for name, said in self.types.items():
            if name not in fields:
                raise Bad(0, f'the line has no "{name}"')
            if type(fields[name]) not in TYPES[said][0]:
                raise Bad(0, f'"{name}" is {fields[name]!r:.80}, and not a {said}')
        return record


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


#: What some write in front of a text.
BOM = "\ufeff"
DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_no_number)


class Csv(TableSource):
    """Each row is a record of texts, but for the fields that are said to be numbers.

    The first row of a file names its columns. A row in quotes may have several lines.
    """

    def __init__(self, context: Context, *, separator: str = ",", **options: Any) -> None:
        super().__init__(context, **options)
        self.separator = separator
        self.columns: dict[Path, tuple[list[str], int]] = {}
        """Of each file, and how many lines name them."""

    def whole(self, file: IO[bytes], data: bytes) -> bytes:
        data = super().whole(file, data)
        further = 0
        while data.count(b'"') % 2 and further < sources.CHUNK and (line := line_of(file)):
            data, further = data + line, further + len(line)
        return b"" if self.follow and (data.count(b'"') % 2 or data[-1:] != b"\n") else data

    def records(
        self, position: Position, lines: Sequence[str], bad: Callable[[Bad], object]
    ) -> Sequence[Record]:
        columns, naming = self._columns(position.path)
        first = naming if position.offset == 0 else 0
        records: list[Record] = []
        for number, row in self._rows(lines, first, bad):
            try:
                records.append(self._record(columns, row))
            except Bad as reason:
                bad(Bad(number, reason.problem))
        return records

    def _rows(
        self, lines: Sequence[str], first: int, bad: Callable[[Bad], object]
    ) -> Iterator[tuple[int, list[str]]]:
        """Rows that are not empty, each with the number of its first line."""
        while first < len(lines):
            rest = (f"{line}\n" for line in lines[first:])
            reader = csv.reader(rest, delimiter=self.separator, strict=True)
            begin = first
            try:
                for row in reader:
                    if row:
                        yield begin, row
                    begin = first + reader.line_num
                return
            except csv.Error as reason:
                bad(Bad(begin, f"the line is not a row: {reason}"))
                first = begin + 1

    def _record(self, columns: list[str], row: list[str]) -> Record:
        if len(row) != len(columns):
            raise Bad(0, f"the row has {len(row)} fields, and there are {len(columns)} columns")
        record: dict[str, Record] = dict(zip(columns, row, strict=True))
        for name, said in self.types.items():
            try:
                record[name] = TYPES[said][1](str(record[name]))
            except KeyError:
                raise Bad(0, f'the file has no column "{name}"') from None
            except ValueError:
                raise Bad(0, f'"{name}" is {record[name]!r:.80}, and not a {said}') from None
        return record

    def _columns(self, path: Path) -> tuple[list[str], int]:
        if path not in self.columns:
            with path.open(newline="", encoding="utf-8-sig", errors="surrogateescape") as file:
                reader = csv.reader(file, delimiter=self.separator)
                columns = next(reader, list[str]())
                if len(set(columns)) < len(columns):
                    raise FinaleError(
                        "bad-input",
                        "two columns have one name",
                        place=Place(str(path), 1),
                        advice="give each column a name of its own in the first line",
                    )
                self.columns[path] = columns, reader.line_num
        return self.columns[path]
