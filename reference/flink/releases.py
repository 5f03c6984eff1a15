"""Finds a Flink on this machine: a folder with its jars, or what is installed in this Python."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from finale.model.errors import FinaleError, Place, nearest

INSTALL = "install Finale with its extra, pip install -e '.[flink]', or name a folder with --flink"
#: The module whose folder `lib` has the jars, of apache-flink-libraries and of apache-flink.
MODULE = "pyflink"
_DIST = re.compile(r"flink-dist(?:_[\d.]+)?-(?P<version>\d+\.\d+(?:\.\d+)?)\S*\.jar")
_RELEASE = re.compile(r"\d+\.\d+(\.\d+)?")
HOOKS = Path(__file__).parent


@dataclass(frozen=True)
class Release:
    """A Flink that was found: its version and its jars."""

    version: str
    folder: Path
    jars: tuple[Path, ...]

    @property
    def line(self) -> str:
        """The release line, such as 2.3."""
        return ".".join(self.version.split(".")[:2])

    @property
    def class_path(self) -> str:
        return ":".join(map(str, self.jars))

    def has_class(self, name: str) -> bool:
        """Whether the distribution has a class of that name."""
        return f"{name.replace('.', '/')}.class" in self._classes

    @cached_property
    def _classes(self) -> frozenset[str]:
        """The names in the jar of Flink, which has 20 000: they are read once."""
        jar = next(jar for jar in self.jars if _DIST.fullmatch(jar.name))
        try:
            with ZipFile(jar) as archive:
                return frozenset(archive.namelist())
        except (BadZipFile, OSError):
            raise FinaleError(
                "no-flink",
                "the jar of Flink cannot be read",
                place=Place(str(jar)),
                advice="download it again",
            ) from None


def release_of(named: str | None) -> Release:
    """Find the Flink that `named` says: a folder, a release, or, if it is None, what is installed.

    Raises `no-flink`, `unknown-release`.
    """
    if named is not None and not _RELEASE.fullmatch(named):
        return _in_folder(Path(named))
    installed = _installed()
    if installed is None:
        raise FinaleError("no-flink", "no Flink is installed in this Python", advice=INSTALL)
    if named is not None and named not in (installed.version, installed.line):
        raise FinaleError(
            "no-flink",
            f"Flink {installed.version} is installed, and not {named}",
            place=Place(str(installed.folder)),
            advice="name the folder of that Flink",
        )
    return installed


def _installed() -> Release | None:
    spec = find_spec(MODULE)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    found = next((Path(place) / "lib" for place in places if (Path(place) / "lib").is_dir()), None)
    return None if found is None else _in_folder(found)


def _in_folder(folder: Path) -> Release:
    for each in (folder, folder / "lib", folder / MODULE / "lib"):
        jars = tuple(sorted(each.absolute().glob("*.jar"))) if each.is_dir() else ()
        dist = next((found for jar in jars if (found := _DIST.fullmatch(jar.name))), None)
        if dist is not None:
            release = Release(dist["version"], each, jars)
            hooks_file(release)
            return release
    what = "no jar of Flink is in this folder" if folder.is_dir() else "there is no such folder"
    raise FinaleError(
        "no-flink",
        what,
        place=Place(str(folder)),
        advice="name the folder of a distribution: its folder lib has a flink-dist-*.jar",
    )


def hooks_file(release: Release) -> Path:
    """The file with the hooks of a release, or else of its line. Raises `unknown-release`."""
    for name in (release.version, release.line):
        file = HOOKS / f"flink-{name}.toml"
        if file.is_file():
            return file
    known = sorted(each.stem.removeprefix("flink-") for each in HOOKS.glob("flink-*.toml"))
    raise FinaleError(
        "unknown-release",
        f"no hooks are known of Flink {release.version}",
        place=Place(str(release.folder)),
        advice=nearest(release.line, known),
    )


__all__ = ["Release", "hooks_file", "release_of"]
