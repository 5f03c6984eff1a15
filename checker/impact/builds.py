"""Finds the class files of a build of Flink: a release, a jar, or a folder with jars or classes."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self
from zipfile import BadZipFile, ZipFile
from zlib import error as BadDeflate  # noqa: N812 - an exception of a library

from finale.model.errors import FinaleError, Place
from finale.reference.flink.fetching import cure, fetched
from finale.reference.flink.releases import Release, release_of

from .class_file import SYNTHETIC, ClassFile, class_in
from .code import ROOT, Key, nearest_first
from .normal_form import LAMBDA, Body, body_of, plain_name

_VERSION = re.compile(r"\d+\.\d+(\.\d+)?")
_DIST = re.compile(r"flink-[a-z-]+(?:_[\d.]+)?-(?P<version>\d+\.\d+(?:\.\d+)?\S*)\.jar")
_ADVICE = "name a release as 2.3.0, a jar of Flink, or a folder with its jars or classes"


@dataclass
class Build:
    """The classes of a build, which are read when they are asked for."""

    name: str
    version: str
    files: tuple[Path, ...]
    sums: Mapping[str, int]
    """For the name of each class, a checksum of its file."""
    places: Mapping[str, tuple[Path, str]] = field(repr=False)
    """For the name of each class, its file, or its jar and the name in it."""
    _archives: dict[Path, ZipFile] = field(default_factory=dict[Path, ZipFile], repr=False)
    _read: dict[str, ClassFile | None] = field(
        default_factory=dict[str, ClassFile | None], repr=False
    )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        for each in self._archives.values():
            each.close()

    def read(self, name: str) -> ClassFile | None:
        """Read a class, or nothing if the build lacks the class. Raises `bad-class-file`."""
        if name not in self._read:
            self._read[name] = self._parsed(name) if name in self.places else None
        return self._read[name]

    def _parsed(self, name: str) -> ClassFile:
        file, inside = self.places[name]
        if not inside:
            return class_in(file.read_bytes(), str(file))
        if file not in self._archives:
            self._archives[file] = ZipFile(file)
        try:
            data = self._archives[file].read(inside)
        except (BadZipFile, BadDeflate, EOFError, OSError, NotImplementedError):
            raise _damaged(file) from None
        return class_in(data, f"{file}!/{inside}")

    def unit(self, name: str) -> str:
        """Return the class that is read when a class is asked for: itself."""
        return name

    def called(self, short: str) -> tuple[str, ...]:
        """Return the classes that a short name can mean: `Inner`, or `Outer.Inner`."""
        return self._by_short_name.get(short, ())

    @cached_property
    def _by_short_name(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for name in self.sums:
            parts = name.rpartition("/")[2].split("$")
            if any(part[:1].isdigit() for part in parts):
                continue
            for start in range(len(parts)):
                found.setdefault(".".join(parts[start:]), []).append(name)
        return {short: tuple(each) for short, each in found.items()}

    def above(self, name: str) -> Iterator[str]:
        """The superclasses and interfaces of a class, the nearest first, each once."""

        def named(one: str) -> tuple[str, ...]:
            kind = self.read(one)
            return () if kind is None else kind.above

        return nearest_first(name, named)

    def methods_of(self, name: str) -> tuple[str, ...]:
        """Return the names of the methods that a class declares; none if there is no such class."""
        kind = self.read(name)
        return () if kind is None else tuple(each.name for each in kind.methods)

    def bodies(self, name: str) -> Iterator[tuple[Key, str, Body]]:
        """Yield each method of a class: where it stands, its signature, and its code."""
        kind = self.read(name)
        if kind is None or kind.access & SYNTHETIC:
            return
        for method in kind.methods:
            if method.is_synthetic or method.name.startswith(("lambda$", "access$")):
                continue
            key = self._home(kind, method.name)
            signature = f"{method.name}{method.descriptor}"
            if key[0] != plain_name(kind.name) or key[1] != method.name:
                signature = f"{plain_name(kind.name).rpartition('/')[2]}.{signature}"
            yield key, plain_name(signature), body_of(kind, method, self.read)

    def _home(self, kind: ClassFile, method: str) -> Key:
        """The method that some code stands in: of an anonymous class the one around the class."""
        owner, around = kind.enclosing
        if not around:
            return plain_name(kind.name), method
        around = LAMBDA.sub(r"\1", around)
        outer = self.read(owner)
        return (plain_name(owner), around) if outer is None else self._home(outer, around)


def build_of(given: str) -> Build:
    """Find a build. Raises `no-flink`, `no-such-release`, `no-such-path`, `unwritable`."""
    path = Path(given)
    if path.is_dir():
        return _built(given, _in_folder(path))
    if path.is_file():
        return _built(given, [path])
    if not _VERSION.fullmatch(given):
        raise FinaleError(
            "no-such-path", "there is no such file or folder", place=Place(given), advice=_ADVICE
        )
    return _built(f"Flink {given}", [_release(given)])


def _release(version: str) -> Path:
    """The jar of a release: that of this Python if it is the same, else one from the index."""
    try:
        found = release_of(version)
    except FinaleError:
        if version.count(".") < 2:
            raise FinaleError(
                "no-such-release",
                f"{version} is a line of releases, and not the line that is installed",
                advice=cure(version, f"name one release, for example {version}.0"),
            ) from None
        return fetched(version)
    return _dist(found)


def _dist(release: Release) -> Path:
    return next(jar for jar in release.jars if jar.name.startswith("flink-dist"))


def _in_folder(folder: Path) -> list[Path]:
    """The jars of a folder, or else the folder. A distribution has one jar with all that counts."""
    for each in (folder, folder / "lib"):
        dist = sorted(each.glob("flink-dist*.jar"))
        if dist:
            return dist[:1]
    return sorted(folder.rglob("*.jar")) or [folder]


def _built(name: str, files: list[Path]) -> Build:
    sums: dict[str, int] = {}
    places: dict[str, tuple[Path, str]] = {}
    for file in files:
        found = _classes_below(file) if file.is_dir() else _classes_in(file)
        for kind, total, inside, place in found:
            sums.setdefault(kind, total)
            places.setdefault(kind, (place, inside))
    if not sums:
        raise FinaleError(
            "no-flink",
            "no class of Flink is here",
            place=Place(str(files[0])),
            advice=_ADVICE,
        )
    matches = [match for file in files if (match := _DIST.fullmatch(file.name))]
    return Build(name, matches[0]["version"] if matches else "", tuple(files), sums, places)


def _classes_in(file: Path) -> Iterator[tuple[str, int, str, Path]]:
    if file.suffix == ".class":
        data = file.read_bytes()
        name = class_in(data, str(file)).name
        if name.startswith(ROOT):
            yield name, zlib.crc32(data), "", file
        return
    try:
        with ZipFile(file) as archive:
            for each in archive.infolist():
                if each.filename.startswith(ROOT) and each.filename.endswith(".class"):
                    name = each.filename.removesuffix(".class")
                    yield name, each.CRC, each.filename, file
    except (BadZipFile, OSError):
        raise _damaged(file) from None


def _classes_below(folder: Path) -> Iterator[tuple[str, int, str, Path]]:
    for file in sorted(folder.rglob("*.class")):
        before, root, after = file.relative_to(folder).as_posix().partition(ROOT)
        if root and (not before or before.endswith("/")):
            name = f"{root}{after}".removesuffix(".class")
            yield name, zlib.crc32(file.read_bytes()), "", file


def _damaged(file: Path) -> FinaleError:
    return FinaleError(
        "no-flink",
        "the file is no jar, or the jar is damaged",
        place=Place(str(file)),
        advice="download the jar or build it again",
    )


__all__ = ["Build", "build_of"]
