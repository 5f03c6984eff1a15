"""Which steps of a trace come before which, on traces that can be read in one go."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.reproduce.happens_before import happens_before
from finale.checker.search.run import run
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from finale.model.semantics import outcome, updated
from finale.model.system import Update
from finale.model.trace import Trace
from tests.docs.pages import ROOT

SPECS = ROOT / "specs"


def found(name: str, prop: str) -> tuple[Spec, Trace, tuple[frozenset[int], ...], list[str]]:
    spec = read_spec(SPECS / name, catalogue())
    result = run(spec, only=(prop,))
    row = next(row for row in result.rows if row.property == prop)
    assert row.trace is not None
    assert result.system is not None
    rules = [str(rule) for rule, _ in row.trace.steps(result.system)]
    return spec, row.trace, happens_before(result.system, row.trace), rules


def test_the_hang_of_a_stop() -> None:
    name = Path("stop-with-savepoint/final-trigger-during-stop.toml")
    _, _, past, rules = found(str(name), "no-release-is-dropped")
    at = {rule: number for number, rule in enumerate(rules)}
    complete_newer, complete = at["complete(cp2)"], at["complete(cp1)"]
    assert complete_newer in past[complete]
    assert at["trigger_at_end_of_data()"] in past[complete_newer]
    # The stop may be asked for before the source has ended, and after.
    stop = next(number for rule, number in at.items() if rule.startswith("request_stop"))
    assert past[stop] == frozenset()
    # Acknowledgements of two tasks come in any order.
    ack = at["apply_acknowledgement(S, cp1)"]
    assert ack not in past[at["apply_acknowledgement(K, cp1)"]]
    assert ack in past[complete]
    # Of the two barriers, which one rule polls, the second comes after what has sent it.
    barriers = [number for number, rule in enumerate(rules) if rule.startswith("poll_barrier")]
    assert barriers[0] in past[barriers[1]]
    assert at["run_trigger(S, cp2)"] in past[barriers[1]]


@pytest.mark.parametrize(
    ("name", "prop"),
    [
        ("stop-with-savepoint/savepoint-after-stop.toml", "stop-is-answered"),
        ("stop-with-savepoint/lost-confirmation.toml", "stop-is-answered"),
    ],
)
def test_each_order_that_it_allows_is_a_run_to_the_same_state(name: str, prop: str) -> None:
    spec, trace, past, rules = found(name, prop)
    system = spec.system()
    count = len(trace.states) - 1
    # The order in which each step comes as late as it can.
    left, order = set(range(count)), list[int]()
    while left:
        last = min(each for each in left if not any(each in past[other] for other in left))
        order.insert(0, last)
        left.remove(last)
    assert sorted(order) == list(range(count))
    assert order != list(range(count)), "the trace has steps that may come in any order"
    by_name = {str(rule): rule for rule in system.rules}
    state = trace.states[0]
    for number in order:
        leaf = outcome(by_name[rules[number]].tree, state)
        assert isinstance(leaf, Update)
        state = updated(leaf, state)
    assert state == trace.states[-1]
