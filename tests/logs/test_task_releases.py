"""Which completions have released a task, as far as the lines tell."""

from pathlib import Path

import pytest

from finale.checker.logs.read.job_runs import runs_of
from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.log_events import LineTally, events_of_lines
from finale.checker.logs.read.log_files import LogShelf
from finale.checker.logs.replay.task_releases import releases_of

from .edits import Edit, dropped, edited, inserted, until, written

TASK = "Source: src1 (2/3)#0"
ESCAPED = r"Source: src1 \(2/3\)#0"
EXECUTION = "744df767351954e056d9e2078cda035f_32e5d25b526cd430a6657f93d13a38b3_1_0"
CANCEL = (
    f"INFO  org.apache.flink.runtime.taskmanager.Task [x] - {TASK} ({EXECUTION}) "
    "switched from RUNNING to CANCELING."
)
LEAVES = rf"\[{ESCAPED}\] - All pending checkpoints are finished"


def _heard(checkpoint: int) -> str:
    return rf"Notification of checkpoint COMPLETE {checkpoint} for task {ESCAPED}"


def _released(folder: Path, *edits: Edit) -> list[bool | None]:
    """For each completion that the task hears of: whether it has released the task."""
    written(folder, edited("race-00", *edits))
    with LogShelf() as shelf:
        (log,) = shelf.logs([str(folder)])
        ((run,), _) = runs_of(
            list(events_of_lines(shelf.lines(log), table("flink-2.3"), LineTally()))
        )
    found = releases_of(run)
    return [
        found.get(id(each.log_event))
        for each in run.events
        if each.word == "notified-complete"
        and each.task is not None
        and TASK.startswith(each.task.name)
    ]


@pytest.mark.parametrize(
    ("edits", "released"),
    [
        ([inserted(LEAVES, CANCEL)], [False, False, True]),
        ([dropped(LEAVES), inserted(_heard(4), CANCEL)], [False, False, None]),
        ([dropped(LEAVES), inserted(_heard(2), CANCEL)], [False, None, None]),
        ([dropped(LEAVES)], [False, False, None]),
        ([until(_heard(4))], [False, False, None]),
    ],
    ids=["it says so", "canceled", "canceled before the last", "lost", "cut"],
)
def test_the_last_completion_of_a_task_that_never_leaves_may_have_released_it(
    edits: list[Edit], released: list[bool | None], tmp_path: Path
) -> None:
    assert _released(tmp_path, *edits) == released
