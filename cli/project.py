"""The project file: values of flags that stand in `finale.toml`, or in `pyproject.toml`.

A table `[tool.finale]` of `pyproject.toml` has the same keys as `finale.toml`. The nearest file
above the given specs counts, else that of the current folder. A flag on the command line wins.
"""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from finale.model.errors import FinaleError, Place, nearest

if TYPE_CHECKING:
    from cyclopts import App
    from cyclopts.argument import Argument, ArgumentCollection

#: Of the two files in a folder the first one counts.
PROJECT_FILES = OWN_FILE, SHARED_FILE = "finale.toml", "pyproject.toml"
#: A flag that names specs, as the positional arguments of other commands do.
SPECS_FLAG = "--specs"
#: Returns the keys in a project file; None if the file is not there, or has no keys of Finale.
Reader = Callable[[Path], Mapping[str, object] | None]


@dataclass(frozen=True)
class Key:
    """A key of the file: the arguments that it fills, each with its command, and what it takes."""

    fills: tuple[tuple[str, str], ...]
    takes: str
    is_path: bool = False
    read_by: tuple[str, ...] = ()
    """Commands that read the key itself, beside other values."""


#: A command `*` stands for all commands. Positional arguments have names in capitals.
KEYS: Mapping[str, Key] = {
    "protocols": Key((("*", "--protocols"),), "a folder", is_path=True),
    "specs": Key(
        (("check", "PATHS"), ("report", "PATHS"), ("coverage", "PATHS")),
        "a list of paths",
        is_path=True,
        read_by=("review",),
    ),
    "strict": Key(
        (("check", "--strict"), ("report", "--strict"), ("serve-items", "--strict")),
        "true or false",
    ),
    "release": Key((("hunt", "--release"),), "the name of a release"),
}


@dataclass(frozen=True)
class Project:
    """A project file, and its keys."""

    file: Path
    table: Mapping[str, object]

    @property
    def shown(self) -> str:
        """The file, as a user in the current folder would write it."""
        return str(_shown(self.file))

    def words(self, name: str) -> list[str]:
        """What the value of a key is on a command line, empty without the key.

        Raises `bad-project`, and for what a path names `no-such-path` and `no-such-folder`.
        """
        words = _words(self.file, name, self.table[name]) if name in self.table else []
        for word in words if KEYS[name].is_path else ():
            _check_path(Path(word), name, Place(self.shown, key=name))
        return words


@dataclass(frozen=True)
class Counting:
    """The project files that count for a command line, and the folders that they were found from.

    More than one file counts only if all of them say the same to the command.
    """

    starts: tuple[Path, ...] = ()
    projects: tuple[Project, ...] = ()

    def specs(self) -> list[Path]:
        """Return the specs and folders that the files name. Raises what `Project.words` raises."""
        words = (word for project in self.projects for word in project.words("specs"))
        return list(map(Path, dict.fromkeys(words)))

    def passed_over(self, files: Iterable[Path]) -> list[Project]:
        """Return the project files that are nearer to some specs than those that count."""
        folders, read = dict.fromkeys(map(folder_of, files)), cache(_table_if_readable)
        above = (project_above(folder, read) for folder in folders)
        found = {each.file: each for each in above if each is not None}
        counts = {each.file for each in self.projects}
        return [each for file, each in found.items() if file not in counts]

    def as_found_by(self, read: Reader) -> Counting:
        """Return what would count if the files were as another reader finds them."""
        return Counting(self.starts, _projects_above(self.starts, read))


_COUNTING: ContextVar[Counting] = ContextVar("counting")


def counting() -> Counting:
    """Return the project files that count for the command line that is being run."""
    return _COUNTING.get(Counting())


def fill_in(app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Give each argument that the command line leaves out its value of the project file.

    Raises `two-projects`, and what `table_in` and `Project.words` raise.
    """
    wanted = {(*commands[:1], argument.name): argument for argument in arguments}
    wanted |= {("*", argument.name): argument for argument in arguments}
    _COUNTING.set(Counting())
    if not any(place in wanted for key in KEYS.values() for place in key.fills):
        return
    starts = _starts(arguments)
    projects = _projects_above(starts, table_in)
    _COUNTING.set(Counting(starts, projects))
    for project in projects:
        for name, value in project.table.items():
            _words(project.file, name, value)
    for name, key in KEYS.items():
        for place in key.fills:
            argument = wanted.get(place)
            if argument is not None and not argument.tokens and not _is_of_one_check(wanted, name):
                _fill(argument, name, projects)


def _is_of_one_check(wanted: Mapping[tuple[str, ...], Argument], name: str) -> bool:
    """Whether the key is about the spec itself, and the command compares releases."""
    release = wanted.get(("check", "--release"))
    return name == "strict" and release is not None and bool(release.tokens)


def _fill(argument: Argument, name: str, projects: Sequence[Project]) -> None:
    from cyclopts.argument import Token

    first, *others = [project.words(name) for project in projects] or [[]]
    same = os.path.realpath if KEYS[name].is_path else str
    for other, words in zip(projects[1:], others, strict=True):
        if [*map(same, words)] != [*map(same, first)]:
            raise FinaleError(
                "two-projects",
                f"{projects[0].shown} and {other.shown} differ in {name}",
                advice=f"name specs of one project, or give {argument.name}",
            )
    for index, word in enumerate(first):
        source = str(projects[0].file)
        argument.append(Token(keyword=name, value=word, source=source, index=index))


# --- which file counts ---------------------------------------------------------------------------


def _starts(arguments: ArgumentCollection) -> tuple[Path, ...]:
    """The folders of the specs on the command line; else the current folder."""
    given = (
        token.value
        for argument in arguments
        if "Path" in str(argument.hint)
        and (argument.name == SPECS_FLAG or not argument.name.startswith("-"))
        for token in argument.tokens
    )
    return tuple(dict.fromkeys(map(folder_of, filter(os.path.exists, given)))) or (Path.cwd(),)


def folder_of(path: str | Path) -> Path:
    """Return a folder itself, and of a file the folder that it is in."""
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - `..` goes up, whatever a link says
    return whole if whole.is_dir() else whole.parent


def _projects_above(starts: Iterable[Path], read: Reader) -> tuple[Project, ...]:
    """The project file of each folder, each once, without those of folders that have none."""
    here = Path.cwd()
    found = (project_above(start, read) or project_above(here, read) for start in starts)
    return tuple({each.file: each for each in found if each is not None}.values())


def project_above(folder: Path, read: Reader) -> Project | None:
    """Return the project file of a folder, or of the nearest folder above."""
    for each in (folder, *folder.parents):
        for name in PROJECT_FILES:
            table = read(each / name)
            if table is not None:
                return Project(each / name, table)
    return None


def table_in(file: Path) -> Mapping[str, object] | None:
    """Return the keys in a file; None if it is not there, or for other keys than those of Finale.

    Raises `malformed-toml`, `bad-project`, and what reading a file does.
    """
    from finale.checker.spec.files import toml_in

    return own_keys(toml_in(file)[0], file) if file.is_file() else None


def _table_if_readable(file: Path) -> Mapping[str, object] | None:
    """The keys in a file that does not count: a mistake in it is no error."""
    try:
        return table_in(file)
    except FinaleError:
        return None


def own_keys(table: Mapping[str, object], file: Path) -> Mapping[str, object] | None:
    """Return the keys of Finale in the table of a file. Raises `bad-project`."""
    if file.name == OWN_FILE:
        return table
    tools = table.get("tool")
    own = tools.get("finale") if isinstance(tools, dict) else None
    if own is None or isinstance(own, dict):
        return own
    raise _wrong(file, "tool.finale", "a table")


def project_below_with(name: str) -> str:
    """A sentence on the project directly below the current folder whose protocols name a variant.

    Without such a project it is empty.
    """
    for file in sorted(Path.cwd().glob(f"*/{OWN_FILE}")):
        folder = file.parent / str((_table_if_readable(file) or {}).get("protocols", ""))
        texts = (each.read_text("utf-8", "replace") for each in folder.glob("*.py"))
        if folder != file.parent and any(f'"{name}"' in text for text in texts):
            return (
                f'the protocols of {_shown(file)} name "{name}": change to {_shown(file.parent)}, '
                f"or add --protocols {_shown(folder)}"
            )
    return ""


# --- values --------------------------------------------------------------------------------------


def _words(file: Path, name: str, value: object) -> list[str]:
    """The words that the value of a key would be on the command line.

    Raises `bad-project`, `unknown-release`.
    """
    key = KEYS.get(name)
    if key is None:
        raise FinaleError(
            "bad-project",
            f'"{name}" means nothing in a project file',
            place=Place(str(_shown(file)), key=name),
            advice=nearest(name, KEYS),
        )
    if key.takes == "true or false":
        if not isinstance(value, bool):
            raise _wrong(file, name, key.takes)
        return ["true"] if value else []
    values = value if isinstance(value, list) and name == "specs" else [value]
    words = [each for each in values if isinstance(each, str) and each]
    if len(words) < len(values):
        raise _wrong(file, name, key.takes)
    if name == "release":
        _check_release(words[0], Place(str(_shown(file)), key=name))
    return [str(_shown(file.parent / each)) if key.is_path else each for each in words]


def _check_release(name: str, place: Place) -> None:
    """Raise `unknown-release` for a name that no release has."""
    from finale.checker.spec.releases import release_named

    try:
        release_named(name)
    except FinaleError as error:
        raise error.located(place) from None


def _check_path(path: Path, name: str, place: Place) -> None:
    """Raise `no-such-path`, or `no-such-folder`, if a path of the file is none."""
    if name == "protocols":
        code, what, is_there = "no-such-folder", "is not a folder", path.is_dir()
    else:
        code, what, is_there = "no-such-path", "is not there", path.exists()
    if is_there:
        return
    advice = "correct the path in this file: it begins at the folder of the file"
    raise FinaleError(code, f"{path} {what}", place=place, advice=advice)


def _shown(path: Path) -> Path:
    """The path as a user in the current folder would write it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _wrong(file: Path, name: str, takes: str) -> FinaleError:
    return FinaleError(
        "bad-project",
        f"{name} takes {takes}",
        place=Place(str(_shown(file)), key=name),
        advice="docs/project-file.md describes the keys",
    )
