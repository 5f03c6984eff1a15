"""The interface of operators: records, watermarks, ends and checkpoints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from finale.model.errors import FinaleError
from finale.reference.channel import Buffer, Record
from finale.reference.formats.files import Files
from finale.reference.formats.snapshots import State

Word = str | int | bool | None | tuple["Word", ...]

Emit = Callable[[Sequence[Record]], None]
"""Hands records on to whoever reads the task."""


@dataclass(frozen=True)
class Context:
    """The context of an operator: the name of its task, and its files."""

    task: str
    files: Files
    index: int = 0
    """Which of its vertex's subtasks it is in, of how many."""
    count: int = 1

    @property
    def vertex(self) -> str:
        """The name that the job file has for it."""
        return self.task if self.count == 1 else self.task.rpartition(".")[0]


class Operator:
    """An operator that does nothing. It is made anew for each attempt, and then restored."""

    beside: tuple[str, ...] = ()
    """The subtasks of its vertex that go on from a checkpoint, itself among them, once it does."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def restore(self, state: State) -> None:
        """Go on from a snapshot; not called where there is none."""

    def restore_finished(self) -> Operator:
        """Return the replacement of an operator that had finished before the checkpoint."""
        return Ended(self.context) if isinstance(self, SourceOperator) else Operator(self.context)

    def settle(self, state: State) -> None:
        """Commit the transactions of a snapshot after a drain has ended the data."""

    def had_ended(self, state: State) -> bool:
        """Whether a snapshot is of a source whose data had ended."""
        return False

    def refuse_finished(self) -> None:
        """Raises where it cannot be that its data had ended before the checkpoint of a start."""

    def start(self) -> None:
        """Begin without a snapshot, where something may have been left outside."""

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        """Work on records of one of the inputs."""

    def watermark(self, time: int, emit: Emit) -> None:
        """No record before this time follows."""

    def last_watermark(self, emit: Emit) -> None:
        """No record follows at all: whatever waits for a time has waited long enough."""

    def finish(self, emit: Emit) -> None:
        """The data have ended: emit what was held back."""

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        """Return the state for a restart. `last`: an earlier snapshot has secured all output."""
        return None

    @classmethod
    def share(cls, states: Sequence[State], index: int, count: int) -> State:
        """Return the state of one of `count` subtasks from the snapshots of another number.

        `states`: those of all old subtasks in order, None where there is none. Raises
        `not-rescalable`.
        """
        if all(state is None for state in states):
            return None
        raise FinaleError(
            "not-rescalable",
            f"the state of {cls.__name__} is that of {len(states)} subtasks, not of {count}",
            advice=f"write parallelism = {len(states)}",
        )

    def ahead_of(self, checkpoint: int | None) -> list[str]:
        """The files for others to read that are newer than a checkpoint: it has them not."""
        return []

    def uncommitted(self) -> int:
        """Return the number of written records that no checkpoint contains."""
        return 0

    def completed(self, checkpoint: int, emit: Emit) -> None:
        """A checkpoint that this operator is part of is durable."""

    def close(self) -> None:
        """The task has ended, and nothing will be called any more."""

    def seen(self) -> tuple[tuple[str, Word], ...]:
        """Its state, by names, for runs that are compared."""
        return ()


class SourceOperator(Operator, ABC):
    """An operator that reads records from outside."""

    read_records = 0
    """How many it has emitted."""
    read_bytes = 0
    """Of how many bytes, where it reads files."""

    @abstractmethod
    def peek(self) -> Buffer | None:
        """The next records, or None where there are none now."""

    @abstractmethod
    def advance(self) -> None:
        """Move on after the peeked record was emitted."""

    @property
    @abstractmethod
    def has_ended(self) -> bool:
        """Whether no record will ever come."""


class Ended(SourceOperator):
    """In place of a source that had finished before the job was restored."""

    def peek(self) -> None:
        return None

    def advance(self) -> None:
        """There is nothing to advance."""

    @property
    def has_ended(self) -> bool:
        return True
