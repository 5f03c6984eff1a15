"""Which specs a change in a repository concerns: also those that Git would not tell of."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.changed import changed_since
from finale.checker.spec.reading import read_spec
from tests.cache.plain_process import forget_tests
from tests.cache.ways.form import way
from tests.mutation.rules.apart import apart

LIMIT, OTHER = "LIMIT = 2\n", "LIMIT = 3\n"
COMES = "try:\n    from . import more\n    LIMIT = 3\nexcept ImportError:\n    LIMIT = 2"


def git(folder: Path, *words: str) -> bytes:
    own = [
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.org",
        "-c",
        "protocol.file.allow=always",
    ]
    command = ["git", "-C", str(folder), *own, *words]
    return subprocess.run(command, check=True, capture_output=True).stdout


def put(top: Path, path: str, text: str = "") -> Path:
    file = top / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def link(top: Path, path: str, target: str) -> Path:
    file = top / path
    file.unlink(missing_ok=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.symlink_to(target)
    return file


def begun(top: Path, head: str) -> Path:
    """A folder with a protocol that begins with some lines, and its spec."""
    made = way("counts", head)
    put(top, "own/count.py", made.texts(after=False)["count.py"])
    put(top, "spec.toml", made.spec)
    return top


def commit(top: Path) -> None:
    git(top, "init", "-q")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "Begin")


def is_concerned(top: Path, path: Path | None = None, folder: str = "own") -> bool:
    """Whether the spec is concerned by what changed since the last commit."""

    def call() -> bool:
        forget_tests()
        if path is not None:
            sys.path.insert(0, str(path))
        own = top / folder
        spec = read_spec(top / "spec.toml", catalogue(own))
        return changed_since("HEAD", [top, own]).concern(spec)

    concerned = apart(call)
    assert isinstance(concerned, bool), concerned
    return concerned


SIBLING = "from .limits import LIMIT"
#: Lines of the protocol, what is there before the commit, and what changes then.
Change = Callable[[Path], object]
CHANGES: dict[str, tuple[str, Change, Change]] = {
    "a file that Git ignores": (
        SIBLING,
        lambda top: (put(top, "own/limits.py", LIMIT), put(top, ".gitignore", "limits.py\n")),
        lambda top: put(top, "own/limits.py", OTHER),
    ),
    "a file that Git is told not to look at": (
        SIBLING,
        lambda top: put(top, "own/limits.py", LIMIT),
        lambda top: (
            git(top, "update-index", "--skip-worktree", "own/limits.py"),
            git(top, "update-index", "--assume-unchanged", "own/limits.py"),
            put(top, "own/limits.py", OTHER),
        ),
    ),
    "a file elsewhere that a link leads to": (
        SIBLING,
        lambda top: (
            put(top, "../limits.py", LIMIT),
            link(top, "own/limits.py", "../../limits.py"),
        ),
        lambda top: put(top, "../limits.py", OTHER),
    ),
    "where a link leads": (
        SIBLING,
        lambda top: (
            put(top, "one.py", LIMIT),
            put(top, "two.py", OTHER),
            link(top, "own/limits.py", "../one.py"),
        ),
        lambda top: link(top, "own/limits.py", "../two.py"),
    ),
    "a file that was removed": (
        "try:\n    from .limits import LIMIT\nexcept ImportError:\n    LIMIT = 3",
        lambda top: put(top, "own/limits.py", LIMIT),
        lambda top: (top / "own" / "limits.py").unlink(),
    ),
    "a folder that comes": (COMES, lambda _: None, lambda top: (top / "own" / "more").mkdir()),
    "a folder that goes": (
        COMES,
        lambda top: put(top, "own/more/note.txt"),
        lambda top: shutil.rmtree(top / "own/more"),
    ),
    "a module": (
        "from .more.limits import LIMIT",
        lambda top: put(top, "own/more/limits.py", LIMIT),
        lambda top: put(top, "own/more/limits.py", OTHER),
    ),
    "the spec": (
        "LIMIT = 2",
        lambda _: None,
        lambda top: put(top, "spec.toml", (top / "spec.toml").read_text() + "\n"),
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_concerns_the_spec(name: str, tmp_path: Path) -> None:
    head, before, change = CHANGES[name]
    top = begun(tmp_path / "top", head)
    before(top)
    commit(top)
    # Of a file that is not in the repository nobody knows what it was.
    unknown = name in ("a file that Git ignores", "a file elsewhere that a link leads to")
    assert is_concerned(top) is unknown
    change(top)
    assert is_concerned(top)


def test_a_module_elsewhere_concerns_the_spec(tmp_path: Path) -> None:
    top = begun(tmp_path / "top", "from finale_way_l import LIMIT")
    put(top, "beside/finale_way_l.py", LIMIT)
    commit(top)
    put(tmp_path, "beside/finale_way_l.py", LIMIT)
    assert not is_concerned(top, top / "beside")
    assert is_concerned(top, tmp_path / "beside")
    put(top, "beside/finale_way_l.py", OTHER)
    assert is_concerned(top, top / "beside")


def test_a_repository_within_concerns_the_spec(tmp_path: Path) -> None:
    put(tmp_path, "other/limits.py", LIMIT)
    commit(tmp_path / "other")
    top = begun(tmp_path / "top", "from .other.limits import LIMIT")
    git(top, "init", "-q")
    git(top, "submodule", "add", str(tmp_path / "other"), "own/other")
    commit(top)
    put(top, "own/other/limits.py", OTHER)
    assert is_concerned(top)


def test_a_folder_that_was_named_by_another_link(tmp_path: Path) -> None:
    top = begun(tmp_path / "top", "LIMIT = 2")
    put(top, "new/count.py", (top / "own/count.py").read_text().replace("LIMIT = 2", "LIMIT = 3"))
    link(top, "linked", "own")
    commit(top)
    assert not is_concerned(top, folder="linked")
    link(top, "linked", "new")
    assert is_concerned(top, folder="linked")


def test_a_name_that_is_no_unicode(tmp_path: Path) -> None:
    top = begun(tmp_path / "top", "LIMIT = 2")
    (top / os.fsdecode(b"caf\xe9.txt")).touch()
    commit(top)
    (top / os.fsdecode(b"th\xe9.txt")).touch()
    assert not is_concerned(top)


def test_ends_of_lines_are_no_change(tmp_path: Path) -> None:
    top = begun(tmp_path / "top", "LIMIT = 2")
    commit(top)
    file = top / "own" / "count.py"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert not is_concerned(top)
