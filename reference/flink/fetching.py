"""Fetches the jar of a release of Flink from the package index, once, and keeps the jar."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO
from zipfile import BadZipFile, ZipFile

from finale.model.errors import FinaleError, Place

from .toolchain import cache_folder

#: The distribution on the package index that has the jars.
DISTRIBUTION = "apache-flink-libraries"
#: The first line of releases that the distribution has.
FIRST = (1, 13)
SECONDS_MAX = 1800


def kept(version: str) -> Path:
    """The folder in which the jar of a release is kept, until the user deletes the folder."""
    return cache_folder() / "jars" / version


def fetched(version: str) -> Path:
    """Return the jar of a release. Raises `no-such-release`, `unwritable`."""
    folder = kept(version)
    known = sorted(folder.glob("flink-dist*.jar"))
    if known:
        return known[0]
    print(
        f"fetching Flink {version} from the package index: some 300 MB. One jar of it is kept in "
        f"{folder}",
        file=sys.stderr,
    )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            _unpack(_download(version, Path(made)), version, Path(made) / "jar")
            with suppress(OSError):  # another process was quicker
                (Path(made) / "jar").rename(folder)
    except OSError as error:
        raise FinaleError(
            "unwritable",
            f"the jar of Flink cannot be kept: {error.strerror}",
            place=Place(str(folder)),
            advice="name a folder in FINALE_CACHE that you may write",
        ) from None
    return next(iter(sorted(folder.glob("flink-dist*.jar"))))


def _download(version: str, folder: Path) -> Path:
    """Download the distribution. Nothing of it is installed."""
    command = [
        *(sys.executable, "-m", "pip", "download", f"{DISTRIBUTION}=={version}"),
        *("--no-deps", "--disable-pip-version-check", "--quiet", "--dest", str(folder / "index")),
    ]
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=SECONDS_MAX
        )
    except subprocess.TimeoutExpired:
        raise _missing(version, f"the package index took more than {SECONDS_MAX} s") from None
    files = sorted((folder / "index").glob("*")) if ran.returncode == 0 else []
    if not files:
        last = (ran.stderr.strip().splitlines() or ["pip gives no reason"])[-1]
        raise _missing(version, last.removeprefix("ERROR: "))
    return files[0]


def _unpack(file: Path, version: str, folder: Path) -> None:
    """Take the one jar out of the distribution that has the classes of the protocols."""
    folder.mkdir()
    try:
        if file.suffix == ".whl":
            with ZipFile(file) as wheel:
                _take(wheel.namelist(), wheel.open, folder)
        else:
            with tarfile.open(file) as archive:
                _take(archive.getnames(), archive.extractfile, folder)
    except (BadZipFile, tarfile.TarError, EOFError):
        raise _missing(version, "what the package index has cannot be read") from None
    if not any(folder.iterdir()):
        raise _missing(version, "what the package index has contains no jar of Flink")


def _take(names: list[str], opened: Callable[[str], IO[bytes] | None], folder: Path) -> None:
    for name in names:
        last = name.rpartition("/")[2]
        if last.startswith("flink-dist") and last.endswith(".jar"):
            stream = opened(name)
            if stream is not None:
                with stream, (folder / last).open("wb") as target:
                    shutil.copyfileobj(stream, target)


def cure(version: str, otherwise: str) -> str:
    """Return what to do about a release that the package index does not have."""
    major, _, minor = version.partition(".")
    numbers = (int(major), int(minor.partition(".")[0] or 0))
    if numbers < FIRST:
        first = ".".join(map(str, FIRST))
        return (
            f"the package index has no Flink before {first}: name a folder or a jar of that Flink"
        )
    return otherwise


def _missing(version: str, why: str) -> FinaleError:
    return FinaleError(
        "no-such-release",
        f"Flink {version} cannot be had from the package index: {why}",
        advice=cure(version, "check the version, or name a folder or a jar of that Flink"),
    )


__all__ = ["cure", "fetched", "kept"]
