"""Benches of the coordinator: the plan of one checkpoint, and what becomes of checkpoints.

Tasks are not run here: the scenario says what they send. The coordinator completes a checkpoint as
soon as all tasks have acknowledged it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from finale.checker.scenario.bench import Fields
from finale.checker.scenario.benches.jobs import JobBench, check_can_be_stopped
from finale.checker.scenario.stimuli import Command, Stimulus
from finale.model.errors import FinaleError
from finale.model.language.protocol import Setting
from finale.model.protocols.coordinator.checkpoints import UNUSED, Checkpoint
from finale.model.protocols.stopping import Stopping
from finale.model.protocols.task.tasks import TaskStatus


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


#: How often what a bound limits is done, by the command that does it.
_BOUNDS = {
    "stops": "stop",
    "savepoints": "savepoint",
    "manual": "manual",
    "cancels": "cancel",
    "failures": "fail",
}


class CoordinatorBench(JobBench):
    """A coordinator, and its knowledge about the tasks of a job."""

    part = "coordinator"
    about = "what comes of a checkpoint: completion, subsumption, abort, and who is told"
    keys = ("job",)
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "trig": ("ID",),
        "manual": ("ID",),
        "savepoint": ("ID",),
        "ask": ("timer", "manual", "savepoint"),
        "serve": ("ID",),
        "stop": ("ID drain", "ID suspend"),
        "call": ("ID NAMES",),
        "ack": ("ID NAMES",),
        "ack-finished": ("ID NAMES",),
        "ack-restored": ("ID NAMES",),
        "unwritten": ("ID",),
        "decline": ("ID NAMES",),
        "expire": ("ID",),
        "end": ("NAMES",),
        "finish": ("NAMES",),
        "state": ("NAME NAMES",),
        "fail": ("",),
        "cancel": ("",),
    }
    events = ("triggered", "completed", "aborted", "confirmed", "abort-sent", "answered")
    queries: ClassVar[Mapping[str, str]] = {
        "pending": "",
        "stored": "",
        "awaited": "ID",
        "finished": "ID",
        "status": "ID",
        "finishing": "ID",
        "abort-latest": "ID",
        "job": "",
        "periodic": "",
        "waiting": "",
    }
    of_tasks = ("triggered", "confirmed", "abort-sent", "awaited", "finished", "finishing")

    def setting(self, options: Mapping[str, object]) -> Setting:
        """As many requests and failures as the scenario has."""
        words = [
            command.arguments[0] if command.word == "ask" else command.word
            for command in self.case.commands
        ]
        setting = super().setting(options)
        numbers = {bound: words.count(word) for bound, word in _BOUNDS.items()}
        own = {bound: number for bound, number in numbers.items() if number}
        if "stops" in own:
            check_can_be_stopped(self.kind, self.case, lambda each: each.word == "stop")
        return replace(setting, bounds={**setting.bounds, **own})

    def do(self, stimulus: Stimulus) -> None:
        assert isinstance(stimulus, Command)
        before = self.answers()
        self._command(stimulus)
        if isinstance(self.protocol, Stopping):
            self._concludes(self.protocol)
        self.possibly(self.protocol.finish_cancelling)
        self.record_answers(before)

    def _concludes(self, protocol: Stopping) -> None:
        """Let the coordinator conclude a stop by itself."""
        for request in protocol.stop_requests:
            for checkpoint in protocol.checkpoints:
                self.possibly(partial(protocol.learn_savepoint, request, checkpoint))
                self.possibly(partial(protocol.conclude_stop, request, checkpoint))
                self.possibly(partial(protocol.savepoint_failed, request, checkpoint))

    def _command(self, stimulus: Command) -> None:
        match stimulus.word, *stimulus.arguments:
            case "trig", number:
                self._trigger(number, self.protocol.trigger_checkpoint)
            case "manual", number:
                request = self.next_of(self.protocol.checkpoint_requests)
                self._trigger(number, lambda: self.protocol.request_checkpoint(request))
            case "savepoint", number:
                wanted = self.next_of(self.protocol.savepoint_requests)
                self._trigger(number, lambda: self.protocol.request_savepoint(wanted))
            case "ask", who:
                self._ask(who)
            case "serve", number:
                self._trigger(number, self._serve)
            case "stop", number, how:
                stopping, stop = self._stopping(), self.next_of(self.protocol.stop_requests)
                self._trigger(number, lambda: stopping.request_stop(stop, how == "drain"))
            case "fail", *_:
                self._fail()
            case "cancel", *_:
                self.protocol.request_cancel(self.next_of(self.protocol.cancel_requests))
            case "unwritten", number:
                self.checkpoint(number)  # it must be there
                self.unwritten |= {number}
            case "ack-finished", number, *names:
                for task in self.tasks(names):
                    self.protocol.finish_operators(task)
                self._acknowledge(number, names)
            case "ack-restored", number, *names:
                self.start_finished(names)
                self._acknowledge(number, names)
            case "call", number, *names:
                # The call arrives, and the task runs it or it fails.
                for task in self.tasks(names):
                    self.protocol.deliver_trigger(task, self.checkpoint(number))
            case "ack", number, *names:
                self._acknowledge(number, names)
            case "decline", number, *names:
                self.tasks(names)  # who declines changes nothing, but must be there
                self.protocol.decline(self.checkpoint(number))
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

    def _fail(self) -> None:
        """A task fails, and the tasks that are started again run again."""
        self.protocol.fail()
        for task in self.protocol.tasks:
            self.possibly(partial(self.protocol.restore, task))

    def _ask(self, who: str) -> None:
        if who == "timer":
            self.protocol.trigger_checkpoint()
        elif who == "manual":
            self.protocol.request_checkpoint(self.next_of(self.protocol.checkpoint_requests))
        else:
            self.protocol.request_savepoint(self.next_of(self.protocol.savepoint_requests))

    def _serve(self) -> None:
        """Serve the waiting requests that can be served."""
        for request in self.protocol.may_wait:
            if self.possibly(partial(self.protocol.serve_request, request)):
                return
        self.protocol.serve_periodic()

    def _stopping(self) -> Stopping:
        assert isinstance(self.protocol, Stopping)
        return self.protocol

    def _trigger(self, number: str, trigger: Callable[[], None]) -> None:
        checkpoint = self.checkpoint(number)
        if checkpoint.status != UNUSED:
            raise FinaleError(
                "used-id",
                f"checkpoint {number}, or a newer one, was triggered before",
                advice="give each checkpoint an id of its own, in increasing order",
            )
        trigger()
        if checkpoint.is_pending:
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
        protocol = self.protocol
        return tuple(self.number(e) for e in protocol.checkpoints if protocol.is_in_store(e))

    def see_status(self, number: str) -> Fields:
        return (str(self.checkpoint(number).status.value),)

    def see_periodic(self) -> Fields:
        """On while the job and all its tasks run, unless a stop has ended it."""
        protocol = self.protocol
        begins = any(task.status == TaskStatus.RESTORING for task in protocol.tasks)
        on = protocol.schedules() and protocol.runs() and not begins
        return ("on" if on else "off",)

    def see_finishing(self, number: str) -> Fields:
        """Kept for union state alone: nothing else asks for it."""
        checkpoint = self.checkpoint(number)
        return self.among(checkpoint.operators_finished) if self.protocol.unions else ()

    def see_abort_latest(self, number: str) -> Fields:
        latest = self.checkpoint(number).latest
        return tuple(self.number(each) for each in self.protocol.checkpoints if each == latest)

    def see_waiting(self) -> Fields:
        protocol = self.protocol
        users = tuple(each.name for each in protocol.may_wait if protocol.waits(each))
        return (*users, "timer") if protocol.queue and protocol.periodic_waits else users

    def see_awaited(self, number: str) -> Fields:
        return self.among(self.checkpoint(number).awaited)

    def see_finished(self, number: str) -> Fields:
        return self.among(self.checkpoint(number).finished)
