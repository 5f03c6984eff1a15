"""Who takes the steps of a running job: one after the other, or a thread for each task.

A task's thread moves records and does nothing else. What concerns more than a task, its inputs and
its outputs is done by one thread, alone: while it is, no record moves.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Collection, Generator, Iterable
from contextlib import ExitStack, contextmanager

from model.events import DATA_STEPS
from reference.elements import Buffer
from reference.engine import Engine
from reference.steps import StepId

#: A thread that has nothing to do looks again after so long, even if nobody calls it.
SECONDS = 0.02

Saw = Callable[[StepId], None]
"""Is told of each step that is taken, but for those that move records."""


class Turns:
    """Takes each step that is ready, one after the other; with a seed in an order by chance."""

    def __init__(self, engine: Engine, seed: int | None = None) -> None:
        self.engine = engine
        self.chance = random.Random(seed) if seed is not None else None

    def turn(self, without: Collection[str], saw: Saw) -> bool:
        """Whether any step could be taken."""
        steps: Iterable[StepId] = self.engine.candidates(without)
        if self.chance is not None:
            steps = sorted(steps)
            self.chance.shuffle(steps)
        return self._take(steps, saw) > 0

    def _take(self, steps: Iterable[StepId], saw: Saw) -> int:
        taken = 0
        for step in steps:
            if self.engine.is_ready(step):
                self.engine.take(step)
                taken += 1
                if step.name not in DATA_STEPS:
                    saw(step)
        return taken

    @contextmanager
    def alone(self) -> Generator[None]:
        """Nothing moves meanwhile."""
        yield

    def __enter__(self) -> None:
        """Steps follow."""

    def __exit__(self, *error: object) -> None:
        """No step follows."""


class Threads(Turns):
    """Records are moved by a thread for each task."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.open = threading.Event()
        """Threads may go on: a lock alone would go to whoever has just released it."""
        self.open.set()
        self.over = False
        self.error: BaseException | None = None
        self.called = threading.Event()
        """There is something that a task's thread cannot do."""
        self.locks = {name: threading.Lock() for name in engine.tasks}
        self.calls = {name: threading.Event() for name in engine.tasks}
        self.threads = [threading.Thread(target=self._run, args=[name]) for name in engine.tasks]

    def turn(self, without: Collection[str], saw: Saw) -> bool:
        """All but the moving of records; exact about whether nothing at all can be done."""
        self.called.wait(SECONDS)
        self.called.clear()
        with self.alone():
            if self.error is not None:
                raise self.error
            moved = 0
            while taken := self._take(self.engine.candidates({*without, *DATA_STEPS}), saw):
                moved += taken
            data = (step for name in self.locks for step in self._data_steps(name))
            moved += any(map(self.engine.is_ready, data))
        if moved:
            self._call(self.calls)
        return moved > 0

    @contextmanager
    def alone(self) -> Generator[None]:
        self.open.clear()
        try:
            with ExitStack() as held:
                for lock in self.locks.values():
                    held.enter_context(lock)
                yield
        finally:
            self.open.set()

    def __enter__(self) -> None:
        for thread in self.threads:
            thread.start()

    def __exit__(self, *error: object) -> None:
        self.over = True
        self._call(self.calls)
        for thread in self.threads:
            thread.join()

    def _run(self, name: str) -> None:
        task, steps = self.engine.tasks[name], self._data_steps(name)
        near = {channel.reader for channel in task.outputs}
        near |= {channel.writer for channel in task.inputs}
        try:
            while not self.over:
                self.open.wait()
                with self.locks[name]:
                    taken = sum(self._is_taken(step) for step in steps)
                    needs = not taken and self._needs_help(name)
                if taken:
                    self._call(near)
                    continue
                if needs:
                    self.called.set()
                self.calls[name].wait(SECONDS)
                self.calls[name].clear()
        except BaseException as error:
            self.error = error
            self.called.set()

    def _is_taken(self, step: StepId) -> bool:
        if ready := self.engine.is_ready(step):
            self.engine.take(step)
        return ready

    def _needs_help(self, name: str) -> bool:
        """Whether what comes next at a task is not moving records."""
        task = self.engine.tasks[name]
        if task.source is not None:
            return task.source.peek() is None
        heads = [channel.head for channel in task.inputs if task.reads(channel)]
        return any(head is not None and not isinstance(head, Buffer) for head in heads)

    def _data_steps(self, name: str) -> list[StepId]:
        inputs = [channel.name for channel in self.engine.tasks[name].inputs]
        about = {"task": [name], "channel": inputs}
        kinds = {
            step: self.engine.actions[step] for step in DATA_STEPS if step in self.engine.actions
        }
        return [
            StepId(step, ((kind, each),)) for step, (kind,) in kinds.items() for each in about[kind]
        ]

    def _call(self, names: Iterable[str]) -> None:
        for name in names:
            self.calls[name].set()
