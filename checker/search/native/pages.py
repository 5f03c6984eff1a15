"""Allocates large arrays in large memory pages, if the system has them.

A search accesses memory at random. With small pages, it would spend much of its time translating
addresses. Memory for an array to grow is reserved but not used: a page takes memory only when it is
written.
"""

from __future__ import annotations

# What numba and llvmlite give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
import contextlib
import mmap
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Entry = TypeVar("Entry", np.uint64, np.uint32)

LARGE_PAGE = 1 << 21
#: Smaller arrays stay in small pages: a large one takes its memory whole.
WORTH_LARGE_PAGES = 1 << 22
#: Reserved pages are not counted as taken (Linux; Python has no name for it before 3.13).
NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)


class PageMemory:
    """Memory that is zero at first and keeps its contents as it grows."""

    def __init__(self, reserved: int = 0) -> None:
        self._reserve(max(reserved, LARGE_PAGE))

    def _reserve(self, size: int) -> None:
        """Room for so many bytes, or as many as the system gives."""
        while True:
            try:
                self._map = _mapped(size + LARGE_PAGE)
                break
            except OSError:
                if size <= LARGE_PAGE:
                    raise
                size //= 2
        self._reserved, self._is_advised = size, False
        address = np.frombuffer(self._map, np.uint8).ctypes.data
        self._offset = -address % LARGE_PAGE

    def array(self, kind: type[Entry], count: int) -> NDArray[Entry]:
        """Return the first entries as an array. Arrays returned before may have moved."""
        size = count * np.dtype(kind).itemsize
        if size > self._reserved:
            old, length, offset = self._map, self._reserved, self._offset
            self._reserve(2 * size)
            self._map[self._offset : self._offset + length] = old[offset : offset + length]
        if size >= WORTH_LARGE_PAGES and not self._is_advised:
            self._is_advised = True
            if hasattr(mmap, "MADV_HUGEPAGE"):
                with contextlib.suppress(OSError):  # without them it is slower, and no worse
                    self._map.madvise(mmap.MADV_HUGEPAGE)
        return np.frombuffer(self._map, kind, count, self._offset)


def _mapped(size: int) -> mmap.mmap:
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)
