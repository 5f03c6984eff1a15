"""Refuses each path of an agent's call that leads out of the project of `finale mcp`.

The project is the current folder. A path of the call is checked before the command runs, and so are
the files that the command finds through the path: matches of a pattern, files below a folder, and
the specs that a spec is resumed from.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from finale.checker.logs.read.run_file import RUN_FILE
from finale.checker.spec.files import toml_in
from finale.checker.spec.grid import values_in, varied
from finale.checker.spec.typed import is_table
from finale.model.errors import FinaleError, Place


def inside(path: str | Path, readable: Sequence[Path] = ()) -> Path:
    """Return a path below the project, which is the current folder, or below a readable folder.

    A path is refused if it climbs, leads out by a link, or is absolute and not below a readable
    folder. Raises `outside-project`.
    """
    given = Path(path)
    bases = readable if given.is_absolute() else (Path.cwd().resolve(), *readable)
    if ".." in given.parts or not _is_below(given, bases):
        raise _leads_out(given)
    return given


def refuse_links(folder: str | Path, readable: Sequence[Path] = ()) -> None:
    """Refuse a folder with a link that leads out, in any folder below or behind a link.

    Raises `outside-project`.
    """
    seen: set[Path] = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        whole = Path(place).resolve()
        if whole in seen:
            folders.clear()
            continue
        seen.add(whole)
        for each in (Path(place, name) for name in (*folders, *names)):
            if each.is_symlink():
                _refuse_outside(each, readable)


def refuse_logs(word: str, readable: Sequence[Path]) -> None:
    """Refuse logs or a build of Flink that are elsewhere: a file, a folder, or a pattern.

    Raises `outside-project`.
    """
    inside(word, readable)
    is_there = Path(word).exists()
    for each in [word] if is_there else glob.iglob(word, recursive=True):  # noqa: PTH207
        inside(each, readable)
        refuse_links(each, readable)
        if Path(each).is_file():
            _refuse_outside(Path(each).parent / RUN_FILE, readable)


def refuse_specs(paths: Sequence[Path], settings: Sequence[str]) -> None:
    """Refuse specs that are elsewhere, and specs that are resumed from a spec elsewhere.

    `settings` are the words of `--set`. Raises `outside-project`.
    """
    values: tuple[tuple[str, object], ...] = ()
    with suppress(FinaleError):  # the command tells what is wrong
        values = values_in(settings)
    for name in _resumed_from(varied({}, values)):
        inside(name)
    for path in paths:
        inside(path)
        for file in path.rglob("*.toml") if path.is_dir() else (path,):
            _refuse_resumed(file, values)


def _refuse_resumed(spec: Path, values: tuple[tuple[str, object], ...]) -> None:
    """Refuse a spec that is elsewhere, or that begins where a spec elsewhere ends."""
    seen: set[Path] = set()
    files = [spec]
    while files:
        file = files.pop()
        _refuse_outside(file)
        whole = file.resolve()
        if whole in seen or not file.is_file():
            continue
        seen.add(whole)
        with suppress(FinaleError):  # the command tells what is wrong
            table = toml_in(file)[0]
            tables = [table, varied(table, values)] if file == spec else [table]
            files += [file.parent / name for each in tables for name in _resumed_from(each)]


def _resumed_from(table: Mapping[str, object]) -> Iterator[str]:
    """The spec that a spec names in `[resume] from`, if any."""
    resume = table.get("resume")
    name = resume.get("from") if is_table(resume) else None
    if isinstance(name, str):
        yield name


def _refuse_outside(path: Path, readable: Sequence[Path] = ()) -> None:
    """Refuse a path that is found below another one. The path can climb within the project."""
    if not _is_below(path, (Path.cwd().resolve(), *readable)):
        raise _leads_out(path)


def _is_below(path: Path, bases: Sequence[Path]) -> bool:
    try:
        whole = path.resolve()
    except RuntimeError:  # links in a circle
        return False
    return any(whole.is_relative_to(base) for base in bases)


def _leads_out(path: Path) -> FinaleError:
    return FinaleError(
        "outside-project",
        "the path is absolute, climbs with .., or leads out of the project by a link",
        place=Place(str(path)),
        advice="name a file or folder below the project, relative to it",
    )
