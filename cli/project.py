"""The project file: values of flags that stand in `finale.toml`, or in `pyproject.toml`.

A table `[tool.finale]` of `pyproject.toml` has the same keys as `finale.toml`. The file of the
current folder counts, else that of the nearest folder above. A flag on the command line wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from finale.model.errors import FinaleError, Place, nearest

if TYPE_CHECKING:
    from cyclopts import App
    from cyclopts.argument import Argument, ArgumentCollection

#: Of the two files in a folder the first one counts.
PROJECT_FILES = OWN_FILE, SHARED_FILE = "finale.toml", "pyproject.toml"


@dataclass(frozen=True)
class Key:
    """A key of the file: the arguments that it fills, each with its command, and what it takes."""

    fills: tuple[tuple[str, str], ...]
    takes: str
    is_path: bool = False


#: A command `*` stands for all commands. Positional arguments have names in capitals.
KEYS: Mapping[str, Key] = {
    "protocols": Key((("*", "--protocols"),), "a folder", is_path=True),
    "specs": Key((("check", "PATHS"), ("report", "PATHS")), "a list of paths", is_path=True),
    "strict": Key(
        (("check", "--strict"), ("report", "--strict"), ("serve-items", "--strict")),
        "true or false",
    ),
    "release": Key((("hunt", "--release"),), "the name of a release"),
}


def fill_in(app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Give each argument that the command line leaves out its value of the project file.

    Raises what `_table_in` and `_texts` raise.
    """
    wanted = {(*commands[:1], argument.name): argument for argument in arguments}
    wanted |= {("*", argument.name): argument for argument in arguments}
    if not any(place in wanted for key in KEYS.values() for place in key.fills):
        return
    file, table = _found(Path.cwd())
    for name, value in table.items():
        texts = _texts(file, name, value)
        for place in KEYS[name].fills:
            argument = wanted.get(place)
            if argument is not None and not argument.tokens and not _is_of_one_check(wanted, name):
                _fill(argument, name, texts, file)


def _is_of_one_check(wanted: Mapping[tuple[str, ...], Argument], name: str) -> bool:
    """Whether the key is about the spec itself, and the command compares releases."""
    release = wanted.get(("check", "--release"))
    return name == "strict" and release is not None and bool(release.tokens)


def _fill(argument: Argument, name: str, texts: list[str], file: Path) -> None:
    from cyclopts.argument import Token

    for index, text in enumerate(texts):
        argument.append(Token(keyword=name, value=text, source=str(file), index=index))


def _found(folder: Path) -> tuple[Path, Mapping[str, object]]:
    """The project file of a folder, or of the nearest folder above, and its keys."""
    for each in (folder, *folder.parents):
        for name in PROJECT_FILES:
            file = each / name
            table = _table_in(file) if file.is_file() else None
            if table is not None:
                return file, table
    return folder, {}


def _table_in(file: Path) -> Mapping[str, object] | None:
    """The keys in a file; None for a `pyproject.toml` without the table.

    Raises `malformed-toml`, `bad-project`, and what reading a file does.
    """
    from finale.checker.spec.files import toml_in

    table, _ = toml_in(file)
    if file.name == OWN_FILE:
        return table
    tools = table.get("tool")
    own = tools.get("finale") if isinstance(tools, dict) else None
    if own is None or isinstance(own, dict):
        return own
    raise _wrong(file, "tool.finale", "a table")


def _texts(file: Path, name: str, value: object) -> list[str]:
    """The words that the value of a key would be on the command line. Raises `bad-project`."""
    key = KEYS.get(name)
    if key is None:
        raise FinaleError(
            "bad-project",
            f'"{name}" means nothing in a project file',
            place=Place(str(file), key=name),
            advice=nearest(name, KEYS),
        )
    if key.takes == "true or false":
        if not isinstance(value, bool):
            raise _wrong(file, name, key.takes)
        return ["true"] if value else []
    values = value if isinstance(value, list) and name == "specs" else [value]
    texts = [each for each in values if isinstance(each, str) and each]
    if len(texts) < len(values):
        raise _wrong(file, name, key.takes)
    return [str(_shown(file.parent / each)) if key.is_path else each for each in texts]


def _shown(path: Path) -> Path:
    """The path as a user in the current folder would write it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _wrong(file: Path, name: str, takes: str) -> FinaleError:
    return FinaleError(
        "bad-project",
        f"{name} takes {takes}",
        place=Place(str(file), key=name),
        advice="docs/project-file.md describes the keys",
    )
