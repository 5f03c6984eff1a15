"""The yardstick: a small final-checkpoint protocol on which engines are compared.

Tasks A and C are sources, C → D → E and A → E. Channels are bounded queues; a checkpoint is
triggered at the sources, its barriers are aligned at E; its notifications arrive in any order or
are lost; a task that has emitted EndOfData waits until a later checkpoint is confirmed and closes.
Its state counts are known from TLC, SPIN and several prototypes. It is deliberately simpler than
`final-checkpoint`: it measures engines and states nothing about Flink.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from finale.model.rules import (
    EMPTY,
    Bool,
    Bound,
    Entity,
    Enum,
    Protocol,
    Queue,
    Range,
    Record,
    Set,
    Setting,
    Union,
    define,
    field,
    part,
    require,
    rule,
    step,
    within,
)

#: How many checkpoints may be under way at once.
CONCURRENT = 2

CheckpointCount = Range(0, Bound("checkpoints"))
CheckpointId = Range(1, Bound("checkpoints"))
CheckpointNumber = Annotated[int, CheckpointId]


class Status(enum.Enum):
    """The life cycle of a task."""

    RUNNING = "running"
    WAITING = "waiting for the final checkpoint"
    CONFIRMED = "the final checkpoint is confirmed"
    CLOSED = "closed"


class Data(Record):
    """A record of the stream."""


class EndOfData(Record):
    """No more records will come; the sender still takes checkpoints."""


class EndOfPartition(Record):
    """The last element of a channel."""


class Barrier(Record):
    """The border between what belongs to a checkpoint and what comes later."""

    checkpoint: int = part(CheckpointId)


Element = Data | EndOfData | EndOfPartition | Barrier


class Task(Entity):
    """A subtask; its channels are fixed."""

    status = field(Enum(Status), Status.RUNNING)
    snapshots = field(CheckpointCount, 0)
    finished_after = field(CheckpointCount, 0)
    notifications = field(Set(CheckpointId), EMPTY)

    inputs: tuple[Channel, ...] = ()
    outputs: tuple[Channel, ...] = ()


def _records(task: Task) -> int:
    return task.world.scope.bounds["records"]


class Source(Task):
    """A task that reads records from outside."""

    records = field(Range(0, Bound("records")), _records)


class Worker(Task):
    """A task that reads its input channels."""


class Channel(Entity):
    """A bounded queue from one task to another, and what its receiver knows of it."""

    queue = field(
        Queue(Union(Data, EndOfData, EndOfPartition, Barrier), Bound("channel")),
        (),
        messages="held",
    )
    end_of_data = field(Bool, False)
    end_of_partition = field(Bool, False)
    blocked = field(Bool, False)

    def __init__(self, sender: Task, receiver: Task) -> None:
        super().__init__(f"{sender}→{receiver}")
        self.sender = sender
        self.receiver = receiver


@dataclass(frozen=True)
class YardstickBounds:
    """How much is explored."""

    #: how many records a source emits
    records: int = 1
    #: how many checkpoints are triggered
    checkpoints: int = 1
    #: how many elements a channel holds
    channel: int = 2


class Yardstick(Protocol):
    """Four tasks, a coordinator that is the protocol itself, and three channels."""

    key = "yardstick"
    Bounds = YardstickBounds
    bounds: YardstickBounds

    triggered = field(CheckpointCount, 0, messages="held")
    completed = field(CheckpointCount, 0, effect=True)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        a, c, d, e = Source("A"), Source("C"), Worker("D"), Worker("E")
        self.tasks: tuple[Task, ...] = (a, c, d, e)
        ae, cd, de = Channel(a, e), Channel(c, d), Channel(d, e)
        a.outputs, c.outputs, d.outputs = (ae,), (cd,), (de,)
        d.inputs, e.inputs = (cd,), (ae, de)
        self.channels = (ae, cd, de)

    def entities(self) -> Sequence[Entity]:
        return (*self.tasks, *self.channels)

    @define
    def terminal(self) -> bool:
        return all(task.status == Status.CLOSED for task in self.tasks)

    @step
    def broadcast(self, task: Task, element: Element) -> None:
        """Put an element on every output, each of which must have space for it."""
        for output in task.outputs:
            require(output.queue.has_space)
            output.queue.put(element)

    @step
    def finish(self, task: Task) -> None:
        """The task's operators finish: EndOfData goes out."""
        self.broadcast(task, EndOfData())
        task.status = Status.WAITING
        task.finished_after = task.snapshots

    @step
    def take_snapshot(self, task: Task) -> None:
        """Snapshot and barrier are one step."""
        task.snapshots += 1
        self.broadcast(task, Barrier(task.snapshots))

    @step
    def align(self, task: Task) -> None:
        """The barriers of all open inputs are here: unblock them and take the checkpoint."""
        for channel in task.inputs:
            channel.blocked = False
        self.take_snapshot(task)

    @step
    def send_confirmation(self, task: Task) -> None:
        """The coordinator confirms the checkpoint just completed to a task that is not closed."""
        if task.status != Status.CLOSED:
            task.notifications.add(self.completed)

    # --- sources ---------------------------------------------------------------------------------

    @rule
    def emit(self, task: Source) -> None:
        """A running source emits a record."""
        require(task.status == Status.RUNNING, task.records > 0)
        self.broadcast(task, Data())
        task.records -= 1

    @rule
    def end(self, task: Source) -> None:
        """A source without records emits EndOfData and waits for its final checkpoint."""
        require(task.status == Status.RUNNING, task.records == 0)
        self.finish(task)

    @rule
    def snapshot(self, task: Source) -> None:
        """A source takes the next triggered checkpoint and emits its barrier."""
        require(task.status != Status.CLOSED, task.snapshots < self.triggered)
        self.take_snapshot(task)

    # --- tasks with inputs -----------------------------------------------------------------------

    @rule
    def receive(self, channel: Channel) -> None:
        """A task takes the next element of a channel that it has not blocked."""
        require(not channel.queue.is_empty, not channel.blocked)
        task = channel.receiver
        others = tuple(each for each in task.inputs if each != channel)
        match channel.queue.take():
            case Data():
                self.broadcast(task, Data())
            case EndOfData():
                channel.end_of_data = True
                if all(each.end_of_data for each in others):
                    self.finish(task)
            case EndOfPartition():
                channel.end_of_partition = True
                if others and all(each.blocked for each in others):
                    self.align(task)
            case Barrier():
                channel.blocked = True
                if all(each.blocked or each.end_of_partition for each in others):
                    self.align(task)

    @rule
    def snapshot_by_call(self, task: Worker) -> None:
        """A task whose inputs have all ended takes the next triggered checkpoint by itself."""
        require(
            all(channel.end_of_partition for channel in task.inputs),
            task.status != Status.CLOSED,
            task.snapshots < self.triggered,
        )
        self.take_snapshot(task)

    # --- the end ---------------------------------------------------------------------------------

    @rule
    def close(self, task: Task) -> None:
        """A task whose final checkpoint is confirmed, and whose inputs have ended, closes."""
        require(task.status == Status.CONFIRMED)
        require(all(channel.end_of_partition for channel in task.inputs))
        self.broadcast(task, EndOfPartition())
        task.status = Status.CLOSED

    # --- the coordinator -------------------------------------------------------------------------

    @rule
    def trigger(self) -> None:
        """The coordinator triggers a checkpoint while some task is not closed."""
        require(self.triggered < self.completed + CONCURRENT)
        require(any(task.status != Status.CLOSED for task in self.tasks))
        within(self.triggered, self.bounds.checkpoints)
        self.triggered += 1

    @rule
    def complete(self) -> None:
        """The oldest checkpoint completes when every task that is not closed has taken it."""
        require(self.completed < self.triggered)
        require(all(t.status == Status.CLOSED or t.snapshots > self.completed for t in self.tasks))
        self.completed += 1
        for task in self.tasks:
            self.send_confirmation(task)

    @rule
    def notify(self, task: Task, checkpoint: CheckpointNumber) -> None:
        """A confirmation arrives; one of a checkpoint after the end of data releases the task."""
        require(task.notifications.has(checkpoint))
        task.notifications.remove(checkpoint)
        if task.status == Status.WAITING and task.finished_after < checkpoint:
            task.status = Status.CONFIRMED

    @rule
    def lose(self, task: Task, checkpoint: CheckpointNumber) -> None:
        """A confirmation is lost."""
        require(task.notifications.has(checkpoint))
        task.notifications.remove(checkpoint)
