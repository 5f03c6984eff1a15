"""Keys of records, and the subtask that stores the state of a key.

A key belongs to one of `GROUPS` groups, for good and in every process; a subtask has a range of
them. Whoever sends records to keyed operators and whoever deals out their state go by the same.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Any, NoReturn, cast

from finale.model.errors import FinaleError, Place
from finale.model.given import json_of
from finale.reference.channel import Record

#: No keyed operator has more subtasks than this.
GROUPS = 128
#: In front of keys that are no texts.
MARK = "\0"
#: So many keys are looked up faster than they are hashed.
REMEMBERED = 1 << 18
#: What counts as a number; a truth value does not.
NUMBERS = {int, float}
#: So many channels are filled one after the other, each in one go.
FEW = 8


def text_of(value: Record) -> str:
    """Return a key as text. A key that is not text is written as JSON behind a mark."""
    if isinstance(value, str) and not value.startswith(MARK):
        return value
    return MARK + json.dumps(value, sort_keys=True)


def value_of(text: str) -> Record:
    """The key that a text is of."""
    return json_of(text[1:]) if text.startswith(MARK) else text


def index_of(text: str, count: int) -> int:
    """Which of so many subtasks a key belongs to."""
    group = zlib.crc32(text.encode(errors="surrogatepass")) % GROUPS
    return group * count // GROUPS


def bad_record(vertex: str, key: str, record: Record, problem: str) -> FinaleError:
    """A record that an operator cannot work on."""
    return FinaleError(
        "bad-record",
        f'"{vertex}" reads {record!r:.200}: {problem}',
        place=Place(key=f"operators.{vertex}.{key}"),
        advice="drop such records on their way, or let the source check them by its types",
    )


def fields_of(record: Record) -> dict[str, Any]:
    """Return the fields of a record by name."""
    return cast("dict[str, Any]", record) if isinstance(record, dict) else {}


class KeyField:
    """One field of a record, or the record itself; `key` is where the job file names it."""

    def __init__(self, vertex: str, key: str, name: str | None) -> None:
        self.vertex = vertex
        self.key = key
        self.name = name

    def of(self, records: Sequence[Record]) -> Sequence[Any]:
        """The field's values. Raises `bad-record` where a record has none."""
        if self.name is None:
            return records
        try:
            return [cast("dict[str, Any]", record)[self.name] for record in records]
        except (KeyError, TypeError, IndexError):
            self._refuse(records)

    def texts(self, records: Sequence[Record]) -> Sequence[str]:
        """The field's values as keys."""
        values = self.of(records)
        if set(map(type, values)) == {str} and MARK not in "".join(values):
            return values
        try:
            return list(map(text_of, values))
        except (TypeError, ValueError, RecursionError):
            self._refuse_key(records, values)

    def numbers(self, records: Sequence[Record]) -> Sequence[int | float]:
        """The field's values. Raises `bad-record` for what is no number."""
        values = self.of(records)
        if not set(map(type, values)) <= NUMBERS:
            record = next(r for r, v in zip(records, values, strict=True) if type(v) not in NUMBERS)
            raise bad_record(self.vertex, self.key, record, f'"{self.name}" is no number')
        if any(value - value != 0 for value in values):
            raise bad_record(self.vertex, self.key, records[0], f'"{self.name}" is not finite')
        return values

    def _refuse_key(self, records: Sequence[Record], values: Sequence[Any]) -> NoReturn:
        for record, value in zip(records, values, strict=True):
            try:
                text_of(value)
            except (TypeError, ValueError, RecursionError) as reason:
                problem = f"JSON cannot write its key: {reason}"
                raise bad_record(self.vertex, self.key, record, problem) from None
        raise AssertionError("each key can be written")

    def _refuse(self, records: Sequence[Record]) -> NoReturn:
        record = next(r for r in records if self.name not in fields_of(r))
        raise bad_record(self.vertex, self.key, record, f'it has no "{self.name}"')


class ByKey:
    """Shares records out by key."""

    def __init__(self, field: KeyField) -> None:
        self.field = field
        self.known: dict[int, _Indices] = {}

    def __call__(self, records: Sequence[Record], count: int) -> list[Sequence[Record]]:
        known = self.known.setdefault(count, _Indices(count))
        if len(known) > REMEMBERED:
            known.clear()
        taken = list(map(known.__getitem__, self.field.texts(records)))
        if count <= FEW:
            return [list(compress(records, map(i.__eq__, taken))) for i in range(count)]
        shares: list[list[Record]] = [[] for _ in range(count)]
        for record, index in zip(records, taken, strict=True):
            shares[index].append(record)
        return list(shares)


class _Indices(dict[str, int]):
    """A cache of the subtask of each key."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def __missing__(self, text: str) -> int:
        self[text] = index = index_of(text, self.count)
        return index

    def __reduce__(self) -> tuple[type[_Indices], tuple[int]]:
        return _Indices, (self.count,)


class InTurn:
    """Shares records out evenly, whatever they are."""

    def __init__(self) -> None:
        self.turn = 0

    def __call__(self, records: Sequence[Record], count: int) -> list[Sequence[Record]]:
        first, self.turn = self.turn, (self.turn + len(records)) % count
        return [records[(index - first) % count :: count] for index in range(count)]


def merged(parts: Iterable[dict[str, Any]], index: int, count: int) -> dict[str, Any]:
    """Return the tables by key of one subtask, after a change of parallelism."""
    return {
        text: value
        for part in parts
        for text, value in part.items()
        if index_of(text, count) == index
    }
