"""Takes the steps that a line needs and that no line tells, as few as possible.

Each need can have needs of its own: a task closes only after its inputs have ended, and an input
ends only after the task that writes to it has closed.
"""

from __future__ import annotations

from functools import partial
from typing import cast

from finale.model.protocols.coordinator.checkpoints import ABORTED, Checkpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Barrier, CancelBarrier, EndOfData, EndOfPartition
from finale.model.protocols.requests import JobStatus
from finale.model.protocols.task.tasks import TaskStatus

from .observations import Observation
from .witness_run import NO_MORE, WitnessRun


class WitnessNeeds(WitnessRun):
    """A run that can be brought to where a line needs it."""

    def finished(self, name: str) -> bool:
        """That a task's data have ended."""
        if self.status(name) in NO_MORE:
            self._restores()
        if self.status(name) not in (TaskStatus.RUNNING, *NO_MORE):
            return True
        task = self.tasks[name]
        if not task.inputs:
            return self.do("end_source", ("task", name))
        return all(self.data_ended(channel) for channel in task.inputs)

    def data_ended(self, channel: Channel) -> bool:
        """That the end of a channel's data has been read."""
        with self.look():
            if channel.end_of_data:
                return True
        self._pass_unseen(channel)
        if self.head(channel) is None and not self.finished(channel.edge.sender.name):
            return False
        self._pass_unseen(channel)
        with self.look():
            if not channel.end_of_data:
                self.refused = self.refused or f"{channel.name} has {self.head(channel)}"
            return bool(channel.end_of_data)

    def _pass_unseen(self, channel: Channel) -> None:
        while True:
            head = self.head(channel)
            if isinstance(head, EndOfData):
                polled = self.do("poll_end_of_data", ("channel", channel.name))
            elif isinstance(head, CancelBarrier) and self._is_past(channel, head):
                polled = self.do("poll_cancel_barrier", ("channel", channel.name))
            elif isinstance(head, Barrier) and self._is_noticed(channel, head):
                polled = self.do("poll_barrier", ("channel", channel.name))
            else:
                return
            if not polled:
                return

    def _is_noticed(self, channel: Channel, barrier: Barrier) -> bool:
        """Whether a barrier was seen before its turn, or says nothing new and is not seen."""
        number = self._number(cast(Checkpoint, barrier.checkpoint))
        if (channel.name, number or 0) in self.noticed:
            return True
        shown = self._next_of(channel.edge.receiver.name)
        seen = any(each.channel == channel.name and each.checkpoint == number for each in shown)
        own = self.observation is not None and self.observation.channel == channel.name
        own = own and self.observation is not None and self.observation.checkpoint == number
        return not seen and not own and self._is_past(channel, barrier)

    def _is_past(self, channel: Channel, barrier: Barrier | CancelBarrier) -> bool:
        """Whether a barrier says nothing new: of one that cancels no line tells then."""
        with self.look():
            reader = self.protocol.reader(channel)
            return bool(reader.gate.is_past(barrier.checkpoint))

    def ended(self, channel: Channel) -> bool:
        """That the end of a channel has been read."""
        with self.look():
            if channel.ended:
                return True
        self._pass_unseen(channel)
        if self.head(channel) is None and not self.closed(channel.edge.sender.name):
            return False
        self._pass_unseen(channel)
        if not isinstance(self.head(channel), EndOfPartition):
            self.refused = self.refused or f"{channel.name} has {self.head(channel)}"
            return False
        return self.do("poll_end_of_partition", ("channel", channel.name))

    def quiesced(self, name: str) -> bool:
        """That a task takes no mail any more."""
        if self.status(name) in (TaskStatus.QUIESCED, TaskStatus.CLOSED):
            return True
        task = self.tasks[name]
        return (
            self.finished(name)
            and all(self.ended(channel) for channel in task.inputs)
            and all(self.data_ended(channel) for channel in task.outputs)
            and self.do("quiesce", ("task", name))
        )

    def closed(self, name: str) -> bool:
        """That a task has closed."""
        if self.status(name) is TaskStatus.CLOSED:
            return True
        if not self.quiesced(name):
            return False
        task = self.tasks[name]
        with self.look():
            mail = [each for each in self.protocol.checkpoints if task.mail.has(each)]
        for point in mail:
            number = self._number(point)
            if not self.do("run_trigger", ("task", name), ("checkpoint", ""), number=number):
                return False
        return self.do("close", ("task", name))

    def _runs_trigger(self, task: str, number: int) -> bool:
        """The mailbox runs a call; that of a stop's savepoint first ends the data of a source."""
        about = (("task", task), ("checkpoint", ""))
        if self.do("run_trigger", *about, number=number):
            return True
        self.do("stop_source", *about, number=number)
        if self.status(task) is TaskStatus.RUNNING:
            self.do("end_source", ("task", task))
        return self.do("perform_savepoint", *about, number=number)

    def _missed(self, number: int) -> bool:
        """A call that comes too late: its task is closing, or gone."""
        return any(
            self._tries(partial(self._misses, task, number))
            for task in self.observations.missed.get(number, ())
        )

    def _misses(self, task: str, number: int) -> bool:
        about = (("task", task), ("checkpoint", ""))
        return self.quiesced(task) and self.do("deliver_trigger", *about, number=number)

    def _stops_have_failed(self) -> bool:
        """The scheduler learns that savepoints of stops have failed, and goes on."""
        with self.look():
            failed = [
                (request.name, self._number(point))
                for request in self.protocol.stop_requests
                for point in self.protocol.checkpoints
                if request.is_admitted and request.of == point and point.status == ABORTED
            ]
        learned = [
            self.do("savepoint_failed", ("request", name), ("checkpoint", ""), number=number)
            for name, number in failed
        ]
        return any(learned)

    def _request(self, name: str, number: int, *, drain: bool | None = None) -> bool:
        for rule_name, binding in self.system.rules:
            if rule_name != name or (drain is not None and dict(binding)["drain"] != str(drain)):
                continue
            if self.do(name, *binding, number=number):
                return True
        return False

    def _of(self, observation: Observation, name: str) -> bool:
        """A step of a task about a checkpoint."""
        task = cast(str, observation.task)
        return self.do(name, ("task", task), ("checkpoint", ""), number=observation.checkpoint)

    def _restarts(self, task: str) -> bool:
        return self.do("restart_region", ("region", self._region(task)))

    def _region(self, task: str) -> str:
        return self.protocol.region_of[self.tasks[task]].name

    def _restores(self) -> None:
        """Regions all of whose tasks are seen to run again are restored."""
        for region in self.protocol.regions:
            names = [task.name for task in region.tasks]
            if not all(name in self.ready for name in names):
                continue
            if any(self.status(name) is TaskStatus.FAILED for name in names):
                self._restarts(names[0])
            for name in names:
                if name in self.ready and self.do("restore", ("task", name)):
                    self.attempt[name] = self.ready.pop(name)

    def _is_cancelling(self) -> bool:
        protocol = self.protocol
        with self.look():
            return bool(protocol.has_job_status) and protocol.job_status == JobStatus.CANCELLING

    def _canceled_task(self, task: str) -> bool:
        if self.status(task) in (TaskStatus.CLOSED, TaskStatus.FAILED):
            return True
        return self.do("cancel_task", ("task", task))
