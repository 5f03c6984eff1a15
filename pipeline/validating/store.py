"""Stores what was read and judged in a folder: a journal, and tables that are whole or absent.

The journal has a line for each judged piece. The lines of its logs are in parts until all parts are
joined to the tables. A process that was killed continues from there; a piece that has not changed
is not judged again.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from itertools import starmap
from pathlib import Path
from typing import IO, Any

from finale.checker.cache.plain_data import plain, typed
from finale.model.errors import FinaleError, Place
from finale.model.given import json_of, whole_of
from finale.model.written import write_whole

from .judging import PieceOutcome
from .pieces import Piece, Stamp
from .tables import (
    FINDINGS,
    OF_LINES,
    TABLES,
    VERDICTS,
    TablesChanged,
    finding_row,
    verdict_row,
    write_joined,
    write_rows,
)

JOURNAL = "validated.jsonl"
#: The journal that belongs to tables which are complete, and need their names yet.
NEXT = "validated.next"
PARTS = "parts"
#: How files are called that are not whole yet.
_HALF = ".half"
_HALVES = frozenset(f"{name}{_HALF}" for name in (*TABLES, JOURNAL, NEXT))
_HEAD: Mapping[str, object] = {"finale": "validate", "v": 2}
#: The number of the part that the tables are.
_JOINED = 0


@dataclass(frozen=True)
class KnownPieces:
    """A piece that was judged: its number, the part with its lines, its files as they were."""

    number: int
    part: int
    stamps: tuple[Stamp, ...]
    outcome: PieceOutcome

    def to_json(self) -> str:
        """One line."""
        stamps = [astuple(each) for each in self.stamps]
        table = {"number": self.number, "part": self.part, "stamps": stamps}
        return json.dumps(table | {"outcome": plain(self.outcome)}, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: bytes) -> KnownPieces:
        """Back from one line. Raises `ValueError`, `TypeError` or `KeyError` where it is none."""
        table: dict[str, Any] = json_of(text)
        stamps = tuple(Stamp(*each) for each in table["stamps"])
        outcome = typed(PieceOutcome, table["outcome"])
        return cls(table["number"], table["part"], stamps, outcome)


class ResultStore:
    """A folder of results, led by one process. Raises `results-folder`, `results-in-use`.

    `order` says how logs are judged: what was judged otherwise is not known.
    """

    def __init__(self, folder: Path, order: str) -> None:
        self.folder = folder
        self.known: dict[str, KnownPieces] = {}
        self._head = json.dumps({**_HEAD, "order": order}).encode()
        self._number = self._part = 0
        self._journal: IO[bytes]
        self._is_joined = False
        """The tables have just what is known."""
        with self._told():
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder, os.O_RDONLY)
        try:
            self._begin()
        except BaseException:
            os.close(self._lock)
            raise

    def __enter__(self) -> ResultStore:
        return self

    def __exit__(self, *_: object) -> None:
        self._journal.close()
        os.close(self._lock)

    def number(self) -> int:
        """A number for a piece that is to be judged."""
        self._number += 1
        return self._number

    def has(self, piece: Piece, digest: Callable[[], str]) -> bool:
        """Whether a piece is known, and has not changed: by its files' stamps, or its `digest`."""
        known = self.known.get(piece.key)
        if known is None:
            return False
        if known.stamps == piece.stamps:
            return True
        if known.outcome.digest != digest():
            return False
        with self._told():
            self._note(replace(known, stamps=piece.stamps))
        return True

    def keep(
        self, judged: Sequence[tuple[int, Piece, PieceOutcome]], tables: Mapping[str, bytes]
    ) -> None:
        """Keep pieces and the tables of their lines. What could not be read is not known."""
        self._part += 1
        with self._told():
            (self.folder / PARTS).mkdir(exist_ok=True)
            self._refuse_link()
            for name, data in tables.items():
                _write(self._file(name, self._part), data)
            for number, piece, outcome in judged:
                if outcome.digest:
                    self._note(KnownPieces(number, self._part, piece.stamps, outcome))

    def finish(self, keys: Iterable[str]) -> None:
        """Join what is known of these pieces to the tables, and forget the others."""
        current = [self.known[key] for key in dict.fromkeys(keys) if key in self.known]
        if self._is_joined and len(current) == len(self.known):
            return
        self.known = {each.outcome.key: replace(each, part=_JOINED) for each in current}
        with self._told():
            self._write_tables(current)
            # With this line all of it counts.
            _write(self.folder / NEXT, self._content())
            self._journal.close()
            self._take_next()
            self._journal = (self.folder / JOURNAL).open("ab")
        self._is_joined = True

    def _write_tables(self, current: Sequence[KnownPieces]) -> None:
        verdicts = [verdict for each in current for verdict in each.outcome.verdicts]
        found = ((verdict, each) for verdict in verdicts for each in verdict.findings)
        write_rows(self._half(VERDICTS), VERDICTS, map(verdict_row, verdicts))
        write_rows(self._half(FINDINGS), FINDINGS, starmap(finding_row, found))
        numbers: dict[int, set[int]] = {}
        for each in current:
            numbers.setdefault(each.part, set()).add(each.number)
        for name in OF_LINES:
            parts = sorted(numbers.items())
            sources = ((self._file(name, part), inside) for part, inside in parts)
            write_joined(self._half(name), name, sources)
        for name in TABLES:
            _to_disk(self._half(name))

    # --- files -----------------------------------------------------------------------------------

    def _begin(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise FinaleError(
                "results-in-use",
                "another process writes into this folder right now",
                place=Place(str(self.folder)),
                advice="wait for it, or name another folder with --output",
            ) from None
        journal = self.folder / JOURNAL
        with self._told():
            if (self.folder / NEXT).exists():
                self._take_next()
            if not journal.exists() and self._has_others():
                raise self._unusable("it has files, and no journal of a validation")
            lines = whole_of(journal).split(b"\n") if journal.exists() else []
            if lines and lines[0] and not lines[0].startswith(json.dumps(_HEAD)[:-1].encode()):
                raise self._unusable(f"{JOURNAL} in it is no journal of a validation")
            if lines and lines[0] == self._head:
                self._read(lines[1:-1])
            self._forget_unknown()
            _write(journal, self._content())
            self._journal = journal.open("ab")

    def _content(self) -> bytes:
        lines = [each.to_json().encode() for each in self.known.values()]
        return b"\n".join([self._head, *lines, b""])

    def _read(self, lines: Sequence[bytes]) -> None:
        """What the lines of the journal tell; half a last line was cut off before."""
        for number, line in enumerate(lines, 2):
            try:
                known = KnownPieces.from_json(line)
            except (ValueError, TypeError, KeyError, AttributeError):
                raise self._unusable(f"line {number} of {JOURNAL} in it was changed") from None
            self.known[known.outcome.key] = known

    def _forget_unknown(self) -> None:
        """Files of which the journal tells nothing; and what it tells of files that are gone."""
        self._refuse_link()
        for name in _HALVES:
            (self.folder / name).unlink(missing_ok=True)
        there = {
            part
            for part in {each.part for each in self.known.values()}
            if all(self._file(name, part).exists() for name in OF_LINES)
        }
        self.known = {key: each for key, each in self.known.items() if each.part in there}
        for file in (self.folder / PARTS).glob("*"):
            if file.name.partition(".")[0] not in {str(part) for part in there}:
                file.unlink()
        tables = all((self.folder / f"{name}.parquet").exists() for name in TABLES)
        self._is_joined = tables and bool(self.known) and there == {_JOINED}
        self._part = max(there, default=0)
        self._number = max((each.number for each in self.known.values()), default=0)

    def _has_others(self) -> bool:
        """Whether there is more than a validation leaves if it is killed at its begin."""
        return any(each.name not in _HALVES for each in self.folder.iterdir())

    def _refuse_link(self) -> None:
        """Nothing is written or removed outside of the folder."""
        if (self.folder / PARTS).is_symlink():
            raise self._unusable(f"{PARTS} in it is a link")

    def _take_next(self) -> None:
        """Give new tables their names, and then their journal: again, if that was cut short."""
        for name in TABLES:
            if (half := self._half(name)).exists():
                half.replace(self.folder / f"{name}.parquet")
        (self.folder / NEXT).replace(self.folder / JOURNAL)
        _to_disk(self.folder)
        shutil.rmtree(self.folder / PARTS, ignore_errors=True)

    def _note(self, known: KnownPieces) -> None:
        self.known[known.outcome.key] = known
        self._is_joined = False
        self._journal.write(known.to_json().encode() + b"\n")
        self._journal.flush()
        os.fsync(self._journal.fileno())

    def _file(self, name: str, part: int) -> Path:
        if part == _JOINED:
            return self.folder / f"{name}.parquet"
        return self.folder / PARTS / f"{part}.{name}.parquet"

    def _half(self, name: str) -> Path:
        return self.folder / f"{name}{_HALF}"

    @contextmanager
    def _told(self) -> Generator[None]:
        try:
            yield
        except TablesChanged as error:
            raise self._unusable(f"{error} in it is not what was written") from None
        except OSError as error:
            raise self._unusable(f"it cannot be written: {error.strerror or error}") from None

    def _unusable(self, what: str) -> FinaleError:
        return FinaleError(
            "results-folder",
            f"the folder of results is of no use: {what}",
            place=Place(str(self.folder)),
            advice="name another folder with --output",
        )


def _write(file: Path, data: bytes) -> None:
    """A file that is there as a whole, and on the disk, or not at all."""
    write_whole(file, data, f"{file.name}{_HALF}")
    _to_disk(file.parent)


def _to_disk(path: Path) -> None:
    """What a file has, or which names a folder has."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
