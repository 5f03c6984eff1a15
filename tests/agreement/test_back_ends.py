"""All searches agree, on the zoo and on the yardstick: counts, verdicts, traces, coverage."""

from dataclasses import replace

import pytest

from finale.checker.search.bfs.search import check
from finale.checker.search.interpreter.search import explore
from finale.checker.search.limits import Limits
from finale.checker.search.native.search import check as check_natively
from finale.checker.search.verdict import Report
from finale.model.language.build import build
from finale.model.protocols.yardstick import Yardstick
from finale.model.rules import Setting
from finale.model.system import System
from tests.agreement.compare import compare
from tests.zoo import ZOO
from tests.zoo.animal import Animal

SMALL = Setting(bounds={"records": 2, "checkpoints": 1, "channel": 3})


def counts(report: Report) -> tuple[int, int, int]:
    found = report.statistics
    assert found.complete
    assert found.frontier == 0
    return found.states, found.transitions, found.depth


def assert_told_alike(native: Report, readable: Report) -> None:
    """All that two searches in one order must have in common, cut short or not."""
    assert replace(native.statistics, seconds=0) == replace(readable.statistics, seconds=0)
    assert native.verdicts == readable.verdicts
    assert native.dead_branches == readable.dead_branches
    assert native.exercised == readable.exercised
    assert native.stopped == readable.stopped


def safety(system: System, report: Report) -> list[object]:
    """The answers that the concrete search gives, too."""
    liveness = {prop.name for prop in system.properties if prop.kind.is_liveness}
    return [answer for answer in report.verdicts if answer.property not in liveness]


@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_searches_agree_on_the_zoo(animal: Animal) -> None:
    protocol = animal.make()
    system = build(protocol, animal.families)
    compiled, defined = check(system), check(system, compiled=False)
    concrete = explore(protocol, animal.families)
    assert_told_alike(check_natively(system), compiled)
    assert counts(compiled) == counts(defined) == counts(concrete)
    assert compiled.verdicts == defined.verdicts
    assert compiled.dead_branches == defined.dead_branches
    assert safety(system, compiled) == safety(system, concrete)
    assert compiled.exercised == defined.exercised == concrete.exercised


@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_rules_and_trees_agree_on_the_zoo(animal: Animal) -> None:
    assert compare(animal.make(), animal.families) is None


@pytest.mark.parametrize("states", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_searches_that_are_cut_short_agree(animal: Animal, states: int) -> None:
    system = build(animal.make(), animal.families)
    limits = Limits(states_max=states)
    assert_told_alike(check_natively(system, limits), check(system, limits))


def test_searches_agree_on_the_yardstick() -> None:
    system = build(Yardstick(SMALL))
    compiled, defined = check(system), check(system, compiled=False)
    concrete = explore(Yardstick(SMALL))
    assert_told_alike(check_natively(system), compiled)
    assert counts(compiled) == counts(defined) == counts(concrete) == (8839, 42508, 33)
    assert compiled.verdicts == defined.verdicts == concrete.verdicts
    assert compiled.dead_branches == defined.dead_branches
    assert compiled.exercised == defined.exercised == concrete.exercised


def test_rules_and_trees_agree_on_the_yardstick() -> None:
    setting = Setting(bounds={"records": 1, "checkpoints": 1, "channel": 2})
    assert compare(Yardstick(setting)) is None
