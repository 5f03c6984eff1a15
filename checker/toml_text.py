"""Reads a file of TOML, with errors that say in which line the mistake is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from model.errors import FinaleError, Place

from .lines import KeyLines


def toml_in(file: Path) -> tuple[dict[str, object], KeyLines]:
    """The table in a file, and where its keys stand. Raises coded errors with file and line."""
    text = _text_of(file)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _malformed(file, text, str(error)) from None
    return table, KeyLines(text)


def _text_of(file: Path) -> str:
    try:
        return file.read_bytes().decode()
    except OSError as error:
        raise FinaleError(
            "unreadable",
            f"the file cannot be read: {error.strerror}",
            place=Place(str(file)),
            advice="name one spec, not a folder"
            if file.is_dir()
            else "check its name and its permissions",
        ) from None
    except UnicodeDecodeError as error:
        raise FinaleError(
            "not-utf-8",
            f"the file is not text in UTF-8: {error.reason} at byte {error.start}",
            place=Place(str(file)),
            advice="save the file in UTF-8: TOML is written in it",
        ) from None


def _malformed(file: Path, text: str, message: str) -> FinaleError:
    where = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    line = int(where[1]) if where and where[1] else text.rstrip().count("\n") + 1
    column = f" in column {where[2]}" if where and where[2] else ""
    what = message[: where.start()] if where else message
    if what == "Illegal character '\\n'":
        what = "a text is not closed before its line ends"
    return FinaleError(
        "malformed-toml",
        f"this is not TOML{column}: {what[:1].lower()}{what[1:]}",
        place=Place(str(file), line),
        advice="mend the syntax: strings in quotes, one key a line, tables in [brackets]",
    )


__all__ = ["toml_in"]
