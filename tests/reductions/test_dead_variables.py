"""Dead variables: what is found, what it keeps; and that a wrong one is noticed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from finale.checker.search.limits import Limits
from finale.checker.search.native.search import check, searched
from finale.checker.search.reductions.canonical import Reset
from finale.checker.search.reductions.dead import CHANGES, dead_variables_of
from finale.checker.search.reductions.find import find_all
from finale.checker.search.reductions.kinds import DeadVariables, Reduction
from finale.checker.search.verdict import NO_DEADLOCK
from finale.checker.spec.claim import Spec
from finale.model.expressions import TRUE
from finale.model.language.build import build
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol
from finale.model.rules import Setting
from finale.model.system import System
from tests.protocols.specs import ROOT, audits, built, spec_of
from tests.reductions import worlds
from tests.reductions.audit import disagreements
from tests.reductions.test_symmetry import STATES_MAX_SLOW
from tests.zoo import ZOO
from tests.zoo.animal import Animal

#: Specs up to so many states are audited here, larger ones in the slow run.
STATES_MAX = 100


def system_of(kind: type[Protocol], families: Sequence[Family] = ()) -> System:
    return build(kind(Setting()), families)


def assert_audited(system: System) -> DeadVariables:
    """The dead variables of a system, held to the full search."""
    found = dead_variables_of(system)
    if found.reduces:
        assert disagreements(system, [Reduction.DEAD_VARIABLES]) == []
    return found


def states_of(system: System, found: DeadVariables) -> int:
    return searched(system, Limits(), None, [found]).statistics.states


# --- what is found -------------------------------------------------------------------------------


def test_what_was_sent_need_not_be_kept() -> None:
    system = system_of(worlds.Machine, [worlds.never_sends_three])
    found = assert_audited(system)
    assert found.refused == ()
    # Loading once instead of once for each register; three registers, three that were sent.
    assert (check(system).statistics.states, states_of(system, found)) == (10, 7)


def test_what_a_property_reads_is_kept() -> None:
    system = system_of(worlds.Machine, [worlds.sends_what_is_loaded])
    found = assert_audited(system)
    assert states_of(system, found) == 7  # it is dead where loading is next, and read before


@pytest.mark.parametrize("family", [worlds.never_passes_three, worlds.never_has_passed_three])
def test_what_is_asked_of_a_step_from_one_mode_to_another_is_kept(family: Family) -> None:
    """A question about such a step is never asked within one mode."""
    system = system_of(worlds.Passing, [family])
    assert [each.word for each in check(system).verdicts][:1] == ["violated"]
    assert_audited(system)


def test_a_step_that_nobody_can_see_leaves_the_end_to_the_full_search() -> None:
    found = assert_audited(system_of(worlds.Scribbling, [worlds.never_sends_three]))
    assert dict(found.refused) == {NO_DEADLOCK: CHANGES}


# --- the audit -----------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", audits(STATES_MAX_SLOW, quick=STATES_MAX))
def test_specs_keep_their_verdicts(spec: Spec) -> None:
    assert_audited(built(spec.file))


@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_the_zoo_keeps_its_verdicts(animal: Animal) -> None:
    assert_audited(build(animal.make(), animal.families))


@pytest.mark.parametrize("kind", [worlds.Counter, worlds.Unruly, worlds.Ball, worlds.Friends])
def test_both_reductions_at_once(kind: type[Protocol]) -> None:
    families = [worlds.pays_when_served, worlds.last_pays_last, worlds.all_have_paid]
    system = system_of(kind, families if issubclass(kind, worlds.Counter) else [])
    both = [Reduction.SYMMETRY, Reduction.DEAD_VARIABLES]
    assert disagreements(system, both) == []


def test_what_is_asked_of_one_member_is_kept_of_all() -> None:
    """A reset mark is not handed to the one whose mark is asked for."""
    system = system_of(worlds.Marked, [worlds.second_is_marked])
    both = [Reduction.SYMMETRY, Reduction.DEAD_VARIABLES]
    symmetry, dead = find_all(both, system)
    assert symmetry.reduces
    assert not dead.reduces
    assert disagreements(system, both) == []


def test_a_reference_that_is_dead_names_nobody() -> None:
    # Records on the way, whose source nobody asks for: a reset cell must not seem to name one.
    file = ROOT / "final-checkpoint" / "broken" / "reads-blocked-channels.toml"
    both = [Reduction.SYMMETRY, Reduction.DEAD_VARIABLES]
    assert disagreements(spec_of(file).system(), both) == []


# --- a wrong reduction is noticed ----------------------------------------------------------------


def test_a_cell_that_is_not_dead_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    system = system_of(worlds.Machine, [worlds.never_sends_three])
    register = next(each.offset for each in system.variables if each.name == "register")
    wrong = DeadVariables((Reset(TRUE, (register,)),), ())
    monkeypatch.setattr("finale.checker.search.reduced.find_all", lambda *_: [wrong])
    with pytest.raises(AssertionError):
        assert disagreements(system, [Reduction.DEAD_VARIABLES]) == []
