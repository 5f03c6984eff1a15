"""Numbers the distinct rows of a table, and collects sets: exactly, and for many rows at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .lts import Numbers

#: Codes stay below this, so that sums and products of codes are exact.
CODE_MAX = 1 << 62


def distinct_rows(rows: Numbers) -> tuple[Numbers, Numbers]:
    """Return the position of one row of each kind, and the number of each row's kind."""
    code, kinds = np.zeros(len(rows), np.int64), 1
    for column in rows.T:
        low = int(column.min(initial=0))
        size = int(column.max(initial=0)) - low + 1
        if kinds * size >= CODE_MAX:
            distinct, code = np.unique(code, return_inverse=True)
            kinds = len(distinct)
        code = code * size + (column - low)
        kinds *= size
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    return first, which


def sets_of(owners: Numbers, items: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield the sets of items of each owner, those of one size together.

    That is an array of owners, and a table with the sorted items of each of them as a row.
    """
    if not len(owners):
        return
    size = int(items.max()) + 1
    assert int(owners.max()) * size < CODE_MAX
    pairs = np.sort(owners * size + items)
    pairs = pairs[np.diff(pairs, prepend=-1) != 0]
    owners, items = np.divmod(pairs, size)
    begins = np.flatnonzero(np.diff(owners, prepend=-1))
    lengths = np.diff(begins, append=len(owners))
    for length in np.unique(lengths).tolist():
        chosen = begins[lengths == length]
        yield owners[chosen], items[chosen[:, None] + np.arange(length)]
