"""Unpacks compressed logs and archives, up to a limit, and brings texts into UTF-8.

A few kilobytes can unpack to a terabyte. Logs repeat themselves, but no log grows by a factor of
`TIMES_MAX`. A short file may grow up to `BYTES_MIN`.
"""

from __future__ import annotations

import bz2
import codecs
import errno
import gzip
import io
import lzma
import os
import re
import sys
import tarfile
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from typing import IO, cast

from finale.model.given import MEGABYTE, opened

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BYTES_MIN = 64 * MEGABYTE
TIMES_MAX = 500
#: Of files and folders in an archive.
MEMBERS_MAX = 200_000
#: What texts in UTF-16 begin with: the mark of the byte order, or characters of ASCII.
_UTF16 = {
    "utf-16": re.compile(rb"\xff\xfe|\xfe\xff"),
    "utf-16-le": re.compile(rb"(?:[ -~]\0){4}"),
    "utf-16-be": re.compile(rb"(?:\0[ -~]){4}"),
}
#: What compressed files begin with.
_OPENERS: dict[bytes, Callable[[IO[bytes]], object]] = {
    b"\x1f\x8b": gzip.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"\x5d\x00\x00": lzma.open,
    b"BZh": bz2.open,
    b"\x28\xb5\x2f\xfd": zstd.open,
}
DAMAGED = (
    EOFError,
    zlib.error,
    lzma.LZMAError,
    gzip.BadGzipFile,
    tarfile.TarError,
    zstd.ZstdError,
)


def unpacked(stream: IO[bytes]) -> IO[bytes]:
    """A stream of what a file has, decompressed; reading it raises `OSError` where it is too much.

    A file that is not compressed is handed back as it is.
    """
    start = stream.read(6)
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    for magic, opener in _OPENERS.items():
        if start.startswith(magic):
            return _bounded(cast("IO[bytes]", opener(stream)), size)
    return stream


def in_utf8(stream: IO[bytes]) -> IO[bytes]:
    """Return a stream of the text of a file in UTF-8, if the file is in UTF-16; else the stream."""
    start = stream.read(8)
    stream.seek(0)
    for encoding, beginning in _UTF16.items():
        if beginning.match(start):
            return cast("IO[bytes]", io.BufferedReader(_Recoded(stream, encoding)))
    return stream


def archive_of(path: str, stack: ExitStack) -> tarfile.TarFile:
    """The archive in a file, which a stack closes. Raises `OSError`, `DAMAGED` if it is none."""
    raw = stack.enter_context(opened(path))
    size = raw.seek(0, os.SEEK_END)
    raw.seek(0)
    stream = stack.enter_context(unpacked(raw))
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


class _Recoded(io.RawIOBase):
    """A stream of a text in UTF-8, whatever encoding the file has."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream, self._rest = stream, b""
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest and (data := self._stream.read(len(buffer))):
            self._rest = self._decoder.decode(data).encode("utf-8", "replace")
        own, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(own)] = own
        return len(own)


def _too_much(limit: int) -> OSError:
    told = f"it would unpack to more than {limit // MEGABYTE} MB: nothing so small has so much"
    return OSError(errno.EINVAL, told)
