"""A job without periodic checkpoints: checkpointing is not configured, or the mode is batch.

Models what FC-5, FC-6 and 1.7 of the fact sheet say of such jobs. The coordinator triggers nothing
by itself, no task waits for a final checkpoint, and a committer commits at the end of its input
what it was handed. If checkpointing is merely not configured, a user still gets savepoints, and a
stop still works by its savepoint. In batch mode the coordinator refuses both.
Left out: failures in batch mode, after which finished tasks keep their results.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from model.errors import FinaleError, Place
from model.protocols.coordinator.reporting import Reporting
from model.protocols.requests.requests import CheckpointRequest, Requests, RequestStatus
from model.protocols.sinks.committer import Committer
from model.protocols.sinks.outside_sinks import BufferedSink
from model.protocols.task.tasks import Task
from model.rules import WEAK, Setting, define, require, rule, step


class Mode(enum.Enum):
    """Whether a job takes checkpoints by itself (`execution.checkpointing.interval`)."""

    CONFIGURED = "configured"
    NOT_CONFIGURED = "not-configured"
    BATCH = "batch"


@dataclass(frozen=True)
class ModeOptions:
    """Options of jobs without periodic checkpoints."""

    #: FC-5: checkpointing is configured, or not, or the job runs in batch mode
    checkpointing: Mode = Mode.CONFIGURED


class Modes(Requests, Reporting):
    """A job whose checkpoints may not be configured."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        if self.is_batch:
            self._refuse_in_batch()

    @property
    def is_configured(self) -> bool:
        """Whether the coordinator takes periodic checkpoints: a plain truth value."""
        return bool(self.options.checkpointing == Mode.CONFIGURED)

    @property
    def is_batch(self) -> bool:
        """Whether the job runs in batch mode: a plain truth value."""
        return bool(self.options.checkpointing == Mode.BATCH)

    def _refuse_in_batch(self) -> None:
        if any(not subtask.bounded for subtask in self.job.subtasks):
            raise FinaleError(
                "unbounded-in-batch",
                "a job in batch mode has a source without an end",
                place=Place(key="job"),
                advice='let all sources be bounded, or write checkpointing = "not-configured"',
            )
        for name in ("failures", "crashes"):
            if int(getattr(self.bounds, name)):
                raise FinaleError(
                    "failures-in-batch",
                    "failures of a job in batch mode are not modelled",
                    place=Place(key=f"bounds.{name}"),
                    advice='leave the bound out, or write checkpointing = "not-configured"',
                )

    # --- checkpoints that nobody takes -----------------------------------------------------------

    @rule(fair=WEAK)
    def trigger_checkpoint(self) -> None:
        """PL-1, PL-2, PL-3: the coordinator plans the next checkpoint and makes it pending."""
        require(self.is_configured)
        super().trigger_checkpoint()

    @rule(fair=WEAK)
    def trigger_at_end_of_data(self) -> None:
        """FC-10: once, when every task has reported its end of data, a checkpoint is triggered."""
        require(self.is_configured)
        super().trigger_at_end_of_data()

    @define
    def may_trigger(self) -> bool:
        """PL-1: a job in batch mode has no coordinator of checkpoints: requests are refused."""
        if self.is_batch:
            return False
        return super().may_trigger()

    @rule
    def request_checkpoint(self, request: CheckpointRequest) -> None:
        """PL-1: a user asks for a checkpoint; in batch mode the request is refused."""
        if self.is_batch:
            require(self.is_next(request), self.runs())
            request.status = RequestStatus.FAILED
        else:
            super().request_checkpoint(request)

    # --- the end ---------------------------------------------------------------------------------

    @step
    def end_input(self, task: Task) -> None:
        """1.7: at the end of its input a sink writes its batch, and a committer commits if nobody
        takes checkpoints."""
        if isinstance(task.sink, BufferedSink):
            task.sink.flush()
        if not self.is_configured and isinstance(task.sink, Committer):
            task.sink.commit_all()
