"""The base of benches with a job, a recording coordinator, and the bench that runs whole jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar, TypeVar

from finale.checker.scenario.bench import Fields, ProtocolBench, number_in
from finale.checker.scenario.jobs import job_in, names_of, tasks_named
from finale.checker.scenario.reading import Case, CaseLine
from finale.checker.scenario.stimuli import Command, Stimulus
from finale.model.errors import FinaleError, Place
from finale.model.language.bindings import bindings, rule_names, rule_of
from finale.model.language.decorators import mark_of
from finale.model.language.protocol import Protocol, Setting
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import StopMode
from finale.model.protocols.requests import Request, RequestStatus
from finale.model.protocols.restore import Restore
from finale.model.protocols.stopping import Stopping
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import require
from finale.model.system import Fairness
from finale.model.topology import Job

#: Words for a task of which the model says only that it does not run, or not yet: RESTORING.
NOT_RUNNING = (
    "created", "scheduled", "deploying", "initializing",
    "reconciling", "canceling", "canceled", "failed",
)  # fmt: skip

#: Tasks are said to have been started as finished: starts must be laid out.
RESTORED = "ack-restored"
_ANSWERS = {RequestStatus.SUCCEEDED: "ok", RequestStatus.FAILED: "failed"}
R = TypeVar("R", bound=Request)


def check_can_be_stopped(kind: type[Protocol], case: Case, stops: Callable[[Any], bool]) -> None:
    """Raises `cannot-be-stopped`, at the line of the stop, for a protocol that has no stop."""
    if not issubclass(kind, Stopping):
        raise FinaleError(
            "cannot-be-stopped",
            f'"{kind.key}" cannot be stopped',
            place=place_of(case, stops),
            advice="write protocol: stop-with-savepoint",
        )


def two_kinds(case: Case, line: CaseLine, number: int) -> FinaleError:
    """The error `two-kinds`, at the line that says something else of a checkpoint."""
    return FinaleError(
        "two-kinds",
        f"checkpoint {number} is of another kind here than in a line above",
        place=Place(str(case.header.file), line.number),
        advice="give each of the two a number of its own",
    )


def place_of(case: Case, wanted: Callable[[Any], bool]) -> Place:
    """The line of the first stimulus that is wanted."""
    lines = (line.number for line in case.lines if any(wanted(each) for each in line.stimuli))
    return Place(str(case.header.file), next(lines, None))


class RecordingCoordinator(FinalCheckpoint):
    """The protocol, telling what the coordinator decides."""

    bench: Any

    def complete(self, checkpoint: Checkpoint) -> None:
        """Complete a checkpoint; the aborts that follow come after the completion."""
        position = len(self.bench.seen)
        super().complete(checkpoint)
        if checkpoint.is_completed:
            self.bench.record("completed", self.bench.number(checkpoint))
            self.bench.seen.insert(position, self.bench.seen.pop())
            self.bench.record_tasks("confirmed", checkpoint, checkpoint.confirmations)

    def may_not_complete(self, checkpoint: Checkpoint) -> bool:
        """Or its metadata cannot be written: storage is the surroundings of the coordinator."""
        unwritten = self.bench.number(checkpoint) in self.bench.unwritten
        return unwritten or super().may_not_complete(checkpoint)

    def abort(self, checkpoint: Checkpoint) -> None:
        """Tell that it is aborted, and to whom that will be told."""
        super().abort(checkpoint)
        self.bench.record("aborted", self.bench.number(checkpoint))
        self.bench.record_tasks("abort-sent", checkpoint, checkpoint.aborts)


class JobBench(ProtocolBench[FinalCheckpoint]):
    """A bench whose header has a job."""

    #: Words that the fields of these events and queries name tasks by, after an id or none.
    of_tasks: ClassVar[tuple[str, ...]] = ()
    protocol_key = "final-checkpoint"
    recording: ClassVar[type[Any]] = RecordingCoordinator
    #: The checkpoints whose metadata cannot be written.
    unwritten: frozenset[str] = frozenset()

    @cached_property
    def job(self) -> Job:
        """The job of the header."""
        return job_in(self.case.header)

    def setting(self, options: Mapping[str, object]) -> Setting:
        bounds = {"checkpoints": len(self.numbers), "expiries": 9, "channel": 2}
        if any(command.word == RESTORED for command in self.case.commands):
            bounds["failures"] = 1
        return Setting(job=self.job, options=options, bounds=bounds)

    def tasks(self, words: Iterable[str]) -> list[Task]:
        """The tasks that words name. Raises `unknown-task`."""
        return [self.protocol.task_of[subtask] for subtask in tasks_named(self.job, words)]

    def names(self, tasks: Iterable[Task]) -> Fields:
        """Tasks in short."""
        return names_of(self.job, (task.subtask for task in tasks))

    def among(self, tasks: Any) -> Fields:
        """Those of a set of the state, in short."""
        return self.names(task for task in self.protocol.tasks if tasks.has(task))

    def record_tasks(self, word: str, checkpoint: Checkpoint, tasks: Any) -> None:
        """An event about tasks, unless there are none."""
        names = self.among(tasks)
        if names:
            self.record(word, self.number(checkpoint), *names)

    def checkpoint(self, number: str) -> Checkpoint:
        """The checkpoint that an id of the scenario stands for. Raises `unknown-id`."""
        return self.protocol.checkpoints[self.position(int(number))]

    def normal(self, word: str, fields: Fields) -> Fields:
        if word not in self.of_tasks:
            return fields
        head = fields[:1] if fields[:1] and fields[0].isdecimal() else ()
        names = tasks_named(self.job, fields[len(head) :])
        return (*head, *(task.name for task in names))

    def next_of(self, requests: tuple[R, ...]) -> R:
        """The first request that was not made yet."""
        return next(each for each in requests if each.status == RequestStatus.UNUSED)

    def answers(self) -> dict[str, RequestStatus]:
        """Return the present status of each request."""
        return {request.name: request.status for request in self.protocol.requests}

    def record_answers(self, before: Mapping[str, RequestStatus]) -> None:
        """Tell which requests were answered since."""
        for request, status in self.answers().items():
            if status != before[request] and status in _ANSWERS:
                self.record("answered", request, _ANSWERS[status])

    def start_finished(self, words: Iterable[str]) -> None:
        """Tasks were started as finished. Raises `not-restorable`."""
        protocol = self.protocol
        if not isinstance(protocol, Restore):
            raise FinaleError(
                "not-restorable",
                f'"{self.kind.key}" starts no task as finished',
                advice="write protocol: restore",
            )
        for task in self.tasks(words):
            protocol.skipping.add(task)

    def see_job(self) -> Fields:
        if self.protocol.is_finished:
            return ("finished",)
        return (str(self.protocol.job_status.value if self.protocol.has_job_status else "running"),)

    # --- what is done to tasks from outside ------------------------------------------------------

    def finish(self, words: Iterable[str]) -> None:
        """Tasks have ended, and the coordinator knows it."""
        for task in self.tasks(words):
            task.status = TaskStatus.CLOSED
            task.reported_finished = True

    def stop_running(self, word: str, words: Iterable[str]) -> None:
        """Tasks are in a state in which they neither run nor have finished. Raises `bad-state`."""
        if word not in NOT_RUNNING:
            raise FinaleError(
                "bad-state",
                f'"{word}" is not the state of a stopped task',
                advice=f"write one of {', '.join(NOT_RUNNING)}",
            )
        for task in self.tasks(words):
            task.status = TaskStatus.RESTORING


#: Fair rules that the scenario says when to take.
_TOLD = ("emit", "end_source", "trigger_checkpoint")


class RecordingRun(FinalCheckpoint):
    """The protocol, telling what becomes of checkpoints."""

    bench: Any

    def complete(self, checkpoint: Checkpoint) -> None:
        """Tell it when it is complete."""
        super().complete(checkpoint)
        if checkpoint.is_completed:
            self.bench.record("completed", self.bench.number(checkpoint))

    def abort(self, checkpoint: Checkpoint) -> None:
        """Abort it, and tell it."""
        super().abort(checkpoint)
        self.bench.record("aborted", self.bench.number(checkpoint))


class RunBench(JobBench):
    """A job whose header says how many checkpoints it may take; they are numbered from 1.

    The scenario controls the sources, the period of checkpoints and the environment. `go` takes all
    other fair rules of the protocol until none is enabled.
    """

    part = "run"
    about = "a whole job: sources do what they are told, and all else goes by itself"
    keys = ("job", "checkpoints")
    commands: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "emit": ("NAMES",),
        "end": ("NAMES",),
        "trig": ("",),
        "go": ("",),
        "stop": ("drain", "suspend"),
        "fail": ("", "NAMES"),
    }
    events = ("completed", "aborted", "answered")
    queries: ClassVar[Mapping[str, str]] = {"visible": "", "job": ""}
    recording = RecordingRun

    def further_ids(self) -> Sequence[int]:
        return range(1, number_in(self.case.header, "checkpoints", 3, 99) + 1)

    def setting(self, options: Mapping[str, object]) -> Setting:
        setting = super().setting(options)
        words = [command.word for command in self.case.commands]
        bounds = {**setting.bounds, "failures": words.count("fail")}
        if "stop" in words:
            check_can_be_stopped(self.kind, self.case, lambda each: each.word == "stop")
            bounds["stops"] = words.count("stop")
        return replace(setting, bounds=bounds, observe=frozenset({"effects"}))

    def do(self, stimulus: Stimulus) -> None:
        assert isinstance(stimulus, Command)
        before = self.answers()
        self._command(stimulus)
        self.record_answers(before)

    def _command(self, stimulus: Command) -> None:
        match stimulus.word:
            case "emit":
                for source in self._sources(stimulus.arguments):
                    self.protocol.emit(source)
            case "end":
                for source in self._sources(stimulus.arguments):
                    self.protocol.end_source(source)
            case "trig":
                self.protocol.trigger_checkpoint()
            case "fail" if stimulus.arguments:
                self._fail(stimulus.arguments)
            case "fail":
                self.protocol.fail()
            case "stop":
                protocol = self.protocol
                assert isinstance(protocol, Stopping)
                request = self.next_of(protocol.stop_requests)
                protocol.request_stop(request, stimulus.arguments[0] == "drain")
            case _:
                while any(self._happens(step) for step in self._own_steps):
                    pass  # what one step makes possible may come before it

    def _fail(self, names: Sequence[str]) -> None:
        """Tasks fail, and with each its region. Raises `fails-as-a-whole`."""
        if not self.protocol.has_regions:
            raise FinaleError(
                "fails-as-a-whole",
                "the job has no regions: a task that fails restarts all of it",
                advice='write fail, or options: restart_scope = "region"',
            )
        for region in dict.fromkeys(self.protocol.region_of[task] for task in self.tasks(names)):
            self.protocol.fail_region(region)

    def _sources(self, names: Sequence[str]) -> list[Source]:
        tasks = self.tasks(names)
        for task in tasks:
            if not isinstance(task, Source):
                raise FinaleError(
                    "no-source",
                    f'"{task.name}" is not a source: its steps run by themselves',
                    advice="name sources: tasks without inputs",
                )
        return [task for task in tasks if isinstance(task, Source)]

    @cached_property
    def _own_steps(self) -> list[Callable[[], None]]:
        steps: list[Callable[[], None]] = []
        for name in rule_names(self.kind):
            mark = mark_of(getattr(self.kind, name))
            assert mark is not None
            if rule_of(self.kind, name).fairness is not Fairness.NONE and name not in _TOLD:
                method = getattr(self.protocol, name)
                for arguments, _, _ in bindings(self.protocol, mark, skip=1):
                    steps.append(partial(method, *arguments))
        if isinstance(self.protocol, Stopping) and self.protocol.stops:
            readers = [task for task in self.protocol.tasks if isinstance(task, Source)]
            steps += [partial(self._end_stopped, source) for source in readers]
        return steps

    def _end_stopped(self, source: Source) -> None:
        """A source that a stop has told ends its data by itself."""
        require(source.mode != StopMode.NONE)
        self.protocol.end_source(source)

    def _happens(self, step: Callable[[], None]) -> bool:
        before = list(self.store.values)
        return self.possibly(step) and self.store.values != before

    def see_visible(self) -> Fields:
        return tuple(
            f"{record.source.name}{'abcdefgh'[record.number - 1]}"
            for sink in self.protocol.sinks
            for record in sink.data
            for _ in range(sink.visible[record])
        )
