"""What partial order may cost: bounded before it is spent, and by no clock."""

from __future__ import annotations

from checker.reductions.partial_order import ordered
from checker.reductions.proofs import Prover
from checker.reductions.transitions import WAYS_MAX, ways
from model.expressions import cell, conjunction, disjunction, equal, integer
from model.language.build import build
from model.protocols.two_phase_commit import TwoPhaseCommit
from model.rules import Setting

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
