"""Divides states into classes of branching bisimilar ones, by signature refinement.

States are equivalent if each can match every step of the other, silently before it as far as the
silent steps stay in the class (van Glabbeek and Weijland). With `divergence`, equivalent states
also agree on whether they can go on silently forever inside the class: this is branching
bisimilarity with explicit divergence.

The algorithm is Blom and van de Pol's. States of one silent cycle are equivalent, so each cycle
becomes one state first; with `divergence` it gets a loop with a label of its own. Then all states
are one class, and each round divides the classes by signatures until nothing changes. The signature
of a state is the set of pairs of a label and a class that it can step to, after silent steps inside
its class. The silent steps now have no cycle, so a state gets the signatures of its silent
successors from the states on lower levels.

A silent step from a state to itself changes nothing, and is no step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from finale.checker.compare.lts import SILENT, Lts, Numbers
from finale.checker.search.state_graph.fairness import components


def classes(lts: Lts, *, divergence: bool, look: Callable[[], None] = lambda: None) -> Numbers:
    """Return the class of each state. `look` is called in each round: what it raises ends it."""
    component, cyclic = _silent_components(lts)
    source, label, target = component[lts.source], lts.label, component[lts.target]
    kept = (label != SILENT) | (source != target)
    source, label, target = source[kept], label[kept], target[kept]
    if divergence:
        endless = int(label.max(initial=0)) + 1
        source = np.concatenate([source, cyclic])
        label = np.concatenate([label, np.full(len(cyclic), endless)])
        target = np.concatenate([target, cyclic])
    count = int(component.max(initial=-1)) + 1
    return _Refinement(count, *_distinct(source, label, target)).run(look)[component]


def _distinct(source: Numbers, label: Numbers, target: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the transitions, each once."""
    first, _ = distinct_rows(np.stack([source, label, target], axis=1))
    return source[first], label[first], target[first]


def _silent_components(lts: Lts) -> tuple[Numbers, Numbers]:
    """Return the number of each state's silent cycle, and the numbers of those that are cycles."""
    silent = (lts.label == SILENT) & (lts.source != lts.target)
    source, target = lts.source[silent], lts.target[silent]
    _, left = _levels(lts.states, source, target)
    inside = left[source] & left[target]
    _, right = _levels(lts.states, target[inside], source[inside])
    core = left & right
    inside = core[source] & core[target]
    after: dict[int, list[int]] = {}
    for one, other in zip(source[inside].tolist(), target[inside].tolist(), strict=True):
        after.setdefault(one, []).append(other)
    leader = np.arange(lts.states)
    cyclic = np.zeros(lts.states, bool)
    for found in components(np.flatnonzero(core).tolist(), lambda state: after.get(state, ())):
        if len(found) > 1:
            leader[found] = found[0]
            cyclic[found[0]] = True
    leaders, component = np.unique(leader, return_inverse=True)
    return component, np.flatnonzero(cyclic[leaders])


def _levels(states: int, source: Numbers, target: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return the length of the longest path from each state, and the states that have none.

    Those lead into a cycle; their length means nothing.
    """
    order = np.argsort(target, kind="stable")
    before = source[order]
    first = np.searchsorted(target[order], np.arange(states + 1))
    missing = np.bincount(source, minlength=states)
    level = np.zeros(states, np.int64)
    ended = np.flatnonzero(missing == 0)
    depth = 0
    while len(ended):
        level[ended] = depth
        depth += 1
        lengths = first[ended + 1] - first[ended]
        offsets = np.repeat(first[ended] - np.cumsum(lengths) + lengths, lengths)
        reached = before[offsets + np.arange(len(offsets))]
        np.subtract.at(missing, reached, 1)
        ended = np.unique(reached[missing[reached] == 0])
    return level, missing > 0


class _Refinement:
    """The rounds of refinement, over transitions whose silent ones have no cycle."""

    def __init__(self, count: int, source: Numbers, label: Numbers, target: Numbers) -> None:
        self.count = count
        silent = label == SILENT
        self.visible = source[~silent], label[~silent], target[~silent]
        level, _ = _levels(count, source[silent], target[silent])
        order = np.argsort(level[source[silent]], kind="stable")
        self.silent = source[silent][order], target[silent][order]
        levels = level[self.silent[0]]
        bounds = np.searchsorted(levels, np.arange(1, int(level.max(initial=0)) + 2))
        self.bounds: list[int] = bounds.tolist()
        #: Signatures by number, and the numbers of unions. Number 0 is the empty one.
        self.signatures: list[Numbers] = []
        self.numbers: dict[bytes, int] = {}
        self.unions: dict[bytes, int] = {}

    def run(self, look: Callable[[], None]) -> Numbers:
        """Return the classes when no round divides them any more."""
        block, blocks = np.zeros(self.count, np.int64), min(self.count, 1)
        while True:
            look()
            signature = self._round(block, blocks)
            pairs = block * (int(signature.max(initial=0)) + 1) + signature
            found, divided = np.unique(pairs, return_inverse=True)
            if len(found) == blocks:
                return block
            block, blocks = divided, len(found)

    def _round(self, block: Numbers, blocks: int) -> Numbers:
        """Return the number of the signature of each state, for these classes."""
        self.signatures, self.numbers, self.unions = [], {}, {}
        self._number(np.empty(0, np.int64))
        source, target = self.silent
        inert = block[source] == block[target]
        own = self._own(block, blocks, inert)
        signature = own.copy()
        begin = self.bounds[0]
        for end in self.bounds[1:]:
            kept = inert[begin:end]
            states = source[begin:end][kept]
            if len(states):
                self._inherit(states, signature[target[begin:end][kept]], signature)
            begin = end
        return signature

    def _own(self, block: Numbers, blocks: int, inert: Numbers) -> Numbers:
        """Return the signatures of the states without what they can reach silently."""
        source, label, target = self.visible
        left, after = self.silent[0][~inert], self.silent[1][~inert]
        states = np.concatenate([source, left])
        pairs = np.concatenate([label * blocks + block[target], block[after]])  # silence is 0
        return self._grouped(states, pairs)

    def _grouped(self, states: Numbers, items: Numbers) -> Numbers:
        """Return the number of the set of items of each state."""
        found = np.zeros(self.count, np.int64)
        for owners, rows in sets_of(states, items):
            first, which = distinct_rows(rows)
            numbers = [self._number(rows[position]) for position in first.tolist()]
            found[owners] = np.array(numbers)[which]
        return found

    def _inherit(self, states: Numbers, inherited: Numbers, signature: Numbers) -> None:
        """Add to the signatures of states those of their silent successors in the class."""
        each = np.unique(states)
        rows = np.concatenate([states, each])
        numbers = np.concatenate([inherited, signature[each]])
        filled = numbers != 0
        for owners, members in sets_of(rows[filled], numbers[filled]):
            first, which = distinct_rows(members)
            unions = [self._union(members[position]) for position in first.tolist()]
            signature[owners] = np.array(unions)[which]

    def _union(self, members: Numbers) -> int:
        if len(members) == 1:
            return int(members[0])
        key = members.tobytes()
        found = self.unions.get(key)
        if found is None:
            chosen: list[int] = members.tolist()
            parts = [self.signatures[each] for each in chosen]
            united: Numbers = np.unique(np.concatenate(parts))
            found = self.unions[key] = self._number(united)
        return found

    def _number(self, signature: Numbers) -> int:
        key = signature.tobytes()
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.signatures)
            self.signatures.append(signature)
        return found


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
