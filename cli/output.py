"""Prints text with invisible characters escaped, and writes files as a whole or not at all."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from finale.model.errors import FinaleError, Place
from finale.model.visible import visible
from finale.model.written import draft_of, mode_of

from . import VERSION

LINE_END = "\n"
#: Files of these kinds are written by people: specs, protocols. No output replaces one.
INPUTS = (".toml", ".py")

Format = TypeVar("Format", bound=str)
#: The formats that a file with an ending can have. The first ending that fits a name counts.
ENDINGS: Mapping[str, tuple[str, ...]] = {
    ".itf.json": ("itf", "json"),
    ".json": ("json", "itf", "sarif"),
    ".html": ("html",),
    ".htm": ("html",),
    ".md": ("markdown", "mermaid"),
    ".mmd": ("mermaid",),
    ".svg": ("svg",),
    ".txt": ("text",),
    ".xml": ("junit",),
    ".sarif": ("sarif",),
}


def format_of(file: Path | None, given: Format | None, offered: Sequence[Format]) -> Format:
    """Return the format to write: the one that is given, or that of the file's ending.

    Without both it is the first one that the command offers. Raises `wrong-ending` if the ending
    is that of another format.
    """
    name = "" if file is None else file.name.lower()
    ending = next((each for each in ENDINGS if name.endswith(each)), None)
    if ending is None:
        return given or offered[0]
    fitting = ENDINGS[ending]
    if given is None:
        fits = next((each for word in fitting for each in offered if each == word), None)
    else:
        fits = given if given in fitting else None
    if fits is None:
        wanted = [given] if given is not None else offered
        endings = [each for each, formats in ENDINGS.items() if {*formats} & {*wanted}]
        raise FinaleError(
            "wrong-ending",
            f"{' or '.join(wanted)} is written, and a file that ends in {ending} has another "
            "format",
            place=Place(str(file)),
            advice=f"name a file that ends in {' or '.join(endings)}"
            + ("" if given is None else ", or another format"),
        )
    return fits


def say(text: str, *, stderr: bool = False) -> None:
    """Print lines, with invisible characters escaped."""
    print(visible(text, LINE_END), file=sys.stderr if stderr else sys.stdout)


def document(name: str, version: int = 1) -> dict[str, object]:
    """Return the first keys of each JSON document: the versions of Finale and of the format."""
    return {"finale": VERSION, "format": f"finale-{name}/{version}"}


def say_json(value: object, *, indent: int | None = 2) -> None:
    """Print a value as JSON, in ASCII: all else is written as JSON escapes it."""
    print(json.dumps(value, indent=indent))


def say_json_rows(value: dict[str, object], key: str, rows: Iterable[object]) -> None:
    """Print a value as `say_json` does, with these rows at a key, one after the other."""
    before, empty, after = json.dumps(value | {key: []}, indent=2).partition(f'"{key}": []')
    found = False
    sys.stdout.write(before + empty[:-1])
    for row in rows:
        text = json.dumps(row, indent=2).replace("\n", "\n    ")
        sys.stdout.write(f"{',' if found else ''}\n    {text}")
        found = True
    sys.stdout.write(("\n  ]" if found else "]") + after + "\n")


def to_file_or_stdout(text: str, file: Path | None) -> None:
    """Write a text to stdout, or into a file whose folder is made if need be."""
    text = visible(text, LINE_END)
    if file is None:
        sys.stdout.write(text)
        return
    with OutputFile(file) as output:
        output.write(text)


class OutputFile:
    """A file that is opened before the work and written after the work.

    The text goes into a file beside it, which takes the name at the end. So a name that cannot be
    written is an error before the work, and a reader never sees half a text. A device or a pipe
    has no such neighbour: it is opened when it is written. Raises `unwritable`, and `output-clash`
    where the file is a spec or Python code.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        # The name of a pipe, such as /dev/stdout, is a link to something that has no name.
        self._target = path if path.exists() and not path.is_file() else path.resolve()
        self._beside: Path | None = None
        if self._target.suffix in INPUTS and self._target.is_file():
            raise FinaleError(
                "output-clash",
                "the file is a spec or a protocol, and would be replaced",
                place=Place(str(path)),
                advice="name another file",
            )
        try:
            self._reserve()
        except OSError as error:
            raise _unwritable(path, error) from None

    def _reserve(self) -> None:
        target = self._target
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            raise IsADirectoryError(0, "this is a folder")
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(0, "you may not write this file")
        if not target.exists() or target.is_file():
            self._beside = draft_of(target)

    def __enter__(self) -> OutputFile:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()

    def write(self, text: str) -> None:
        """Write the whole text, and give the file its name. Raises `unwritable`."""
        self.fill(text)
        self.finish()

    def fill(self, text: str) -> None:
        """Write the whole text, and leave the file of that name as it was. Raises `unwritable`."""
        try:
            with (self._beside or self._target).open("w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                if self._beside is not None:
                    os.fsync(stream.fileno())
        except BrokenPipeError:  # the reader of a pipe went away
            raise
        except OSError as error:
            raise _unwritable(self.path, error) from None

    def finish(self) -> None:
        """Give the file with the new text its name. Raises `unwritable`."""
        if self._beside is None:
            return
        try:
            self._beside.chmod(mode_of(self._target))
            self._beside.replace(self._target)
            self._beside = None
        except OSError as error:
            raise _unwritable(self.path, error) from None

    def close(self) -> None:
        """Remove what was not given its name; the file stays as it was before."""
        if self._beside is not None:
            self._beside.unlink(missing_ok=True)
            self._beside = None


def prepare_folder(path: Path) -> None:
    """Make a folder that files will be written into. Raises `unwritable`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> FinaleError:
    return FinaleError(
        "unwritable",
        f"the file cannot be written: {error.strerror}",
        place=Place(str(path)),
        advice="check the name, and whether you may write there",
    )
