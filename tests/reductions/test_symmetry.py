"""Symmetry: what is found, what it keeps, how far it reduces; and that a wrong one is noticed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.search.limits import LimitHit, Limits, TimeOver
from finale.checker.search.native.search import UPPER_BOUND, check, report_of, searched
from finale.checker.search.reduced import check_reduced
from finale.checker.search.reductions.candidates import Candidates
from finale.checker.search.reductions.canonical import SymmetryGroup
from finale.checker.search.reductions.find import find_all
from finale.checker.search.reductions.invariance import NOT_SEEN, TELLS_APART, Invariance
from finale.checker.search.reductions.kinds import Reduction, Symmetry
from finale.checker.search.reductions.proofs import Proofs
from finale.checker.search.reductions.renaming import Renaming
from finale.checker.search.reductions.symmetry import FAIR_RUNS, symmetry_of
from finale.checker.search.solving.certificate import Certifier
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from finale.model.expressions import FALSE, TRUE, conjunction, equal, integer, negation
from finale.model.language.build import build
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol
from finale.model.protocols.two_phase_commit import TwoPhaseCommit
from finale.model.rules import Setting
from finale.model.semantics import evaluate
from finale.model.system import Kind, Predicate, System
from tests.protocols.specs import audits, built
from tests.reductions import worlds
from tests.reductions.audit import disagreements, kept_under, miscounted, symmetry_once
from tests.zoo import ZOO
from tests.zoo.animal import Animal

#: Specs up to so many states are audited here, larger ones in the slow run.
STATES_MAX, STATES_MAX_SLOW = 300, 60_000
#: These have few states, and rules of which it takes long to prove that they are kept.
SLOW = (
    "restore/rescale-unaligned-two-sources",
    "restore/rescale-timed",
    "aligned-with-timeout/savepoint-never-overtakes",
    "history/fixed/flink-23475",
)
ROOT = Path(__file__).parents[2]


def system_of(kind: type[Protocol], families: Sequence[Family] = ()) -> System:
    return build(kind(Setting()), families)


def assert_audited(system: System) -> Symmetry:
    """The symmetry of a system, held to the full search."""
    found = symmetry_once(system)
    if found.reduces:
        assert disagreements(system, [Reduction.SYMMETRY]) == []
        assert miscounted(replace(system, properties=()), [found]) == ""
    return found


def factor(system: System) -> float:
    """How many times fewer states are kept."""
    bare = replace(system, properties=())
    states = searched(bare, Limits(), None, [symmetry_of(bare)]).statistics.states
    return check(bare).statistics.states / states


SOURCES = """
title    = "Interchangeable sources"
protocol = "final-checkpoint"
[job]
S = {{ records = {records}, parallelism = {sources} }}
E = {{ from = ["S"], sink = "two-phase" }}
[bounds]
checkpoints = 1
[observe]
effects = true
"""


def sources_and_a_sink(folder: Path, sources: int, records: int) -> System:
    file = folder / "sources.toml"
    file.write_text(SOURCES.format(sources=sources, records=records))
    return read_spec(file, catalogue()).system()


# --- what is found -------------------------------------------------------------------------------


def test_two_phase_commit_has_the_classes_that_tlc_counts() -> None:
    # The TLA+ examples' TwoPhase with SYMMETRY over three resource managers: 80 distinct states.
    system = system_of(TwoPhaseCommit)
    found = assert_audited(system)
    assert [group.members for group in found.groups] == [("r1", "r2", "r3")]
    assert searched(system, Limits(), None, [found]).statistics.states == 80


FAMILIES = (
    worlds.pays_when_served,
    worlds.last_pays_last,
    worlds.all_have_paid,
    worlds.waiting_is_served,
)


@pytest.mark.parametrize("kind", [worlds.Counter, worlds.Unruly])
def test_queues_options_sets_and_maps_name_others(kind: type[Protocol]) -> None:
    found = assert_audited(system_of(kind, FAMILIES))
    [group] = found.groups
    assert group.members == ("c0", "c1", "c2")
    assert len(group.columns) == 3  # phase, paid, visits
    assert len(group.shared) == 4  # three places of the queue, and `last`
    assert dict(found.refused) == {"waiting-is-served": FAIR_RUNS}


def test_a_property_that_tells_them_apart_is_answered_in_full() -> None:
    system = system_of(worlds.Unruly, [worlds.first_comes_first, worlds.pays_when_served])
    found = assert_audited(system)
    assert list(dict(found.refused)) == ["first-comes-first"]
    report = check_reduced(system, [Reduction.SYMMETRY], Limits(), None)
    how = {answer.property: answer.how for answer in report.verdicts}
    assert how["pays-when-served"] == "exhaustive under symmetry"
    # The difference shows in states of which the samples have none.
    assert how["first-comes-first"] == f"exhaustive, not under symmetry: {NOT_SEEN}"
    assert [each.reduced for each in (report, *report.further)] == [("symmetry",), ()]


def test_what_renaming_keeps_is_not_told_apart() -> None:
    """If no decision was made before the step, the antecedent is false, and the claim may differ.

    Its words say what the search has shown: a difference, or only no proof.
    """
    families = (
        worlds.decision_stays,
        worlds.decision_never_comes,
        worlds.first_value_is_not_chosen,
    )
    system = system_of(worlds.Ballot, families)
    found = assert_audited(system)
    assert [group.members for group in found.groups] == [("v0", "v1", "v2")]
    assert dict(found.refused) == {"first-value-is-not-chosen": TELLS_APART}
    # A state that no run reaches tells the values apart: a decision without a vote.
    node = system.cells[: system.variables[1].offset]
    unseen = conjunction([node[0], equal(node[1], integer(0)), negation(system.cells[2])])
    [prop] = system_of(worlds.Ballot, [worlds.decision_stays]).properties
    claims = (Predicate((), TRUE, negation(unseen), FALSE),)
    strange = replace(prop, kind=Kind.ALWAYS, predicates=claims, on_rules=())
    refused = symmetry_of(replace(system, properties=(strange,))).refused
    assert dict(refused) == {"decision-stays": NOT_SEEN}


def test_who_names_each_other_is_an_upper_bound() -> None:
    system = system_of(worlds.Friends)
    found = assert_audited(system)
    search = searched(system, Limits(), None, [found])
    assert UPPER_BOUND in report_of(search).remarks
    assert search.statistics.states < check(system).statistics.states / 2


def test_of_two_that_name_each_other_the_count_is_exact() -> None:
    system = system_of(worlds.TwoFriends)
    found = assert_audited(system)
    canonical, states = kept_under(system, [found])
    assert not any(evaluate(canonical.doubt(system), state) for state in states)
    assert report_of(searched(system, Limits(), None, [found])).remarks == ()


def test_a_step_to_a_copy_of_the_state_is_a_step() -> None:
    system = system_of(worlds.Ball)
    found = assert_audited(system)
    assert searched(system, Limits(), None, [found]).statistics.states == 2
    answers = check_reduced(system, [Reduction.SYMMETRY], Limits(), None).verdicts
    assert answers[-1].word == "holds"  # there is no deadlock
    dropped = system_of(worlds.Dropped)
    assert_audited(dropped)
    answers = check_reduced(dropped, [Reduction.SYMMETRY], Limits(), None).verdicts
    assert (answers[-1].word, answers[-1].steps) == ("violated", 1)


@pytest.mark.parametrize("kind", [worlds.Ranked, worlds.Begun])
def test_where_the_order_shows_nothing_is_interchangeable(kind: type[Protocol]) -> None:
    found = symmetry_of(system_of(kind))
    assert all("p0" not in group.members for group in found.groups)
    assert not any(len(group.members) == 3 for group in found.groups)
    assert_audited(system_of(kind))


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (worlds.Shy, "throw_in(p0) is taken where throw_in(p1) is blocked"),
        (worlds.Kept, "take() makes something else of p0.has_ball when they change names"),
        (worlds.Ranked, "give(p0, p1) has no counterpart"),
    ],
)
def test_what_tells_entities_apart_is_named(kind: type[Protocol], reason: str) -> None:
    system = system_of(kind)
    candidates = Candidates(system)
    [[one, other, *_]] = candidates.classes()
    renaming = Renaming(system, candidates.exchange(one, other) or ())
    assert Invariance(renaming, Proofs(system)).of_system() == reason


def test_a_difference_that_no_run_reaches_does_not_count() -> None:
    found = assert_audited(system_of(worlds.FirstDrops))
    assert [group.members for group in found.groups] == [("p0", "p1", "p2")]


def test_a_difference_that_few_runs_reach_counts() -> None:
    found = assert_audited(system_of(worlds.SecondBall))
    assert found.groups == ()
    why = "drop() is not seen to treat them alike: some run shows the difference"
    assert any(why in each for each in found.remarks)


def test_what_takes_too_many_questions_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finale.checker.search.reductions.proofs.QUESTIONS_MAX", 1)
    found = symmetry_of(system_of(worlds.FirstDrops))
    assert found.groups == ()
    assert any("no invariant was found: the limit of 1 questions" in each for each in found.remarks)


def test_a_solver_that_gives_up_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(*_: object) -> None:
        raise LimitHit("the solver gave up")

    monkeypatch.setattr(Certifier, "certify", gives_up)
    assert symmetry_of(system_of(worlds.FirstDrops)).groups == ()


def test_the_time_limit_covers_invariants() -> None:
    looks = 0

    def look() -> None:
        nonlocal looks
        looks += 1
        if looks > 1_000:  # within the walks that the invariants begin with
            raise TimeOver

    with pytest.raises(TimeOver):
        symmetry_of(system_of(worlds.FirstDrops), look)


@pytest.mark.parametrize("kind", [worlds.Workers, worlds.OtherWorkers])
def test_resets_do_not_tell_interchangeable_entities_apart(kind: type[Protocol]) -> None:
    """Only one worker's note is dead while he is idle: a reset note that is handed to the other
    one would hide the end."""
    system = system_of(kind, [worlds.ends])
    assert_audited(system)
    both = [Reduction.SYMMETRY, Reduction.DEAD_VARIABLES]
    assert disagreements(system, both) == []
    assert all(not found.reduces for found in find_all(both, system)[1:])


def test_the_command_of_the_documentation_asks_what_the_spec_expects() -> None:
    file = "benchmarks/models/three-sources.toml"
    page = (ROOT / "docs" / "reductions.md").read_text(encoding="utf-8")
    [command] = (each for each in page.split("```") if f"finale check {file}" in each)
    named = re.findall(r"--property (\S+)", command)
    assert tuple(named) == read_spec(ROOT / file, catalogue()).claimed


STOPPING = """
title    = "Sources that stop"
protocol = "stop-with-savepoint"
[options]
calls_in_order = true
[job]
A = { records = 0 }
B = { records = 0 }
K = { from = ["A", "B"] }
[bounds]
checkpoints = 2
stops = 1
"""


@pytest.mark.slow
def test_sources_that_stop_are_interchangeable(tmp_path: Path) -> None:
    """A trigger to the sink loops over its inputs: it shows in which order only where all barriers
    are there and the sink still waits, which never happens."""
    (tmp_path / "stopping.toml").write_text(STOPPING)
    system = read_spec(tmp_path / "stopping.toml", catalogue()).system()
    found = assert_audited(system)
    assert [group.members for group in found.groups] == [("A", "B")]


# --- how far it reduces --------------------------------------------------------------------------


@pytest.mark.parametrize(("sources", "records", "wanted"), [(3, 1, 5), (4, 0, 15)])
def test_interchangeable_sources(tmp_path: Path, sources: int, records: int, wanted: int) -> None:
    assert factor(sources_and_a_sink(tmp_path, sources, records)) >= wanted


@pytest.mark.parametrize("sources", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_each_name_of_an_own_record_is_told(tmp_path: Path, sources: int) -> None:
    system = sources_and_a_sink(tmp_path, sources, 1)
    found = symmetry_of(system)
    assert any(group.rows for group in found.groups)
    assert miscounted(replace(system, properties=()), [found]) == ""


# --- the audit -----------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", audits(STATES_MAX_SLOW, quick=STATES_MAX, slow=SLOW))
def test_specs_keep_their_verdicts(spec: Spec) -> None:
    assert_audited(built(spec.file))


@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_the_zoo_keeps_its_verdicts(animal: Animal) -> None:
    assert_audited(build(animal.make(), animal.families))


# --- a wrong reduction is noticed ----------------------------------------------------------------


def wrongly(found: Symmetry, group: SymmetryGroup) -> Symmetry:
    return replace(found, groups=(group,))


def test_a_group_that_forgets_a_column_is_noticed() -> None:
    system = system_of(worlds.Counter)
    found = symmetry_of(system)
    [group] = found.groups
    wrong = wrongly(found, replace(group, columns=group.columns[1:]))
    assert miscounted(system, [wrong]) != ""


def test_a_group_that_forgets_a_reference_is_noticed() -> None:
    system = system_of(worlds.Counter)
    found = symmetry_of(system)
    [group] = found.groups
    wrong = wrongly(found, replace(group, shared=group.shared[1:]))
    assert miscounted(system, [wrong]) != ""


def test_an_order_that_is_taken_for_none_is_noticed() -> None:
    alike = symmetry_of(system_of(worlds.Ball))
    assert miscounted(system_of(worlds.Favoured), [alike]) != ""


def test_a_property_that_tells_them_apart_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    system = system_of(worlds.Ranked, [worlds.first_has_it_first])
    alike = symmetry_of(system_of(worlds.Ball))
    monkeypatch.setattr("finale.checker.search.reduced.find_all", lambda *_: [alike])
    with pytest.raises(AssertionError):
        assert disagreements(system, [Reduction.SYMMETRY]) == []
