"""Takes the events of tasks: they change the status of tasks and their parts of checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from finale.checker.logs.findings import Where
from finale.checker.logs.lines import OF_RELEASES, Observed, observed
from finale.checker.logs.read.job_runs import RunEvent
from finale.checker.logs.read.log_events import LogEvent
from finale.model.protocols.coordinator.checkpoints import Checkpoint, CheckpointKind
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import Nothing

from .replay_state import ReplayState
from .task_releases import is_stop, releases_of

#: What a task says that fails since the savepoint of a stop was aborted.
_ABORT_FAILS = "Stop-with-savepoint failed"


@dataclass
class _Attempt:
    """Which attempt of a task is the present one."""

    graph: str | None
    number: int
    ended_by_environment: bool = False


class TaskEvents:
    """Takes the events of tasks."""

    def __init__(self, state: ReplayState) -> None:
        self.state = state
        self._attempts: dict[Task, _Attempt] = {}
        self.since: dict[Task, Where] = {}
        """From which line on each task has its present status."""
        tells_release = state.profile.has(*OF_RELEASES)
        self._released = releases_of(state.run) if tells_release else {}
        self._graphs: set[str] | None = None
        """The graphs of the present coordinator; None for any, while there was only one."""
        for task in state.protocol.tasks if state.begins else ():
            state.knows(task, "released", state.tells(task, *OF_RELEASES))

    def creates(self, graph: str) -> None:
        """The coordinator creates a graph of executions."""
        if self._graphs is not None:
            self._graphs.add(graph)

    def crash(self, graph: str) -> Callable[[], None]:
        """Forget all attempts, and return what writes the rest: a new coordinator, whose first
        graph this is, starts each task anew."""
        self._graphs = {graph}
        self._attempts.clear()
        for task in self.state.protocol.tasks:
            self._forgets(task)

        def write() -> None:
            for task in self.state.protocol.tasks:
                _start(task)

        return write

    def is_present(self, task: Task, event: RunEvent) -> bool:
        """Whether an event is of the attempt that is the present one, which it may begin."""
        if event.task is None or event.task.attempt is None:
            return True
        if self._graphs is not None and event.graph not in (None, *self._graphs):
            return False
        present = self._attempts.get(task)
        same_graph = present is None or event.graph in (None, present.graph)
        if present is not None and same_graph and event.task.attempt == present.number:
            return True
        begins = event.word == "task-deployed" or (
            event.word == "task-learned"
            and event.log_event.fields["to"] in ("SCHEDULED", "DEPLOYING")
        )
        newer = present is None or not same_graph or event.task.attempt > present.number
        if newer and (begins or present is None):
            self._attempts[task] = _Attempt(event.graph, event.task.attempt)
            self._begins(task)
            return True
        return False

    def _begins(self, task: Task) -> None:
        for begun in self.state.begun.values():
            begun.restarted.add(task)

        self._forgets(task)
        self.state.take("restart_region", {}, lambda: _start(task))

    def running_in(self, log: int) -> list[Task]:
        """The tasks whose present attempt runs in the process of a log that tells no end of it."""
        run = self.state.run
        found: list[Task] = []
        for (vertex, subtask), task in self.state.system.tasks.items():
            present = self._attempts.get(task)
            if present is not None and run.is_left_open(vertex, subtask, present.number, log):
                found.append(task)
        return found

    def _forgets(self, task: Task) -> None:
        self.state.speaks_again(task)
        self.since[task] = self.state.where
        self.state.knows(task, "released", self.state.tells(task, *OF_RELEASES))
        self.state.settle(task, "status")
        self.state.settle(task, "taken_after_finish")

    def apply(self, told: LogEvent, task: Task, point: Checkpoint | None) -> None:
        """An event of a task, and the checkpoint that it is about."""
        number = told.checkpoint
        if told.word in ("task-switched", "task-learned", "task-deployed"):
            self._task_state(told, task)
        elif told.word == "apply_acknowledgement" and number in self.state.begun:
            self.state.begun[number].acknowledged.add(task)
        elif point is not None:
            self._of_a_part(told, task, point)
        else:
            self._of_its_end(told, task)

    def _task_state(self, told: LogEvent, task: Task) -> None:
        state = told.fields.get("to", "")
        shown = observed(told.word, state)
        if state == "RUNNING":
            self._runs(task)
        elif shown is not None and shown.facts.fails:
            self._fails(told, task, canceled=state == "CANCELED")
        elif shown is not None:
            self._ends(task)
            if shown is Observed.LEARNED:
                self.state.take("learn_finished", {"task": task.name}, lambda: _report(task))

    def _runs(self, task: Task) -> None:
        if self.state.status(task) is not TaskStatus.RESTORING:
            return
        self.state.monitors.runs()
        origin = self.state.point(self.state.restored)

        self.since[task] = self.state.where

        def write() -> None:
            task.status = TaskStatus.RUNNING
            task.confirmed = Nothing if origin is None else origin

        if not self.state.tells(task, "waits"):
            self.state.leave_open(task, "status", TaskStatus.WAITING_FOR_FINAL_CP)
        self.state.knows(task, "confirmed", True)
        self.state.take("restore", {"task": task.name}, write, self.state.before_restart())
        self.state.knows(task, "confirmed", self.state.tells(task, "notified-complete"))

    def _ends(self, task: Task) -> None:
        """A task has FINISHED. What of its end no line would have told has come before."""
        status = self.state.status(task)
        if status in (TaskStatus.CLOSED, TaskStatus.FAILED):
            return
        if status is TaskStatus.RUNNING:
            # Whether a checkpoint that the task took came after its end of data, no line tells.
            self.state.leave_open(task, "taken_after_finish", frozenset[Checkpoint]())
            if not self.state.tells_waits(task):
                self.state.leave_open(task, "status", TaskStatus.RUNNING)
                self._set(task, TaskStatus.WAITING_FOR_FINAL_CP, "end_task")
                status = TaskStatus.WAITING_FOR_FINAL_CP
        if status is TaskStatus.WAITING_FOR_FINAL_CP:
            self._set(task, TaskStatus.QUIESCED, "quiesce")
        self.state.settle(task, "status")
        self._set(task, TaskStatus.CLOSED, "close")

    def _waits(self, task: Task) -> None:
        """A task waits for its final checkpoint. What it took up to a savepoint without drain came
        before its end of data, unless its data ended by themselves just before that savepoint."""
        taken = cast(frozenset[Checkpoint], self.state.value(task, "taken"))
        points = [point for point in self.state.protocol.checkpoints if point in taken]
        kinds = [self.state.value(point, "kind") for point in points]
        if CheckpointKind.SUSPEND in kinds:
            newer = kinds[::-1].index(CheckpointKind.SUSPEND)
            self.state.leave_open(task, "taken_after_finish", frozenset(points[-newer:][:newer]))
        self._set(task, TaskStatus.WAITING_FOR_FINAL_CP, "end_task")

    def _set(self, task: Task, status: TaskStatus, rule: str) -> None:
        self.since[task] = self.state.where

        def write() -> None:
            task.status = status

        self.state.take(rule, {"task": task.name}, write)

    def _fails(self, told: LogEvent, task: Task, *, canceled: bool) -> None:
        if self.state.status(task) in (TaskStatus.CLOSED, TaskStatus.FAILED):
            return
        by_abort = any(message.startswith(_ABORT_FAILS) for _, message in told.causes)
        attempt = self._attempts[task]
        others = any(each.ended_by_environment for each in self._attempts.values())
        rule = "cancel_task" if canceled else "deliver_abort" if by_abort else "fail"
        if rule == "fail":
            attempt.ended_by_environment = True
        elif rule == "deliver_abort" and others:
            rule = "fail"  # what follows from a failure
        self.state.settle(task, "status")
        self._set(task, TaskStatus.FAILED, rule)

    def _of_a_part(self, told: LogEvent, task: Task, point: Checkpoint) -> None:
        match told.word:
            case "snapshot-begins":
                ends = is_stop(told.fields["kind"])

                def begin() -> None:
                    task.newest = point
                    task.gate.aligning = False
                    self.state.monitors.known |= {task.gate.variables["aligning"].position}
                    if ends:
                        task.sync = point

                self.state.take("take", {}, begin)
            case "taken":

                def take() -> None:
                    task.taken.add(point)
                    task.taken_after_finish.add(point)

                if self.state.status(task) is TaskStatus.WAITING_FOR_FINAL_CP:
                    self.state.add_to_second_value(task, "taken_after_finish", point)
                self.state.take("take", {}, take)
            case "notified-complete":
                binding = {"task": task.name, "checkpoint": point.name}

                released = self._released.get(id(told))

                def confirm() -> None:
                    task.confirmed = point
                    if released:
                        task.released = True

                self.state.knows(task, "released", released is not None)
                self.state.take("deliver_confirmation", binding, confirm)
            case "fail_snapshot" | "take-failed":
                self.state.take("fail_snapshot", {}, self._declines)
            case _:
                pass

    def _declines(self) -> None:
        self.state.protocol.declines = 1

    def _of_its_end(self, told: LogEvent, task: Task) -> None:
        match told.word:
            case "waits" if self.state.status(task) is TaskStatus.RUNNING:
                self._waits(task)
            case "loop-left":

                def leave() -> None:
                    for channel in task.inputs:
                        channel.ended = True

                self.state.take("leave", {}, leave)
            case _:
                pass


def _start(task: Task) -> None:
    task.status = TaskStatus.RESTORING
    task.forget()
    task.sync = Nothing
    task.taken.clear()
    for channel in task.inputs:
        channel.ended = False


def _report(task: Task) -> None:
    task.reported_finished = True
