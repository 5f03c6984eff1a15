"""Parents without parent pointers: the level before a state is expanded again until it turns up."""

from __future__ import annotations

# What numba, llvmlite and scipy give has no types.
# pyright: reportUnknownMemberType=false
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .walk import Search


def parent(search: Search, number: int, begin: int, end: int) -> tuple[int, int]:
    """The first state of begin..end with a step to the state, and the leaf that it takes."""
    found = np.zeros(2, np.int64)
    worker = search.workers.first.address
    is_found = search.loops.find_step(search.address, worker, begin, end, number, found.ctypes.data)
    assert is_found, "every state after the first level was reached from the level before it"
    return int(found[0]), int(found[1])


__all__ = ["parent"]
