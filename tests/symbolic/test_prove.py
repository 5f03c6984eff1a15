"""What is proven holds in every reachable state; what is an invariant is seen to be one twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from finale.checker.proofs.induction import Induction, Inductive
from finale.checker.proofs.prove import ProofMethod, ProofResult, Proving
from finale.checker.proofs.spacer import Spacer
from finale.checker.report.proven import merged
from finale.checker.report.words import condition_text, never_together, part_of
from finale.checker.search.bfs.search import check
from finale.checker.search.limits import LimitHit, Limits, SearchProgress
from finale.checker.search.solving.certificate import Certificate, Certifier, certify_steps
from finale.checker.search.solving.cubes import Cube, is_in, resting, within
from finale.checker.search.solving.ic3 import BadStateReached, Ic3
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.files import toml_in
from finale.checker.spec.reading import spec_of
from finale.model.expressions import (
    TRUE,
    Expression,
    cell,
    conjunction,
    equal,
    integer,
    less,
    negation,
    plus,
)
from finale.model.language.build import build
from finale.model.protocols.two_phase_commit import TwoPhaseCommit
from finale.model.rules import Setting
from finale.model.semantics import evaluate, steps
from finale.model.system import Kind, State, System
from tests.agreement.loose_systems import loose, property_of, system_of, when
from tests.protocols.specs import FILES, name_of
from tests.protocols.specs import spec_of as claim_of
from tests.zoo import ZOO
from tests.zoo.animal import Animal

AGREEMENT = catalogue().properties["agreement"]
SYSTEMS = 40
LONG = {"Dining"}


def no_look() -> None:
    """Nothing stops it."""


def outcomes(
    system: System, limits: Limits | None = None, by: ProofMethod = "auto"
) -> list[ProofResult]:
    proving = Proving(system, limits or Limits(), by)
    return [proving.prove(each) for each in proving.asked()]


def reachable(system: System) -> set[State]:
    found, pending = set(system.initial), list(system.initial)
    while pending:
        for step in steps(system, pending.pop()):
            if isinstance(step.result, tuple) and step.result not in found:
                found.add(step.result)
                pending.append(step.result)
    return found


def disagreements(system: System, found: Sequence[ProofResult]) -> Iterator[str]:
    """Where what is proven or refuted is not what a search says."""
    verdicts = {each.property: each for each in check(system).verdicts}
    for each in found:
        name, word = each.verdict.property, each.verdict.word
        if word is not verdicts[name].word:
            yield f"{name}: {word}, but {verdicts[name]}"


def two_phase(managers: int = 3) -> System:
    setting = Setting(sizes={"managers": managers})
    return build(TwoPhaseCommit(setting), (AGREEMENT, catalogue().properties["commitment"]))


def counting(to: int, asked: int) -> System:
    """A number that counts by two from zero, and is never what is asked if that is odd."""
    x = cell(0, 0, 19, False)
    up = when(less(x, integer(to)), {0: plus(x, integer(2))})
    claim = negation(equal(x, integer(asked)))
    return system_of([x], [up], [property_of(Kind.ALWAYS, claim)])


# --- agreement with searches ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "animal",
    [pytest.param(each, marks=pytest.mark.slow if str(each) in LONG else ()) for each in ZOO],
    ids=str,
)
def test_agrees_on_the_zoo(animal: Animal) -> None:
    system = build(animal.make(), animal.families)
    assert list(disagreements(system, outcomes(system))) == []


def test_agrees_on_random_systems() -> None:
    words = set[str]()
    for seed in range(SYSTEMS):
        system = loose(seed, processes_max=2)
        found = outcomes(system)
        assert list(disagreements(system, found)) == [], seed
        words |= {each.word for each in found}
    assert words == {"proven", "violated"}


@pytest.mark.slow
def test_agrees_on_more_random_systems() -> None:
    for seed in range(SYSTEMS, 10 * SYSTEMS):
        system = loose(seed, processes_max=2 + seed % 2)
        assert list(disagreements(system, outcomes(system))) == [], seed


@pytest.mark.parametrize(
    "name", ["two-phase-commit/three-managers.toml", "two-phase-commit/broken/withdraws.toml"]
)
def test_is_what_the_specs_expect(name: str) -> None:
    spec = claim_of(next(file for file in FILES if name_of(file) == name))
    verdicts = {"proven": "holds", "violated": "violated"}
    for each in outcomes(spec.system()):
        expected = spec.expectations.get(each.verdict.property)
        assert expected is None or verdicts[each.word] == expected.verdict


# --- invariants ----------------------------------------------------------------------------------


def test_no_reachable_state_is_in_a_cube_and_none_is_superfluous() -> None:
    system = two_phase()
    proven = next(e.proven for e in outcomes(system) if e.verdict.property == "agreement")
    assert proven is not None
    assert 0 < len(proven.cubes) <= 40
    assert not any(is_in(state, cube) for state in reachable(system) for cube in proven.cubes)
    bad = _both_ways(system)
    clauses = [negation(within(system, cube)) for cube in proven.cubes]
    certified = Certifier(system, no_look).certify(clauses, bad)
    assert isinstance(certified, Certificate)
    assert certified.questions == proven.checked == 1 + len(system.rules)


def _both_ways(system: System) -> Expression:
    statuses = [each for each in system.variables if each.field == "status"]
    cells = [system.cells[each.offset] for each in statuses]
    return conjunction([equal(cells[0], integer(2)), equal(cells[1], integer(3))])


def test_what_is_no_invariant_gets_no_certificate() -> None:
    system = counting(18, 7)
    x = system.cells[0]
    certifier = Certifier(system, no_look)
    bad = equal(x, integer(7))
    odd = [negation(equal(x, integer(value))) for value in range(1, 18, 2)]
    assert isinstance(certifier.certify(odd, bad), Certificate)
    assert certifier.certify([TRUE], bad) == "the clauses do not rule out what is bad"
    assert certifier.certify([negation(bad)], bad) == "a clause is not kept by step()"
    late = [*odd, negation(equal(x, integer(0)))]
    assert certifier.certify(late, bad) == "a clause does not hold at the start"


def test_only_what_is_needed_is_kept() -> None:
    system = counting(18, 7)
    x = system.cells[0]
    clauses = [negation(equal(x, integer(value))) for value in (1, 3, 5, 7, 9, 11, 19)]
    needed = Certifier(system, no_look).needed(clauses, equal(x, integer(7)))
    assert list(needed) == clauses[:4]


def test_a_bad_state_that_has_no_step_is_not_overlooked() -> None:
    system = counting(6, 7)
    x = system.cells[0]
    found = Ic3(system, no_look).prove(equal(x, integer(19)))
    assert frozenset([(0, 19)]) in found
    with pytest.raises(BadStateReached):
        Ic3(system, no_look).prove(equal(x, integer(6)))


def test_a_number_outside_its_bounds_is_no_state() -> None:
    x = cell(0, 0, 4, False)
    system = system_of([x], [when(less(x, integer(4)), {0: plus(x, integer(1))})], [])
    assert Ic3(system, no_look).prove(negation(less(x, integer(5)))) == frozenset()


def test_a_value_rests_on_few_cells() -> None:
    x, y, z = (cell(index, 0, 3, False) for index in range(3))
    both = conjunction([equal(x, integer(1)), equal(plus(y, z), integer(3))])
    assert resting(both, (1, 2, 1)) == (1, frozenset([(0, 1), (1, 2), (2, 1)]))
    assert resting(both, (0, 2, 2)) == (0, frozenset([(0, 0)]))
    assert resting(negation(both), (1, 0, 0)) == (1, frozenset([(1, 0), (2, 0)]))


# --- other ways to prove it ----------------------------------------------------------------------


def test_induction_over_several_steps() -> None:
    """From 1 it takes three steps to 7, and nothing leads to 1."""
    system = counting(18, 7)
    bad = equal(system.cells[0], integer(7))
    induction = Induction(system, bad, no_look)
    assert induction.prove(3) is None
    assert induction.tried == 3
    found = Induction(system, bad, no_look).prove(9)
    assert isinstance(found, Inductive)
    assert found.steps == 4
    assert Induction(system, equal(system.cells[0], integer(6)), no_look).prove(9) is None


def test_what_is_no_induction_over_several_steps_gets_no_certificate() -> None:
    system = counting(18, 7)
    bad = equal(system.cells[0], integer(7))
    assert isinstance(certify_steps(system, bad, 4, no_look), Certificate)
    assert certify_steps(system, bad, 3, no_look) == (
        "3 states that are not bad may come before one that is"
    )
    six = equal(system.cells[0], integer(6))
    assert certify_steps(system, six, 4, no_look) == "a bad state is reached in 3 steps"
    with pytest.raises(LimitHit):
        certify_steps(system, bad, 4, over)


def over() -> None:
    raise LimitHit("enough")


def test_induction_agrees_on_random_systems() -> None:
    steps_of = set[int]()
    for seed in range(SYSTEMS):
        system = loose(seed, processes_max=2)
        found = outcomes(system, Limits(steps_max=6), by="induction")
        known = [each for each in found if each.verdict.word is not Word.UNKNOWN]
        assert list(disagreements(system, known)) == [], seed
        steps_of |= {each.proven.over for each in known if each.proven is not None}
    assert len(steps_of) >= 3


def test_spacer_finds_an_invariant_that_is_checked() -> None:
    system = counting(18, 7)
    bad = equal(system.cells[0], integer(7))
    clauses = Spacer(system, no_look).prove(bad)
    assert clauses is not None
    assert isinstance(Certifier(system, no_look).certify(clauses, bad), Certificate)
    assert all(evaluate(each, state) for each in clauses for state in reachable(system))
    assert Spacer(system, no_look).prove(equal(system.cells[0], integer(6))) is None


@pytest.mark.parametrize("by", ["auto", "induction", "spacer"])
def test_all_means_come_to_the_same(by: ProofMethod) -> None:
    claim = outcomes(counting(18, 7), by=by)[-1]
    assert claim.verdict.property == "claim"
    assert claim.proven is not None


# --- what is not decided -------------------------------------------------------------------------


def test_what_stands_in_the_way_of_an_induction_is_shown() -> None:
    system = counting(18, 7)
    claim = outcomes(system, Limits(steps_max=1), "induction")[-1]
    assert claim.verdict.word is Word.UNKNOWN
    assert claim.tried == ("induction over up to 1 step",)
    found = claim.breaks
    assert found is not None
    assert (found.state, found.after) == ((5,), (7,))
    assert found.excluded is None  # 3 leads there, and nothing is known of 3


def test_when_the_time_is_over_it_is_unknown() -> None:
    spec = claim_of(next(f for f in FILES if name_of(f) == "final-checkpoint/pair.toml"))
    proving = Proving(spec.system(), Limits(seconds_max=0.4))
    topic = next(each for each in proving.asked() if each[0] == "commit-completeness")
    outcome = proving.prove(topic)
    assert outcome.verdict.word is Word.UNKNOWN
    assert outcome.verdict.why == "the limit of 0.4 seconds"
    found = outcome.breaks
    assert found is not None
    assert found.after in {
        step.result for step in steps(proving.system, found.state) if step.rule is found.rule
    }


def test_the_user_may_interrupt() -> None:
    told = list[SearchProgress]()

    def progress(news: SearchProgress) -> None:
        told.append(news)
        raise KeyboardInterrupt

    proving = Proving(two_phase(6), Limits())
    topic = next(each for each in proving.asked() if each[0] == "agreement")
    with pytest.raises(KeyboardInterrupt):
        proving.prove(topic, progress)
    assert told[0].before.startswith("agreement")


def test_a_limit_is_heard_while_the_solver_works() -> None:
    def look() -> None:
        raise LimitHit("enough")

    with pytest.raises(LimitHit, match="enough"):
        Ic3(two_phase(), look).prove(_both_ways(two_phase()))


# --- words ---------------------------------------------------------------------------------------


def test_cells_are_told_as_parts_of_values() -> None:
    spec = claim_of(next(f for f in FILES if name_of(f) == "final-checkpoint/pair.toml"))
    system = spec.system(())
    labels = [part_of(system, index).label for index in range(len(system.cells))]
    for label in ("S.status", "length of S→K", "S→K[0]", "S→K[0].checkpoint", "cp1 in S.taken"):
        assert label in labels
    assert len(labels) == len(system.cells)


def test_values_are_told_by_what_they_are_or_by_what_they_are_not() -> None:
    system = two_phase()
    decision, sent = (
        0,
        next(each.offset for each in system.variables if each.name == "r1.prepared_sent"),
    )
    status = next(each.offset for each in system.variables if each.name == "r1.status")
    assert never_together(system, {status: {3}, sent: {0}, decision: {0, 2}}) == (
        "decision is not COMMIT, and r1.status is ABORTED, and not r1.prepared_sent"
    )
    assert never_together(system, {status: {0, 3}}) == "r1.status is WORKING or ABORTED"
    assert condition_text(system, negation(equal(system.cells[status], integer(2)))) == (
        "not (r1.status is COMMITTED)"
    )


def test_cubes_that_differ_in_one_cell_are_told_together() -> None:
    cubes: list[Cube] = [frozenset([(0, 1), (1, value)]) for value in (0, 2, 3)] + [
        frozenset([(0, 2), (1, 1)])
    ]
    together = merged(cubes)
    assert {0: frozenset([1]), 1: frozenset([0, 2, 3])} in together
    assert {0: frozenset([2]), 1: frozenset([1])} in together
    assert len(together) == 2


def settings(managers: int) -> System:
    file = Path("specs/two-phase-commit/three-managers.toml")
    table, lines = toml_in(file)
    table = {**table, "sizes": {"managers": managers}}
    return spec_of(
        file, {k: v for k, v in table.items() if k != "search"}, lines, catalogue()
    ).system()


@pytest.mark.slow
def test_ten_managers_agree() -> None:
    found = {each.verdict.property: each for each in outcomes(settings(10))}
    assert found["agreement"].proven is not None
