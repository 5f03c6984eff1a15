"""Operators that look at one record at a time, and keep nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from model.errors import FinaleError, Place
from reference.elements import Record
from reference.operators.base import Context, Emit, Operator
from reference.operators.keys import Field, bad_record

Function = Callable[[Record], Any]

#: What JSON can write, as far as it shows from outside.
PLAIN = {str, int, float, bool, type(None), list, tuple, dict}


class Words(Operator):
    """The words of texts, in small letters."""

    def __init__(self, context: Context, *, field: str | None = None) -> None:
        super().__init__(context)
        self.field = Field(context.vertex, "field", field)

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        emit(" ".join(map(str, self.field.of(records))).lower().split())


class Calling(Operator):
    """Calls a function that users write."""

    def __init__(self, context: Context, *, function: Function) -> None:
        super().__init__(context)
        self.function = function

    def called(self, records: Sequence[Record]) -> list[Any]:
        """What the function makes of each record. Raises `operator-raised`."""
        made: list[Any] = []
        record: Record = None
        try:
            for record in records:
                made.append(self.made_of(record))
        except Exception as reason:
            name = f"{self.function.__module__}:{self.function.__qualname__}"
            raise FinaleError(
                "operator-raised",
                f"{name} raised {type(reason).__name__}: {reason}, for {record!r:.200}",
                place=Place(key=f"operators.{self.context.vertex}.function"),
                advice="mend it, and run the job again: it goes on from its newest checkpoint",
            ) from reason
        return made

    def made_of(self, record: Record) -> Any:
        return self.function(record)

    def plain(self, made: list[Record]) -> list[Record]:
        """Records that can be written. Raises `bad-record`."""
        if not set(map(type, made)) <= PLAIN:
            record = next(each for each in made if type(each) not in PLAIN)
            raise bad_record(self.context.vertex, "function", record, "JSON cannot write that")
        return made


def _itself(record: Record) -> Record:
    return record


class Map(Calling):
    """Each record becomes another: by a function, as one of its fields, or as some of them."""

    def __init__(
        self,
        context: Context,
        *,
        function: Function | None = None,
        field: str | None = None,
        fields: Sequence[str] = (),
    ) -> None:
        super().__init__(context, function=function or _itself)
        self.is_called = function is not None
        self.field = Field(context.vertex, "field", field)
        self.fields = [Field(context.vertex, "fields", each) for each in fields]

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        if self.is_called:
            emit(self.plain(self.called(records)))
        elif self.fields:
            names = [each.name for each in self.fields]
            columns = zip(*(each.of(records) for each in self.fields), strict=True)
            emit([dict(zip(names, values, strict=True)) for values in columns])
        else:
            emit(self.field.of(records))


class FlatMap(Calling):
    """Each record becomes any number of records."""

    def made_of(self, record: Record) -> list[Record]:
        found: Iterable[Record] = self.function(record)
        return list(found)

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        emit(self.plain([made for each in self.called(records) for made in each]))


class Filter(Calling):
    """Keeps what a function, a value or a pattern says yes to, of a field or of the record."""

    def __init__(
        self,
        context: Context,
        *,
        function: Function | None = None,
        field: str | None = None,
        equals: Any = None,
        matches: str | None = None,
    ) -> None:
        self.pattern = None if matches is None else re.compile(matches)
        super().__init__(context, function=function or self.fits)
        self.field = Field(context.vertex, "field", field)
        self.equals = equals

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        kept = self.called(self.field.of(records))
        emit([record for record, keep in zip(records, kept, strict=True) if keep])

    def fits(self, value: Any) -> bool:
        if self.pattern is not None:
            return self.pattern.search(str(value)) is not None
        return type(value) is type(self.equals) and bool(value == self.equals)
