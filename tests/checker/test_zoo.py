"""The readable search finds in each animal of the zoo what is known of it by hand."""

import pytest

from finale.checker.search.bfs.search import check
from finale.checker.search.verdict import Verdict
from finale.model.language.build import build
from finale.model.semantics import steps
from finale.model.trace import replay
from tests.zoo import ZOO
from tests.zoo.animal import Animal
from tests.zoo.classics import EWD_840, alternatives


def told(answer: Verdict) -> str:
    steps = "" if answer.steps is None else f" {answer.steps}"
    return f"{answer.word}{steps}"


@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_counts_and_verdicts(animal: Animal) -> None:
    system = build(animal.make(), animal.families)
    report = check(system)
    found = report.statistics
    assert (found.states, found.transitions, found.depth) == (
        animal.states,
        animal.transitions,
        animal.depth,
    )
    verdicts = {answer.property: told(answer) for answer in report.verdicts}
    assert verdicts == dict.fromkeys(verdicts, "holds") | dict(animal.expected)
    for answer in report.verdicts:
        trace = answer.trace
        if trace is not None:
            replay(system, trace)


def test_ewd_840_generates_as_many_states_as_tlc_says() -> None:
    system = build(EWD_840.make())
    found = dict.fromkeys(system.initial)
    pending = list(found)
    generated = len(pending)
    for state in pending:
        for step in steps(system, state):
            assert isinstance(step.result, tuple)
            generated += alternatives(system.values(state), step.rule.rule.name)
            if step.result not in found:
                found[step.result] = None
                pending.append(step.result)
    assert (len(found), generated) == (302, 2001)
