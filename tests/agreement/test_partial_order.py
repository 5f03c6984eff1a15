"""Partial order keeps every verdict on safety and on deadlocks: on specs, the zoo, random systems.

Each system is searched in full and under the reduction. Beside the verdicts, the relations that
stubborn sets are drawn from are held to what happens in reachable states, and the sets themselves
to a second search in plain Python. Last, each part of the reduction is left out once: then some
verdict must change, or these tests would show nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from checker.search.answer import Answer, Holds, Report, Vacuous, Violated
from checker.search.limits import Limits
from checker.search.native.search import check
from checker.search.reductions.partial_order import PartialOrder, ordered
from checker.search.reductions.proven import partial_order_of
from checker.spec.claim import Spec
from model.errors import FinaleError
from model.expressions import FALSE, TRUE, Expression, cell, conjunction, equal, integer, negation
from model.language.build import build
from model.system import Kind, System
from model.trace import replay
from tests.agreement.loose_systems import loose, property_of, system_of, when
from tests.agreement.random_bodies import Pick
from tests.agreement.random_protocols import written
from tests.agreement.stubborn import Stubborn, wrongs
from tests.agreement.test_random_systems import REFUSED
from tests.protocols.specs import audits, built, specs
from tests.zoo import ZOO
from tests.zoo.animal import Animal

LIVENESS = (Kind.LEADS_TO, Kind.EVENTUALLY)
#: Larger specs, and states beyond these, take too long. The proofs do: up to ten seconds a spec.
SPEC_STATES_QUICK, SPEC_STATES_MAX, STATES_MAX, STATES_COMPARED = 80, 60_000, 3_000, 200

Found = Callable[[System], PartialOrder]


def safety_of(system: System) -> System:
    """The system with what partial order keeps of its properties."""
    kept = tuple(prop for prop in system.properties if prop.kind not in LIVENESS)
    return replace(system, properties=kept)


def word(answer: Answer) -> str:
    """The verdict; that nothing was put to the test is not told under partial order."""
    return Holds.word if isinstance(answer.verdict, Vacuous) else answer.verdict.word


def words(report: Report) -> dict[str, str]:
    return {answer.property: word(answer) for answer in report.answers}


def assert_audited(system: System, order: PartialOrder) -> tuple[Report, Report]:
    """The reports of both searches, which must agree; every trace must be a run."""
    full, reduced = check(system), check(system, under=[order])
    assert words(full) == words(reduced)
    for answer in reduced.answers:
        if isinstance(answer.verdict, Violated) and answer.verdict.trace is not None:
            replay(system, answer.verdict.trace)
    assert reduced.statistics.states <= full.statistics.states
    return full, reduced


@pytest.mark.parametrize("spec", audits(SPEC_STATES_MAX, quick=SPEC_STATES_QUICK))
def test_specs_keep_their_verdicts(spec: Spec) -> None:
    system = safety_of(built(spec.file))
    assert_audited(system, partial_order_of(system))


@pytest.mark.parametrize(
    ("name", "full", "reduced"),
    [("four-operators.toml", 81_164, 91), ("four-operators-joined.toml", 9_407, 61)],
)
def test_one_order_of_a_pipeline_is_searched(name: str, full: int, reduced: int) -> None:
    """The fewest states that can be: one run, from the start to the end (SPIN: 1 105, and 61)."""
    [spec] = [each for each in specs() if each.file.name == name]
    system = spec.system()
    assert spec.counts is not None
    assert spec.counts.states == full
    found = check(system, under=[partial_order_of(system)]).statistics
    assert (found.states, found.transitions) == (reduced, reduced - 1)
    assert spec.counts.depth == found.transitions


@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_the_zoo_keeps_its_verdicts(animal: Animal) -> None:
    system = safety_of(build(animal.make(), animal.families))
    for found in (ordered, partial_order_of):
        order = found(system)
        assert_audited(system, order)
        assert next(wrongs(system, order, STATES_COMPARED), None) is None


def assert_agree(system: System, found: Found) -> tuple[Report, Report]:
    """Check all that can be held together on a small system."""
    order = found(system)
    full, reduced = assert_audited(system, order)
    assert next(wrongs(system, order, STATES_COMPARED), None) is None
    again, counted = Stubborn(system, order), reduced.statistics
    assert (len(again.states), again.transitions) == (counted.states, counted.transitions)
    return full, reduced


def assert_agree_on_loose_systems(seeds: range) -> None:
    """On random loose systems; together they must put all of it to the test."""
    saved, fewer, verdicts = 0, 0, dict[str, int]()
    for seed in seeds:
        full, reduced = assert_agree(loose(seed), partial_order_of if seed % 2 else ordered)
        fewer += reduced.statistics.states < full.statistics.states
        saved += 2 * reduced.statistics.states <= full.statistics.states
        for name, verdict in words(full).items():
            kind = name.rstrip("0123456789")
            verdicts[f"{kind} {verdict}"] = verdicts.get(f"{kind} {verdict}", 0) + 1
    assert fewer >= len(seeds) / 2
    assert saved >= len(seeds) / 6
    for kind in ("property", "well-formed", "no-deadlock"):
        for verdict in ("holds", "violated"):
            assert verdicts.get(f"{kind} {verdict}", 0) >= len(seeds) / 20


def assert_agree_on_protocols(seeds: range) -> None:
    """On random protocols; those that are refused, or too large, show nothing."""
    compared = 0
    for seed in seeds:
        protocol = written(Pick(Random(seed).randrange))
        try:
            system = safety_of(build(protocol.make(), protocol.families))
        except FinaleError as error:
            if error.code not in REFUSED:
                raise
            continue
        if not check(system, Limits(states_max=STATES_MAX)).stopped:
            assert_agree(system, partial_order_of if seed % 2 else ordered)
            compared += 1
    assert compared >= len(seeds) / 2


def test_loose_systems_keep_their_verdicts() -> None:
    assert_agree_on_loose_systems(range(60))


def test_random_protocols_keep_their_verdicts() -> None:
    assert_agree_on_protocols(range(5))


@pytest.mark.slow
def test_many_more_keep_their_verdicts() -> None:
    assert_agree_on_loose_systems(range(60, 2_000))
    assert_agree_on_protocols(range(5, 200))


# --- what is left out shows ----------------------------------------------------------------------

X, Y = (cell(index, 0, 1, False) for index in range(2))


def at(one: int, other: int) -> Expression:
    return conjunction([equal(X, integer(one)), equal(Y, integer(other))])


def reached(search: Stubborn) -> set[tuple[int, ...]]:
    return set(search.states)


def test_a_dependence_that_is_left_out_shows() -> None:
    """Either rule disables the other: both must be taken."""
    one = when(at(0, 0), {0: integer(1)})
    other = when(at(0, 0), {1: integer(1)})
    system = system_of([X, Y], [one, other], [property_of(Kind.REACHABLE, at(0, 1))])
    order = ordered(system)
    assert_agree(system, lambda _: order)
    mutant = replace(order, dependent=(0,) * len(order.dependent))
    assert (0, 1) not in reached(Stubborn(system, mutant))
    assert next(wrongs(system, mutant, 10), None) is not None
    with pytest.raises(AssertionError):
        assert_audited(system, mutant)


def test_an_enabling_that_is_left_out_shows() -> None:
    """The last rule needs `y` to be 1 before `x` is: the rule that makes it so belongs to it."""
    z = cell(2, 0, 1, False)
    first = when(equal(X, integer(0)), {0: integer(1)})
    then = when(equal(Y, integer(0)), {1: integer(1)})
    last = when(conjunction([at(0, 1), equal(z, integer(0))]), {2: integer(1)})
    goal = property_of(Kind.REACHABLE, equal(z, integer(1)))
    system = system_of([X, Y, z], [first, then, last], [goal])
    order = ordered(system)
    assert_agree(system, lambda _: order)
    mutant = replace(order, enabling=(0,) * len(order.enabling))
    assert next(wrongs(system, mutant, 10), None) is not None
    with pytest.raises(AssertionError):
        assert_audited(system, mutant)


def test_observers_that_are_left_out_show() -> None:
    """`x` and `y` change apart, and the property fails only if `y` is first."""
    rules = [when(equal(each, integer(0)), {i: integer(1)}) for i, each in enumerate((X, Y))]
    system = system_of([X, Y], rules, [property_of(Kind.ALWAYS, negation(at(0, 1)))])
    order = ordered(system)
    assert_agree(system, lambda _: order)
    mutant = order.observing([])
    with pytest.raises(AssertionError):
        assert_audited(system, mutant)


def test_a_step_that_is_observed_shows() -> None:
    """The step that makes `y` 1 is wrong only while `x` is 0; nothing in the states tells."""
    rules = [when(equal(each, integer(0)), {i: integer(1)}) for i, each in enumerate((X, Y))]
    after = cell(1, 0, 1, False, after=True)
    wrong = conjunction([equal(X, integer(0)), equal(Y, integer(0)), equal(after, integer(1))])
    system = system_of([X, Y], rules, [property_of(Kind.ON_STEP, negation(wrong), len(rules))])
    order = ordered(system)
    assert_agree(system, lambda _: order)
    late = conjunction([equal(X, integer(1)), equal(Y, integer(0)), equal(after, integer(1))])
    system = system_of([X, Y], rules[::-1], [property_of(Kind.ON_STEP, negation(late), len(rules))])
    order = ordered(system)
    assert_agree(system, lambda _: order)
    with pytest.raises(AssertionError):
        assert_audited(system, order.observing([]))


def test_the_proviso_is_needed() -> None:
    """A rule that goes round and round would be taken for ever, and the other one never."""
    round_and_round = [when(equal(X, integer(value)), {0: integer(1 - value)}) for value in (0, 1)]
    other = when(equal(Y, integer(0)), {1: integer(1)})
    goal = property_of(Kind.REACHABLE, equal(Y, integer(1)))
    system = system_of([X, Y], [*round_and_round, other], [goal])
    order = ordered(system)
    assert_agree(system, lambda _: order)
    assert all(state[1] == 0 for state in reached(Stubborn(system, order, has_proviso=False)))
    assert any(state[1] == 1 for state in reached(Stubborn(system, order)))


def test_what_is_undone_need_not_be_done_before() -> None:
    """The last rule sets `x` back, whatever it is; so it waits for no other rule."""
    z = cell(2, 0, 1, False)
    begun = equal(z, integer(0))
    first = when(conjunction([begun, equal(X, integer(0))]), {0: integer(1)})
    then = when(conjunction([begun, equal(Y, integer(0))]), {1: integer(1)})
    fails = when(begun, {0: integer(0), 1: integer(0), 2: integer(1)})
    goal = property_of(Kind.REACHABLE, equal(z, integer(1)))
    system = system_of([X, Y, z], [first, then, fails], [goal])
    order = ordered(system)
    last = 1 << 2
    assert [bits & last for bits in order.absorbing] == [last, last, 0]
    _, reduced = assert_agree(system, lambda _: order)
    without = replace(order, absorbing=(0,) * len(order.absorbing))
    full, reduced_without = assert_agree(system, lambda _: without)
    counts = [each.statistics.states for each in (full, reduced_without, reduced)]
    assert counts == [5, 5, 4]


def test_a_step_that_is_wrongly_undone_shows() -> None:
    """The last rule keeps `x`: a search that takes `x` for undone misses it with `x` at 0."""
    z = cell(2, 0, 1, False)
    begun = equal(z, integer(0))
    first = when(conjunction([begun, equal(X, integer(0))]), {0: integer(1)})
    fails = when(begun, {2: integer(1)})
    again = when(conjunction([equal(z, integer(1)), equal(X, integer(1))]), {1: integer(1)})
    goal = property_of(Kind.REACHABLE, conjunction([equal(z, integer(1)), equal(X, integer(0))]))
    system = system_of([X, Y, z], [first, fails, again], [goal])
    order = ordered(system)
    assert_agree(system, lambda _: order)
    mutant = replace(order, absorbing=(2, *order.absorbing[1:]))
    assert next(wrongs(system, mutant, 10), None) is not None
    with pytest.raises(AssertionError):
        assert_audited(system, mutant)


def test_a_step_that_changes_nothing_does_not_hide_a_deadlock() -> None:
    """A rule that is always enabled, and in the end changes nothing, is no way to go on."""
    stays = when(TRUE, {0: integer(0)})
    other = when(equal(Y, integer(0)), {1: integer(1)})
    system = system_of([X, Y], [stays, other], [], terminal=FALSE)
    full, _ = assert_agree(system, ordered)
    assert words(full)["no-deadlock"] == Violated.word
