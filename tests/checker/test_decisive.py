"""Decisive steps: exact ones, and each claim against the searches with their fairness."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from finale.checker.search.bfs.search import check
from finale.checker.search.rows import ResultRow, SpecResult
from finale.checker.search.run import run
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.checker.studies.decisive import decisive_steps
from finale.model.expressions import FALSE, TRUE, Expression, conjunction, negation
from finale.model.semantics import evaluate, outcome, updated
from finale.model.system import Kind, Predicate, State, System, Update

SPECS = Path(__file__).parent.parent.parent / "specs"
SMALL = (
    "final-checkpoint/broken/finish-during-trigger-hangs.toml",
    "legacy-finish/natural-end-loses-records.toml",
    "legacy-stop/cancel-with-savepoint-duplicates.toml",
    "history/flink-1775.toml",
    "history/flink-21133.toml",
)


@cache
def result(name: str) -> SpecResult:
    return run(read_spec(SPECS / name, catalogue()))


def row_of(name: str, property: str) -> ResultRow:
    return next(row for row in result(name).rows if row.property == property)


def names(name: str, property: str) -> list[str]:
    found, row = result(name), row_of(name, property)
    assert found.system is not None
    assert row.trace is not None
    decisive = decisive_steps(found.system, row)
    return [str(found.system.rules[row.trace.rules[n - 1]]) for n in decisive.steps]


def test_the_race_is_named() -> None:
    assert names(SMALL[0], "checkpoint-ends") == [
        "trigger_checkpoint()",
        "end_source(S1)",
        "quiesce(S1)",
    ]


def test_a_record_that_is_emitted_and_an_end_lose_the_record() -> None:
    assert names(SMALL[1], "commit-completeness") == ["emit(S)", "end_source(S)"]


def test_a_deadlock_has_its_point_of_no_return() -> None:
    found, row = result(SMALL[3]), row_of(SMALL[3], "no-deadlock")
    assert found.system is not None
    assert row.trace is not None
    decisive = decisive_steps(found.system, row)
    assert (decisive.no_return, decisive.steps) == (5, (1, 2, 3, 4, 5))


def test_a_violation_that_nothing_prevents_has_no_decisive_step() -> None:
    found, row = result(SMALL[1]), row_of(SMALL[1], "closed-after-final-checkpoint")
    assert found.system is not None
    assert row.trace is not None
    decisive = decisive_steps(found.system, row)
    assert (decisive.no_return, decisive.steps, decisive.why) == (0, (), "")


def test_where_too_many_states_follow_nothing_is_claimed() -> None:
    found, row = result(SMALL[0]), row_of(SMALL[0], "checkpoint-ends")
    assert found.system is not None
    assert row.trace is not None
    decisive = decisive_steps(found.system, row, states_max=10)
    assert (decisive.steps, decisive.why) == ((), "more than 10 states follow from it")


def test_a_witness_has_none() -> None:
    found, row = result(SMALL[0]), row_of(SMALL[0], "a-checkpoint-completes")
    assert found.system is not None
    assert row.trace is not None
    assert decisive_steps(found.system, row).why == "it is no counterexample"


# --- each claim against the searches -------------------------------------------------------------


def states_after(system: System, start: State, rules: Iterator[int]) -> list[State]:
    """The states of a run; a rule that is not enabled is left out."""
    states = [start]
    for rule in rules:
        leaf = outcome(system.rules[rule].tree, states[-1])
        if isinstance(leaf, Update):
            states.append(updated(leaf, states[-1]))
    return states


def asked(system: System, kind: Kind, claim: Expression, start: State) -> bool:
    """Whether one property of one kind holds from a state."""
    prop = replace(
        system.properties[0],
        name="asked",
        kind=kind,
        predicates=(Predicate((), TRUE, claim, FALSE),),
        on_rules=(),
        witness=None,
        not_asked="",
    )
    report = check(replace(system, initial=(start,), properties=(prop,)))
    [answer] = [each for each in report.verdicts if each.property == "asked"]
    assert answer.word in (Word.HOLDS, Word.VIOLATED)
    return answer.word is Word.HOLDS


def is_inevitable(system: System, row: ResultRow, states: list[State]) -> bool:
    """The same question, asked of the readable search with its own notion of fair runs."""
    prop = next(each for each in system.properties if each.name == row.property)
    if prop.kind is Kind.ALWAYS:
        keeps = [negation(conjunction([p.when, negation(p.claim)])) for p in prop.predicates]
        bad = negation(conjunction(keeps))
        has_happened = any(evaluate(bad, state) for state in states)
        return has_happened or asked(system, Kind.EVENTUALLY, bad, states[-1])
    predicate = next(each for each in prop.predicates if each.binding == row.binding)
    return not asked(system, Kind.REACHABLE, predicate.claim, states[-1])


CASES = [
    (SMALL[0], "checkpoint-ends"),
    (SMALL[1], "nothing-pending-at-the-end"),
    (SMALL[1], "commit-completeness"),
    (SMALL[3], "alignment-can-end"),
    (SMALL[4], "stop-is-answered"),
]


@pytest.mark.parametrize(("name", "property"), CASES)
def test_the_searches_agree(name: str, property: str) -> None:
    found, row = result(name), row_of(name, property)
    system, trace = found.system, row.trace
    assert system is not None
    assert trace is not None
    decisive = decisive_steps(system, row)
    assert decisive.steps
    rules = [trace.rules[number - 1] for number in decisive.steps]
    start = trace.states[0]
    assert is_inevitable(system, row, states_after(system, start, iter(rules)))
    for left_out in range(len(rules)):
        kept = iter([*rules[:left_out], *rules[left_out + 1 :]])
        assert not is_inevitable(system, row, states_after(system, start, kept))
    assert decisive.no_return is not None
    before = trace.rules[: decisive.no_return - 1]
    assert not is_inevitable(system, row, states_after(system, start, iter(before)))
