"""Operators without state: each looks at one record at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, cast

from finale.model.errors import FinaleError, Place
from finale.reference.channel import Record
from finale.reference.formats.files import AGAIN
from finale.reference.formats.modules import raised_in, said_of
from finale.reference.operators.base import Context, Emit, Operator
from finale.reference.operators.keys import KeyField, bad_record

Function = Callable[[Record], Any]

#: What JSON can write, as far as it shows from outside.
PLAIN = {str, int, float, bool, type(None), list, tuple, dict}
#: What has something within that a function can change, or may have.
SHARED = {list, tuple, dict}
#: Within a record, types of one's own may stand in for these.
WITHIN = (str, int, float, bool, type(None))


def copy_of(value: Any) -> Any:
    """A record that may be changed while others read the first one."""
    if isinstance(value, dict):
        return {key: copy_of(each) for key, each in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        copies = [copy_of(each) for each in cast("Sequence[Any]", value)]
        return copies if isinstance(value, list) else tuple(copies)
    return value


def is_plain(value: object) -> bool:
    """Whether JSON can write a value as it is: names in tables are texts."""
    if isinstance(value, dict):
        table = cast("dict[object, object]", value)
        return all(isinstance(key, str) and is_plain(each) for key, each in table.items())
    if isinstance(value, list | tuple):
        return all(map(is_plain, cast("Sequence[object]", value)))
    return isinstance(value, WITHIN)


def _name_of(function: Function) -> str:
    told = function.func if isinstance(function, partial) else function
    name = getattr(told, "__qualname__", type(told).__qualname__)
    return f"{getattr(told, '__module__', None)}:{name}"


class WordSplitter(Operator):
    """The words of texts, in small letters."""

    def __init__(self, context: Context, *, field: str | None = None) -> None:
        super().__init__(context)
        self.field = KeyField(context.vertex, "field", field)

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        emit(" ".join(map(str, self.field.of(records))).lower().split())


class Calling(Operator):
    """Calls a function that users write."""

    def __init__(self, context: Context, *, function: Function) -> None:
        super().__init__(context)
        self.function = function

    def called(self, records: Sequence[Record]) -> list[Any]:
        """Call the function for each record, with a copy if other operators share the record.

        Raises `operator-raised`, also where the function would end the program.
        """
        made: list[Any] = []
        record: Record = None
        shared = not SHARED.isdisjoint(map(type, records))
        try:
            for record in records:
                made.append(self.made_of(copy_of(record) if shared else record))
        except FinaleError:
            raise
        except (Exception, SystemExit) as reason:
            name = _name_of(self.function)
            raise FinaleError(
                "operator-raised",
                f"{name} raised {said_of(reason)}{raised_in(reason)}, for {record!r:.200}",
                place=Place(key=f"operators.{self.context.vertex}.function"),
                advice=f"mend it, and {AGAIN}",
            ) from reason
        return made

    def made_of(self, record: Record) -> Any:
        return self.function(record)

    def plain(self, made: list[Record]) -> list[Record]:
        """Records that can be written. Raises `bad-record`."""
        types = set(map(type, made))
        if not types <= PLAIN:
            record = next(each for each in made if type(each) not in PLAIN)
            raise bad_record(self.context.vertex, "function", record, "JSON cannot write that")
        if not types.isdisjoint(SHARED):
            for record in made:
                self._refuse_within(record)
        return made

    def _refuse_within(self, record: Record) -> None:
        problem = "JSON cannot write all of it; names in tables have to be texts"
        try:
            if is_plain(record):
                return
        except RecursionError:
            problem = "it is too deep"
        raise bad_record(self.context.vertex, "function", record, problem)


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
        super().__init__(context, function=_itself if function is None else function)
        self.is_called = function is not None
        self.field = KeyField(context.vertex, "field", field)
        self.fields = [KeyField(context.vertex, "fields", each) for each in fields]

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
        if not (hasattr(found, "__iter__") or hasattr(found, "__getitem__")):
            name, vertex = _name_of(self.function), self.context.vertex
            raise FinaleError(
                "bad-record",
                f"{name} returned {found!r:.200} for {record!r:.200}, and that is no list",
                place=Place(key=f"operators.{vertex}.function"),
                advice=f"let it return a list, empty where nothing is to come, and {AGAIN}",
            )
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
        super().__init__(context, function=self.fits if function is None else function)
        self.field = KeyField(context.vertex, "field", field)
        self.equals = equals

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        kept = self.called(self.field.of(records))
        emit([record for record, keep in zip(records, kept, strict=True) if keep])

    def made_of(self, record: Record) -> bool:
        return bool(self.function(record))

    def fits(self, value: Any) -> bool:
        if self.pattern is not None:
            return self.pattern.search(str(value)) is not None
        return type(value) is type(self.equals) and bool(value == self.equals)
