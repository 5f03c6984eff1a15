"""Names files as CI servers do: relative to the folder that the repository was checked out into."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from finale import model

#: The folder that Finale itself is installed in: its rules are not in the user's repository.
FINALE = Path(model.__file__).resolve().parent.parent
#: The names of the two folders in SARIF; the first one is what code scanning calls a checkout.
SOURCE_BASE = "%SRCROOT%"
FINALE_BASE = "FINALE"


@dataclass(frozen=True)
class Checkout:
    """The folder of the user's repository."""

    folder: Path

    def path_of(self, file: str | Path) -> str:
        """A file relative to the checkout, if it lies there; with slashes on every system."""
        path = Path(file).resolve()
        inside = path.is_relative_to(self._root)
        return (path.relative_to(self._root) if inside else path).as_posix()

    def uri_of(self, file: str | Path) -> tuple[str, str | None]:
        """A file as a URI, and the name of the base that the URI is relative to, if it is."""
        path = Path(file).resolve()
        for base, name in ((self._root, SOURCE_BASE), (FINALE, FINALE_BASE)):
            if path.is_relative_to(base):
                return quote(path.relative_to(base).as_posix()), name
        return path.as_uri(), None

    @cached_property
    def _root(self) -> Path:
        return self.folder.resolve()


def checkout() -> Checkout:
    """The checkout that a CI server names, or the Git repository around the current folder."""
    named = os.environ.get("GITHUB_WORKSPACE")
    if named:
        return Checkout(Path(named))
    here = Path.cwd()
    around = (each for each in (here, *here.parents) if (each / ".git").exists())
    return Checkout(next(around, here))
