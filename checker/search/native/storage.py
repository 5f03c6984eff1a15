"""The ways to store states, and what each one costs."""

from __future__ import annotations

import enum
import os
import tempfile
import weakref
from pathlib import Path

import numpy as np

from finale.model.errors import FinaleError, Place

from .kernel import places as at
from .layout import Words


class Storage(enum.IntEnum):
    """EXACT stores all words of a state. COMPRESSED stores equal parts once: half the memory,
    slower.

    HASHED keeps 64 bits of each state in memory and the state on disk: two states with the same
    hash count as one, and the report gives the probability of that.
    """

    EXACT = at.EXACT
    COMPRESSED = at.COMPRESSED
    HASHED = at.HASHED


STORAGES = {storage.name.lower(): storage for storage in Storage}


def collision_probability(states: int) -> float:
    """Return an upper bound of the probability that two states share a hash (birthday bound)."""
    return min(1.0, states * states / 2.0**65)


class DiskStore:
    """States in a file: appended, read in order, and seldom read otherwise.

    The file has no name, or lies in a folder that the user names. It is removed with the search.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - as long as this is
        weakref.finalize(self, self._file.close)

    def resized(self, words: int) -> Words:
        """Return the file as an array of so many words. Raises `disk-full`."""
        try:
            os.posix_fallocate(self._file.fileno(), 0, words * 8)
        except OSError as error:
            where = str(self._folder or tempfile.gettempdir())
            raise FinaleError(
                "disk-full",
                f"the states need {-(-words * 8 // 2**20):,} MB: {error.strerror}",
                place=Place(where),
                advice="make room there, or name another folder by TMPDIR",
            ) from error
        return np.memmap(self._file, np.uint64, "r+", shape=(words,))
