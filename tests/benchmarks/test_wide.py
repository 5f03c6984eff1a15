"""The wide models of the benchmarks have the counts that others find."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.models import Counts, named
from finale.checker.search.native.search import check
from finale.model.rules import Setting

#: `bcastByz.cfg` of tlaplus/Examples has so many states for four processes of which one is faulty.
PUBLISHED, CHOICES_OF_THE_FAULTY_ONE = 14_424, 4


def counted(name: str) -> Counts:
    found = check(named(name).system()).statistics
    return Counts(found.states, found.transitions, found.depth)


def test_byzantine_broadcast() -> None:
    assert counted("byzantine-broadcast") == named("byzantine-broadcast").counts


def test_byzantine_broadcast_has_the_published_count() -> None:
    spec = named("byzantine-broadcast").read()
    sizes = {"processes": 4, "tolerated": 1, "faulty": 1, "subsets": 16}
    system = replace(spec, setting=Setting(sizes=sizes)).system(spec.asked)
    assert check(system).statistics.states * CHOICES_OF_THE_FAULTY_ONE == PUBLISHED


@pytest.mark.slow
def test_paxos() -> None:
    assert counted("paxos") == named("paxos").counts
