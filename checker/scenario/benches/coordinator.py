"""The coordinator: what it makes of triggers, acknowledgements, refusals and time-outs.

Tasks are not run here: what they send is written into the scenario. What the coordinator can do by
itself, completing a checkpoint that everybody has acknowledged, it does at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from checker.scenario.bench import Fields
from checker.scenario.stimuli import Command, Stimulus
from model.errors import FinaleError
from model.protocols.parts.checkpoints import UNUSED
from model.protocols.parts.tasks import TaskStatus

from .jobs import JobBench


class CoordinatorBench(JobBench):
    """A coordinator and the tasks of a job, as far as it knows them."""

    part = "coordinator"
    about = "what comes of a checkpoint: completion, subsumption, abort, and who is told"
    keys = ("job",)
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "trig": ("ID",),
        "call": ("ID NAMES",),
        "ack": ("ID NAMES",),
        "decline": ("ID NAMES",),
        "expire": ("ID",),
        "end": ("NAMES",),
        "finish": ("NAMES",),
        "state": ("NAME NAMES",),
    }
    events = ("triggered", "completed", "aborted", "confirmed", "abort-sent")
    queries: ClassVar[Mapping[str, int]] = {
        "pending": 0,
        "stored": 0,
        "awaited": 1,
        "finished": 1,
    }
    of_tasks = ("triggered", "confirmed", "abort-sent", "awaited", "finished")

    def do(self, stimulus: Stimulus) -> None:
        assert isinstance(stimulus, Command)
        match stimulus.word, *stimulus.arguments:
            case "trig", number:
                self._trigger(number)
            case "call", number, *names:
                # The call arrives, and the task runs it or it fails.
                for task in self.tasks(names):
                    self.protocol.deliver_trigger(task, self.checkpoint(number))
            case "ack", number, *names:
                self._acknowledge(number, names)
            case "decline", number, *_:
                self.protocol.declined(self.checkpoint(number))
                if self.checkpoint(number).declined:
                    self.protocol.apply_decline(self.checkpoint(number))
            case "expire", number:
                self.protocol.expire(self.checkpoint(number))
            case "end", *names:
                for task in self.tasks(names):
                    task.status = TaskStatus.CLOSED
            case "finish", *names:
                self.finish(names)
            case "state", word, *names:
                self.stop_running(word, names)
            case _:
                raise AssertionError("no command of this part")

    def _trigger(self, number: str) -> None:
        checkpoint = self.checkpoint(number)
        if checkpoint.status != UNUSED:
            raise FinaleError(
                "used-id",
                f"checkpoint {number} was triggered before",
                advice="give each checkpoint an id of its own, in increasing order",
            )
        self.protocol.trigger_checkpoint()
        self.record("triggered", number, *self.among(checkpoint.triggers))

    def _acknowledge(self, number: str, names: list[str]) -> None:
        checkpoint = self.checkpoint(number)
        for task in self.tasks(names):
            self.protocol.snapshot_taken(task, checkpoint)
            if checkpoint.acknowledgements.has(task):
                self.protocol.apply_acknowledgement(task, checkpoint)
        if checkpoint.is_pending and checkpoint.awaited.is_empty:
            self.protocol.complete(checkpoint)

    def see_pending(self) -> Fields:
        return tuple(self.number(each) for each in self.protocol.checkpoints if each.is_pending)

    def see_stored(self) -> Fields:
        newest = self.protocol.restore_point()
        return tuple(self.number(each) for each in self.protocol.checkpoints if each == newest)

    def see_awaited(self, number: str) -> Fields:
        return self.among(self.checkpoint(number).awaited)

    def see_finished(self, number: str) -> Fields:
        return self.among(self.checkpoint(number).finished)
