"""The engine: the tasks and the coordinator of a job, which take one step after the other.

Each step is atomic, and any that is enabled may be next: which one is the scheduler's to choose.
The steps themselves are in `running.py` and `failing.py`; how a task ends is the protocol's.
"""

from __future__ import annotations

import itertools
import pickle
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import ClassVar

from finale.model.topology import Channel as Wire
from finale.model.topology import Job
from finale.reference.channel import Channel, NoRoom
from finale.reference.coordinator import Checkpoint, Coordinator, Network
from finale.reference.formats.files import Files, MemoryFiles
from finale.reference.formats.snapshots import CheckpointStore, shape_of
from finale.reference.gate import Gate
from finale.reference.operators.base import Word
from finale.reference.operators.program import JobProgram
from finale.reference.settings import EngineOptions, EngineSettings, Happened
from finale.reference.steps import Guarded, StepId, actions_of
from finale.reference.task import Output, Phase, Task
from finale.reference.undo import go_back, save

#: So many elements a step puts on a channel at most, where buffers take any number of records.
BURST = 3
#: What puts nothing, and must not wait for room: whoever makes room may have ended before.
PUT_NOTHING = frozenset(
    {"cancel_task", "fail_snapshot", "lose_confirmation", "lose_acknowledgement", "find_no_slot"}
)

Names = tuple[str, ...]
Actions = tuple[tuple[str, Names], ...]


class Engine(ABC):
    """A job, and which steps it can take. Subclasses say what they are."""

    key: ClassVar[str]
    variant: ClassVar[str | None] = None
    """The mistake that it has, if it is broken."""
    #: What it leaves open, unless it is said otherwise.
    usual: ClassVar[EngineOptions] = EngineOptions()
    channel_class: ClassVar[type[Channel]] = Channel
    gate_class: ClassVar[type[Gate]] = Gate
    #: By name, and what each is about.
    actions: ClassVar[dict[str, tuple[str, ...]]]

    def __init_subclass__(cls) -> None:
        cls.actions = actions_of(cls)

    @property
    @abstractmethod
    def after_finish(self) -> bool:
        """Whether checkpoints go on when some task has FINISHED."""

    def __init__(
        self,
        job: Job,
        program: JobProgram,
        files: Files,
        settings: EngineSettings,
        options: EngineOptions,
    ) -> None:
        self.settings = settings
        self.options = options
        self.faults = settings.faults
        self.happened = Happened()
        self.attempt = 1
        """How often the job was started, by this engine."""
        self.files = files
        self.channels = {wire.name: self._channel(job, wire) for wire in job.channels}
        self.tasks: dict[str, Task] = {}
        for subtask in job.subtasks:
            inputs = [self.channels[wire.name] for wire in job.inputs(subtask)]
            gate = self.gate_class(inputs, ends_abort=not self.after_finish)
            outputs = tuple(
                Output(
                    tuple(self.channels[w.name] for w in job.outputs(subtask) if w.edge == edge),
                    program.partitioner(edge),
                    program.mark(edge),
                )
                for edge in job.edges_out_of(subtask.vertex)
            )
            make = program.operator(subtask, files, keeps=settings.keeps)
            task = Task(subtask.name, make, gate, outputs, buffer_size=settings.buffer_size)
            self.tasks[task.name] = task
        self.network = Network()
        self.store = CheckpointStore(
            files,
            shape_of(
                job,
                [program.kind(vertex) for vertex in job.vertices],
                [program.settings(vertex) for vertex in job.vertices],
            ),
            keeps=settings.keeps,
            retained=settings.retained,
            version=settings.checkpoint_format,
        )
        self.coordinator = Coordinator(
            {task.name: [each.writer for each in task.inputs] for task in self.tasks.values()},
            self.network,
            self.store,
            concurrent=options.concurrent,
            after_finish=self.after_finish,
        )
        self.coordinator.listens = self.listens
        self.coordinator.decided = self.answer
        for task in self.tasks.values():
            task.gate.take = BoundTo(self.take_checkpoint, task)
            task.gate.give_up = BoundTo(self.give_up_alignment, task)

    def _channel(self, job: Job, wire: Wire) -> Channel:
        port = job.edges_into(wire.receiver.vertex).index(wire.edge)
        return self.channel_class(
            wire.sender.name, wire.receiver.name, port=port, capacity=self.settings.channel
        )

    @abstractmethod
    def take_checkpoint(self, task: Task, checkpoint: int) -> None:
        """React when all barriers of a checkpoint have arrived at a task."""

    @abstractmethod
    def give_up_alignment(self, task: Task, checkpoint: int) -> None:
        """A checkpoint can not be completed at a task."""

    def listens(self, task: str) -> bool:
        """Whether a task is there to be told anything."""
        return self.tasks[task].phase not in (Phase.CLOSED, Phase.FAILED)

    @abstractmethod
    def answer(self, checkpoint: Checkpoint) -> None:
        """Answer the user who asked for a checkpoint."""

    def in_use(self) -> Iterator[int]:
        """The checkpoints that somebody beside the coordinator may still speak of."""
        for task in self.tasks.values():
            yield from task.mail

    # --- steps -----------------------------------------------------------------------------------

    def enabled(self) -> frozenset[StepId]:
        """The steps that can be taken now."""
        return frozenset(step for step in self.candidates() if self._is_possible(step))

    def may_begin(self, step: StepId) -> bool:
        """Whether a step can be taken, if there is room for what it puts."""
        return next(self._prepared(step))

    def is_ready(self, step: StepId) -> bool:
        """Whether a step can be taken, and whatever it puts has room: never too optimistic."""
        return self.may_begin(step) and self._has_room_for(step)

    def take(self, step: StepId) -> None:
        """Take a step that is enabled. Raises `NoRoom` where a channel has no room for it."""
        taken = self._prepared(step)
        assert next(taken), f"{step} is not enabled"
        next(taken, None)

    def seen(self) -> tuple[tuple[str, Word], ...]:
        """Return the knowledge of a protocol about the job as a whole, by names."""
        return ()

    def fork(self) -> Engine:
        """Return a copy of the engine with a copy of its files, which must be in memory."""
        assert isinstance(self.files, MemoryFiles), "on disk the two would write the same files"
        copy: Engine = pickle.loads(pickle.dumps(self))
        return copy

    def candidates(self, without: Collection[str] = ()) -> Iterator[StepId]:
        """All steps there are, enabled or not."""
        actions = tuple(each for each in self.actions.items() if each[0] not in without)
        kinds = dict.fromkeys(kind for _, about in actions for kind in about)
        return iter(_all_steps(actions, tuple((kind, tuple(self.names(kind))) for kind in kinds)))

    def names(self, kind: str) -> Sequence[str]:
        """The things of a kind that a step can be about."""
        match kind:
            case "task":
                return tuple(self.tasks)
            case "channel":
                return tuple(self.channels)
            case _:
                return tuple(f"cp{number}" for number in self.coordinator.checkpoints)

    def _prepared(self, step: StepId) -> Guarded:
        arguments = [self.thing(kind, name) for kind, name in step.binding]
        prepared: Guarded = getattr(self, step.name)(*arguments)
        return prepared

    def thing(self, kind: str, name: str) -> object:
        """The thing of a kind that has a name."""
        match kind:
            case "task":
                return self.tasks[name]
            case "channel":
                return self.channels[name]
            case _:
                return int(name.removeprefix("cp"))

    def _is_possible(self, step: StepId) -> bool:
        if not self.may_begin(step):
            return False
        if self._has_room_for(step):
            return True
        assert isinstance(self.files, MemoryFiles), "a step on disk cannot be undone"
        before = save(self)
        try:
            self.take(step)
        except NoRoom:
            return False
        finally:
            go_back(before)
        return True

    def _has_room_for(self, step: StepId) -> bool:
        """Whether nothing that the step might put can meet a full channel."""
        for kind, name in step.binding:
            if kind in ("task", "channel") and step.name not in PUT_NOTHING:
                task = self.tasks[name if kind == "task" else self.channels[name].reader]
                few = self.settings.buffer_size is None
                return task.has_room(BURST if few else self.settings.channel)
        return True


@lru_cache(maxsize=64)
def _all_steps(actions: Actions, names: tuple[tuple[str, Names], ...]) -> tuple[StepId, ...]:
    things = dict(names)
    return tuple(
        StepId(name, tuple(zip(about, chosen, strict=True)))
        for name, about in actions
        for chosen in itertools.product(*(things[kind] for kind in about))
    )


class BoundTo:
    """A method and its first argument, as a value that can be copied with its engine."""

    def __init__(self, method: object, task: Task) -> None:
        self.method = method
        self.task = task

    def __call__(self, checkpoint: int) -> None:
        self.method(self.task, checkpoint)  # type: ignore[operator]
