"""Writes text where the user wants it."""

from __future__ import annotations

import sys
from pathlib import Path

from model.errors import FinaleError, Place


def to_file_or_stdout(text: str, file: Path | None) -> None:
    """Write a text to stdout, or into a file whose folder is made if need be."""
    if file is None:
        sys.stdout.write(text)
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FinaleError(
            "unwritable",
            f"the file cannot be written: {error.strerror}",
            place=Place(str(file)),
            advice="check the name, and whether you may write there",
        ) from None
