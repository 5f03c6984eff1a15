"""Pairs of facts: what the table allows, and that it allows every state that a search can be in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from finale.checker.search.limits import Limits
from finale.checker.search.native.search import check, searched
from finale.checker.search.reductions import closure
from finale.checker.search.reductions.canonical import Canonical
from finale.checker.search.reductions.closure import exchange, pairs_of
from finale.checker.search.reductions.find import find_all
from finale.checker.search.reductions.kinds import Reduction
from finale.checker.search.reductions.pairs import Pairs, Step
from finale.checker.search.reductions.symmetry import symmetry_of
from finale.checker.search.reductions.transitions import transitions_of
from finale.checker.search.reductions.under import canonical_of
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError
from finale.model.expressions import (
    FALSE,
    TRUE,
    Cell,
    Expression,
    cell,
    choose,
    conjunction,
    disjunction,
    equal,
    integer,
    less,
    negation,
    plus,
)
from finale.model.language.build import build
from finale.model.language.protocol import Protocol
from finale.model.protocols.coordinator.checkpoints import CheckpointStatus
from finale.model.rules import Setting
from finale.model.semantics import evaluate
from finale.model.system import State, System
from tests.agreement.loose_systems import loose, system_of, when
from tests.agreement.random_bodies import Pick
from tests.agreement.random_protocols import written
from tests.agreement.test_random_systems import REFUSED
from tests.protocols.specs import audits, built, specs
from tests.reductions import worlds
from tests.zoo import ZOO
from tests.zoo.animal import Animal

#: Specs up to so many states are audited here, larger ones in the slow run.
STATES_MAX, STATES_MAX_SLOW, STATES_OF_RANDOM = 40, 30_000, 3_000

X, Y, Z = (cell(index, 0, 3, False) for index in range(3))
OTHERS = [Reduction.SYMMETRY, Reduction.DEAD_VARIABLES]


def table_of(system: System, canonical: Canonical | None = None) -> Pairs:
    return pairs_of(transitions_of(system), canonical)


def facts_of(pairs: Pairs, state: State) -> int:
    return sum(1 << pairs.fact(index, value) for index, value in enumerate(state))


def is_allowed(pairs: Pairs, state: State) -> bool:
    facts = facts_of(pairs, state)
    return all(not facts & ~pairs.beside[pairs.fact(i, value)] for i, value in enumerate(state))


def not_allowed(system: System) -> Iterator[str]:
    """The states of searches that the table does not allow: of the full one, and of those under
    reductions that replace states."""
    bare = replace(system, properties=())
    for names in ([], [Reduction.SYMMETRY], [Reduction.DEAD_VARIABLES], OTHERS):
        under = [each for each in find_all(names, system) if each.reduces]
        canonical = canonical_of(system, under)
        pairs = table_of(system, canonical)
        search = searched(bare, Limits(), None, under)
        for number in range(search.statistics.states):
            if not is_allowed(pairs, search.state(number)):
                yield f"state {number} under {names}"


# --- what the table allows -----------------------------------------------------------------------


def test_what_never_holds_together() -> None:
    """A step takes `x` to 1 only where `y` is 0, and back before `y` may change."""
    rules = [
        when(conjunction([equal(X, integer(0)), equal(Y, integer(0))]), {0: integer(1)}),
        when(equal(X, integer(1)), {0: integer(0)}),
        when(conjunction([equal(X, integer(0)), equal(Y, integer(0))]), {1: integer(1)}),
    ]
    pairs = table_of(system_of([X, Y], rules, []))
    both = [(equal(X, integer(1)), True), (equal(Y, integer(1)), True)]
    assert pairs.where(both) == 0
    assert pairs.where(both[:1]) == facts_of(pairs, (1, 0))
    assert pairs.where([(equal(Y, integer(2)), True)]) == 0


def test_conditions_are_taken_apart() -> None:
    rules = [
        when(equal(X, integer(n)), {0: integer(n + 1), 1: plus(Y, integer(1))}) for n in (0, 1)
    ]
    pairs = table_of(system_of([X, Y], rules, []))
    assert pairs.where([(less(Y, X), True)]) == 0
    assert pairs.where([(equal(X, Y), False)]) == 0
    one = disjunction([equal(X, integer(1)), equal(Y, integer(3))])
    assert pairs.where([(one, True)]) == facts_of(pairs, (1, 1))
    assert pairs.where([(negation(one), False)]) == facts_of(pairs, (1, 1))
    assert pairs.where([(FALSE, True)]) == 0
    assert pairs.where([(TRUE, True)]) == pairs.reachable


def test_no_acknowledgement_of_a_completed_checkpoint_is_on_its_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That takes three facts: a checkpoint in progress awaits whose acknowledgement is coming."""
    [spec] = [each for each in specs() if each.file.match("final-checkpoint/pair-restarts.toml")]
    system = spec.system()
    offsets = {each.name: each.offset for each in system.variables}
    value = integer([*CheckpointStatus].index(CheckpointStatus.COMPLETED))
    completed = equal(system.cells[offsets["cp1.status"]], value)
    of_sink = system.cells[offsets["cp1.acknowledgements"] + 1]
    both = [(completed, True), (of_sink, True)]
    assert table_of(system).where(both) == 0
    monkeypatch.setattr(closure, "products_of", lambda _: [])
    assert table_of(system).where(both) != 0


def test_a_value_of_many_cells_is_taken_by_cases() -> None:
    """The sum has too many combinations to try; yet the step writes `y` only where `x` is 1."""
    many = [cell(index, 0, 3, False) for index in range(2, 9)]
    total: Expression = integer(0)
    for each in many:
        total = plus(total, each)
    is_large = conjunction([equal(X, integer(1)), less(integer(5), total)])
    step = when(TRUE, {1: choose(is_large, integer(2), Y)})
    grow = [when(TRUE, {each.index: integer(3)}) for each in many if isinstance(each, Cell)]
    pairs = table_of(system_of([X, Y, *many], [step, *grow], []))
    assert pairs.where([(equal(Y, integer(2)), True)]) == 0


# --- the audit -----------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", audits(STATES_MAX_SLOW, quick=STATES_MAX))
def test_specs_stay_within_the_table(spec: Spec) -> None:
    assert next(not_allowed(built(spec.file)), None) is None


@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_the_zoo_stays_within_the_table(animal: Animal) -> None:
    assert next(not_allowed(build(animal.make(), animal.families)), None) is None


def assert_random_stays(seeds: range) -> None:
    for seed in seeds:
        assert next(not_allowed(loose(seed)), None) is None
        protocol = written(Pick(Random(seed).randrange))
        try:
            system = build(protocol.make(), protocol.families)
        except FinaleError as error:
            if error.code not in REFUSED:
                raise
            continue
        if not check(system, Limits(states_max=STATES_OF_RANDOM)).stopped:
            assert next(not_allowed(system), None) is None


def test_random_systems_stay_within_the_table() -> None:
    assert_random_stays(range(6))


@pytest.mark.slow
def test_many_more_random_systems_stay_within_the_table() -> None:
    assert_random_stays(range(6, 500))


@pytest.mark.parametrize("kind", [worlds.Counter, worlds.Unruly, worlds.Ball, worlds.Friends])
def test_an_exchange_is_what_symmetry_does(kind: type[Protocol]) -> None:
    system = build(kind(Setting()), ())
    [group] = symmetry_of(system).groups
    search = searched(system, Limits(), None)
    states = [search.state(number) for number in range(min(search.statistics.states, 200))]
    for first in range(len(group.members) - 1):
        order = [*range(len(group.members))]
        order[first], order[first + 1] = first + 1, first
        writes = exchange(system, group, first)
        for state in states:
            after = list(state)
            for index, value in writes.items():
                after[index] = evaluate(value, state)
            assert tuple(after) == group.permuted(state, order)


def test_a_step_that_is_left_out_shows() -> None:
    rules = [
        when(equal(X, integer(0)), {0: integer(1)}),
        when(equal(X, integer(1)), {1: integer(2)}),
    ]
    system = system_of([X, Y], rules, [])
    found = Pairs(system.cells)
    found.close(system.initial, [Step(((equal(X, integer(0)), True),), {0: integer(1)})])
    assert not is_allowed(found, (1, 2))
    assert is_allowed(table_of(system), (1, 2))
