"""Keeps Python's garbage collector away from work that leaves few cycles."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

#: So many objects may come from such work before all objects are looked at.
OBJECTS_MAX = 1_000_000


@contextmanager
def uncollected() -> Generator[None]:
    """Collect no garbage meanwhile, nor at the end: a collection looks at a whole system, to find
    nothing."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            try:
                _age()
            finally:
                gc.enable()


def _age() -> None:
    """Count young objects as old ones, unseen; look at all if many have come since the last time.

    Python would look at what is young with the next object. What is old it looks at again when
    others have become old in its own way: that says nothing of these.
    """
    if gc.get_freeze_count():
        return  # somebody has put objects aside, and they would come back
    _COME.append(gc.get_count()[0])
    try:
        gc.freeze()
    finally:
        gc.unfreeze()
    if sum(_COME) > OBJECTS_MAX:
        gc.collect()
        _COME.clear()


#: How many objects have come from such work since all were looked at.
_COME: list[int] = []
