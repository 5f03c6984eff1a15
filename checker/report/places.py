"""Shows file paths relative to the current folder."""

from __future__ import annotations

import shlex
from pathlib import Path

import model
from checker.spec.claim import Spec

_HOME = Path(model.__file__).parent.parent


def shown_file(file: str | Path) -> str:
    """A file relative to the current folder, or, of this package, to its root."""
    path = Path(file)
    for base in (Path.cwd(), _HOME):
        if path.is_relative_to(base):
            return str(path.relative_to(base))
    return str(path)


def command(name: str, spec: Spec, flags: str = "") -> str:
    """A command for a spec, with the folder of its protocols, as a shell takes it."""
    folder = spec.catalogue.folder
    named = "" if folder is None else f" --protocols {shlex.quote(shown_file(folder))}"
    return f"finale {name} {shlex.quote(shown_file(spec.file))}{flags}{named}"
