"""Shows where something is: file paths relative to the current folder, lines of a spec."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path

from finale import model
from finale.checker.search.rows import SEARCH
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import settings_of, text_of
from finale.checker.spec.key_lines import KeyPath
from finale.checker.spec.typed import option_word
from finale.model.errors import FinaleError, Place

#: The folder of this package as Python names it, and as it is: in a checkout it consists of links.
_HOMES = tuple(
    file.parent.parent for file in (Path(model.__file__), Path(model.__file__).resolve())
)


def shown_file(file: str | Path) -> str:
    """A file relative to the current folder, or, of this package, to its root."""
    path = Path(file)
    for base in (*_HOMES, Path.cwd()):
        if path.is_relative_to(base):
            return str(path.relative_to(base))
    return str(path)


def portable_file(file: str | Path) -> str:
    """A file for readers on another machine: of a path that nobody else has only the last names."""
    shown = Path(shown_file(file))
    return "/".join(("…", *shown.parts[-2:])) if shown.is_absolute() else str(shown)


def portable_place(place: Place) -> str:
    """A file and line for readers on another machine."""
    return f"{portable_file(place.file or '')}:{place.line}"


def portable_error(error: FinaleError) -> str:
    """An error for readers on another machine."""
    place = error.place or Place()
    file = None if place.file is None else portable_file(place.file)
    place = Place(file, place.line, place.key, place.rule)
    return str(FinaleError(error.code, error.message, place=place, advice=error.advice))


def shown_place(place: Place) -> str:
    """A file and line."""
    return f"{shown_file(place.file or '')}:{place.line}"


def told_setting(spec: Spec) -> Iterator[str]:
    """What a reader must know of a spec beside its file: its protocol, and what a flag changed."""
    yield f"{spec.protocol.key}, variant {spec.variant}" if spec.variant else spec.protocol.key
    if spec.values:
        yield text_of(spec.values)
    if spec.left_out:
        yield f"without {', '.join(spec.left_out)}"


def told_of_options(spec: Spec) -> str:
    """The options of a setting that are not the defaults."""
    others = ", ".join(f"{name} = {option_word(value)}" for name, value in other_options(spec))
    return f"with options that are not the defaults: {others}" if others else ""


def other_options(spec: Spec) -> Iterator[tuple[str, object]]:
    """The options of a setting whose values are not the protocol's defaults, as docs/defaults.md
    holds them against Flink's."""
    for declared in fields(spec.protocol.Options):
        value = spec.setting.options.get(declared.name, declared.default)
        if value != declared.default:
            yield declared.name, value


def expectation_line(spec: Spec, name: str) -> int:
    """The line of a spec that expects something of a property, or of `search`; else of its title.

    A verdict that was not expected needs a line, too: tools that mark lines ask for one.
    """
    path: KeyPath = ("search",) if name == SEARCH else ()
    if name in spec.expectations:
        path = ("expect", [*spec.expectations].index(name), "property")
    return spec.lines.of(*path) or spec.lines.of("title") or 1


def absolute(path: Path) -> str:
    """Return a path that means the same in every folder of this machine."""
    return str(path.absolute())


def command(name: str, spec: Spec, *flags: str, path_of: Callable[[Path], str] = absolute) -> str:
    """Return a command line for a spec that means the same in every folder, quoted for a shell.

    `path_of` says how paths are written, if readers are on another machine. The line names the
    variant and the values that are not those in the file, the assumptions that are left out, and
    the folder of the protocols.
    """
    words = ["finale", *name.split(), path_of(spec.file), *flags]
    if spec.variant is not None and spec.is_under_variant:
        words += ["--variant", spec.variant]
    for setting in settings_of(spec.values):
        words += ["--set", setting]
    for each in spec.left_out:
        words += ["--without", each]
    if spec.catalogue.folder is not None:
        words += ["--protocols", path_of(spec.catalogue.folder)]
    return shlex.join(words)
