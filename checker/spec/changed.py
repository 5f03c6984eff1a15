"""Tells which specs a change in a Git repository concerns.

A spec is concerned unless each file that it is made from has the same bytes at the revision: its
own, those of the specs that it is resumed from, each Python file of Finale's whose code its
protocol or its properties can reach, and what these files import. If they are a user's, all that
was loaded with the user's folder is among them. Code of the tool itself concerns all specs.

Git is asked for the bytes of the revision, and for nothing else: a file that Git does not know, or
does not look at, is a file that has changed. Files of a Finale that is installed, and not a part
of the repository, are not compared.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from finale import model
from finale.checker.cache.code import CHANGING_FOLDERS, NotCacheable, Reach, is_tool_file
from finale.checker.cache.imports import with_imports
from finale.checker.cache.user_code import UserCode
from finale.model.errors import FinaleError
from finale.model.language.build import world_of

from .claim import Spec

_MODEL = Path(model.__file__).resolve().parent
#: How Git marks a link.
_LINK = "120000"
_HASHES = {40: hashlib.sha1, 64: hashlib.sha256}


@dataclass(frozen=True)
class Revision:
    """The files of a repository at a revision."""

    top: Path
    #: The mode and the name of the blob of each file, by its path.
    files: Mapping[str, tuple[str, str]]
    commit: str

    @property
    def is_current(self) -> bool:
        """Whether this is the commit that is checked out, and Git sees no change since."""
        head = _git(self.top, "rev-parse", "HEAD").stdout.decode().strip()
        return head == self.commit and not _git(self.top, "status", "--porcelain").stdout

    def text_of(self, file: Path) -> bytes | None:
        """Return what a file had in it; None if it was not there, or was a link."""
        if not file.is_relative_to(self.top):
            return None
        mode, blob = self.files.get(file.relative_to(self.top).as_posix(), (_LINK, ""))
        return None if mode == _LINK else _git(self.top, "cat-file", "blob", blob).stdout

    def has(self, file: Path, text: bytes, *, as_link: bool = False) -> bool:
        """Whether a file was there, with this text or the same one with other ends of lines."""
        if not file.is_relative_to(self.top):
            return False
        mode, name = self.files.get(file.relative_to(self.top).as_posix(), ("", ""))
        texts = (text, text.replace(b"\r\n", b"\n"))
        is_same_kind = (mode == _LINK) == as_link
        return is_same_kind and any(_blob(each, name) == name for each in texts)

    def below(self, folder: Path) -> Iterator[Path]:
        """Yield the files that were in a folder, or in a folder within it."""
        if folder.is_relative_to(self.top):
            start = folder.relative_to(self.top).as_posix()
            within = "" if start == "." else f"{start}/"
            yield from (self.top / name for name in self.files if name.startswith(within))


def _blob(text: bytes, like: str) -> str:
    """The name that Git gives to a text, of the same length as another name."""
    if len(like) not in _HASHES:
        return "none"
    made = _HASHES[len(like)](b"blob %d\0" % len(text), usedforsecurity=False)
    made.update(text)
    return made.hexdigest()


class ChangedFiles:
    """What differs from a revision in some repositories. `named` are folders the user named."""

    def __init__(self, revisions: Sequence[Revision], named: Iterable[Path] = ()) -> None:
        self._revisions = revisions
        self._named = list(named)
        self._same: dict[Path, bool] = {}
        self._same_folders: dict[Path, bool] = {}

    @property
    def are_none(self) -> bool:
        """Whether each repository is compared with itself."""
        return all(each.is_current for each in self._revisions)

    def can_tell(self, file: Path) -> bool:
        """Whether a file is in one of the repositories."""
        return any(file.resolve().is_relative_to(each.top) for each in self._revisions)

    def text_then(self, file: Path) -> bytes | None:
        """Return what a file had in it at the revision; None if it was not there."""
        place = file.parent.resolve() / file.name
        texts = (each.text_of(place) for each in self._revisions)
        return next((text for text in texts if text is not None), None)

    def concern(self, spec: Spec) -> bool:
        """Whether a spec may have another answer than at that revision."""
        try:
            return self._concern_all or not self._is_same_spec(spec)
        except NotCacheable:
            return True

    @cached_property
    def _concern_all(self) -> bool:
        """Whether the tool has changed, or a link by which the user named a folder."""
        links = (link for folder in self._named for link in _links(folder)[0])
        if not all(map(self._is_same_link, links)):
            return True
        if not self._has_finale:
            return False
        folders = (_MODEL, _MODEL.parent / "checker")
        now = {f for folder in folders for f in folder.rglob("*.py") if is_tool_file(f)}
        then = {f for folder in folders for f in self._below(folder) if is_tool_file(f)}
        return now != then or not all(map(self._is_same_file, now))

    @cached_property
    def _has_finale(self) -> bool:
        """Whether Finale is a part of the repository."""
        return any(True for _ in self._below(_MODEL))

    def _below(self, folder: Path) -> Iterator[Path]:
        return (file for each in self._revisions for file in each.below(folder))

    # --- a spec --------------------------------------------------------------------------------

    def _is_same_spec(self, spec: Spec) -> bool:
        """Whether all is the same that a spec is made from. Raises `NotCacheable`."""
        code = spec.catalogue.code
        is_same = self._is_same_file(spec.file)
        if code is not None and _is_of(code, spec):
            is_same = is_same and self._is_same_code(code)
        if is_same and self._has_finale:
            is_same = all(map(self._is_same_file, _files_of_finale(spec)))
        before = spec.resumption
        return is_same and (before is None or self._is_same_spec(before.first))

    def _is_same_code(self, code: UserCode) -> bool:
        """Whether imports of a user's code had the same answers."""
        if code.key() is None:
            raise NotCacheable("the code of the folder reads what is no code of it")
        texts = all(self._is_same_file(Path(file), text) for file, _, text in code.texts.values())
        is_alone = all(name.startswith(".") for name in code.texts)
        tops = (each.top for each in self._revisions)
        return (
            texts
            # Python finds a file that was removed since before the one that it finds now.
            and all(map(self._is_same_folder, [code.folder] if is_alone else [code.folder, *tops]))
            and all(self._was_found(code, *answer) for answer in code.folders)
        )

    def _was_found(self, code: UserCode, name: str, folders: Sequence[str]) -> bool:
        """Whether an import that found no text had the same answer, if no file was removed."""
        if folders:
            return all(any(True for _ in self._below(Path(each))) for each in folders)
        place = code.folder.joinpath(*name.split(".")[1:])
        return name.startswith(".") and not any(True for _ in self._below(place))

    # --- a file --------------------------------------------------------------------------------

    def _is_same_folder(self, folder: Path) -> bool:
        """Whether each Python file that was in a folder is still there."""
        if folder not in self._same_folders:
            then = (file for file in self._below(folder) if file.suffix == ".py")
            self._same_folders[folder] = all(map(os.path.lexists, then))
        return self._same_folders[folder]

    def _is_same_file(self, path: Path, text: bytes | None = None) -> bool:
        """Whether a file, and each link that leads to it, is as it was."""
        if path not in self._same:
            links, file = _links(path)
            known = file.read_bytes() if text is None else text
            self._same[path] = all(map(self._is_same_link, links)) and any(
                each.has(file, known) for each in self._revisions
            )
        return self._same[path]

    def _is_same_link(self, link: Path) -> bool:
        """Whether a link is as it was, or is the way to the whole repository."""
        text = os.fsencode(link.readlink())
        if any(each.has(link, text, as_link=True) for each in self._revisions):
            return True
        return any(
            each.top.is_relative_to(link.resolve()) and not link.is_relative_to(each.top)
            for each in self._revisions
        )


def _links(path: Path) -> tuple[list[Path], Path]:
    """The links that lead to a file, and where it really is."""
    whole = path.absolute()
    found, place, rest = list[Path](), Path(whole.anchor), [*reversed(whole.parts[1:])]
    while rest:
        place = place.parent if (part := rest.pop()) == ".." else place / part
        if place.is_symlink():
            found.append(place)
            target = place.parent / place.readlink()
            place, rest = Path(target.anchor), [*rest, *reversed(target.parts[1:])]
    return found, place


# --- Git -----------------------------------------------------------------------------------------


def changed_since(revision: str, folders: Sequence[Path]) -> ChangedFiles:
    """Return what differs from a revision in the repositories that some folders are in.

    Raises `no-repository`, `unknown-revision`, `no-git`.
    """
    tops = {_top_of(folder) for folder in folders}
    return ChangedFiles([_revision(top, revision) for top in sorted(tops)], folders)


def _revision(top: Path, revision: str) -> Revision:
    found = _git(top, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if found.returncode:
        raise FinaleError(
            "unknown-revision",
            f'the repository {top} has no revision "{revision}"',
            advice="name a commit, a branch or a tag; in CI, fetch enough of the history",
        )
    commit = found.stdout.decode().strip()
    files: dict[str, tuple[str, str]] = {}
    for line in _git(top, "ls-tree", "-r", "-z", "--full-tree", commit).stdout.split(b"\0"):
        said, _, name = line.partition(b"\t")
        if name:
            mode, _, blob = said.decode().split()
            files[os.fsdecode(name)] = mode, blob
    return Revision(top, files, commit)


def _top_of(folder: Path) -> Path:
    found = _git(folder, "rev-parse", "--show-toplevel")
    if found.returncode:
        raise FinaleError(
            "no-repository",
            f"{folder} is in no Git repository: {os.fsdecode(found.stderr).strip()}",
            advice="leave out --changed-since, or check files of a repository",
        )
    return Path(os.fsdecode(found.stdout.removesuffix(b"\n"))).resolve()


def _git(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    try:
        command = ["git", "-C", str(folder), *words]
        return subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        raise FinaleError(
            "no-git",
            "--changed-since asks Git, and there is no program git",
            advice="install Git, or leave out --changed-since",
        ) from None


# --- what a spec is made from --------------------------------------------------------------------


def _files_of_finale(spec: Spec) -> Iterable[Path]:
    """The files of Finale's rules that a spec is made from. Raises `NotCacheable`."""
    try:
        files = _files_of_rules(spec)
    except NotCacheable:
        if spec.catalogue.code is None:
            raise
        files = [*_MODEL.rglob("*.py")]
    own = [file for file in files if file.is_relative_to(_MODEL)]
    return with_imports(own, CHANGING_FOLDERS)


def _is_of(code: UserCode, spec: Spec) -> bool:
    """Whether a spec depends on a user's code."""
    modules = [each.__module__ for each in spec.protocol.__mro__]
    modules += [each.mark.function.__module__ for each in spec.families]
    inside = f"{code.package}."
    return any(each.startswith(inside) for each in modules) or not code.leaves_finale_as_it_is()


def _files_of_rules(spec: Spec) -> Sequence[Path]:
    protocol = spec.instance()
    world = world_of(protocol, protocol.keeps())
    reach = Reach(protocol, world.entities[1:])
    for family in spec.families:
        reach.function(family.mark.function)
    return [Path(file).resolve() for file in reach.files()]
