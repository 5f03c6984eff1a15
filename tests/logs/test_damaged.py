"""Logs that are damaged are judged as far as they go: nothing is lost, and nothing breaks."""

import random
import re

import pytest

from finale.checker.logs.read.log_files import LogLine, LogShelf
from finale.checker.logs.validate import judge_cluster

from .archive import SAMPLES
from .test_findings import TABLE

NAMES = ("bounded-01", "H12-00", "H16-00", "multi-cancel-01", "stop-restore-01")
_NUMBER = re.compile(rb"checkpoint \d+")


@pytest.fixture(scope="module")
def lines() -> dict[str, list[list[LogLine]]]:
    """The lines of each log of some runs."""
    found: dict[str, list[list[LogLine]]] = {name: [] for name in NAMES}
    with LogShelf() as shelf:
        for log in shelf.logs([str(SAMPLES)]):
            name = log.folder.rpartition("!")[2]
            if name in found:
                found[name].append(list(shelf.lines(log)))
    return found


def damaged(log: list[LogLine], chance: random.Random) -> list[LogLine]:
    """A copy with one damage: lines that are gone, moved, doubled, or not what they were."""
    copy, place, other = list(log), chance.randrange(len(log)), chance.randrange(len(log))
    line = copy[place]
    raw = bytearray(line.raw)
    match chance.randrange(6):
        case 0:
            del copy[place : place + chance.choice([1, 1, 50, 400])]
            return copy
        case 1:
            copy[place], copy[other] = copy[other], line
            return copy
        case 2:
            copy.insert(other, line)
            return copy
        case 3:
            raw = raw[: chance.randrange(len(raw) + 1)]
        case 4:
            raw[chance.randrange(len(raw) + 1) :] = chance.randbytes(9)
        case _:
            number = b"checkpoint %d" % chance.choice([0, 1, 2, 3, 10**12])
            raw = bytearray(_NUMBER.sub(number, bytes(raw)))
    copy[place] = LogLine(line.part, line.number, bytes(raw), line.whole)
    return copy


@pytest.mark.parametrize("seed", range(40))
def test_what_is_damaged_is_judged_as_far_as_it_goes(
    lines: dict[str, list[list[LogLine]]], seed: int
) -> None:
    chance = random.Random(seed)
    logs = lines[chance.choice(NAMES)]
    for _ in range(chance.choice([1, 3, 20])):
        logs = [damaged(log, chance) if log else log for log in logs]
    cluster = judge_cluster(logs, TABLE)
    assert cluster.tally.read == sum(map(len, logs))
    for job in cluster.jobs:
        assert job.verdict.events <= cluster.tally.parsed
