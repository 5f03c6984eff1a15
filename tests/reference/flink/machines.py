"""Which of Java and Flink this machine has, for tests that drive them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from model.errors import FinaleError
from reference.flink.releases import Release, release_of
from reference.flink.toolchain import find_jdk

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


def group_is_gone(group: int) -> bool:
    """Whether no process of a group is left."""
    return not any(
        stat.read_text().rpartition(")")[2].split()[2] == str(group)
        for stat in Path("/proc").glob("[0-9]*/stat")
        if stat.exists()
    )
