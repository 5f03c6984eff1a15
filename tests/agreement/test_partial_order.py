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

from finale.checker.search.limits import Limits
from finale.checker.search.native.search import check
from finale.checker.search.options import SearchOptions, StorageName
from finale.checker.search.reductions.find import partial_order_of
from finale.checker.search.reductions.partial_order import PartialOrder, ordered
from finale.checker.search.verdict import NO_DEADLOCK, Report, Statistics, Verdict, Word
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError
from finale.model.expressions import (
    FALSE,
    TRUE,
    Expression,
    cell,
    conjunction,
    equal,
    integer,
    negation,
)
from finale.model.language.build import build
from finale.model.system import Kind, Predicate, System
from finale.model.trace import replay
from tests.agreement.loose_systems import loose, property_of, system_of, when
from tests.agreement.random_bodies import Pick
from tests.agreement.random_protocols import written
from tests.agreement.stubborn import LENGTH_MAX, Stubborn, wrongs
from tests.agreement.test_random_systems import REFUSED
from tests.protocols.specs import audits, built, specs
from tests.zoo import ZOO
from tests.zoo.animal import Animal

#: Hashed storage is refused under partial order.
STORAGES: tuple[StorageName, ...] = ("exact", "compressed")
#: Larger specs, and states beyond these, take too long. The proofs do: up to ten seconds a spec.
SPEC_STATES_QUICK, SPEC_STATES_MAX, STATES_MAX, STATES_COMPARED = 80, 60_000, 3_000, 200

Found = Callable[[System], PartialOrder]


def safety_of(system: System) -> System:
    """The system with what partial order keeps of its properties."""
    kept = tuple(prop for prop in system.properties if not prop.kind.is_liveness)
    return replace(system, properties=kept)


def word(answer: Verdict) -> str:
    """The verdict; that nothing was put to the test is not told under partial order."""
    return Word.HOLDS if answer.word is Word.VACUOUS else answer.word


def words(report: Report) -> dict[str, str]:
    return {answer.property: word(answer) for answer in report.verdicts}


def assert_audited(system: System, order: PartialOrder) -> tuple[Report, Report]:
    """The reports of both searches, which must agree; every trace must be a run."""
    full, reduced = check(system), check(system, under=[order])
    assert words(full) == words(reduced)
    for answer in reduced.verdicts:
        if answer.word is Word.VIOLATED and answer.trace is not None:
            replay(system, answer.trace)
    assert reduced.statistics.states <= full.statistics.states
    return full, reduced


@pytest.mark.parametrize("spec", audits(SPEC_STATES_MAX, quick=SPEC_STATES_QUICK))
def test_specs_keep_their_verdicts(spec: Spec) -> None:
    system = safety_of(built(spec.file))
    assert_audited(system, partial_order_of(system))


@pytest.mark.parametrize(
    ("name", "full", "steps"),
    [("four-operators.toml", 81_164, 90), ("four-operators-joined.toml", 9_407, 60)],
)
def test_one_order_of_a_pipeline_is_searched(name: str, full: int, steps: int) -> None:
    """The fewest states that can be: one run, of which only the ends of chains are stored."""
    [spec] = [each for each in specs() if each.file.name == name]
    system = spec.system()
    assert spec.counts is not None
    assert (spec.counts.states, spec.counts.depth) == (full, steps)
    found = check(system, under=[partial_order_of(system)]).statistics
    chains = -(-steps // (LENGTH_MAX + 1))
    assert (found.states, found.transitions) == (chains + 1, chains)


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


def test_a_step_that_is_wrongly_on_no_cycle_shows() -> None:
    """Each of two rules undoes the other; a search that takes them to go on misses the third."""
    rules = [when(equal(X, integer(value)), {0: integer(1 - value)}) for value in (0, 1)]
    other = when(equal(Y, integer(0)), {1: integer(1)})
    goal = property_of(Kind.REACHABLE, equal(Y, integer(1)))
    system = system_of([X, Y], [*rules, other], [goal])
    order = ordered(system)
    assert order.onward == 1 << 2
    mutant = replace(order, onward=order.updates)
    assert next(wrongs(system, mutant, 10), None) is not None
    with pytest.raises(AssertionError):
        assert_audited(system, mutant)


def test_a_state_where_something_is_observed_is_not_passed() -> None:
    """The state in the middle of a chain breaks the property; the states at its ends do not."""
    x = cell(0, 0, 2, False)
    rules = [when(equal(x, integer(value)), {0: integer(value + 1)}) for value in (0, 1)]
    middle = property_of(Kind.ALWAYS, negation(equal(x, integer(1))))
    system = system_of([x], rules, [middle])
    order = ordered(system)
    _, reduced = assert_agree(system, lambda _: order)
    assert reduced.statistics.states == 3
    bare = order.observing([])
    assert check(system, under=[bare]).statistics.states == 2
    with pytest.raises(AssertionError):
        assert_audited(system, bare)


@pytest.mark.parametrize("steps", [0, 2], ids=["of a state", "of a step"])
def test_an_antecedent_in_a_chain_is_true_somewhere(steps: int) -> None:
    """It holds only in the middle of the chain, which is not stored: yet it is not *never*."""
    x, y = cell(0, 0, 2, False), cell(1, 0, 1, False)
    rules = [when(equal(x, integer(value)), {0: integer(value + 1)}) for value in (0, 1)]
    kind = Kind.ON_STEP if steps else Kind.ALWAYS

    def found(antecedent: Expression, claim: Expression) -> Report:
        asked = (Predicate((), antecedent, claim, FALSE),)
        claims = replace(
            property_of(kind, TRUE),
            predicates=() if steps else asked,
            on_rules=(asked,) * steps,
        )
        system = system_of([x, y], rules, [claims])
        return check(system, under=[ordered(system)])

    middle = found(equal(x, integer(1)), equal(y, integer(0)))
    assert middle.statistics.states == 2
    assert {each.word for each in middle.verdicts} == {Word.HOLDS}
    never = found(equal(y, integer(1)), equal(x, integer(0)))
    assert words(never)["claim"] != Word.HOLDS or Word.VACUOUS in {e.word for e in never.verdicts}


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("length", [2, 3, 63, 64, 65, 66, 130])
def test_a_chain_that_goes_round_ends(length: int, is_first: bool) -> None:
    """One step goes round forever and could put off the other one: both are taken."""
    x, y = cell(0, 0, length - 1, False), cell(1, 0, 1, False)
    turns = [when(equal(x, integer(i)), {0: integer((i + 1) % length)}) for i in range(length)]
    other = when(equal(y, integer(0)), {1: integer(1)})
    is_set, is_last = equal(y, integer(1)), equal(x, integer(length - 1))
    for goal in (is_set, conjunction([is_set, is_last])):
        claims = [property_of(Kind.REACHABLE, goal)]
        rules = [*turns, other] if is_first else [other, *turns]
        full, reduced = assert_agree(system_of([x, y], rules, claims, terminal=FALSE), ordered)
        assert full.statistics.states == 2 * length
        assert words(reduced)["claim"] == Word.HOLDS


@pytest.mark.parametrize("length", [2, 64, 65, 128, 129, 200])
def test_a_deadlock_at_the_end_of_a_long_chain_is_found(length: int) -> None:
    """The trace has all steps of the chain. Each stored state has a step, and then a chain."""
    x = cell(0, 0, length, False)
    rules = [when(equal(x, integer(i)), {0: integer(i + 1)}) for i in range(length)]
    system = system_of([x], rules, [], terminal=FALSE)
    for storage in STORAGES:
        found = check(system, under=[ordered(system)], options=SearchOptions(storage))
        assert found.statistics.states == 1 + -(-length // (LENGTH_MAX + 1))
        [deadlock] = [each for each in found.verdicts if each.property == NO_DEADLOCK]
        assert deadlock.word is Word.VIOLATED
        assert deadlock.trace is not None
        assert deadlock.trace.length == deadlock.steps == length


def test_other_storages_search_the_same_chains() -> None:
    for seed in range(40):
        system = loose(seed)
        order = ordered(system)
        expected = check(system, under=[order])
        for storage in STORAGES:
            found = check(system, under=[order], options=SearchOptions(storage, threads=2))
            assert found.verdicts == expected.verdicts, seed
            assert told(found) == told(expected), seed


def told(report: Report) -> tuple[Statistics, frozenset[str]]:
    return replace(report.statistics, seconds=0), report.exercised


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
    assert counts == [5, 4, 2]


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
    assert words(full)["no-deadlock"] == Word.VIOLATED


def test_a_deadlock_that_only_a_step_without_progress_leaves_is_kept() -> None:
    """At `x = 1, y = 0` only the first rule is enabled: who takes it first of all misses that."""
    z = cell(2, 0, 1, False)
    first = when(equal(X, integer(0)), {0: integer(1)})
    fails = when(equal(Y, integer(0)), {1: integer(1)}, makes_progress=False)
    rounds = [
        when(conjunction([at(1, 1), equal(z, integer(i))]), {2: integer(1 - i)}) for i in (0, 1)
    ]
    system = system_of([X, Y, z], [fails, first, *rounds], [], terminal=FALSE)
    full, _ = assert_agree(system, ordered)
    assert words(full)["no-deadlock"] == Word.VIOLATED

    class Careless(Stubborn):
        def number_leaves(self) -> None:
            super().number_leaves()
            self.progress = -1

    deadlock = (1, 0, 0)
    assert deadlock in Stubborn(system, ordered(system)).states
    assert deadlock not in Careless(system, ordered(system)).states


def test_a_deadlock_is_not_passed() -> None:
    """In the middle of the chain nobody can rely on the only step."""
    x = cell(0, 0, 3, False)
    rules = [
        when(equal(x, integer(value)), {0: integer(value + 1)}, makes_progress=value != 1)
        for value in range(3)
    ]
    system = system_of([x], rules, [], terminal=equal(x, integer(3)))
    full, reduced = assert_agree(system, ordered)
    assert words(full)["no-deadlock"] == words(reduced)["no-deadlock"] == Word.VIOLATED
    assert reduced.verdicts[-1].steps == 1
