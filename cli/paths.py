"""Finds the files and folders that a user names on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from finale.model.errors import FinaleError, Place
from finale.model.given import no_such_path


def specs_in(path: Path) -> Iterator[Path]:
    """A spec, or all specs below a folder, sorted. Raises `no-such-path`, `no-specs`."""
    if path.is_dir():
        files = sorted(file for file in path.rglob("*.toml") if not file.is_dir())
        if not files:
            raise FinaleError(
                "no-specs",
                "the folder has no spec in it",
                place=Place(str(path)),
                advice="specs are files that end in .toml",
            )
        yield from files
    elif not path.exists():
        raise no_such_path(path)
    else:
        yield path


__all__ = ["specs_in"]
