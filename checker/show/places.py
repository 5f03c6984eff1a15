"""Where things are, as a reader finds them: files relative to where one stands."""

from __future__ import annotations

from pathlib import Path

import model

_HOME = Path(model.__file__).parent.parent


def shown_file(file: str | Path) -> str:
    """A file relative to the current folder, or, of this package, to its root."""
    path = Path(file)
    for base in (Path.cwd(), _HOME):
        if path.is_relative_to(base):
            return str(path.relative_to(base))
    return str(path)
