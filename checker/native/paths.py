"""Parents without parent pointers: the level before a state is expanded again until it turns up."""

from __future__ import annotations

# What numba, llvmlite and scipy give has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from . import graph_kernel
from .layout import Words
from .lower import BATCH, CLOSED

if TYPE_CHECKING:
    from .walk import Search


class Steps:
    """Where the steps of one batch go: the states after them, their leaves, where each begins."""

    def __init__(self, width: int, chunks: int, steps_max: int) -> None:
        self.chunks = chunks
        self.out: Words = np.empty(steps_max * width, np.uint64)
        self.hashes: Words = np.empty(steps_max, np.uint64)
        self.leaves: NDArray[np.int32] = np.empty(steps_max, np.int32)
        self.starts: NDArray[np.int64] = np.empty(chunks * (BATCH + 1), np.int64)


def parent(search: Search, number: int, begin: int, end: int) -> tuple[int, int]:
    """The first state of begin..end with a step to the state, and the leaf that it takes."""
    tables, steps = search.tables, search.steps
    quiet = np.full_like(search.step_first, CLOSED)
    found = graph_kernel.find_step(
        search.machine.code, tables.width, steps.chunks, begin, end, number, tables.store,
        quiet, steps.out, steps.leaves, steps.starts,
    )  # fmt: skip
    position, leaf = int(found[0]), int(found[1])
    assert position >= 0, "every state after the first level was reached from the level before it"
    return position, leaf


__all__ = ["Steps", "parent"]
