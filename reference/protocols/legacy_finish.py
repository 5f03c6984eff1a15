"""Before FLIP-147: a task ends with its inputs, and no checkpoint follows the first end."""

from __future__ import annotations

from finale.reference.asking import Asking
from finale.reference.steps import Guarded, action
from finale.reference.task import Phase, Task


class LegacyFinish(Asking):
    """Tasks wait for nothing. What a sink has not committed by then is never committed."""

    key = "legacy-finish"

    @property
    def after_finish(self) -> bool:
        return False

    @action("task")
    def end_task(self, task: Task) -> Guarded:
        """All inputs have closed."""
        yield task.phase is Phase.RUNNING and bool(task.inputs) and task.gate.all_ended
        self.finish(task)

    def finish(self, task: Task) -> None:
        task.operator.last_watermark(task.emit)
        task.operator.finish(task.emit)
        task.phase = Phase.DRAINING
