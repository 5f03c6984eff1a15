"""Prints or writes text, with invisible characters escaped."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from model.errors import FinaleError, Place
from model.visible import visible

LINE_END = "\n"


def say(text: str, *, stderr: bool = False) -> None:
    """Print lines, with invisible characters escaped."""
    print(visible(text, LINE_END), file=sys.stderr if stderr else sys.stdout)


def say_json(value: object, *, indent: int | None = 2) -> None:
    """Print a value as JSON, in ASCII: all else is written as JSON escapes it."""
    print(json.dumps(value, indent=indent))


def to_file_or_stdout(text: str, file: Path | None) -> None:
    """Write a text to stdout, or into a file whose folder is made if need be."""
    text = visible(text, LINE_END)
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
