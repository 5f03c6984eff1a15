"""The table of what lines mean agrees with the table of how lines look."""

import pytest

from finale.checker.logs.lines import BY_STATUS, CHECKPOINT_BECOMES, SETTLES, TELLS, Observed
from finale.checker.logs.read.line_patterns import table, tables
from finale.model.events import WORDS, Clock
from finale.model.protocols.coordinator.checkpoints import CheckpointStatus

#: What no line of its own tells: the first line of a failover does (`read/failovers.py`).
_WITHOUT_LINE = {Observed.CRASHED}


@pytest.mark.parametrize("name", tables())
def test_each_line_has_its_pattern_and_its_clock(name: str) -> None:
    clocks = {each.event: each.clock for each in table(name).patterns}
    for kind in set(Observed) - _WITHOUT_LINE:
        # The thread of a task is not the only one that writes how its state changes.
        assert clocks[kind.word] in (kind.facts.clock.value, "none")


@pytest.mark.parametrize("name", tables())
def test_each_word_that_tells_a_variable_has_a_pattern(name: str) -> None:
    known = {each.event for each in table(name).patterns}
    told = [words for of in (TELLS, SETTLES) for each in of.values() for words in each.values()]
    assert {word for words in told for word in words} <= known


def test_each_line_tells_of_steps_of_the_protocols() -> None:
    assert {step for kind in Observed for step in kind.facts.steps} <= {*WORDS}


def test_each_change_of_a_status_has_one_line() -> None:
    changes = [kind.facts.becomes for kind in Observed if kind.facts.becomes is not None]
    assert len(changes) == len(BY_STATUS)
    assert {*CHECKPOINT_BECOMES.values()} == {*CheckpointStatus} - {CheckpointStatus.UNUSED}


def test_only_what_is_of_a_task_has_its_clock() -> None:
    of_tasks = (Clock.MAILBOX, Clock.CALLS)
    assert all(kind.facts.of_task for kind in Observed if kind.facts.clock in of_tasks)
