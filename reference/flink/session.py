"""A running job: real threads, ids and tasks under the names of the job, and commands to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Self, cast

from finale.model.errors import FinaleError, Place
from finale.model.topology import Job, Subtask

from .debugged import Absent, Ended, Happening, Refused, Result, Stop, Told
from .hooks import SOURCES, Hook, Hooks, missing
from .job import sources_of
from .jvms import LOG, Jvms
from .releases import Release

#: A JVM, a cluster and a job have so long to run, in seconds.
SECONDS_TO_RUN = 120.0
#: The setting of the driver's job that says how many splits a coordinator assigns.
SPLITS = "job.splits"
#: How a task of several operators is called: the first one, its chained sources, those behind it.
_TASK = r"(?:Source: )?(?P<vertex>.*?)(?: \[.*\])?(?: -> .*)?"
_THREAD = re.compile(rf"(?:Legacy Source Thread - )?{_TASK} \((?P<subtask>\d+)/\d+\)(#\d+)?")
_VERTEX = re.compile(_TASK)
#: Nothing happens by itself, and nobody grows impatient while threads are held.
SETTINGS = {
    "rest.port": "0",
    "rest.bind-port": "0",
    "rest.address": "127.0.0.1",
    "rest.bind-address": "127.0.0.1",
    "jobmanager.bind-host": "127.0.0.1",
    "taskmanager.bind-host": "127.0.0.1",
    "execution.checkpointing.interval": "20 d",
    "execution.checkpointing.min-pause": "20 d",  # a scheduler that starts again waits for it
    "execution.checkpointing.timeout": "1 d",
    "execution.checkpointing.tolerable-failed-checkpoints": "1000",
    "restart-strategy.type": "fixed-delay",
    "restart-strategy.fixed-delay.attempts": "20",
    "restart-strategy.fixed-delay.delay": "100 ms",
    "heartbeat.interval": "600000",
    "heartbeat.timeout": "3600000",
    "pekko.ask.timeout": "3600 s",
    "client.timeout": "3600 s",
    "taskmanager.slot.timeout": "3600 s",
    "slot.request.timeout": "3600000",
    "task.cancellation.timeout": "0",
    "taskmanager.memory.managed.size": "4 mb",
    "taskmanager.memory.network.min": "8 mb",
    "taskmanager.memory.network.max": "8 mb",
    "taskmanager.network.memory.floating-buffers-per-gate": "8",  # the driver's job counts on it
}
#: No order opens a port to others.
LOOPBACK = ("rest.address", "rest.bind-address", "jobmanager.bind-host", "taskmanager.bind-host")


@dataclass(frozen=True)
class Hit:
    """A thread at a hook: the steps that it is about to take, and what they are of.

    `scheduled` says of a trigger whether Flink triggers periodic checkpoints now. `field` is the
    value of the field that the hook of an assumption reads.
    """

    hook: Hook
    steps: tuple[str, ...]
    task: str | None
    channel: str | None
    source: str | None
    checkpoint: int | None
    kind: str | None
    token: int
    thread: int
    thread_name: str
    scheduled: bool | None = None
    field: object = None

    def __str__(self) -> str:
        names = (self.source or self.task, self.channel, self.checkpoint)
        about = [str(each) for each in names if each]
        return f"{self.steps[0]}({', '.join(about)})"


@dataclass(frozen=True)
class Left:
    """A thread has left the method of a hit."""

    hit: Hit


@dataclass(frozen=True)
class Returned:
    """The method of a hit has returned to a thread that was followed: what it returned."""

    hit: Hit
    value: str


@dataclass(frozen=True)
class Answer:
    """A request has its answer: a value, or an error."""

    request: str
    value: str | None
    error: str | None


@dataclass(frozen=True)
class Runs:
    """All tasks of the job run: it has started, or started again."""


@dataclass(frozen=True)
class Crashed:
    """The JobManager is gone, and its tasks fail. Another one takes over."""


@dataclass(frozen=True)
class Over:
    """The job has ended in a state."""

    state: str


@dataclass(frozen=True)
class Status:
    """The states of the job and its tasks, and where the threads of its tasks are."""

    job: str
    tasks: Mapping[str, str]
    waits: Mapping[str, str]


News = Hit | Left | Returned | Answer | Runs | Crashed | Over | Status


@dataclass
class Session:
    """A job on an unmodified Flink, in a JVM of its own or one that other runs have used."""

    jvms: Jvms
    job: Job
    settings: Mapping[str, str]
    folder: Path
    _stack: ExitStack = field(default_factory=ExitStack)
    _inside: dict[tuple[int, int], list[Hit]] = field(
        default_factory=dict[tuple[int, int], list[Hit]]
    )
    _followed: dict[int, Hit] = field(default_factory=dict[int, Hit])
    _vertices: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    _attempts: dict[tuple[int, int], Subtask] = field(
        default_factory=dict[tuple[int, int], Subtask]
    )

    def __enter__(self) -> Self:
        """Start the job. Raises `java-missing`, `jdk-missing`, `hook-missing`, `jvm-died`."""
        self._prepare_folder()
        with self._stack:
            self._debugged = self._stack.enter_context(self.jvms.jvm(self.folder))
            self._begin()
            self._stack = self._stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    @property
    def release(self) -> Release:
        """The release of Flink that runs the job."""
        return self.jvms.release

    @property
    def hooks(self) -> Hooks:
        """Where threads of this release are held."""
        return self.jvms.hooks

    def _prepare_folder(self) -> None:
        try:
            (self.folder / "savepoints").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FinaleError(
                "unwritable",
                f"the folder of the run cannot be written: {error.strerror}",
                place=Place(str(self.folder)),
                advice="name another folder with --output",
            ) from None

    def _begin(self) -> None:
        send = self._debugged.command
        folder = self.folder.absolute()
        own = {"execution.checkpointing.dir": f"file:{folder}/checkpoints"}
        fixed = own | {name: SETTINGS[name] for name in LOOPBACK}
        for name, value in (SETTINGS | dict(self.settings) | fixed).items():
            if value:  # without a value the setting is left out
                send("set", *self.hooks.setting(name, value))
        for vertex in self.job.topological:
            shape = (vertex.kind.value, vertex.sink.value, str(vertex.union_state).lower())
            chained = str(len(vertex.chained))
            send("vertex", vertex.name, str(vertex.parallelism), *shape, chained)
        for edge in self.job.edges:
            pattern = "broadcast" if edge.broadcast else edge.pattern.value
            send("edge", edge.source, edge.target, pattern)
        send("folder", str(folder))
        self.start()

    def start(self, savepoint: str | None = None) -> None:
        """Start the job, from a savepoint or from nothing, and wait until all its tasks run."""
        self._debugged.command("start", *([savepoint] if savepoint else []))
        end = monotonic() + SECONDS_TO_RUN
        while not isinstance(news := self.next(end - monotonic()), Runs):
            if news is None:
                raise FinaleError(
                    "job-not-started",
                    f"the job does not run after {SECONDS_TO_RUN:g} seconds",
                    place=Place(str(self.folder)),
                    advice=f"read {LOG} in this folder; other work may keep the machine busy",
                )
            if isinstance(news, Hit):
                self.go(news)

    @property
    def group(self) -> int:
        """The group of all processes of the run."""
        return self._debugged.group

    # --- news ------------------------------------------------------------------------------------

    def next(self, seconds: float) -> News | None:
        """Return the next news, or None if there were none for so long. Raises `jvm-died`."""
        end = monotonic() + seconds
        while True:
            happening = self._debugged.next(end - monotonic())
            if happening is None:
                return None
            news = self._news(happening)
            if news is not None:
                return news

    def _news(self, happening: Happening) -> News | None:
        match happening:
            case Stop(token=None):
                inside = self._inside.get((happening.hook, happening.thread), [])
                return Left(inside.pop()) if inside else None
            case Stop():
                self._check_values(happening)
                if "name" in happening.values:
                    self._is_deployed(happening)
                    return None
                hit = self._hit(happening)
                self._inside.setdefault((happening.hook, happening.thread), []).append(hit)
                return hit
            case Result(token, value):
                hit = self._followed.pop(token)
                return Returned(hit, str(value).lower() if isinstance(value, bool) else str(value))
            case Told(words):
                return self._told(words)
            case Absent(hook):
                lacking = self.hooks.all[hook]
                raise missing(lacking, self.release, f"there is no one method {lacking.place}")
            case Refused(why):
                raise FinaleError(
                    "call-not-lost",
                    f"a call of Flink {self.release.version} cannot be lost: {why}",
                    advice="choose another counterexample: this Java cannot skip the call",
                )
            case Ended():
                raise self._debugged.died()

    def _told(self, words: Mapping[str, object]) -> News | None:
        match words:
            case {"answer": str(request)}:
                value, error = words.get("value"), words.get("error")
                return Answer(
                    request,
                    None if value is None else str(value),
                    None if error is None else str(error),
                )
            case {"running": str()}:
                vertices = cast("Mapping[str, Sequence[int]]", words["vertices"])
                for name, (upper, lower) in vertices.items():
                    if found := _VERTEX.fullmatch(name):
                        self._vertices[upper, lower] = found["vertex"]
                return Runs()
            case {"crashed": str()}:
                return Crashed()
            case {"over": str(state)}:
                return Over(state)
            case {"status": str(state)}:
                tasks = cast("Mapping[str, str]", words["tasks"])
                waits = cast("Mapping[str, str]", words["waits"])
                return Status(state, self._named(tasks), self._named(waits))
            case {"failed": str(why)}:
                raise FinaleError(
                    "job-not-started",
                    f"the job cannot be run on Flink {self.release.version}: {why}",
                    advice=f"read {LOG} in the folder of the run",
                )
            case _:
                return None

    def _named(self, by_thread: Mapping[str, str]) -> dict[str, str]:
        named = {self._task_of(name): each for name, each in by_thread.items()}
        return {task: each for task, each in named.items() if task is not None}

    def _check_values(self, stop: Stop) -> None:
        for path, value in stop.values.items():
            if isinstance(value, dict):
                hook = self.hooks.all[stop.hook]
                raise missing(hook, self.release, f"its {path} cannot be read: {value}")

    def _is_deployed(self, stop: Stop) -> None:
        """Note whose attempt is deployed: its id is a random one. Its task starts after this."""
        upper, lower, name = (stop.values[each] for each in ("upper", "lower", "name"))
        subtask = self._subtask_of(str(name))
        if subtask is not None:
            self._attempts[cast("int", upper), cast("int", lower)] = subtask
        assert stop.token is not None
        self._debugged.go(stop.token)

    def _hit(self, stop: Stop) -> Hit:
        hook, values = self.hooks.all[stop.hook], stop.values
        assert stop.token is not None
        subtask = self._subtask(hook, stop)
        steps, channel = hook.steps, None
        if "event" in values:
            step = hook.events.get(str(values["event"]))
            steps = () if step is None else tuple(step.split())
        if subtask is not None and "channel" in values:
            channel = self._channel(
                subtask, cast("int", values["gate"]), cast("int", values["channel"])
            )
        if subtask is not None and "record" in values:
            channel = self._channel_of(subtask, str(values["record"]))
        if hook.of and (subtask is None or not _is_of(hook.of, subtask)):
            steps = ()
        source = None
        if subtask is not None and subtask.vertex.chained and "source" in values:
            source = str(values["source"]).replace(subtask.vertex.name, subtask.name, 1)
        checkpoint, kind = values.get("checkpoint"), values.get("kind")
        return Hit(
            hook,
            steps or ("other",),
            None if subtask is None or channel is not None else subtask.name,
            channel,
            source,
            checkpoint if isinstance(checkpoint, int) else None,
            kind if isinstance(kind, str) else None,
            stop.token,
            stop.thread,
            stop.name,
            cast("bool | None", values.get("scheduled")),
            values.get("field"),
        )

    def _subtask(self, hook: Hook, stop: Stop) -> Subtask | None:
        values = stop.values
        if "upper" in values:
            key = cast("int", values["upper"]), cast("int", values["lower"])
            if "subtask" not in values:
                return self._attempts.get(key)
            return self._of(self._vertices.get(key), cast("int", values["subtask"]))
        if "called" in values:
            return self._subtask_of(str(values["called"]))
        return self._subtask_of(stop.name) if hook.by_thread else None

    def _subtask_of(self, name: str) -> Subtask | None:
        """The subtask of a task or a thread that is called so, if it is one of the job."""
        found = _THREAD.fullmatch(name)
        return None if found is None else self._of(found["vertex"], int(found["subtask"]) - 1)

    def _of(self, vertex: str | None, index: int) -> Subtask | None:
        found = next((each for each in self.job.vertices if each.name == vertex), None)
        return None if found is None else Subtask(found, index)

    def _task_of(self, name: str) -> str | None:
        subtask = self._subtask_of(name)
        return None if subtask is None else subtask.name

    def _channel(self, subtask: Subtask, gate: int, channel: int) -> str | None:
        edges = self.job.edges_into(subtask.vertex)
        if gate >= len(edges):
            return None
        inputs = [each for each in self.job.inputs(subtask) if each.edge == edges[gate]]
        return inputs[channel].name if channel < len(inputs) else None

    def _channel_of(self, subtask: Subtask, record: str) -> str | None:
        """The channel from the source of a record, if the source is next to the subtask."""
        vertex, _, index = record.partition("#")[0].rpartition(".")
        found = (
            each.name
            for each in self.job.inputs(subtask)
            if (each.sender.vertex.name, str(each.sender.index)) == (vertex, index)
        )
        return next(found, None)

    # --- the log ---------------------------------------------------------------------------------

    @property
    def logged(self) -> int:
        """The number of bytes that Flink has logged."""
        log = self.folder / LOG
        return log.stat().st_size if log.exists() else 0

    def lines_since(self, logged: int) -> list[str]:
        """The lines that Flink has logged behind so many bytes."""
        log = self.folder / LOG
        text = log.read_bytes()[logged:] if log.exists() else b""
        return text.decode(errors="replace").splitlines()

    # --- commands --------------------------------------------------------------------------------

    def go(self, hit: Hit) -> None:
        """Let a held thread go on."""
        self._debugged.go(hit.token)

    def lose(self, hit: Hit) -> None:
        """Let a held thread return at once, without its call. The caller hears of no error."""
        self._leaves(hit)
        self._debugged.skip(hit.token)

    def follow(self, hit: Hit) -> None:
        """Let a held thread go on. What its method returns is news."""
        self._leaves(hit)
        self._followed[hit.token] = hit
        self._debugged.follow(hit.token)

    def give(self, hit: Hit, value: str) -> None:
        """Let a held thread return at once, with a value of `VALUES`."""
        self._leaves(hit)
        self._debugged.give(hit.token, value)

    def change(self, hit: Hit, name: str, value: str) -> None:
        """Let a held thread go on, after a field of the object has got a value."""
        self._leaves(hit)
        self._debugged.change(hit.token, name, value)

    def _leaves(self, hit: Hit) -> None:
        inside = self._inside.get((hit.hook.number, hit.thread), [])
        if hit in inside:
            inside.remove(hit)

    def to_task(self, word: str, task: str, *more: str) -> None:
        """Send a command about a task or a chained source: emit, end, free, fail, assign."""
        names = {each.name: (each.vertex, each.index) for each in sources_of(self.job)}
        names |= {each.name: (each.vertex.name, each.index) for each in self.job.subtasks}
        vertex, index = names[task]
        self._debugged.command(word, vertex, str(index), *more)

    def fail_job(self) -> None:
        """Fail the job as a whole: the coordinators of operators start again from a checkpoint."""
        self._debugged.command("fail-job")

    @property
    def splits(self) -> Sequence[str]:
        """The splits that the coordinator of an operator assigns, if the job has one."""
        return [f"split{number + 1}" for number in range(int(self.settings.get(SPLITS, "0")))]

    def ask(self, word: str, request: str, *more: str) -> None:
        """Send a request: stop, savepoint, checkpoint, cancel. Its answer is news."""
        self._debugged.command(word, request, *more)

    def kept(self, checkpoint: int | None) -> str | None:
        """The path of a checkpoint that Flink has kept, if it has."""
        found = sorted((self.folder / "checkpoints").glob(f"*/chk-{checkpoint}/_metadata"))
        return f"file:{found[-1].parent.absolute()}" if found else None

    def resume(self, savepoint: str) -> None:
        """Start the job again from a savepoint or checkpoint. That all its tasks run is news."""
        self._debugged.command("start", savepoint)

    def crash(self) -> None:
        """End the JobManager, and let another one take over. That the first one is gone is news."""
        self._debugged.command("crash")

    def ask_status(self) -> None:
        """Ask for a status, which is news."""
        self._debugged.command("status")


def _is_of(kind: str, subtask: Subtask) -> bool:
    return subtask.vertex.is_source if kind == SOURCES else bool(subtask.vertex.chained)


__all__ = ["SPLITS", "Answer", "Hit", "Left", "News", "Over", "Returned", "Session", "Status"]
