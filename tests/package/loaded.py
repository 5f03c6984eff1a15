"""Which files are loaded under two names: then each name has classes of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType


def loaded_twice(modules: Iterable[ModuleType], root: Path) -> dict[Path, list[str]]:
    """Return the files below a folder that several modules come from, and the modules' names."""
    names: dict[Path, set[str]] = defaultdict(set)
    for module in modules:
        file = getattr(module, "__file__", None)
        spec = getattr(module, "__spec__", None)
        if isinstance(file, str) and spec is not None and spec.name != "__main__":
            names[Path(file).resolve()].add(spec.name)
    return {
        file: sorted(each)
        for file, each in names.items()
        if len(each) > 1 and file.is_relative_to(root)
    }
