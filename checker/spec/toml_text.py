"""Reads a TOML file, and reports mistakes with their line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from finale.model.errors import FinaleError, Place
from finale.model.given import toml_of as table_of

from .files import text_of
from .key_lines import KeyLines


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
