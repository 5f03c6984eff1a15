"""Parents without parent pointers: the level before a state is expanded again until it turns up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import graph_kernel
from .lower import CLOSED

if TYPE_CHECKING:
    from .walk import Search


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


__all__ = ["parent"]
