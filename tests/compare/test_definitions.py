"""Both algorithms say of random pairs of systems what the definitions say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finale.checker.compare.bisimulation import classes
from finale.checker.compare.inclusion import Determinised, matching, unmatched
from finale.checker.compare.lts import SILENT, Lts, joined
from tests.compare.definitions import are_bisimilar, shortest_unmatched
from tests.compare.random_systems import pair, pair_with_endings

PAIRS = 1_000
Pair = tuple[Lts, Lts]


def test_the_classes_are_those_of_the_definition() -> None:
    found = {True: 0, False: 0}
    for seed in range(PAIRS):
        one, other = pair(seed)
        for divergence in (True, False):
            block = classes(joined(one, other), divergence=divergence)
            same = block[one.root] == block[one.states + other.root]
            assert same == are_bisimilar(one, other, divergence=divergence), (seed, divergence)
            found[divergence] += int(same)
    assert 200 < found[True] < found[False] < 800  # both answers are common


@pytest.mark.parametrize("made", [pair, pair_with_endings])
def test_the_shortest_run_is_that_of_the_definition(made: Callable[[int], Pair]) -> None:
    included = 0
    for seed in range(PAIRS):
        one, other = made(seed)
        block = classes(joined(one, other), divergence=True)
        own, its = block[: one.states], block[one.states :]
        for lts, mine, rival, theirs in ((one, own, other, its), (other, its, one, own)):
            run = unmatched(lts, mine, Determinised(rival, theirs))
            length = shortest_unmatched(lts, rival)
            assert (None if run is None else steps(lts, run.transitions)) == length, seed
            if run is None:
                included += 1
                continue
            assert observations(lts, run.transitions) == run.observations
            assert run.observations[-1] not in run.instead
            prefix = matching(rival, run.observations[:-1])
            assert observations(rival, prefix) == run.observations[:-1]
    assert 200 < included < 1_900


def steps(lts: Lts, transitions: tuple[int, ...]) -> int:
    """How many transitions of a run are steps: an ending, which comes last, is none."""
    assert not any(each in lts.endings for each in transitions[:-1])
    return sum(each not in lts.endings for each in transitions)


def observations(lts: Lts, transitions: tuple[int, ...]) -> tuple[int, ...]:
    """What is seen on a run; the transitions must follow each other from the root."""
    state = lts.root
    for transition in transitions:
        assert lts.source[transition] == state
        state = int(lts.target[transition])
    labels = (int(lts.label[transition]) for transition in transitions)
    return tuple(label for label in labels if label != SILENT)


@pytest.mark.parametrize("divergence", [True, False])
def test_a_system_without_transitions_has_one_class(divergence: bool) -> None:
    one, _ = pair(0)
    empty = Lts(3, 0, one.source[:0], one.label[:0], one.target[:0])
    assert classes(empty, divergence=divergence).tolist() == [0, 0, 0]
