"""Operators for text: lines of files, words, counts by key."""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from model.errors import FinaleError, Place
from reference.elements import Buffer, Record
from reference.formats.snapshots import State
from reference.operators.base import Context, Emit, Operator, Source

#: So many bytes of a file are read at once.
CHUNK = 1 << 18


class Lines(Source):
    """The lines of files, one file after the other; a position is a file and a byte."""

    def __init__(self, context: Context, *, files: Sequence[Path]) -> None:
        super().__init__(context)
        self.files = tuple(files)
        self.file = 0
        self.offset = 0
        self._next: tuple[Buffer, int] | None = None

    def peek(self) -> Buffer | None:
        if self._next is None:
            self._read()
        return self._next[0] if self._next is not None else None

    def advance(self) -> None:
        assert self._next is not None
        self.offset += self._next[1]
        self.read_bytes += self._next[1]
        self._next = None

    @property
    def has_ended(self) -> bool:
        return self.peek() is None

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        return {"file": self.file, "offset": self.offset}

    def restore(self, state: State) -> None:
        self.file, self.offset = state["file"], state["offset"]

    def restore_finished(self) -> None:
        self.file = len(self.files)

    def _read(self) -> None:
        while self.file < len(self.files):
            with self.files[self.file].open("rb") as file:
                file.seek(self.offset)
                data = file.read(CHUNK)
                data += file.readline() if data and not data.endswith(b"\n") else b""
            if data:
                text = data.decode(errors="surrogateescape").removesuffix("\n")
                self._next = Buffer(tuple(text.split("\n"))), len(data)
                return
            self.file, self.offset = self.file + 1, 0


def files_of(pattern: str) -> tuple[Path, ...]:
    """The files that a pattern names, sorted. Raises `no-input`."""
    # A pattern may be absolute, which Path.glob refuses.
    found = (Path(name) for name in sorted(glob.glob(pattern, recursive=True)))  # noqa: PTH207
    files = tuple(path for path in found if path.is_file())
    if not files:
        raise FinaleError(
            "no-input",
            f'no file is called "{pattern}"',
            place=Place(key="path"),
            advice="check the path: it is relative to the job's file",
        )
    return files


class Each(Operator):
    """Each record becomes any number of records, by a function that users write."""

    def __init__(
        self, context: Context, *, function: Callable[[Record], Iterable[Record]], name: str
    ) -> None:
        super().__init__(context)
        self.function = function
        self.name = name

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        emit([made for record in records for made in self._called(record)])

    def _called(self, record: Record) -> list[Record]:
        try:
            return list(self.function(record))
        except Exception as reason:
            raise FinaleError(
                "operator-raised",
                f"{self.name} raised {type(reason).__name__}: {reason}, for {record!r}",
                place=Place(key=f"operators.{self.context.task}.function"),
                advice="mend it, and run the job again: it goes on from its newest checkpoint",
            ) from reason


class CountByKey(Operator):
    """How often each record came, told when the data end: `word<tab>count`."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.counts: Counter[str] = Counter()

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        self.counts.update(map(str, records))

    def finish(self, emit: Emit) -> None:
        emit([f"{word}\t{count}" for word, count in sorted(self.counts.items())])
        self.counts.clear()

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        return dict(self.counts)

    def restore(self, state: State) -> None:
        self.counts = Counter(state)


def words(line: Record) -> list[Record]:
    """The words of a line, in small letters."""
    return list(str(line).lower().split())
