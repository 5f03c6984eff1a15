"""Variables to which lines leave two values: every mix of them may be what happened."""

from __future__ import annotations

import pytest

from finale.checker.logs.findings import Where
from finale.checker.logs.property_monitor import MIXES, AskedPredicates
from finale.checker.logs.replay.partial_model import ModelSize, PartialModel, partial_system
from finale.checker.logs.replay.replay_monitor import ReplayMonitor
from finale.checker.search.interpreter.execution import PlainPredicate
from finale.model.language.properties import Family
from finale.model.protocols.task.tasks import TaskStatus
from finale.model.rules import always

_WAITS, _RUNS = TaskStatus.WAITING_FOR_FINAL_CP, TaskStatus.RUNNING


@always(witness="finished")
def as_if_one(state: PartialModel) -> bool:
    """The first two tasks run together, or wait together."""
    first, second, *_ = state.tasks
    return first.status == second.status


@always(witness="finished")
def one_is_no_part(state: PartialModel) -> bool:
    """A second task is asked only if the first one waits."""
    first, second, *_ = state.tasks
    return first.status == _RUNS or second.status != _WAITS


@always(witness="finished")
def counts(state: PartialModel) -> bool:
    """Whoever waits, there are as many tasks."""
    return sum(task.status in (_WAITS, _RUNS) for task in state.tasks) == len(state.tasks)


def _undecided(family: Family, opened: int, parallelism: int = 2) -> bool:
    """Whether a property is undecided if the first tasks may wait instead of running."""
    system = partial_system({"Source: a": parallelism}, ModelSize(2))
    system.asked = AskedPredicates([PlainPredicate(family, (), (), takes_step=False)])
    monitors = ReplayMonitor(system, range(len(system.start)))
    at = [task.variables["status"].position for task in system.protocol.tasks]
    for position in at:
        monitors.values[position] = _RUNS
    monitors.start(Where(0, 0, 0))
    others = dict.fromkeys(at[:opened], _WAITS)
    monitors.take(Where(0, 0, 1), "restore", {}, lambda: None, alternatives=others)
    assert not monitors.found
    return family.name in monitors.unseen


@pytest.mark.parametrize("opened", [1, 2])
def test_each_mix_of_second_values_is_tried(opened: int) -> None:
    """With both second values the property holds as with both first ones."""
    assert _undecided(as_if_one, opened)


def test_variables_that_only_a_mix_reads_are_tried() -> None:
    assert not _undecided(one_is_no_part, 1)
    assert _undecided(one_is_no_part, 2)


def test_with_too_many_mixes_a_property_is_undecided() -> None:
    assert not _undecided(counts, 4, parallelism=8)
    assert MIXES < 2**8
    assert _undecided(counts, 8, parallelism=8)
