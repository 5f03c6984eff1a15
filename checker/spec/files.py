"""Reads a text or TOML file of the user, and reports mistakes as coded errors."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from finale.checker.spec.key_lines import KeyLines
from finale.model.errors import FinaleError, Place
from finale.model.given import TEXT_MAX, bytes_of, not_read
from finale.model.given import toml_of as table_of


def text_of(file: Path, *, wanted: str, limit: int = TEXT_MAX) -> str:
    """The text of a file; `wanted` is what is read.

    Raises `no-such-path`, `unreadable` and `not-utf-8`.
    """
    try:
        return decoded(bytes_of(file, limit), str(file))
    except IsADirectoryError as error:
        raise FinaleError(
            "unreadable",
            f"the file cannot be read: {error.strerror}",
            place=Place(str(file)),
            advice=f"name {wanted}, not a folder",
        ) from None
    except OSError as error:
        raise not_read(file, error) from None


def decoded(data: bytes, file: str) -> str:
    """The text that the bytes of a file are. Raises `not-utf-8`."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise FinaleError(
            "not-utf-8",
            f"the file is not text in UTF-8: {error.reason} at byte {error.start}",
            place=Place(file),
            advice="save the file in UTF-8",
        ) from None


def toml_in(file: Path) -> tuple[dict[str, object], KeyLines]:
    """The table in a file, and where its keys stand. Raises coded errors with file and line."""
    return toml_of(text_of(file, wanted="one spec"), str(file))


def toml_of(text: str, file: str) -> tuple[dict[str, object], KeyLines]:
    """Return the table in a text, and the lines of its keys. Raises `malformed-toml`."""
    try:
        table = table_of(text)
    except tomllib.TOMLDecodeError as error:
        raise _malformed(file, text, str(error)) from None
    return table, KeyLines(text)


def _malformed(file: str, text: str, message: str) -> FinaleError:
    where = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    line = int(where[1]) if where and where[1] else text.rstrip().count("\n") + 1
    column = f" in column {where[2]}" if where and where[2] else ""
    what = message[: where.start()] if where else message
    if what == "Illegal character '\\n'":
        what = "a text is not closed before its line ends"
    return FinaleError(
        "malformed-toml",
        f"this is not TOML{column}: {what[:1].lower()}{what[1:]}",
        place=Place(file, line),
        advice="correct the syntax: strings in quotes, one key a line, tables in [brackets]",
    )
