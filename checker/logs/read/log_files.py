"""Opens raw logs: files, folders, globs and archives, also compressed or rotated ones.

A rotated log is one log: its parts are ordered by the time of their first entry. This module hands
on bytes; `log_entries.py` decodes them.
"""

from __future__ import annotations

import glob
import hashlib
import io
import os
import re
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path, PurePosixPath
from shutil import copyfileobj
from tempfile import NamedTemporaryFile
from typing import IO

from finale.model.errors import FinaleError, Place
from finale.model.given import lines_in, not_read, opened, short

from .layouts import Layouts, shipped
from .peeling import Peeler
from .run_file import RUN_FILE
from .times import LogTimes, TimeKind
from .unpacking import DAMAGED, archive_of, in_utf8, members_of, unpacked

_PACKED = r"\.(?:gz|xz|lzma|bz2|zst)"
#: What a file in a folder or an archive is called if it is a log. The first part and the ending are
#: the name of all parts; programs that rotate logs add a date, a number, or both.
_NAMED = re.compile(
    r"(?P<first>.+?)(?:[._-](?P<date>\d{4}-\d\d-\d\d[\dT_-]*)(?:[._-](?P<index>\d{1,3}))?)?"
    r"\.(?P<ending>log|ndjson|jsonl|txt)"
    rf"(?:[._-](?P<suffix>\d[\dT_:.-]*|\d{{4}}-\d\d-\d\d[\w.-]*?))?(?P<packed>{_PACKED})?"
)
#: A date, and perhaps a time, in the name of a part.
_DATE = re.compile(r"(?P<day>\d{4}-?\d\d-?\d\d)(?:[T_.-]?(?P<time>\d\d(?:[-:]?\d\d){0,2}))?")
#: The folders of a node in which kubelet keeps the logs of a container.
_OF_POD = re.compile(r"(?P<node>.*/|)[^/_]+_[^/_]+_[0-9a-f-]{32,36}/[^/]+")
#: What an archive is called of which a folder may have some.
_ARCHIVED = re.compile(r".+\.(?:tar(?:\.(?:gz|xz|lzma|bz2))?|tgz|txz|tbz2?)")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[,.]\d{3}")
#: A larger number behind the name of a part is a date, a time or a process.
NUMBER_MAX = 999
#: Parts that do not come once a day come in equal steps if so many steps are equal.
_STEPS_MIN = 2
#: So many bytes of two files are compared before all of them.
_HEAD = 4096
_CHUNK = 2**20
#: So many lines of a part are looked at for its first time.
_LINES_TO_TIME = 200
#: The path that means the standard input.
STANDARD_INPUT = "/dev/stdin"
_CALLED = "logs are called *.log, as *.log.1 or *.log.gz are; or name the files one by one"


@dataclass(frozen=True)
class LogFile:
    """A file, or a file in an archive."""

    path: str
    member: str | None = None
    copy: str | None = None
    """Where its bytes are, if they are not at its path: those of the standard input."""

    def __str__(self) -> str:
        return self.path if self.member is None else f"{self.path}!{self.member}"

    @property
    def place(self) -> str:
        """The path of its bytes."""
        return self.copy or self.path

    @property
    def folder(self) -> str:
        """Where it lies, or the folders of all pods: logs of one folder can be of one cluster."""
        own = PurePosixPath(self.path if self.member is None else self.member).parent
        of_pod = _OF_POD.fullmatch(str(own))
        folder = str(own) if of_pod is None else of_pod["node"].removesuffix("/") or "."
        return folder if self.member is None else f"{self.path}!{folder}"

    @property
    def stem(self) -> tuple[str, str]:
        """What all parts of the log have in common: their folder, and the beginning of the name."""
        return str(PurePosixPath(str(self)).parent), stem_of(self.file_name) or self.file_name

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
        first. The part without a number is the newest. Or they write one each day, or hour.
        """
        numbers = [number_of(each.file_name) for each in self.parts]
        told = [each for each in numbers if each is not None]
        if len(set(told)) < len(told) or None in numbers[:-1] or max(told, default=0) > NUMBER_MAX:
            return _missing_dates([date_of(each.file_name) for each in self.parts])
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

    Of parts that are `given`, the bytes are those: the files need not be here. `layouts` find the
    first time of a part.
    """

    def __init__(
        self, given: Mapping[LogFile, bytes] | None = None, layouts: Layouts | None = None
    ) -> None:
        self._given = given or {}
        self._layouts = layouts or shipped()
        self._archives: dict[str, tarfile.TarFile] = {}
        self._open = ExitStack()
        self._names: dict[str, set[str]] = {}
        """Of archives, the files that they have."""
        self.damaged: list[LogFile] = []
        """Those that end in the midst, as a compressed file does that is still written."""
        self.left_out: list[str] = []
        """What is said of files that are not read."""

    def __enter__(self) -> LogShelf:
        return self

    def __exit__(self, *_: object) -> None:
        self._archives.clear()
        self._open.close()

    def lines(self, log: RawLog) -> Iterator[LogLine]:
        """All lines of a log, part by part. Raises `unreadable`."""
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
                return Path(part.place).stat().st_size
            return self._archive(part.path).getmember(part.member).size
        except OSError as error:
            raise unreadable(str(part), error) from None

    def beside(self, log: RawLog, name: str) -> LogFile | None:
        """A file of this name in the folder of a log, if there is one. Raises `unreadable`."""
        part = log.parts[0]
        if part.copy is not None:
            return None
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
        with self._raw(part) as stream, unpacked(stream) as inside:
            return inside is stream

    def logs(self, paths: Iterable[str], *, apart: bool = False) -> list[RawLog]:
        """The logs that some paths mean. A copy of a log of the same folder is left out, unless
        each log is judged `apart`. Raises `unreadable`, `no-logs`."""
        found: dict[tuple[str, str], list[LogFile]] = {}
        parts = [*_each_once(each for path in paths for each in self._parts(path))]
        for part in parts if apart else self._without_copies(parts):
            found.setdefault(part.stem, []).append(part)
        return [self.in_order(parts) for parts in found.values()]

    def in_order(self, parts: Sequence[LogFile]) -> RawLog:
        """The log that these are the parts of: they follow each other by their first time."""
        if len(parts) > 1:
            parts = sorted(parts, key=lambda e: (self._first_time(e), _age(e.file_name), str(e)))
        return RawLog(tuple(parts))

    def _without_copies(self, parts: Sequence[LogFile]) -> list[LogFile]:
        """The parts without those that have the content of another one in their folder, packed or
        not. Of two, the one that is not packed stays, or the first."""
        folders: dict[str, list[LogFile]] = {}
        for part in parts:
            folders.setdefault(part.folder, []).append(part)
        gone: set[LogFile] = set()
        for inside in folders.values():
            has_packed = len(inside) > 1 and any(is_packed_name(e.file_name) for e in inside)
            sizes = [inside] if has_packed else _groups(inside, self.size)
            heads = [each for size in sizes for each in _groups(size, self._head_digest)]
            for group in (each for head in heads for each in _groups(head, self._digest)):
                kept, *others = sorted(group, key=lambda each: is_packed_name(each.file_name))
                if self._digest(kept) is not None:
                    gone.update(others)
                    text = f"has the content of {kept}, and is not read again"
                    self.left_out += (f"{each}: it {text}" for each in others)
        return [each for each in parts if each not in gone]

    def _head_digest(self, part: LogFile) -> bytes | None:
        return self._digest(part, _HEAD)

    def _digest(self, part: LogFile, length: int | None = None) -> bytes | None:
        """A digest of the unpacked content of a part, or of its beginning; None of an empty one,
        and of one that cannot be read."""
        found, left = hashlib.blake2b(), length
        is_empty = True
        try:
            with self._raw(part) as raw_stream, unpacked(raw_stream) as stream:
                while data := stream.read(_CHUNK if left is None else min(_CHUNK, left)):
                    found.update(data)
                    is_empty = False
                    left = None if left is None else left - len(data)
        except (*DAMAGED, OSError):
            return None
        return None if is_empty else found.digest()

    # --- which files -----------------------------------------------------------------------------

    def _parts(self, path: str) -> Iterator[LogFile]:
        if path == STANDARD_INPUT:
            yield LogFile("stdin", copy=_standard_input())
        elif not Path(path).exists() and glob.has_magic(path):
            # A `Path` takes no absolute patterns.
            inside = sorted(glob.glob(path, recursive=True))  # noqa: PTH207
            if not inside:
                raise _no_logs(path, "nothing is called like this")
            for each in inside:
                if not Path(each).is_dir() or len(inside) == 1:
                    yield from self._parts(each)
        elif Path(path).is_dir():
            inside = sorted(_files_in(path))
            logs = [each for each in inside if stem_of(Path(each).name)]
            if not logs:
                raise _no_logs(path, *_archives_in(inside))
            self._leave_out(path, [each for each in inside if each not in set(logs)])
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
        self._leave_out(path, [each for each in names if each not in set(logs)])
        yield from (LogFile(path, each) for each in logs)

    def _leave_out(self, path: str, others: Sequence[str]) -> None:
        """Note which files of a folder or an archive are not called like logs."""
        names = [each for each in others if PurePosixPath(each).name != RUN_FILE]
        if names:
            more = f" and {len(names) - 1} more are" if len(names) > 1 else " is"
            self.left_out.append(f"{path}: {names[0]}{more} not called like a log, and not read")

    def _first_time(self, part: LogFile) -> str:
        """The first time of a part, if it has a date."""
        peeler = Peeler(self._layouts)
        for line in self._lines_of(0, part):
            text = line.raw.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
            if record := peeler.peel(text).record:
                return "" if record.kind is TimeKind.UNDATED else record.time
            if told := _TIME.match(text):
                return LogTimes().usual(told[0])
            if line.number >= _LINES_TO_TIME:
                break
        return ""

    # --- their bytes -----------------------------------------------------------------------------

    def _lines_of(self, place: int, part: LogFile) -> Iterator[LogLine]:
        number = 0
        try:
            with self._raw(part) as raw_stream, unpacked(raw_stream) as stream:
                for number, raw in enumerate(lines_in(in_utf8(stream)), 1):
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
            return opened(part.place)
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


@cache
def _standard_input() -> str:
    """Return the path of a file with all of the standard input. The process removes it at its end.

    A log is read more than once, and a pipe is not. Raises `unreadable`.
    """
    try:
        file = NamedTemporaryFile(prefix="finale-stdin-")  # noqa: SIM115 - it stays to the end
        copyfileobj(sys.stdin.buffer, file)
        file.flush()
    except OSError as error:
        raise unreadable("stdin", error) from None
    _COPIES.append(file)
    return file.name


_COPIES: list[IO[bytes]] = []


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
    return f"{named['first']}.{named['ending']}" if named else None


def is_packed_name(name: str) -> bool:
    """Whether a file is called like a compressed one."""
    return re.fullmatch(rf".+{_PACKED}", name) is not None


def number_of(name: str) -> int | None:
    """The number at the end of the name of a part."""
    named = _NAMED.fullmatch(name)
    return int(named["suffix"]) if named and (named["suffix"] or "").isdecimal() else None


def date_of(name: str) -> tuple[datetime, bool, int] | None:
    """The date in the name of a part, whether it has a time, and the part's number at that date."""
    named = _NAMED.fullmatch(name)
    dated = None if named is None else _DATE.fullmatch(named["date"] or named["suffix"] or "")
    if named is None or dated is None:
        return None
    digits = re.sub(r"\D", "", f"{dated['day']}{dated['time'] or ''}").ljust(14, "0")
    try:
        date = datetime.strptime(digits, "%Y%m%d%H%M%S")
    except ValueError:
        return None
    return date, dated["time"] is not None, int(named["index"] or 0)


def _age(name: str) -> tuple[bool, float]:
    """A key by which parts are sorted that have no times: the oldest first."""
    number, dated = number_of(name), date_of(name)
    if dated is not None:
        return False, dated[0].timestamp()
    # The highest number is the oldest one, and the part without a number the newest.
    return number is None, -(number or 0)


def _missing_dates(dates: Sequence[tuple[datetime, bool, int] | None]) -> dict[int, str]:
    """By place the dates that are missing among parts of each day, or of other equal steps."""
    told = [each for each in dates if each is not None]
    if len(told) < len(dates) - 1 or None in dates[:-1] or told != sorted(told):
        return {}
    steps = [two - one for (one, *_), (two, *_) in pairwise(told) if two > one]
    day = timedelta(days=1)
    step = min(steps, default=day) if any(each[1] for each in told) else day
    if any(each % step for each in steps) or (step != day and steps.count(step) < _STEPS_MIN):
        return {}
    found: dict[int, str] = {}
    for place, ((one, _, index), (two, _, following)) in enumerate(pairwise(told), 1):
        form = "%Y-%m-%d" if step == day else "%Y-%m-%d %H:%M"
        if two - one > step:
            first, last = (f"{each:{form}}" for each in (one + step, two - step))
            found[place] = first if first == last else f"{first} to {last}"
        elif (one == two and following > index + 1) or (one < two and following > 1):
            found[place] = f"{two:{form}}, number {following - 1},"
    return found


def _groups(parts: Sequence[LogFile], key: Callable[[LogFile], object]) -> list[list[LogFile]]:
    """The parts that have a key in common with another one, by that key."""
    if len(parts) < 2:
        return []
    found: dict[object, list[LogFile]] = {}
    for part in parts:
        found.setdefault(key(part), []).append(part)
    return [each for each in found.values() if len(each) > 1]


def _files_in(path: str) -> Iterator[str]:
    """The files in a folder and in folders below it, also behind links; each folder once."""
    seen: set[tuple[int, int]] = set()
    for folder, folders, names in os.walk(path, followlinks=True):
        known = Path(folder).stat()
        if (known.st_dev, known.st_ino) in seen:
            folders.clear()
            continue
        seen.add((known.st_dev, known.st_ino))
        folders.sort()
        inside = Path(folder)
        yield from (str(inside / name) for name in names if (inside / name).is_file())


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
