"""Prints or writes text, with invisible characters escaped."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from finale.model.visible import visible

from .output_file import OutputFile
from .version import VERSION

LINE_END = "\n"


def say(text: str, *, stderr: bool = False) -> None:
    """Print lines, with invisible characters escaped."""
    print(visible(text, LINE_END), file=sys.stderr if stderr else sys.stdout)


def document(name: str, version: int = 1) -> dict[str, object]:
    """Return the first keys of each JSON document: the versions of Finale and of the format."""
    return {"finale": VERSION, "format": f"finale-{name}/{version}"}


def say_json(value: object, *, indent: int | None = 2) -> None:
    """Print a value as JSON, in ASCII: all else is written as JSON escapes it."""
    print(json.dumps(value, indent=indent))


def to_file_or_stdout(text: str, file: Path | None) -> None:
    """Write a text to stdout, or into a file whose folder is made if need be."""
    text = visible(text, LINE_END)
    if file is None:
        sys.stdout.write(text)
        return
    with OutputFile(file) as output:
        output.write(text)
