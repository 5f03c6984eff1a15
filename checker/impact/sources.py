"""Finds the sources of Flink at two revisions of a Git repository, or before and after a patch.

Git is asked for names and bytes. Nothing is checked out, and the repository stays as it is: what a
patch makes is kept in a folder of its own.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from finale.model.errors import FinaleError, Place

from .code import ROOT, Key, nearest_first
from .java_source import SourceClass, SourceFile, source_in
from .normal_form import Body

_VERSION = re.compile(rb"<artifactId>flink-parent</artifactId>\s*<version>([^<]+)</version>")
_RANGE = re.compile(r"(?P<old>.*?[^.])\.\.(?P<new>[^.].*)?")
_TESTS = re.compile(r"(^|/)src/(test|it)/")


@dataclass
class Repository:
    """A Git repository, and the files that were read: a file that two revisions share, once."""

    folder: Path
    settings: Mapping[str, str]
    parsed: dict[tuple[str, str], SourceFile] = field(
        default_factory=dict[tuple[str, str], SourceFile]
    )

    def ask(self, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run Git. Raises `no-git`."""
        command = ["git", "-C", str(self.folder), *words]
        try:
            return subprocess.run(
                command,
                input=given,
                capture_output=True,
                check=False,
                env=os.environ | self.settings,
            )
        except FileNotFoundError:
            raise FinaleError(
                "no-git",
                "--source asks Git, and there is no program git",
                advice="install Git, or compare two builds",
            ) from None

    def read(self, name: str, path: str, blob: str) -> SourceFile:
        """Read a source file. Raises `bad-source`."""
        key = name, blob
        if key not in self.parsed:
            text = self.ask("cat-file", "blob", blob).stdout
            self.parsed[key] = source_in(text, name, path)
        return self.parsed[key]


@dataclass
class Sources:
    """The sources of a revision. A file is read when one of its classes is asked for."""

    name: str
    version: str
    repository: Repository
    sums: Mapping[str, str]
    """For the first class of each file, the name of the file's blob."""
    paths: Mapping[str, str]

    @cached_property
    def _by_short_name(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for name in self.sums:
            found.setdefault(name.rpartition("/")[2], []).append(name)
        return {short: tuple(each) for short, each in found.items()}

    def unit(self, name: str) -> str:
        """Return the class that is read when a class is asked for: the first of its file."""
        return name.partition("$")[0]

    def called(self, short: str) -> tuple[str, ...]:
        """Return the classes that a short name can mean: `Outer`, or `Outer.Inner`."""
        first, *rest = short.split(".")
        names = ("$".join([each, *rest]) for each in self._by_short_name.get(first, ()))
        return tuple(each for each in names if not rest or self._read(each) is not None)

    def above(self, name: str) -> Iterator[str]:
        """Yield the superclasses and interfaces of a class, the nearest first, each once."""

        def named(one: str) -> tuple[str, ...]:
            kind = self._read(one)
            return () if kind is None else kind.above

        return nearest_first(name, named)

    def methods_of(self, name: str) -> tuple[str, ...]:
        """Return the names of the methods that a class declares; none if there is no such class."""
        kind = self._read(name)
        return () if kind is None else tuple(method for method, _, _ in kind.methods)

    def bodies(self, name: str) -> Iterator[tuple[Key, str, Body]]:
        """Yield each method of the classes of a file."""
        for kind in self._file(name).values():
            for method, signature, body in kind.methods:
                yield (kind.name, method), signature, body

    def _read(self, name: str) -> SourceClass | None:
        return self._file(self.unit(name)).get(name)

    def _file(self, name: str) -> Mapping[str, SourceClass]:
        if name not in self.sums:
            return {}
        return self.repository.read(name, self.paths[name], self.sums[name]).classes


@contextmanager
def sources_of(folder: Path, change: str) -> Iterator[tuple[Sources, Sources]]:
    """Find the sources before and after a change: two revisions, `OLD..NEW`, or a patch.

    Raises `no-such-path`, `no-git`, `no-repository`, `unknown-revision`, `shallow-clone`,
    `bad-patch`, `no-flink`.
    """
    if not folder.is_dir():
        raise FinaleError(
            "no-such-path",
            "there is no such folder",
            place=Place(str(folder)),
            advice="name a clone of Flink",
        )
    with tempfile.TemporaryDirectory() as made:
        repository = _repository(folder, Path(made))
        patch = Path(change)
        if patch.is_file():
            old, new = "HEAD", _patched(repository, patch)
            names = ("HEAD", f"HEAD with {patch.name}")
        else:
            found = _RANGE.fullmatch(change)
            if found is None:
                raise FinaleError(
                    "unknown-revision",
                    f'"{change}" is no file, and no two revisions',
                    advice="write OLD..NEW, for example main..HEAD, or name a file with a patch",
                )
            old, new = found["old"], found["new"] or "HEAD"
            names = (old, new)
        trees = [_tree(repository, each) for each in (old, new)]
        first, second = (_sources(repository, *each) for each in zip(names, trees, strict=True))
        yield first, second


def _repository(folder: Path, made: Path) -> Repository:
    repository = Repository(folder, {})
    found = repository.ask("rev-parse", "--path-format=absolute", "--git-path", "objects")
    if found.returncode:
        raise FinaleError(
            "no-repository",
            f"{folder} is in no Git repository: {os.fsdecode(found.stderr).strip()}",
            advice="name a clone of Flink with --source",
        )
    objects = made / "objects"
    objects.mkdir()
    top = os.fsdecode(repository.ask("rev-parse", "--show-toplevel").stdout).rstrip("\n")
    return Repository(
        Path(top or folder),
        {
            "GIT_INDEX_FILE": str(made / "index"),
            "GIT_OBJECT_DIRECTORY": str(objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.fsdecode(found.stdout).rstrip("\n"),
        },
    )


def _patched(repository: Repository, patch: Path) -> str:
    """The tree of HEAD with a patch."""
    repository.ask("read-tree", _tree(repository, "HEAD"))
    applied = repository.ask("apply", "--cached", "-", given=patch.read_bytes())
    if applied.returncode:
        why = applied.stderr.decode(errors="replace").strip().splitlines() or [
            "Git gives no reason"
        ]
        raise FinaleError(
            "bad-patch",
            f"the patch does not apply to HEAD: {why[0].removeprefix('error: ')}",
            place=Place(str(patch)),
            advice="check out the revision that the patch was made from",
        )
    return repository.ask("write-tree").stdout.decode().strip()


def _tree(repository: Repository, revision: str) -> str:
    found = repository.ask("rev-parse", "--verify", "--quiet", f"{revision}^{{tree}}")
    if found.returncode == 0:
        return found.stdout.decode().strip()
    told = f'the repository {repository.folder} has no revision "{revision}"'
    if repository.ask("rev-parse", "--is-shallow-repository").stdout.strip() == b"true":
        raise FinaleError(
            "shallow-clone",
            f"{told}: it is a shallow clone, with the end of the history only",
            advice="fetch the rest: git fetch --unshallow",
        )
    raise FinaleError("unknown-revision", told, advice="name a commit, a branch or a tag")


def _sources(repository: Repository, name: str, tree: str) -> Sources:
    sums: dict[str, str] = {}
    paths: dict[str, str] = {}
    for line in repository.ask("ls-tree", "-r", "-z", "--full-tree", tree).stdout.split(b"\0"):
        said, _, path = line.partition(b"\t")
        shown = os.fsdecode(path)
        before, root, after = shown.partition(ROOT)
        if root and after.endswith(".java") and not _TESTS.search(before):
            kind = f"{root}{after.removesuffix('.java')}"
            sums.setdefault(kind, said.decode().split()[2])
            paths.setdefault(kind, shown)
    if not sums:
        raise FinaleError(
            "no-flink",
            f"no source of Flink is in {name}",
            place=Place(str(repository.folder)),
            advice="name a clone of Flink with --source",
        )
    pom = _VERSION.search(repository.ask("cat-file", "blob", f"{tree}:pom.xml").stdout)
    return Sources(name, "" if pom is None else pom[1].decode().strip(), repository, sums, paths)


__all__ = ["Repository", "Sources", "sources_of"]
