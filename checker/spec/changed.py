"""Tells which specs a change in a Git repository concerns.

A spec is concerned if a file changed that it is made from: its own, those of the specs that it is
resumed from, each Python file whose code its protocol or its properties can reach, and what these
files import. Code of the tool itself concerns all specs.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from finale.checker.cache.code import CHANGING_FOLDERS, NotCacheable, Reach, is_tool_file
from finale.checker.cache.imports import reads_outside, with_imports
from finale.model.errors import FinaleError
from finale.model.language.build import world_of

from .claim import Spec


@dataclass(frozen=True)
class ChangedFiles:
    """The files that differ from a revision, by their whole paths."""

    files: frozenset[Path]

    def concern(self, spec: Spec) -> bool:
        """Whether a spec may have another answer than at that revision."""
        if any(is_tool_file(file) for file in self.files):
            return True
        try:
            return not self.files.isdisjoint(_files_of(spec))
        except NotCacheable:
            return True


def changed_since(revision: str, folders: Iterable[Path]) -> ChangedFiles:
    """Return what differs from a revision in the repositories that some folders are in.

    Files that Git does not know yet are among them. Raises `no-repository`, `unknown-revision`.
    """
    files: set[Path] = set()
    for top in {_top_of(folder) for folder in folders}:
        if _git(top, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").returncode:
            raise FinaleError(
                "unknown-revision",
                f'the repository {top} has no revision "{revision}"',
                advice="name a commit, a branch or a tag; in CI, fetch enough of the history",
            )
        known = _git(top, "diff", "--name-only", "-z", revision, "--").stdout
        new = _git(top, "ls-files", "--others", "--exclude-standard", "-z").stdout
        files |= {(top / name).resolve() for name in f"{known}{new}".split("\0") if name}
    return ChangedFiles(frozenset(files))


def _top_of(folder: Path) -> Path:
    found = _git(folder, "rev-parse", "--show-toplevel")
    if found.returncode:
        raise FinaleError(
            "no-repository",
            f"{folder} is in no Git repository: {found.stderr.strip()}",
            advice="leave out --changed-since, or check files of a repository",
        )
    return Path(found.stdout.strip())


def _git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", "-C", str(folder), *words],
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise FinaleError(
            "no-git",
            "--changed-since asks Git, and there is no program git",
            advice="install Git, or leave out --changed-since",
        ) from None


def _files_of(spec: Spec) -> Iterator[Path]:
    """All files that a spec is made from. Raises `NotCacheable` if that cannot be told."""
    yield spec.file.resolve()
    protocol = spec.instance()
    world = world_of(protocol, protocol.keeps())
    reach = Reach(protocol, world.entities[1:])
    for family in spec.families:
        reach.function(family.mark.function)
    own = spec.catalogue.folder
    files = map(Path.resolve, map(Path, reach.files()))
    for file in with_imports(files, [*CHANGING_FOLDERS, *([] if own is None else [own])]):
        if own is not None and file.is_relative_to(own) and reads_outside(file.read_bytes()):
            raise NotCacheable(f"{file} reads what is no code of the folder")
        yield file
    if spec.resumption is not None:
        yield from _files_of(spec.resumption.first)
