"""A property says the same of a checkpoint whether ids are given again or each has its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from finale.checker.report.check_json import json_rows
from finale.checker.report.results import result_lines
from finale.checker.report.story import story_of
from finale.checker.search.bfs.search import check
from finale.checker.search.native.search import check as check_natively
from finale.checker.search.rows import result_of
from finale.checker.search.run import run
from finale.checker.search.verdict import Verdict, Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.properties.registry import PROPERTIES
from finale.model.rules import WEAK, Bool, Entity, Nothing, Option, Ref, Setting, field, rule, step
from tests.protocols.specs import ROOT as SPECS
from tests.protocols.specs import name_of, spec_of
from tests.recycling.corpus import chosen, of_protocols, with_few_ids
from tests.recycling.falls import Fallen, broken, fallen
from tests.recycling.lockstep import Seen, walks
from tests.zoo.recycled import Ticket, TicketOffice, Turn

RENUMBERED = """
title    = "A sink that fails after its last records"
protocol = "final-checkpoint"

[job]
S = { records = 1 }
K = { from = ["S"], sink = "two-phase" }

[bounds]
live_checkpoints = 2
failures         = 1

[observe]
effects = true
taken   = true
"""

FORGETFUL = {family.name for family in PROPERTIES if family.of_all_ids}
#: What random walks do not come to, and why it needs all ids.
BY_ARGUMENT = {
    "closed-after-its-savepoint": "an older final checkpoint, which released the task, is forgotten"
    " when a newer one completes while the savepoint is still pending",
    "savepoint-is-first-final": "the first final checkpoint is forgotten, and the next one is "
    "taken for the first",
}
AGAIN = "ids are given again"


def spec_in(folder: Path, text: str = RENUMBERED) -> Spec:
    file = folder / "renumbered.toml"
    file.write_text(text, encoding="utf-8")
    return read_spec(file, catalogue())


def assert_same(seen: Seen) -> None:
    assert not seen.other_steps
    assert set(seen.differs) <= FORGETFUL, seen.differs
    assert set(seen.forgotten) <= FORGETFUL, seen.forgotten


def assert_falls_alike(found: Fallen) -> None:
    for fall in found.falls:
        if fall.verdict.word is Word.VIOLATED:
            assert fall.steps is None or fall.length == fall.steps, fall
        else:
            assert fall.verdict.word is Word.NOT_ASKED, fall
    assert not found.by_few_alone


# --- what comes before an id is given again ------------------------------------------------------


class HastyOffice(TicketOffice):
    """An office that serves before it throws a ticket away."""

    @rule(fair=WEAK)
    def draw(self) -> None:
        """Who draws a ticket serves the newest one."""
        if self.tickets[-1].turn == Turn.WAITING:
            self.tickets[-1].turn = Turn.SERVED
        super().draw()


def test_what_is_written_before_an_id_is_given_again_is_refused() -> None:
    with pytest.raises(FinaleError) as caught:
        build(HastyOffice(Setting()))
    assert caught.value.code == "writes-before-retire"
    assert "two.turn" in caught.value.message


class Bell(Entity):
    """A bell on the desk; it knows who rang it last."""

    rung = field(Bool, False)
    last = field(Option(Ref(Ticket)), Nothing)


class RingingOffice(TicketOffice):
    """An office that rings a bell before it throws a ticket away."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.bell = Bell("bell")

    def entities(self) -> Sequence[Entity]:
        return (*super().entities(), self.bell)

    @rule(fair=WEAK)
    def draw(self) -> None:
        """The bell rings, and somebody draws a ticket."""
        self.ring()
        super().draw()

    @step
    def ring(self) -> None:
        """The bell rings."""
        self.bell.rung = True


class ForgettingOffice(RingingOffice):
    """An office whose bell forgets who rang it."""

    @step
    def ring(self) -> None:
        self.bell.last = Nothing


def test_what_is_written_elsewhere_before_an_id_is_given_again_is_refused_too() -> None:
    with pytest.raises(FinaleError) as caught:
        build(RingingOffice(Setting()))
    assert caught.value.code == "writes-before-retire"
    assert "bell.rung" in caught.value.message
    build(ForgettingOffice(Setting()))


def test_a_request_that_waits_no_more_shows_as_a_step(tmp_path: Path) -> None:
    text = RENUMBERED.replace("failures         = 1", "manual = 1")
    text = text.replace("[job]", "[options]\nqueue = 1\n\n[job]")
    system = spec_in(tmp_path, text).system(())
    names = {i: variable.name for variable in system.variables for i in variable.indices}
    (serves,) = (each for each in system.rules if each.rule.name == "serve_periodic")
    earlier = {names[index] for index, _ in serves.earlier}
    assert any("status" in name for name in earlier)
    assert not any("periodic_waits" in name for name in earlier)


# --- the job in which a renumbering passed for a violation ---------------------------------------


def test_a_step_that_renumbers_violates_nothing(tmp_path: Path) -> None:
    system = spec_in(tmp_path).system()
    report = check(system)
    verdicts = {answer.property: answer for answer in report.verdicts}
    assert (report.statistics.states, report.statistics.transitions) == (6837, 19968)
    for name in (
        "opens-nothing-after-finish",
        "decided-once",
        "plan-is-a-partition",
        "waiting-tasks-are-reached",
        "confirms-what-was-taken",
        "checkpoint-ends",
    ):
        assert verdicts[name].word == "holds", name
    for name in FORGETFUL & verdicts.keys():
        assert verdicts[name] == Verdict(name, Word.NOT_ASKED, why=AGAIN), name
    assert check_natively(system).verdicts == report.verdicts


def test_what_is_not_asked_says_so(tmp_path: Path) -> None:
    spec = spec_in(tmp_path)
    result = run(spec, only=["closed-after-final-checkpoint"], backend="readable")
    (row,) = json_rows(result, {})
    assert (row.verdict, row.why, row.ok) == ("not-asked", AGAIN, True)
    page = "\n".join(str(line) for line in result_lines(result, 100))
    assert "closed-after-final-checkpoint  not-asked  ids are given again" in page


def test_a_spec_can_expect_that_something_is_not_asked(tmp_path: Path) -> None:
    expected = '[[expect]]\nproperty = "finished-flag-is-sound"\nverdict = "not-asked"\n'
    spec = spec_in(tmp_path, f"{RENUMBERED}\n{expected}")
    system = spec.system()
    rows = result_of(spec, system, check(system)).rows
    assert next(row for row in rows if row.property == "finished-flag-is-sound").ok


def test_a_first_plan_that_is_wrong_is_found() -> None:
    spec = spec_of(SPECS / "chained-sources" / "called-by-channels.toml")
    report = check(with_few_ids(spec, 2).system())
    answer = next(a for a in report.verdicts if a.property == "waiting-tasks-are-reached")
    assert (answer.word, answer.steps) == ("violated", 1)


def test_a_checkpoint_that_is_renamed_while_it_is_pending_is_not_followed() -> None:
    spec = spec_of(SPECS / "final-checkpoint" / "queue.toml")
    one = check(with_few_ids(spec, 3).system())
    verdicts = {answer.property: answer for answer in one.verdicts}
    assert verdicts["checkpoint-ends"] == Verdict("checkpoint-ends", Word.NOT_ASKED, why=AGAIN)


def test_a_trace_says_who_gets_another_name() -> None:
    spec = spec_of(SPECS / "history" / "flink-27251.toml")
    result = run(spec, only=["checkpoints-go-on"], backend="readable")
    assert result.system is not None
    row = next(row for row in result.rows if row.trace is not None)
    assert row.trace is not None
    story = story_of(result.system, row)
    step = story.steps[-1]
    assert (step.rule.rule.name, step.renamed) == ("trigger_checkpoint", ("cp1", "cp2"))
    # The step itself makes the next checkpoint pending; no other one changes.
    assert {change.label.partition(".")[0] for change in step.changes} == {"cp2"}


# --- the sweep -----------------------------------------------------------------------------------


def test_two_runs_in_lockstep_say_the_same(tmp_path: Path) -> None:
    seen = walks(spec_in(tmp_path), range(2))
    assert_same(seen)
    assert seen.given_again > 5
    assert {"opens-nothing-after-finish", "decided-once", "confirms-what-was-taken"} <= {
        *seen.asked
    }


def test_a_variant_that_mistakes_the_newest_checkpoint_does_not_forget_it() -> None:
    spec = spec_of(SPECS / "final-checkpoint" / "broken" / "takes-oldest-for-newest.toml")
    seen = walks(spec, range(1))
    assert_same(seen)
    assert seen.given_again > 0
    assert "consistent-cut" in seen.asked


@pytest.mark.parametrize("name", ["decided-once", "confirms-what-was-taken"])
def test_what_falls_falls_with_few_ids(name: str) -> None:
    spec = next(
        s for s in broken() if name in s.expectations and s.protocol.key == "final-checkpoint"
    )
    assert_falls_alike(fallen(spec))


@pytest.mark.slow
def test_all_protocols_and_variants_say_the_same() -> None:
    seen = Seen()
    for spec in chosen():
        one = walks(spec, range(1))
        assert_same(one)
        seen.add(one)
    assert set(of_protocols()) == {spec.protocol.key for spec in chosen()}
    # Each property that is not asked would say something else.
    assert {*seen.differs, *seen.forgotten} | BY_ARGUMENT.keys() == FORGETFUL


@pytest.mark.slow
@pytest.mark.parametrize("spec", broken(), ids=lambda spec: name_of(spec.file))
def test_what_falls_with_an_id_for_each_falls_with_few(spec: Spec) -> None:
    assert_falls_alike(fallen(spec))
