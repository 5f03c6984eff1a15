"""Which of Java and Flink this machine has, for tests that drive them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.reference.flink.releases import Release, release_of
from finale.reference.flink.toolchain import find_jdk

LISTENS = "0A"
IN_CI = os.environ.get("CI") == "true"
#: A folder with a Flink, where it is not installed in this Python.
FOLDER = os.environ.get("FINALE_FLINK")


def _missing_jdk() -> str:
    try:
        find_jdk()
    except FinaleError as error:
        return error.message
    return ""


def _missing_flink() -> str:
    try:
        release_of(FOLDER)
    except FinaleError as error:
        return error.message
    return ""


NO_JDK, NO_FLINK = _missing_jdk(), _missing_flink()
needs_jdk = pytest.mark.skipif(bool(NO_JDK) and not IN_CI, reason=NO_JDK or "-")
needs_flink = pytest.mark.skipif(
    bool(NO_JDK or NO_FLINK) and not IN_CI, reason=NO_JDK or NO_FLINK or "-"
)


def flink() -> Release:
    """The Flink of this machine."""
    return release_of(FOLDER)


def processes_of(group: int) -> list[Path]:
    """The folders in /proc of the processes of a group."""
    found: list[Path] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            if stat.read_text().rpartition(")")[2].split()[2] == str(group):
                found.append(stat.parent)
    return found


def listening(group: int) -> set[str]:
    """The addresses at which processes of a group listen, as the kernel writes them."""
    found: set[str] = set()
    for process in processes_of(group):
        with suppress(OSError):
            own = {str(each.readlink()) for each in (process / "fd").iterdir()}
            for table in ("tcp", "tcp6"):
                for line in (process / "net" / table).read_text().splitlines()[1:]:
                    words = line.split()
                    if words[3] == LISTENS and f"socket:[{words[9]}]" in own:
                        found.add(words[1])
    return found


def is_loopback(address: str) -> bool:
    """Whether an address of `listening` is 127.0.0.1, as such or in IPv6."""
    return address.partition(":")[0].endswith("0100007F")


def group_is_gone(group: int) -> bool:
    """Whether no process of a group is left."""
    return not processes_of(group)
