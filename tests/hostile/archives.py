"""Archives and packed logs that climb, link, lie about their sizes, or are bombs."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

from .case import Case, Content

LINE = b"2026-11-22 10:00:00,000 INFO  org.apache.flink.Some [] - Nothing of note.\n"
GIGABYTE = 2**30


def tar(*members: tuple[str, dict[str, object], bytes], mode: str = "w") -> bytes:
    """An archive with members of these names, attributes and contents."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, attributes, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            for key, value in attributes.items():
                setattr(info, key, value)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def one(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", data: bytes = LINE) -> bytes:
    data = data if kind == tarfile.REGTYPE else b""
    return tar(("good.log", {}, LINE), (name, {"type": kind, "linkname": link}, data))


def lying(size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """A header that says so many bytes follow, and few do."""
    info = tarfile.TarInfo("bad.log")
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT) + LINE.ljust(1024, b"\0")


def packed(pack: Callable[[bytes], bytes], piece: bytes, times: int) -> Content:
    """A file that unpacks to a piece so many times over."""
    return lambda path: path.write_bytes(pack(piece) * times)


def sparse_member(path: Path) -> None:
    """A file in an archive that has a terabyte of holes, as GNU tar writes it."""
    headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(2**40)}
    headers["GNU.sparse.name"] = "bad.log"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("bad.log")
        info.pax_headers, info.size = headers, 512
        archive.addfile(info, io.BytesIO(b"0\n".ljust(512, b"\0")))


MEGABYTE_OF_LETTERS, MEGABYTE_OF_LINES = b"a" * 2**20, (b"a" * 4095 + b"\n") * 256
ARCHIVES: dict[str, Content] = {
    "a name that climbs": one("../../outside/kept.log"),
    "an absolute name": one("/etc/kept.log"),
    "a name with escapes": one("\x1b]0;t\x07\x1b[2J\u202e.log"),
    "a name that is no UTF-8": one("\udcff\udcfe.log"),
    "a name of ten thousand characters": one("a" * 10_000 + ".log"),
    "an empty name": one(""),
    "a link out of it": one("link.log", tarfile.SYMTYPE, "../../outside/kept"),
    "a link to itself": one("link.log", tarfile.SYMTYPE, "link.log"),
    "a hard link out of it": one("link.log", tarfile.LNKTYPE, "/etc/passwd"),
    "a device": one("null.log", tarfile.CHRTYPE),
    "a FIFO": one("fifo.log", tarfile.FIFOTYPE),
    "a folder called like a log": one("folder.log", tarfile.DIRTYPE),
    "a name twice": one("good.log"),
    "no member": tar(),
    "only links": tar(("a.log", {"type": tarfile.SYMTYPE, "linkname": "b.log"}, b"")),
    "a size that is too large": lying(2**40),
    "a long name without an end": lying(2**33, tarfile.GNUTYPE_LONGNAME),
    "a pax header without an end": lying(2**33, tarfile.XHDTYPE),
    "a negative size": lying(-1),
    "a terabyte of holes": sparse_member,
    "an archive that is cut": one("more.log", data=LINE * 100)[:2000],
    "an archive in an archive": tar(("a.tar", {}, one("b.log"))),
    "a checksum that is wrong": one("more.log")[:100] + b"9" + one("more.log")[101:],
    "a member that is cut when packed": tar(("a.log.gz", {}, gzip.compress(LINE * 50)[:40])),
}
PACKED: dict[str, Content] = {
    "cut": gzip.compress(LINE * 1000)[:80],
    "a wrong checksum": gzip.compress(LINE)[:-8] + b"\0" * 8,
    "junk behind it": gzip.compress(LINE) + b"junk",
    "only a header": b"\x1f\x8b",
    "gzip in gzip": gzip.compress(gzip.compress(LINE)),
    "zstandard": b"\x28\xb5\x2f\xfd" + b"\0" * 100,
    "xz that is cut": lzma.compress(LINE * 1000)[:60],
    "xz that wants all memory": b"\x5d\x00\x00\xff\xff\xff" + b"\0" * 100,
    "bzip2 that is cut": bz2.compress(LINE * 1000)[:60],
    "a line of a gigabyte in gzip": packed(gzip.compress, MEGABYTE_OF_LETTERS, 1024),
    "a line of a gigabyte in xz": packed(lzma.compress, MEGABYTE_OF_LETTERS, 1024),
    "a gigabyte of lines in gzip": packed(gzip.compress, MEGABYTE_OF_LINES, 1024),
    "a gigabyte of lines in bzip2": packed(bz2.compress, MEGABYTE_OF_LINES, 1024),
    "a line of a gigabyte in bzip2": packed(bz2.compress, MEGABYTE_OF_LETTERS, 1024),
}


COMMANDS = {
    "validate": "validate bad.tar",
    "validate, tables": "validate bad.tar --output made/out",
    "why": "blocked bad.tar",
}


def bomb(path: Path) -> None:
    """An archive of which one member unpacks to four gigabytes, in a few kilobytes."""
    info = tarfile.TarInfo("bad.log")
    info.size = 4 * GIGABYTE
    path.write_bytes(bz2.compress(info.tobuf()) + bz2.compress(MEGABYTE_OF_LETTERS) * 4096)


def cases() -> Iterator[Case]:
    for name, content in ARCHIVES.items():
        for what, command in COMMANDS.items():
            yield Case("archives", f"{name}: {what}", command, {"bad.tar": content})
    yield Case("archives", "a bomb", "validate bad.tar", {"bad.tar": bomb})
    yield Case("archives", "a bomb in a folder", "validate logs", {"logs/bad.tar": bomb})
    for name, content in PACKED.items():
        yield Case("packed logs", name, "validate bad.log", {"bad.log": content})
