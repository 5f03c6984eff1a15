"""Assumptions: what is left out is gone from the rules, in both meanings, and from no property."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from finale.checker.search.bfs.search import check
from finale.checker.search.interpreter.search import explore
from finale.checker.search.verdict import Report, Word
from finale.model.errors import FinaleError
from finale.model.language.assumptions import Leaving
from finale.model.language.build import build
from finale.model.rules import (
    Bool,
    Entity,
    Protocol,
    Range,
    Setting,
    always,
    assumed,
    at_once,
    define,
    field,
    reachable,
    require,
    rule,
    step,
)


class Lamp(Entity):
    """A lamp that its fuse may hold back."""

    lit = field(Bool, False)

    @assumed("Fuse.isWhole", without=False)
    @define
    def is_blown(self) -> bool:
        """Whether the fuse is blown: always."""
        return not self.lit


class Lamps(Protocol):
    """One lamp, and a count."""

    key = "lamps"
    parts = (Lamp,)
    switched = field(Range(0, 3), 0)
    noted = field(Range(0, 3), 0)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.lamp = Lamp("lamp")

    def entities(self) -> Sequence[Entity]:
        return (self.lamp,)

    @rule
    def switch(self, lamp: Lamp) -> None:
        """Somebody switches the lamp on."""
        require(not lamp.is_blown(), self.may_switch())
        lamp.lit = True
        self.note()

    @rule
    def count(self) -> None:
        """Somebody counts."""
        require(self.may_switch())
        self.switched += 1
        self.note()

    @assumed("Hand.mayReach")
    @define
    def may_switch(self) -> bool:
        """AB-2: whether a hand is near: twice."""
        return self.switched < 2

    @at_once("Hand.note", apart="tests.model.test_language_assumptions:NotesLater")
    @assumed("Hand.note")
    @step
    def note(self) -> None:
        """What was done is noted."""
        self.noted = self.switched


class NotesLater(Lamps):
    """The note comes later."""

    owed = field(Bool, False)

    @step
    def note(self) -> None:
        """A note is owed."""
        self.owed = True

    @rule
    def note_later(self) -> None:
        """What is owed is noted."""
        require(self.owed)
        self.owed = False
        super().note()


@always(witness="something-is-switched")
def notes_are_true(state: Lamps) -> bool:
    """The note is what was done, while a hand may be near."""
    return state.noted == state.switched or not state.may_switch()


@reachable
def something_is_switched(state: Lamps) -> bool:
    """The witness: something was switched."""
    return state.switched > 0


FAMILIES = (notes_are_true, something_is_switched)


def reports(*without: str, kind: Callable[[Setting], Lamps] = Lamps) -> list[Report]:
    """What both meanings of the rules see."""
    setting = Setting(without=frozenset(without))
    return [check(build(kind(setting), FAMILIES)), explore(kind(setting))]


def states_of(*without: str) -> int:
    one, other = reports(*without)
    assert one.statistics.states == other.statistics.states
    return one.statistics.states


def test_a_guard_that_is_left_out_forbids_nothing() -> None:
    assert states_of() == 3
    assert states_of("may-switch") == 4  # then a write outside the domain ends it
    assert states_of("is-blown") == 6


def test_a_step_that_is_left_out_does_nothing_and_properties_see_it() -> None:
    found, _ = reports("note")
    verdicts = {each.property: each for each in found.verdicts}
    assert verdicts["notes-are-true"].word is Word.VIOLATED


def test_properties_keep_the_assumptions_that_rules_leave_out() -> None:
    # With three switched, nothing is near: the property excuses what the rules no longer do.
    found, _ = reports("note", "may-switch")
    answer = next(each for each in found.verdicts if each.property == "notes-are-true")
    assert answer.steps == 1
    assert Lamps.assumptions()["may-switch"].without is True


def test_an_atomic_step_is_taken_apart() -> None:
    known = Lamps.assumptions()["note-at-once"]
    apart = known.apart_from(Lamps)
    found, _ = reports(kind=apart)
    assert known.leaving is Leaving.AT_ONCE
    assert {each.rule.name for each in build(apart(Setting())).rules} >= {"note_later", "count"}
    verdicts = {each.property: each for each in found.verdicts}
    assert verdicts["notes-are-true"].word is Word.VIOLATED


def test_assumptions_have_names_methods_and_sentences() -> None:
    known = Lamps.assumptions()
    assert list(known) == ["may-switch", "note", "note-at-once", "is-blown"]
    assert known["may-switch"].cites == ("AB-2",)
    assert known["is-blown"].without is False
    assert known["note"].leaving is Leaving.STEP


def unmarked(self: Lamps) -> bool:
    """Not a helper."""
    return True


@pytest.mark.parametrize(
    "mark",
    [
        lambda: assumed("Hand.note")(unmarked),
        lambda: assumed("note")(define(unmarked)),
        lambda: assumed()(define(unmarked)),
        lambda: assumed("Hand.note")(rule(unmarked)),  # type: ignore[arg-type]
        lambda: at_once("Hand.note", apart="a:B")(define(unmarked)),
    ],
    ids=["no helper", "no class", "no method", "a rule", "no step"],
)
def test_a_mark_that_makes_no_sense_is_refused(mark: Callable[[], object]) -> None:
    with pytest.raises(FinaleError) as error:
        mark()
    assert error.value.code == "assumption-misused"
