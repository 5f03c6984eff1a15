"""What partial order may cost: bounded before it is spent, and by no clock."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from itertools import combinations
from threading import Timer

import pytest

from finale.checker.search.limits import Limits, SearchProgress, TimeOver
from finale.checker.search.reduced import LOOKING, check_reduced
from finale.checker.search.reductions.find import Interrupts
from finale.checker.search.reductions.kinds import Reduction
from finale.checker.search.reductions.partial_order import ordered
from finale.checker.search.reductions.transitions import WAYS_MAX, ways
from finale.checker.search.solving.prover import Prover
from finale.checker.search.verdict import (
    NO_DEADLOCK,
    WELL_FORMED,
    Report,
    Statistics,
    Verdict,
    Word,
)
from finale.model.expressions import TRUE, cell, conjunction, disjunction, equal, integer, negation
from finale.model.language.build import build
from finale.model.protocols.two_phase_commit import TwoPhaseCommit
from finale.model.rules import Setting
from finale.model.system import System
from tests.zoo.fairness import LASSO

CELLS = [cell(index, 0, 9, False) for index in range(20)]
TWO_WAYS = [disjunction([equal(each, integer(1)), equal(each, integer(2))]) for each in CELLS]


def test_too_many_ways_are_one_and_are_not_built() -> None:
    condition = conjunction(TWO_WAYS)
    assert ways(condition, True) == [tuple((each, True) for each in TWO_WAYS)]
    assert len(ways(conjunction(TWO_WAYS[:4]), True)) == WAYS_MAX
    assert len(ways(conjunction(TWO_WAYS[:5]), True)) == 1


def test_work_is_counted_and_is_the_same_again() -> None:
    system = build(TwoPhaseCommit(Setting()), ())
    provers = Prover(), Prover()
    one, other = (ordered(system, prover.may_hold) for prover in provers)
    assert one == other
    assert provers[0].spent == provers[1].spent > 0
    assert not provers[0].undecided


def test_when_the_work_is_used_up_the_rest_is_possible() -> None:
    system = build(TwoPhaseCommit(Setting()), ())
    full = Prover()
    ordered(system, full.may_hold)
    provers = Prover(full.spent // 2), Prover(full.spent // 2)
    one, other = (ordered(system, prover.may_hold) for prover in provers)
    assert one == other
    assert provers[0].undecided == provers[1].undecided > 0
    assert 0 < provers[0].asked < full.asked
    x = CELLS[0]
    assert Prover(0).may_hold([equal(x, integer(1))], [equal(x, integer(2))])
    assert not Prover().may_hold([equal(x, integer(1))], [equal(x, integer(2))])


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Workers of pytest ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_is_not_taken_for_an_answer() -> None:
    """Eleven cells with ten values cannot all differ, which takes z3 long to see."""
    question = [negation(equal(one, other)) for one, other in combinations(CELLS[:11], 2)]
    prover, asked = Prover(), list[int]()

    def ask() -> None:
        with Interrupts() as interrupts:
            Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
            for number in range(1000):
                interrupts.look()
                prover.may_hold(question[number % 11 :], [TRUE])
                asked.append(number)
                time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        ask()
    assert len(asked) < 1000


class Freed:
    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_while_something_is_freed_is_kept() -> None:
    reached: list[str] = []

    def free(looks: bool) -> None:
        with Interrupts() as interrupts:
            Freed()
            reached.append("freed")
            if looks:
                interrupts.look()
                reached.append("looked")

    for looks in (True, False):
        with pytest.raises(KeyboardInterrupt):
            free(looks)
    assert reached == ["freed", "freed"]


def test_what_is_looked_for_is_told_and_may_take_no_longer_than_allowed() -> None:
    system = build(TwoPhaseCommit(Setting()), ())
    told: list[SearchProgress] = []
    everything = list(Reduction)
    assert check_reduced(system, everything, Limits(), told.append).statistics.complete
    assert told[0].before == LOOKING
    with pytest.raises(TimeOver):
        check_reduced(system, everything, Limits(seconds_max=1e-9), None)


def test_the_limit_of_time_is_for_all_searches_under_reductions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[float] = []

    def native_check(part: System, limits: Limits, *_: object, **__: object) -> Report:
        if given:
            raise TimeOver
        given.append(limits.seconds_max or 0)
        names = (*(prop.name for prop in part.properties), WELL_FORMED, NO_DEADLOCK)
        statistics = Statistics(1, 0, 0, 0.0)
        return Report("native", tuple(Verdict(name, Word.HOLDS) for name in names), statistics)

    monkeypatch.setattr("finale.checker.search.native.search.check", native_check)
    system = build(LASSO.make(), LASSO.families)
    report = check_reduced(system, list(Reduction), Limits(seconds_max=100), None)
    assert given[0] < 100
    assert report.stopped == "the limit of 100 seconds"
    late = [each.why for each in report.verdicts if each.word is Word.UNKNOWN]
    assert late
    assert set(late) == {"the limit of 100 seconds: the search for it was not begun"}
