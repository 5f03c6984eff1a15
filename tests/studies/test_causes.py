"""What a counterexample needs: each claim is tried with searches of its own."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from finale.checker.report.alternatives import taken_by
from finale.checker.report.task_order import with_few_changes
from finale.checker.search.bfs.search import check
from finale.checker.search.rows import ResultRow, SpecResult
from finale.checker.search.run import run
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.checker.studies.causes import added_rules, causes_of
from finale.model import rules
from finale.model.semantics import outcome, updated
from finale.model.system import Blocked, Update
from finale.model.trace import Trace, replay

SPECS = Path(__file__).parent.parent.parent / "specs"
HANGS = "final-checkpoint/broken/finish-during-trigger-hangs"
RELEASED = "final-checkpoint/broken/released-by-abort"


@cache
def result(name: str) -> SpecResult:
    return run(read_spec(SPECS / f"{name}.toml", catalogue()))


def row_of(name: str, of: str) -> ResultRow:
    return next(row for row in result(name).rows if row.property == of)


def steps_of(name: str, of: str) -> list[str]:
    system, trace = result(name).system, row_of(name, of).trace
    assert system is not None
    assert trace is not None
    return [str(system.rules[rule]) for rule in trace.rules]


def test_the_step_of_the_environment_is_named() -> None:
    system, row = result(RELEASED).system, row_of(RELEASED, "closed-after-final-checkpoint")
    assert system is not None
    causes = causes_of(system, row)
    steps = steps_of(RELEASED, row.property)
    assert [steps[number - 1] for number in causes.needed] == ["expire(cp1)"]
    # The whole protocol without time-outs keeps the property, too.
    without = tuple(
        replace(each, tree=Blocked()) if each.rule.name == "expire" else each
        for each in system.rules
    )
    found = check(replace(system, rules=without))
    (verdict,) = (each for each in found.verdicts if each.property == row.property)
    assert verdict.word is Word.HOLDS


def test_steps_of_rules_that_a_change_adds_are_tried_though_they_are_fair() -> None:
    system, row = result(HANGS).system, row_of(HANGS, "checkpoint-ends")
    assert system is not None
    assert not causes_of(system, row).needed
    names = [name.partition("(")[0] for name in steps_of(HANGS, "checkpoint-ends")]
    found = causes_of(system, row, {"trigger_checkpoint"}).needed
    assert [names[number - 1] for number in found] == ["trigger_checkpoint"]


def test_only_a_variant_adds_rules() -> None:
    known = catalogue()
    assert not added_rules(known.protocol("final-checkpoint"))
    base = known.protocol("final-checkpoint")

    class Adds(base):  # type: ignore[misc, valid-type]
        """A variant with a rule of its own."""

        key = ""

        @rules.rule
        def one_more(self) -> None:
            """A rule that the protocol has not."""

    assert added_rules(Adds) == {"one_more"}


def test_a_run_without_faults_needs_none() -> None:
    system = result(HANGS).system
    assert system is not None
    assert not causes_of(system, row_of(HANGS, "checkpoint-ends")).needed


@pytest.mark.parametrize(
    ("name", "of"),
    [(HANGS, "checkpoint-ends"), (RELEASED, "closed-after-final-checkpoint")],
)
def test_after_a_move_the_property_can_still_hold(name: str, of: str) -> None:
    """A search from the state after the moved run finds a run that keeps the property."""
    system, row = result(name).system, with_few_changes_of(name, of)
    assert system is not None
    assert row.trace is not None
    moves = causes_of(system, row).moves
    assert moves
    for late, early in moves:
        order = list(row.trace.rules)
        order.insert(early - 1, order.pop(late - 1))
        state = row.trace.states[0]
        for position, rule in enumerate(order):
            end = outcome(system.rules[rule].tree, state)
            assert isinstance(end, Update) or position != early - 1
            state = updated(end, state) if isinstance(end, Update) else state
        (prop,) = (each for each in system.properties if each.name == of)
        rest = replace(system, initial=(state,), properties=(replace(prop, witness=None),))
        (verdict,) = (each for each in check(rest).verdicts if each.property == of)
        assert verdict.word is not Word.VIOLATED


def test_a_run_without_steps_stays_as_it_is() -> None:
    system, row = result(HANGS).system, row_of(HANGS, "checkpoint-ends")
    assert system is not None
    assert row.trace is not None
    none = replace(row, trace=Trace(row.trace.states[:1], ()))
    assert with_few_changes(system, none) is none


def with_few_changes_of(name: str, of: str) -> ResultRow:
    system = result(name).system
    assert system is not None
    found = with_few_changes(system, row_of(name, of))
    assert isinstance(found, ResultRow)
    return found


@pytest.mark.parametrize(
    ("name", "of", "before", "after"),
    [(HANGS, "checkpoint-ends", 9, 4), (RELEASED, "closed-after-final-checkpoint", 4, 4)],
)
def test_steps_stay_with_a_task(name: str, of: str, before: int, after: int) -> None:
    system, row, ordered = result(name).system, row_of(name, of), with_few_changes_of(name, of)
    assert system is not None
    assert row.trace is not None
    assert ordered.trace is not None
    replay(system, ordered.trace)
    assert sorted(row.trace.rules) == sorted(ordered.trace.rules)
    assert (changes(name, row), changes(name, ordered)) == (before, after)


def changes(name: str, row: ResultRow) -> int:
    from finale.checker.report.sequence import Lanes

    system = result(name).system
    assert system is not None
    assert row.trace is not None
    lanes = Lanes(system)
    actors = [lanes.actor(system.rules[rule]) for rule in row.trace.rules]
    return sum(one != other for one, other in pairwise(actors))


def test_each_step_names_the_alternative_that_it_took() -> None:
    system, row = result(HANGS).system, row_of(HANGS, "checkpoint-ends")
    assert system is not None
    assert row.trace is not None
    told = {
        str(system.rules[rule]): [each.text for each in taken_by(system.rules[rule], state)]
        for rule, state in zip(row.trace.rules, row.trace.states, strict=False)
    }
    assert told["deliver_trigger(S1, cp1)"] == ["task.status in (QUIESCED, CLOSED)"]
    assert told["deliver_trigger(S2, cp1)"] == ["task.status not in (QUIESCED, CLOSED)"]
    assert told["apply_acknowledgement(K, cp1)"] == []
    place = taken_by(
        *next(
            (system.rules[rule], state)
            for rule, state in zip(row.trace.rules, row.trace.states, strict=False)
            if str(system.rules[rule]) == "deliver_trigger(S1, cp1)"
        )
    )[0].place
    line = Path(place.file or "").read_text(encoding="utf-8").splitlines()[(place.line or 0) - 1]
    assert "TaskStatus.QUIESCED, TaskStatus.CLOSED" in line
