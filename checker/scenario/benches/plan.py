"""Bench of the trigger plan: the tasks to trigger, to wait for, and to count as finished."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from finale.checker.scenario.bench import Fields
from finale.checker.scenario.stimuli import Command, Stimulus
from finale.model.protocols.coordinator.checkpoints import Checkpoint

from .jobs import JobBench


class PlanBench(JobBench):
    """One checkpoint, number 1, of a job whose tasks are brought into some states before."""

    part = "plan"
    about = "which tasks a checkpoint calls, waits for and counts as finished, and its fulfilment"
    keys = ("job",)
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "finish": ("NAMES",),
        "state": ("NAME NAMES",),
        "plan": ("",),
        "ack": ("NAMES",),
        "ack-finished": ("NAMES",),
        "ack-restored": ("NAMES",),
        "fulfil": ("",),
    }
    events = ("planned", "completed", "aborted", "confirmed", "abort-sent")
    queries: ClassVar[Mapping[str, str]] = {"trigger": "", "wait": "", "finished": "", "full": ""}
    of_tasks = ("confirmed", "abort-sent", "trigger", "wait", "finished")

    def further_ids(self) -> Sequence[int]:
        return (1,)

    @property
    def plan(self) -> Checkpoint:
        """The checkpoint that is planned."""
        return self.protocol.checkpoints[0]

    def do(self, stimulus: Stimulus) -> None:
        assert isinstance(stimulus, Command)
        names = stimulus.arguments
        match stimulus.word:
            case "finish":
                self.finish(names)
            case "state":
                self.stop_running(names[0], names[1:])
            case "plan":
                self.protocol.trigger_checkpoint()
                self.record("planned")
            case "ack":
                self._acknowledge(names)
            case "ack-finished":
                for task in self.tasks(names):
                    self.protocol.finish_operators(task)
                self._acknowledge(names)
            case "ack-restored":
                self.start_finished(names)
                self._acknowledge(names)
            case _:
                self.protocol.complete(self.plan)

    def _acknowledge(self, names: Fields) -> None:
        for task in self.tasks(names):
            self.protocol.snapshot_taken(task, self.plan)
            self.protocol.apply_acknowledgement(task, self.plan)

    def see_trigger(self) -> Fields:
        return self.among(self.plan.triggers)

    def see_wait(self) -> Fields:
        return self.among(self.plan.awaited)

    def see_finished(self) -> Fields:
        return self.among(self.plan.finished)

    def see_full(self) -> Fields:
        return tuple(
            vertex.name
            for vertex in self.job.vertices
            if all(
                self.plan.finished.has(self.protocol.task_of[subtask])
                for subtask in self.job.subtasks_of(vertex)
            )
        )
