"""Finds the tasks of which the logs lack something: no line of their own process tells of them."""

from __future__ import annotations

from finale.checker.logs.read.job_runs import JobRun
from finale.checker.logs.read.visibility import CLOCKS_OF_TASKS, OF_TASKS

#: The states that the coordinator learns of an attempt that has run.
_HAS_RUN = ("INITIALIZING", "RUNNING", "FINISHED")


def without_log(run: JobRun) -> frozenset[tuple[str, int]]:
    """Return the subtasks, by vertex and index, one of whose attempts ran in a process without log.

    The coordinator has learned that such an attempt runs, and no other process has a line about it.
    """
    ran, told = set[tuple[str, int, int | None]](), set[tuple[str, int, int | None]]()
    for event in run.events:
        if (task := event.task) is None:
            continue
        attempt = task.vertex, task.subtask, task.attempt
        if event.word == "task-learned":
            if event.log_event.fields["to"] in _HAS_RUN:
                ran.add(attempt)
        elif event.word == OF_TASKS or event.log_event.clock.startswith(CLOCKS_OF_TASKS):
            told.add(attempt)
    # A line that names no attempt may be of any.
    return frozenset((v, s) for v, s, number in ran if not told & {(v, s, number), (v, s, None)})
