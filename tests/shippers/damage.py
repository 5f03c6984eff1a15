"""Damages logs as shippers do: lines are lost, sent twice, or moved by a few places.

The protocol is not touched, so a judge must not reject a damaged copy, and must find nothing in it
that the run does not show.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

from finale.checker.logs.read.log_files import LogShelf

Lines = list[str]
#: How many of all lines are damaged.
SHARE = 0.02
#: A line is moved by at most so many places, forwards or backwards.
PLACES = 6


def lost(lines: Lines, chosen: Mapping[int, random.Random]) -> Lines:
    """The chosen lines are gone."""
    return [each for number, each in enumerate(lines) if number not in chosen]


def doubled(lines: Lines, chosen: Mapping[int, random.Random]) -> Lines:
    """The chosen lines come twice."""
    return [each for number, each in enumerate(lines) for _ in range(1 + (number in chosen))]


def moved(lines: Lines, chosen: Mapping[int, random.Random]) -> Lines:
    """The chosen lines stand some places earlier or later."""
    found = list(lines)
    for number, chance in chosen.items():
        far = chance.choice([each for each in range(-PLACES, PLACES + 1) if each])
        line = found.pop(number)
        found.insert(max(0, number + far), line)
    return found


def all_three(lines: Lines, chosen: Mapping[int, random.Random]) -> Lines:
    """A third of the chosen lines each is moved, comes twice, or is gone."""
    kinds: tuple[dict[int, random.Random], ...] = ({}, {}, {})
    for number, chance in chosen.items():
        kinds[chance.randrange(3)][number] = chance
    found = moved(lines, kinds[0])
    again = {n: c for n, c in kinds[1].items() if n < len(found)}
    gone = {n + sum(each < n for each in again): c for n, c in kinds[2].items()}
    return lost(doubled(found, again), gone)


KINDS: Mapping[str, Callable[[Lines, Mapping[int, random.Random]], Lines]] = {
    "lost": lost,
    "doubled": doubled,
    "moved": moved,
    "lost, doubled or moved": all_three,
}


def damaged(lines: Lines, kind: str, seed: int) -> Lines:
    """A copy of a log of which two in a hundred lines are damaged."""
    chance = random.Random(f"{kind} {seed}")
    many = max(1, round(len(lines) * SHARE))
    numbers = sorted(chance.sample(range(len(lines)), min(many, len(lines))))
    return KINDS[kind](lines, dict.fromkeys(numbers, chance))


def logs_of(archive: Path) -> dict[str, dict[str, Lines]]:
    """The logs of an archive: by run, and by the name of the file, the lines."""
    found: dict[str, dict[str, Lines]] = {}
    with LogShelf() as shelf:
        for log in shelf.logs([str(archive)]):
            run = log.folder.rpartition("/")[2].rpartition("!")[2]
            text = [each.raw.decode() for each in shelf.lines(log)]
            found.setdefault(run, {})[log.parts[0].file_name] = text
    return dict(sorted(found.items()))
