"""V-3: a sink commits its open transaction when it closes, without a checkpoint.

What it committed is replayed when another task fails before the job has finished.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.job.elements import Datum, clear_effects
from finale.model.protocols.legacy_finish import LegacyFinish
from finale.model.protocols.sinks.sinks import TwoPhaseSink
from finale.model.protocols.task.tasks import Task
from finale.model.rules import step


class CommitOnClose(LegacyFinish):
    """LegacyFinish with one mistake."""

    must_fall: ClassVar[str] = "commit-at-most-once"

    @step
    def close_operators(self, task: Task) -> None:
        """The open transaction is committed instead of aborted."""
        if isinstance(task.sink, TwoPhaseSink):
            for record in task.sink.data:
                self.commit_if_open(task.sink, record)
            clear_effects(task.sink.current, task.sink.data)

    @step
    def commit_if_open(self, sink: TwoPhaseSink, record: Datum) -> None:
        """Make a record of the open transaction visible."""
        if sink.current[record] > 0:
            sink.show(record)
