"""Random labelled transition systems, and pairs of them that are often equivalent."""

from __future__ import annotations

import random

import numpy as np

from finale.checker.compare.lts import SILENT, Lts

LABELS = 3


def random_lts(source: random.Random, states: int, silent: float = 0.5) -> Lts:
    """Return a system with about two transitions a state, many of them silent."""
    rows = {
        (
            source.randrange(states),
            SILENT if source.random() < silent else source.randint(1, LABELS - 1),
            source.randrange(states),
        )
        for _ in range(source.randint(states // 2, 2 * states + 1))
    }
    return lts_of(states, 0, sorted(rows))


def lts_of(
    states: int, root: int, rows: list[tuple[int, int, int]], endings: range = range(0)
) -> Lts:
    table = np.array(rows, np.int64).reshape(-1, 3)
    return Lts(states, root, table[:, 0], table[:, 1], table[:, 2], endings)


def rows_of(lts: Lts) -> list[tuple[int, int, int]]:
    return list(zip(lts.source.tolist(), lts.label.tolist(), lts.target.tolist(), strict=True))


def changed(source: random.Random, lts: Lts) -> Lts:
    """Return a system that differs in little: often in nothing that can be observed."""
    rows, states = rows_of(lts), lts.states
    for _ in range(source.randint(1, 2)):
        match source.randrange(5):
            case 0:  # a state in front of another one
                target = source.randrange(states)
                rows = [(a, b, states if c == target else c) for a, b, c in rows]
                rows.append((states, SILENT, target))
                states += 1
            case 1:  # a copy of a state
                state = source.randrange(states)
                rows += [(states, b, c) for a, b, c in rows if a == state]
                into = [i for i, (_, _, c) in enumerate(rows) if c == state]
                if into:
                    chosen = source.choice(into)
                    rows[chosen] = (*rows[chosen][:2], states)
                states += 1
            case 2 if rows:  # one transition less
                rows.pop(source.randrange(len(rows)))
            case 3:  # a silent cycle
                state = source.randrange(states)
                rows += [(state, SILENT, states), (states, SILENT, state)]
                states += 1
            case _:  # one transition more
                label = source.randrange(LABELS)
                rows.append((source.randrange(states), label, source.randrange(states)))
    return lts_of(states, lts.root, sorted(set(rows)))


def pair(seed: int) -> tuple[Lts, Lts]:
    """Return two systems: unrelated ones, or one and a change of it."""
    source = random.Random(seed)
    one = random_lts(source, source.randint(1, 8))
    if source.random() < 0.2:
        return one, random_lts(source, source.randint(1, 8))
    return one, changed(source, one)


def with_endings(source: random.Random, lts: Lts) -> Lts:
    """Return the system with a state that is the end, and endings into it from some states."""
    ended = source.sample(range(lts.states), source.randint(0, min(lts.states, 3)))
    rows = rows_of(lts)
    rows += [(state, source.randint(LABELS, LABELS + 1), lts.states) for state in ended]
    return lts_of(lts.states + 1, lts.root, rows, range(lts.transitions, len(rows)))


def pair_with_endings(seed: int) -> tuple[Lts, Lts]:
    """Return two systems of which some runs end."""
    source = random.Random(seed)
    one, other = pair(seed)
    return with_endings(source, one), with_endings(source, other)
