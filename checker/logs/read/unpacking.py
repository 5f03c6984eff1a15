"""Unpacks compressed logs and archives, up to a limit.

A few kilobytes can unpack to a terabyte. Logs repeat themselves, but no log grows by a factor of
`TIMES_MAX`. A short file may grow up to `BYTES_MIN`.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import tarfile
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from typing import IO, cast

from finale.model.errors import FinaleError, Place
from finale.model.given import MEGABYTE, opened

BYTES_MIN = 64 * MEGABYTE
TIMES_MAX = 500
#: Of files and folders in an archive.
MEMBERS_MAX = 200_000
#: What compressed files begin with.
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_OPENERS: dict[bytes, Callable[[IO[bytes]], object]] = {
    b"\x1f\x8b": gzip.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"\x5d\x00\x00": lzma.open,
    b"BZh": bz2.open,
}
DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, tarfile.TarError)


def unpacked(stream: IO[bytes], name: str) -> IO[bytes]:
    """A stream of what a file has, decompressed; reading it raises `OSError` where it is too much.

    A file that is not compressed is handed back as it is.
    """
    start = stream.read(6)
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    if start.startswith(_ZSTANDARD):
        return _bounded(_zstandard(stream, name), size)
    for magic, opener in _OPENERS.items():
        if start.startswith(magic):
            return _bounded(cast("IO[bytes]", opener(stream)), size)
    return stream


def archive_of(path: str, stack: ExitStack) -> tarfile.TarFile:
    """The archive in a file, which a stack closes. Raises `OSError`, `DAMAGED` if it is none."""
    raw = stack.enter_context(opened(path))
    size = raw.seek(0, os.SEEK_END)
    raw.seek(0)
    stream = stack.enter_context(unpacked(raw, path))
    bounded = stack.enter_context(_Bounded(stream, _limit(size)))
    return stack.enter_context(tarfile.open(fileobj=bounded, mode="r:"))


def members_of(archive: tarfile.TarFile, path: str) -> list[tarfile.TarInfo]:
    """All members of an archive, which are gone through now. Raises `OSError`, `DAMAGED`."""
    found: list[tarfile.TarInfo] = []
    limit = _limit(os.stat(path).st_size)  # noqa: PTH116 - a path may be that of anything
    for member in archive:
        found.append(member)
        if len(found) > MEMBERS_MAX:
            raise OSError(errno.EINVAL, f"it has more than {MEMBERS_MAX} members")
        if member.size < 0:
            raise tarfile.ReadError("a member has a negative size")
        if member.size > limit:
            raise _too_much(limit)
    return found


def _limit(size: int) -> int:
    return max(BYTES_MIN, TIMES_MAX * size)


def _bounded(stream: IO[bytes], size: int) -> IO[bytes]:
    return cast("IO[bytes]", io.BufferedReader(_Bounded(stream, _limit(size))))


class _Bounded(io.RawIOBase):
    """A stream that ends in an error behind so many bytes."""

    def __init__(self, stream: IO[bytes], limit: int) -> None:
        self._stream = stream
        self._limit = limit

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._stream.tell()

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_SET and offset > self._limit:
            raise _too_much(self._limit)
        return self._stream.seek(offset, whence)

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        if self._stream.tell() > self._limit:
            raise _too_much(self._limit)
        return len(data)

    def read(self, size: int = -1) -> bytes:
        """The next bytes; a header that says it is huge gets no more memory than there are."""
        if size > self._limit:
            raise _too_much(self._limit)
        return self._stream.read(size)

    def close(self) -> None:
        self._stream.close()
        super().close()


def _too_much(limit: int) -> OSError:
    told = f"it would unpack to more than {limit // MEGABYTE} MB: nothing so small has so much"
    return OSError(errno.EINVAL, told)


def _zstandard(stream: IO[bytes], name: str) -> IO[bytes]:
    try:
        from compression import zstd  # type: ignore[import-not-found]  # from Python 3.14 on
    except ImportError:
        raise FinaleError(
            "no-zstandard",
            "the log is compressed with zstandard, which this Python cannot read",
            place=Place(name),
            advice="decompress it with zstd -d, or use Python 3.14 or newer",
        ) from None
    return cast("IO[bytes]", zstd.open(stream))  # pyright: ignore
