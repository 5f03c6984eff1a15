"""Finds a JDK, and compiles the Java programs of this room once for each release of Flink."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from finale.model.errors import FinaleError, Place

from .releases import Release

SOURCES = Path(__file__).parent / "java"
DEBUGGER = ("Debugger",)
JOB = (
    "Job",
    "Environments",
    "Requests",
    "Controls",
    "HeldSource",
    "ThreadSource",
    "Legacy",
    "Operator",
    "Calls",
    "Joining",
    "Assigner",
    "Committing",
    "Ends",
    "Crash",
    "Run",
)
#: The module with the interface of debuggers.
MODULE = "jdk.jdi"
SECONDS_OF_JAVA = 60
#: The oldest version of Java that compiles the programs.
OLDEST = 17
INSTALL_JAVA = (
    f"install a JDK of version {OLDEST} or later, as Debian's default-jdk-headless, and name it in "
    "JAVA_HOME if it is not on PATH"
)


@dataclass(frozen=True)
class Jdk:
    """A JDK: the programs that start Java, and that compile it."""

    java: Path
    javac: Path


def find_jdk() -> Jdk:
    """Find the JDK of `JAVA_HOME`, else of PATH. Raises `java-missing`, `jdk-missing`."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=None if not home else str(Path(home) / "bin"))
    if found is None:
        message = "JAVA_HOME is set, and there is no Java in it" if home else "there is no Java"
        place = Place(home) if home else None
        raise FinaleError("java-missing", message, place=place, advice=INSTALL_JAVA)
    java = Path(found)
    javac = java.with_name("javac")
    if not os.access(javac, os.X_OK):
        javac = java.resolve().with_name("javac")
    modules = _output(java, "--list-modules")
    version = re.search(r"\bjava\.base@(\d+)", modules)
    lacks = (
        f"is of version {version[1]}"
        if version is not None and int(version[1]) < OLDEST
        else f"has no module {MODULE}"
        if f"{MODULE}@" not in modules
        else "has no compiler"
        if not os.access(javac, os.X_OK)
        else ""
    )
    if lacks:
        raise FinaleError(
            "jdk-missing", f"this Java {lacks}", place=Place(found), advice=INSTALL_JAVA
        )
    return Jdk(java.absolute(), javac.absolute())


def _output(java: Path, *arguments: str) -> str:
    try:
        ran = subprocess.run(
            [java, *arguments], capture_output=True, timeout=SECONDS_OF_JAVA, check=True
        )
    except (OSError, subprocess.SubprocessError):
        raise FinaleError(
            "java-missing",
            "this Java cannot be run",
            place=Place(str(java)),
            advice=INSTALL_JAVA,
        ) from None
    return ran.stdout.decode(errors="replace")


def compiled(jdk: Jdk, release: Release, own: Mapping[str, str]) -> tuple[Path, Path]:
    """Return the folders with the classes of the debugger and of the job.

    A release may have its own source for some of them. Raises `no-compile`, `unwritable`.
    """
    debugger = _compiled(jdk, DEBUGGER, "--add-modules", MODULE)
    return debugger, _compiled(
        jdk, [own.get(name, name) for name in JOB], "-cp", release.class_path
    )


def _compiled(jdk: Jdk, names: Sequence[str], *options: str) -> Path:
    sources = [SOURCES / f"{name}.java" for name in names]
    key = blake2b(digest_size=16)
    for text in (str(jdk.javac), *options):
        key.update(text.encode() + b"\0")
    for source in sources:
        key.update(source.read_bytes())
    folder = cache_folder() / key.hexdigest()
    if folder.is_dir():
        return folder
    with _beside(folder) as made:
        ran = subprocess.run(
            [jdk.javac, "-proc:none", "-nowarn", *options, "-d", Path(made) / "classes", *sources],
            capture_output=True,
            check=False,
        )
        if ran.returncode:
            first = ran.stderr.decode(errors="replace").partition("\n")[0]
            raise FinaleError(
                "no-compile",
                f"the job does not compile against this Flink: {first}",
                advice="this Flink lacks what the job uses: take a release that has hooks",
            )
        try:
            (Path(made) / "classes").rename(folder)
        except OSError:  # another process was quicker
            assert folder.is_dir()
    return folder


def _beside(folder: Path) -> tempfile.TemporaryDirectory[str]:
    """A new folder beside another one. Raises `unwritable`."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryDirectory(dir=folder.parent)
    except OSError as error:
        raise FinaleError(
            "unwritable",
            f"the folder for classes cannot be written: {error.strerror}",
            place=Place(str(folder.parent)),
            advice="name a folder in FINALE_CACHE that you may write",
        ) from None


def cache_folder() -> Path:
    """The folder for classes, beside other things that Finale works out once."""
    named = os.environ.get("FINALE_CACHE", "").strip()
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "finale"
    return (Path(named).expanduser() if named else home).absolute() / "flink"


__all__ = ["Jdk", "cache_folder", "compiled", "find_jdk"]
