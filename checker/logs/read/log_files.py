"""Opens raw logs: files, folders, globs and archives, also compressed or rotated ones.

A rotated log is one log: its parts are ordered by the time of their first entry. This module hands
on bytes; `log_entries.py` decodes them.
"""

from __future__ import annotations

import glob
import io
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import IO

from finale.model.errors import FinaleError, Place
from finale.model.given import lines_in, not_read, opened, short

from .unpacking import DAMAGED, archive_of, members_of, unpacked

#: What a file in a folder or an archive is called if it is a log; `stem` is the name of all parts.
_NAMED = re.compile(
    r"(?P<stem>.+\.(?:log|ndjson))(?:[.-](?:(?P<number>\d+)|\d{4}-\d\d-\d\d[\w.-]*))?"
    r"(?:\.(?:gz|xz|lzma|bz2|zst))?"
)
#: What an archive is called of which a folder may have some.
_ARCHIVED = re.compile(r".+\.(?:tar(?:\.(?:gz|xz|lzma|bz2))?|tgz|txz|tbz2?)")
_TIME = re.compile(rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[,.]\d{3}")
#: A larger number behind the name of a part is a date, a time or a process.
NUMBER_MAX = 999
#: So many lines of a part are looked at for its first time.
_LINES_TO_TIME = 200
_CALLED = "logs are called *.log, as *.log.1 or *.log.gz are; or name the files one by one"


@dataclass(frozen=True)
class LogFile:
    """A file, or a file in an archive."""

    path: str
    member: str | None = None

    def __str__(self) -> str:
        return self.path if self.member is None else f"{self.path}!{self.member}"

    @property
    def folder(self) -> str:
        """Where it lies: logs of one folder are of one cluster."""
        if self.member is None:
            return str(Path(self.path).parent)
        return f"{self.path}!{PurePosixPath(self.member).parent}"

    @property
    def file_name(self) -> str:
        return PurePosixPath(self.member or Path(self.path).name).name


@dataclass(frozen=True)
class RawLog:
    """A log: one file, or the parts that it was rotated into, the oldest first."""

    parts: tuple[LogFile, ...]

    @property
    def folder(self) -> str:
        return self.parts[0].folder

    @property
    def holes(self) -> dict[int, str]:
        """The parts before which others are missing, by their places, and what is missing.

        Programs number the parts of a rotated log without holes, the newest first or the oldest
        first. The part without a number is the newest.
        """
        numbers = [number_of(each.file_name) for each in self.parts]
        told = [each for each in numbers if each is not None]
        if len(set(told)) < len(told) or None in numbers[:-1] or max(told, default=0) > NUMBER_MAX:
            return {}  # numbered otherwise, or by dates
        if numbers[-1] is None and told == sorted(told, reverse=True):
            numbers[-1] = 0  # the newest first
        found: dict[int, str] = {}
        for place, (one, two) in enumerate(pairwise(numbers), 1):
            if one is not None and two is not None and abs(one - two) > 1:
                low, high = min(one, two) + 1, max(one, two) - 1
                found[place] = f"{low}" if low == high else f"{low} to {high}"
        return found

    def __str__(self) -> str:
        return str(self.parts[-1])


def holes_of(logs: Iterable[RawLog]) -> list[tuple[int, int, int]]:
    """The beginnings of parts before which others are missing: the log, the part, and line 0."""
    return [(number, part, 0) for number, log in enumerate(logs) for part in log.holes]


# Not frozen: that takes three times as long, and each line has one.
@dataclass(slots=True, unsafe_hash=True)
class LogLine:
    """A line without its end. `whole`: it has one, as all but the last line of a file must."""

    part: int
    number: int
    raw: bytes
    whole: bool = True
    end: bytes = b"\n"


class LogShelf:
    """Opens logs. An archive stays open, so that its files are read in one go; close it.

    Of parts that are `given`, the bytes are those: the files need not be here.
    """

    def __init__(self, given: Mapping[LogFile, bytes] | None = None) -> None:
        self._given = given or {}
        self._archives: dict[str, tarfile.TarFile] = {}
        self._open = ExitStack()
        self._names: dict[str, set[str]] = {}
        """Of archives, the files that they have."""
        self.damaged: list[LogFile] = []
        """Those that end in the midst, as a compressed file does that is still written."""

    def __enter__(self) -> LogShelf:
        return self

    def __exit__(self, *_: object) -> None:
        self._archives.clear()
        self._open.close()

    def lines(self, log: RawLog) -> Iterator[LogLine]:
        """All lines of a log, part by part. Raises `unreadable`, `no-zstandard`."""
        for place, part in enumerate(log.parts):
            yield from self._lines_of(place, part)

    def content(self, part: LogFile) -> bytes:
        """The bytes of a part as they are kept, compressed or not. Raises `unreadable`."""
        try:
            with self._raw(part) as stream:
                return stream.read()
        except OSError as error:
            raise unreadable(str(part), error) from None

    def short_content(self, part: LogFile) -> bytes:
        """The same of a file that somebody wrote by hand: one that is too long is `unreadable`."""
        try:
            with self._raw(part) as stream:
                return short(stream)
        except OSError as error:
            raise unreadable(str(part), error) from None

    def size(self, part: LogFile) -> int:
        """How many bytes a part has as it is kept. Raises `unreadable`."""
        try:
            if part.member is None:
                return Path(part.path).stat().st_size
            return self._archive(part.path).getmember(part.member).size
        except OSError as error:
            raise unreadable(str(part), error) from None

    def beside(self, log: RawLog, name: str) -> LogFile | None:
        """A file of this name in the folder of a log, if there is one. Raises `unreadable`."""
        part = log.parts[0]
        if part.member is None:
            path = Path(part.path).parent / name
            return LogFile(str(path)) if path.is_file() else None
        member = part.member[: len(part.member) - len(part.file_name)] + name
        if part.path not in self._names:
            inside = self._archive(part.path)
            self._names[part.path] = {each.name for each in inside if each.isfile()}
        return LogFile(part.path, member) if member in self._names[part.path] else None

    def is_plain(self, part: LogFile) -> bool:
        """Whether it is a file that has its lines as they are: any of them can be read alone."""
        if part.member is not None:
            return False
        with self._raw(part) as stream, unpacked(stream, str(part)) as inside:
            return inside is stream

    def logs(self, paths: Iterable[str]) -> list[RawLog]:
        """The logs that some paths mean. Raises `unreadable`, `no-logs`, `no-zstandard`."""
        found: dict[tuple[str, str], list[LogFile]] = {}
        for part in _each_once(each for path in paths for each in self._parts(path)):
            stem = stem_of(part.file_name) or part.file_name
            found.setdefault((part.folder, stem), []).append(part)
        return [self.in_order(parts) for parts in found.values()]

    def in_order(self, parts: Sequence[LogFile]) -> RawLog:
        """The log that these are the parts of: they follow each other by their first time."""
        if len(parts) > 1:
            parts = sorted(parts, key=lambda each: (self._first_time(each), str(each)))
        return RawLog(tuple(parts))

    # --- which files -----------------------------------------------------------------------------

    def _parts(self, path: str) -> Iterator[LogFile]:
        if not Path(path).exists() and glob.has_magic(path):
            # A `Path` takes no absolute patterns.
            inside = sorted(glob.glob(path, recursive=True))  # noqa: PTH207
            if not inside:
                raise _no_logs(path, "nothing is called like this")
            for each in inside:
                if not Path(each).is_dir() or len(inside) == 1:
                    yield from self._parts(each)
        elif Path(path).is_dir():
            inside = sorted(str(each) for each in Path(path).rglob("*") if each.is_file())
            logs = [each for each in inside if stem_of(Path(each).name)]
            if not logs:
                raise _no_logs(path, *_archives_in(inside))
            yield from map(LogFile, logs)
        elif _is_archive(path) or _ARCHIVED.fullmatch(Path(path).name):
            yield from self._members(path)
        else:
            yield LogFile(path)

    def _members(self, path: str) -> Iterator[LogFile]:
        names = [each.name for each in self._archive(path) if each.isfile()]
        logs = [each for each in names if stem_of(PurePosixPath(each).name)]
        if not logs:
            raise _no_logs(path, "no file in this archive is called like a log")
        yield from (LogFile(path, each) for each in logs)

    def _first_time(self, part: LogFile) -> bytes:
        for line in self._lines_of(0, part):
            if found := _TIME.match(line.raw):
                return found[0]
            if line.number >= _LINES_TO_TIME:
                break
        return b""

    # --- their bytes -----------------------------------------------------------------------------

    def _lines_of(self, place: int, part: LogFile) -> Iterator[LogLine]:
        number = 0
        try:
            with self._raw(part) as raw_stream, unpacked(raw_stream, str(part)) as stream:
                for number, raw in enumerate(lines_in(stream), 1):
                    whole = raw.endswith(b"\n")
                    text = raw.rstrip(b"\r\n") if whole else raw
                    yield LogLine(place, number, text, whole, raw[len(text) :])
        except DAMAGED:
            # What it has up to here is still a log.
            self.damaged.append(part)
        except OSError as error:
            raise unreadable(str(part), error) from None

    def _raw(self, part: LogFile) -> IO[bytes]:
        if part in self._given:
            return io.BytesIO(self._given[part])
        if part.member is None:
            return opened(part.path)
        stream = self._archive(part.path).extractfile(part.member)
        assert stream is not None, f"{part} is a file"
        return stream

    def _archive(self, path: str) -> tarfile.TarFile:
        if path not in self._archives:
            stack = ExitStack()
            try:
                archive = archive_of(path, stack)
                # All of it is gone through now, so what is wrong with it is found here.
                members_of(archive, path)
            except (*DAMAGED, OSError) as error:
                stack.close()
                if isinstance(error, OSError) and not isinstance(error, DAMAGED):
                    raise unreadable(path, error) from None
                raise FinaleError(
                    "unreadable",
                    f"the archive is cut or damaged: {error}",
                    place=Place(path),
                    advice="make it anew; or unpack what it still has, and name that folder",
                ) from None
            self._open.push(stack.pop_all())
            self._archives[path] = archive
        return self._archives[path]


def _each_once(parts: Iterable[LogFile]) -> Iterable[LogFile]:
    """The parts without those that are read already under another name; a link is the other one."""
    found: dict[tuple[str, str | None], LogFile] = {}
    for part in parts:
        key = str(Path(part.path).resolve()), part.member
        if key not in found or Path(found[key].path).is_symlink():
            found[key] = part
    return found.values()


def stem_of(name: str) -> str | None:
    """What a log is called of which a file of this name is a part; None if it is none."""
    named = _NAMED.fullmatch(name)
    return named["stem"] if named else None


def number_of(name: str) -> int | None:
    """The number at the end of the name of a part."""
    named = _NAMED.fullmatch(name)
    return int(named["number"]) if named and named["number"] else None


def _is_archive(path: str) -> bool:
    try:
        with ExitStack() as stack:
            return archive_of(path, stack) is not None  # pyright: ignore
    except DAMAGED:
        return False
    except OSError as error:
        raise unreadable(path, error) from None


def unreadable(path: str, error: OSError) -> FinaleError:
    """The system does not hand out the bytes of a file."""
    return not_read(path, error, "the log")


def _archives_in(files: Sequence[str]) -> tuple[str, str]:
    """Why there is no log in a folder of these files, and what to do where archives are there."""
    why = "no file in this folder is called like a log"
    found = [each for each in files if _ARCHIVED.fullmatch(Path(each).name)]
    if not found:
        return why, _CALLED
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"{why}, but there is {Path(found[0]).name}{more}", f"name it: {found[0]}"


def _no_logs(path: str, why: str, advice: str = _CALLED) -> FinaleError:
    return FinaleError(
        "no-logs",
        f"there are no logs here: {why}",
        place=Place(path),
        advice=advice,
    )
