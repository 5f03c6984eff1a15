"""Engines with one mistake each, which tests must find.

Each has the name of its counterpart among the broken variants of the model.
"""

from __future__ import annotations

from finale.reference.engine import Engine
from finale.reference.operators.sinks import TransactionalSink
from finale.reference.protocols.final_checkpoint import FinalCheckpoint
from finale.reference.protocols.legacy_stop import LegacyFinish
from finale.reference.task import Task


class CloseAbortsPending(FinalCheckpoint):
    """V-16: a sink that closes drops what is pending, though its checkpoint may still complete."""

    variant = "close-aborts-pending"

    def closing(self, task: Task) -> None:
        if isinstance(task.operator, TransactionalSink):
            task.operator.start()
        super().closing(task)


class CommitOnClose(LegacyFinish):
    """V-3: a sink that closes commits what it has, without a checkpoint."""

    variant = "commit-on-close"

    def closing(self, task: Task) -> None:
        sink = task.operator
        if isinstance(sink, TransactionalSink) and sink.files.exists(sink.staged):
            sink.files.append(f"output/{task.name}", sink.files.read(sink.staged))
        super().closing(task)


class WaitsForLostAck(FinalCheckpoint):
    """The coordinator ignores a failed call: the checkpoint stays pending forever."""

    variant = "waits-for-lost-ack"

    def call_failed(self, task: Task, checkpoint: int) -> None:
        pass


BROKEN: dict[str, type[Engine]] = {
    engine.variant: engine for engine in (CloseAbortsPending, CommitOnClose, WaitsForLostAck)
}
