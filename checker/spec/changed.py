"""Tells which specs a change in a Git repository concerns.

A spec is concerned if a file changed that it is made from: its own, those of the specs that it is
resumed from, each Python file of Finale's whose code its protocol or its properties can reach, and
what these files import. If they are a user's, all files of the user's folder are among them. Code
of the tool itself concerns all specs.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from finale import model
from finale.checker.cache.code import CHANGING_FOLDERS, NotCacheable, Reach, is_tool_file
from finale.checker.cache.imports import with_imports
from finale.checker.cache.user_code import UserCode
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
            return not self.files.isdisjoint(_files_of(spec)) or any(
                map(self._concern_code_of, spec.chain())
            )
        except NotCacheable:
            return True

    def _concern_code_of(self, spec: Spec) -> bool:
        """Whether there is a change in the folder of a user's protocol. A file that is new there,
        or that was removed, may be found, or not, by an import."""
        own = spec.catalogue.code
        if own is None or not _is_of(own, spec):
            return False
        return any(file.suffix == ".py" and file.is_relative_to(own.folder) for file in self.files)


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
    code = spec.catalogue.code
    if code is not None and _is_of(code, spec):
        if code.key() is None:
            raise NotCacheable("the code of the folder reads what is no code of it")
        yield from code.files()
    try:
        files = _files_of_rules(spec)
    except NotCacheable:
        if code is None:
            raise
        files = [*Path(model.__file__).resolve().parent.rglob("*.py")]
    yield from with_imports(files, CHANGING_FOLDERS)
    if spec.resumption is not None:
        yield from _files_of(spec.resumption.first)


def _is_of(code: UserCode, spec: Spec) -> bool:
    """Whether a spec depends on a user's code."""
    modules = [each.__module__ for each in spec.protocol.__mro__]
    modules += [each.mark.function.__module__ for each in spec.families]
    inside = f"{code.package}."
    return any(each.startswith(inside) for each in modules) or not code.intact.is_so()


def _files_of_rules(spec: Spec) -> Sequence[Path]:
    protocol = spec.instance()
    world = world_of(protocol, protocol.keeps())
    reach = Reach(protocol, world.entities[1:])
    for family in spec.families:
        reach.function(family.mark.function)
    return [Path(file).resolve() for file in reach.files()]
