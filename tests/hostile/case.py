"""A bad input: what is put on disk, the command that reads it, and what must become of it."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import stat
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.cli.running import Ran, run

#: Where a command is run; what lies beside is none of its business.
HERE, OUTSIDE = "here", "outside"
#: The only folder in which a command is told to write anything.
MADE = "made"
#: What becomes of an input that is not refused: the command does what it is to do.
JUDGED = "judged"
SECONDS_MAX = 60

Content = bytes | str | Callable[[Path], object]
"""What a file has, or what makes it."""


@dataclass(frozen=True)
class Case:
    """One bad input."""

    kind: str
    name: str
    command: str
    files: Mapping[str, Content]
    shows: tuple[str, ...] = ()
    """What is to be read on stdout or stderr."""

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}"


@dataclass
class Box:
    """A folder for one case, and what is in it."""

    root: Path
    before: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def here(self) -> Path:
        return self.root / HERE

    def fill(self, case: Case) -> None:
        """Put the files of a case there, and something beside them."""
        for folder in (self.here, self.root / OUTSIDE):
            folder.mkdir(parents=True)
        (self.root / OUTSIDE / "kept").write_text("as it was")
        for name, content in case.files.items():
            path = self.here / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if callable(content):
                content(path)
            else:
                path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.before = self.seen()

    def seen(self) -> dict[str, str]:
        """All that is there but what a command was told to write: by path, what it is."""
        found: dict[str, str] = {}
        for folder, folders, files in os.walk(self.root):
            base = Path(folder)
            if base == self.here and MADE in folders:
                folders.remove(MADE)
            for path in (base / name for name in (*folders, *files)):
                found[str(path.relative_to(self.root))] = _digest(path)
        return found


def _digest(path: Path) -> str:
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        return oct(status.st_mode)
    if status.st_size > 2**24:
        return str(status.st_size)
    return hashlib.sha256(path.read_bytes()).hexdigest()


class TookTooLong(BaseException):
    """Nothing catches it on its way."""


@contextmanager
def _limited() -> Iterator[None]:
    def end(*_: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS_MAX)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def ran(case: Case, box: Box) -> Ran:
    """Run the command of a case in this process."""
    with _limited():
        return run(case.command, box.here)


def outcome(done: Ran) -> str:
    """The code of the first error, or that it was judged."""
    found = re.search(r"^error\[([a-z0-9-]+)\]: ", done.stderr, re.MULTILINE)
    return found[1] if found else JUDGED


def complaints(case: Case, done: Ran, box: Box) -> list[str]:
    """What is wrong, whatever becomes of a case."""
    text = done.stdout + done.stderr
    refused = outcome(done) != JUDGED
    found: list[str] = []
    if "Traceback" in text or done.exit not in (0, 1, 2, 3):
        found.append("a traceback")
    if refused != (done.exit == 2) or refused != ("\n  help: " in done.stderr):
        found.append(f"exit code {done.exit}, and {done.stderr!r}")
    found += [f"{each!r} is not told" for each in case.shows if each not in text]
    raw = {each for each in text if unicodedata.category(each) in CONTROLS and each != "\n"}
    found += [f"shows {sorted(raw)} as they are"] if raw else []
    after = box.seen()
    names = box.before.keys() | after
    changed = sorted(name for name in names if box.before.get(name) != after.get(name))
    return [*found, *([f"writes {changed}"] if changed else [])]


CONTROLS = ("Cc", "Cf", "Cs", "Zl", "Zp")
