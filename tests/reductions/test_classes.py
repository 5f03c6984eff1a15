"""Whether two states are of one class is told without trying all names."""

from __future__ import annotations

import pytest

from finale.checker.search.limits import Limits
from finale.checker.search.native.lifted import LiftedSearch
from finale.checker.search.native.search import searched
from finale.checker.search.reductions.canonical import Canonical, SymmetryGroup
from finale.checker.search.reductions.symmetry import symmetry_of
from finale.checker.search.reductions.under import canonical_of
from finale.model.language.build import build
from finale.model.language.protocol import Protocol
from finale.model.protocols.two_phase_commit import TwoPhaseCommit
from finale.model.rules import Setting
from finale.model.semantics import evaluate
from finale.model.system import State
from finale.model.trace import replay
from tests.reductions import worlds
from tests.reductions.audit import kept_under

STATES_COMPARED = 40


def states_of(kind: type[Protocol]) -> tuple[Canonical, list[State]]:
    """The canonical form, and some states with others of their classes."""
    system = build(kind(Setting()), ())
    canonical, kept = kept_under(system, [symmetry_of(system)])
    kept = kept[:: max(1, len(kept) // STATES_COMPARED)]
    return canonical, [*kept, *(max(canonical.orbit(state)) for state in kept)]


@pytest.mark.parametrize("kind", [worlds.Counter, worlds.Friends, worlds.TwoFriends, worlds.Ball])
def test_states_are_alike_where_names_lead_from_one_to_the_other(kind: type[Protocol]) -> None:
    canonical, states = states_of(kind)
    for one in states:
        orbit = canonical.orbit(one)
        assert [canonical.are_alike(one, each) for each in states] == [x in orbit for x in states]


def test_what_is_told_is_not_in_doubt() -> None:
    system = build(worlds.Friends(Setting()), ())
    canonical, states = kept_under(system, [symmetry_of(system)])
    doubt = canonical.doubt(system)
    told = [all(group.is_told(state) for group in canonical.groups) for state in states]
    assert told == [not evaluate(doubt, state) for state in states]
    assert len(set(told)) == 2


def test_a_trace_of_eight_managers_is_lifted_in_few_comparisons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    system = build(TwoPhaseCommit(Setting(sizes={"managers": 8})), ())
    found = symmetry_of(system)
    canonical = canonical_of(system, [found])
    assert canonical is not None
    search = searched(system, Limits(), None, [found])
    calls, permuted = 0, SymmetryGroup.permuted

    def counted(group: SymmetryGroup, state: State, order: list[int]) -> State:
        nonlocal calls
        calls += 1
        return permuted(group, state, order)

    monkeypatch.setattr(SymmetryGroup, "permuted", counted)
    trace = LiftedSearch(search, canonical).trace_to(search.statistics.states - 1)
    replay(system, trace)
    assert len(trace.rules) == search.statistics.depth
    assert calls <= 2 * len(system.rules) * len(trace.states)
