"""`finale check --watch`: checks again whenever a file is saved, until Ctrl-C."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from rich.text import Text

import finale
from finale.checker.cache.code import CHANGING_FOLDERS
from finale.checker.report.layout import console, counted, write

#: So often the files are looked at, in seconds.
SECONDS = 0.3
#: The files that a check depends on, by the ends of their names.
ENDS = (".toml", ".py")
#: More files than this are not named one by one.
NAMES_MAX = 3

Times = Mapping[Path, tuple[int, int]]
"""When each file was last changed: as the file says, and as the file system says.

A program can set the first time back.
"""


def check_again(paths: Sequence[Path]) -> NoReturn:
    """Check once, and again after each change below some paths, until KeyboardInterrupt.

    Each check is a process of its own, since Python keeps what it has loaded.
    """
    words = [word for word in sys.argv[1:] if word != "--watch"]
    paths = [*paths, *CHANGING_FOLDERS]
    before = times_of(paths)
    _check(words)
    while True:
        time.sleep(SECONDS)
        now = times_of(paths)
        if now != before:
            _tell(before, now)
            before = now
            _check(words)


def times_of(paths: Sequence[Path]) -> Times:
    """Return when each file below some paths was changed."""
    found: dict[Path, tuple[int, int]] = {}
    for path in paths:
        files = path.rglob("*") if path.is_dir() else (path,)
        for file in files:
            if file.suffix in ENDS:
                try:
                    state = file.stat()
                    found[file] = state.st_mtime_ns, state.st_ctime_ns
                except OSError:  # it was removed a moment ago
                    continue
    return found


def _check(words: Sequence[str]) -> None:
    command = [sys.executable, "-P", "-m", finale.__name__, *words]
    subprocess.run(command, check=False)


def _tell(before: Times, now: Times) -> None:
    changed = sorted(
        file.name for file in before.keys() | now.keys() if before.get(file) != now.get(file)
    )
    names = ", ".join(changed) if len(changed) <= NAMES_MAX else counted(len(changed), "file")
    write(console(), ["", Text(f"── {time.strftime('%H:%M:%S')} · changed: {names}", "bold"), ""])


__all__ = ["check_again", "times_of"]
