"""Reads a text file of the user, and reports mistakes as coded errors."""

from __future__ import annotations

from pathlib import Path

from finale.model.errors import FinaleError, Place
from finale.model.given import TEXT_MAX, bytes_of, not_read


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
