"""Finds the files and folders that a user names on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from model.errors import FinaleError, Place, nearest


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
        raise FinaleError(
            "no-such-path",
            "there is no such file or folder",
            place=Place(str(path)),
            advice=near_file(path),
        )
    else:
        yield path


def near_file(path: Path) -> str:
    """Advice for a file or folder that is not there."""
    beside = [each.name for each in path.parent.glob("*")] if path.parent.is_dir() else []
    hint = nearest(path.name, beside)
    return hint if hint.startswith("did you mean") else "check the name, and the current folder"


__all__ = ["near_file", "specs_in"]
