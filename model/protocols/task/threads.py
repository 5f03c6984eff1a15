"""Sources that emit in a thread of their own, as those did that were no more than a function.

Models the legacy source of 1.7 of the fact sheet, as far as its end is not one step with that of
its task: the thread leaves its loop, at its last record or because it is told, and the task hears
of it later. Told to leave, the thread may still emit, until it looks. It shares a lock with its
task, so that an emission and a checkpoint are a step each here as well.
"""

from __future__ import annotations

import enum

from model.protocols.stops.synchronous import Synchronous
from model.protocols.task.sources import Source, StopMode
from model.protocols.task.tasks import TaskStatus
from model.rules import WEAK, Bool, define, field, require, rule, step


class SourceThread(enum.Enum):
    """What the end of a source's thread is to a task that a stop ends.

    NONE: there is no thread, the mailbox emits. FAILS: the thread leaves with an exception, which
    fails the task. UNAWAITED: exceptions are ignored, and the task ends at once. AWAITED: the task
    ends when the thread has.
    """

    NONE = "none"
    FAILS = "fails"
    UNAWAITED = "unawaited"
    AWAITED = "awaited"


class ThreadedSource(Source):
    """A source with a thread."""

    thread_ended = field(Bool, False)
    """The thread has left its loop."""

    @step
    def forget(self) -> None:
        super().forget()
        self.thread_ended = False


class Threads(Synchronous):
    """Sources with threads, where the options say so."""

    @property
    def source_thread(self) -> SourceThread:
        """SS-5: what the end of a source's thread is to its task."""
        return SourceThread.NONE

    @property
    def source_class(self) -> type[Source]:
        return Source if self.source_thread == SourceThread.NONE else ThreadedSource

    @define
    def thread_runs(self, task: ThreadedSource) -> bool:
        """Whether a source's thread is in its loop, whatever has become of the task."""
        gone = task.status in (TaskStatus.RESTORING, TaskStatus.FAILED)
        return not task.thread_ended and not gone and not self.is_stalled(task)

    @define
    def is_stalled(self, task: Source) -> bool:
        """SS-2: whether a source stalls."""
        return self.stops and task.stalled

    @define
    def may_emit(self, task: Source) -> bool:
        """Whether a source emits a record if it has one: in a thread, until that has ended."""
        if isinstance(task, ThreadedSource):
            return self.thread_runs(task)
        return super().may_emit(task)

    @rule(fair=WEAK)
    def leave_thread(self, task: ThreadedSource) -> None:
        """1.7: the thread leaves its loop, at the end of its records or because it is told."""
        require(self.thread_runs(task), self.has_no_more(task))
        if self.source_thread == SourceThread.FAILS and self.is_told(task):
            self.restart_all()
        else:
            task.thread_ended = True

    @define
    def is_told(self, task: Source) -> bool:
        """SS-5: whether the completion of the savepoint has ended a source."""
        return self.stops and task.mode != StopMode.NONE

    @rule(fair=WEAK)
    def end_source(self, task: Source) -> None:
        """LF-1, SS-6: a source ends its operators when its thread has left, or does not wait."""
        if isinstance(task, ThreadedSource):
            unawaited = self.source_thread == SourceThread.UNAWAITED
            require(task.thread_ended or (unawaited and self.is_told(task)))
        super().end_source(task)
