"""What a file can be where a text is wanted: by name, what makes it."""

from __future__ import annotations

import os
import random
from pathlib import Path

from .case import Content


def fifo(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def to(target: str) -> Content:
    """A link to something."""
    return lambda path: path.symlink_to(target)


def sparse(path: Path) -> None:
    """A terabyte of zeros that takes no room."""
    with path.open("wb") as file:
        file.truncate(2**40)


def nothing(path: Path) -> None:
    pass


#: What is no text, whoever reads it.
NO_FILES: dict[str, Content] = {
    "not there": nothing,
    "a folder": folder,
    "a FIFO nobody writes": fifo,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nowhere": to("nowhere"),
    "a link to a device": to("/dev/zero"),
    "a terabyte of zeros": sparse,
}
NO_TEXTS: dict[str, Content] = {
    "random bytes": random.Random(1).randbytes(4096),
    "invalid UTF-8": b'title = "\xff\xfe\xc0\xaf"\n',
    "UTF-16": 'title = "a"\n'.encode("utf-16"),
    "NUL bytes": b"\0" * 4096,
}
DEEP = 100_000
#: Texts that are no good document in TOML.
TEXTS: dict[str, Content] = {
    "empty": b"",
    "a byte order mark alone": b"\xef\xbb\xbf",
    "lists nested deeply": "x = " + "[" * DEEP + "]" * DEEP,
    "tables nested deeply": "x = " + "{x = " * DEEP + "1" + "}" * DEEP,
    "a key of a million dots": ".".join(["a"] * 100_000) + " = 1",
    "a number of a million digits": "x = " + "9" * 1_000_000,
    "a text of ten million characters": 'x = "' + "a" * 10_000_000 + '"',
    "a key twice": "x = 1\nx = 2\n",
    "a table twice": "[x]\n[x]\n",
    "a line that is not closed": 'x = "',
    "terminal escapes": 'x = "\x1b]0;title\x07"\n',
}
