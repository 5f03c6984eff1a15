"""Reads files and texts of the user, and refuses files without end and texts without bottom.

Opening a FIFO waits for a writer, a device never ends, and the standard readers of TOML and JSON
raise what no caller expects for a text that is nested deeply. Here each of these is an `OSError`
or a `ValueError` with a sentence, as for any other file that cannot be read.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any

from .errors import FinaleError, Place

MEGABYTE = 2**20
#: Of a text that is read as a whole: a spec, a job, a scenario.
TEXT_MAX = 4 * MEGABYTE
#: No log has a longer line: whatever goes on without an end is read no further.
LINE_MAX = 16 * MEGABYTE
#: So many keys stand in one another with dots between them; the reader takes the square of it.
DOTS_MAX = 64
_DOTTED = re.compile(
    rf"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{DOTS_MAX}}}"""
)


def opened(path: str | Path) -> IO[bytes]:
    """Open a file to read its bytes. Raises `OSError` also for a folder or a device."""
    # Without waiting: a FIFO is opened at once, and then found to be one.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    return os.fdopen(regular(handle), "rb")


def appended(path: str | Path) -> IO[bytes]:
    """Open a file of ours to read it and to append to it, and make it if it is not there.

    Raises `OSError`, also where there is a link: a folder may come from somebody else, and nothing
    is written outside of it.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
    return os.fdopen(regular(os.open(path, flags, 0o644)), "ab+")


def regular(handle: int) -> int:
    """The handle of a file. Raises `OSError` where it is that of anything else, which is closed."""
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(mode):
            what = "a pipe" if stat.S_ISFIFO(mode) else "a device"
            raise OSError(errno.EINVAL, f"it is {what}, and no file: write its content into one")
    except BaseException:
        os.close(handle)
        raise
    return handle


def whole_of(path: str | Path) -> bytes:
    """All bytes of a file, however many. Raises `OSError`, also for what is no file."""
    with opened(path) as file:
        return file.read()


def lines_in(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines of a stream, with their ends. Raises `OSError` where one is too long."""
    while raw := line_of(stream):
        yield raw


def line_of(stream: IO[bytes]) -> bytes:
    """The next line of a stream, or the rest of one. Raises `OSError` where it is too long."""
    raw = stream.readline(LINE_MAX + 1)
    if len(raw) > LINE_MAX:
        raise OSError(errno.EINVAL, f"it has a line of more than {LINE_MAX // MEGABYTE} MB")
    return raw


def bytes_of(path: str | Path, limit: int = TEXT_MAX) -> bytes:
    """The bytes of a file that is read as a whole. Raises `OSError`, also if there are too many."""
    try:
        with opened(path) as file:
            return short(file, limit)
    except ValueError as error:  # a name with a NUL byte
        raise OSError(errno.EINVAL, str(error)) from None


def short(stream: IO[bytes], limit: int = TEXT_MAX) -> bytes:
    """All that a stream has. Raises `OSError` where it is too much."""
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise OSError(errno.EINVAL, f"it has more than {limit // MEGABYTE} MB")
    return data


def text_of(path: str | Path, limit: int = TEXT_MAX) -> str:
    """Read a file as UTF-8 text. Raises `OSError`, `UnicodeDecodeError`."""
    return bytes_of(path, limit).decode()


def not_read(path: str | Path, error: OSError, what: str = "the file") -> FinaleError:
    """The error for a file that cannot be read: `no-such-path` if it is not there, else
    `unreadable`. `what` is what was to be read, with its article."""
    if isinstance(error, FileNotFoundError):
        return no_such_path(Path(path))
    return FinaleError(
        "unreadable",
        f"{what} cannot be read: {error.strerror or error}",
        place=Place(str(path)),
        advice="check its name and its permissions",
    )


def no_such_path(path: Path, further: str = "") -> FinaleError:
    """The error for a file or folder that is not there; a sentence `further` may follow."""
    files = path.parent.glob("*") if path.parent.is_dir() else ()
    # Without their ends: all specs are alike in ".toml".
    beside = {each.stem: each.name for each in sorted(files) if each.name != path.name}
    alike = get_close_matches(path.stem, beside, n=1)
    near = "check the name, and the current folder"
    if alike:
        near = f'did you mean "{beside[alike[0]]}"?'
    what = "the link leads nowhere" if path.is_symlink() else "there is no such file or folder"
    return FinaleError(
        "no-such-path",
        what,
        place=Place(str(path)),
        advice=f"{near}{'' if near.endswith('?') else '.'} {further}" if further else near,
    )


def toml_of(text: str) -> dict[str, Any]:
    """The table of a text in TOML. Raises `tomllib.TOMLDecodeError`, whatever is wrong."""
    if deep := _DOTTED.search(text):
        line = text.count("\n", 0, deep.start()) + 1
        raise tomllib.TOMLDecodeError(
            f"More than {DOTS_MAX} keys with dots between them (at line {line}, column 1)"
        )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError(_TOO_DEEP) from None
    except ValueError as error:  # a number of very many digits, an impossible date
        raise tomllib.TOMLDecodeError(str(error).partition(";")[0]) from None


def json_of(text: str | bytes) -> Any:
    """The value of a text in JSON. Raises `ValueError`, whatever is wrong."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


_TOO_DEEP = "It is nested too deeply"
