"""Runs the steps of a job one after the other, or with one thread for each task.

A task's thread moves records and does nothing else. What concerns more than a task, its inputs and
its outputs is done by one thread, alone: while it is at work no record moves.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Collection, Generator, Iterable
from contextlib import contextmanager

from finale.model.events import DATA_STEPS
from finale.reference.engine import Engine
from finale.reference.interrupts import Signals
from finale.reference.steps import StepId
from finale.reference.task import Task

from .channel import Buffer

#: A thread that has nothing to do looks again after so long, even if nobody calls it.
SECONDS = 0.02


class Turns:
    """Takes each step that is ready, one after the other; with a seed in an order by chance.

    `saw` is told of each, but for those that move records.
    """

    def __init__(self, engine: Engine, saw: Callable[[StepId], None], seed: int | None = None):
        self.engine = engine
        self.saw = saw
        self.chance = random.Random(seed) if seed is not None else None
        self.holds: Callable[[StepId], bool] = lambda _: False
        """Whether a step that could be taken is not to be, yet."""

    def turn(self, without: Collection[str]) -> bool:
        """Whether any step could be taken."""
        steps: Iterable[StepId] = self.engine.candidates(without)
        if self.chance is not None:
            steps = sorted(steps)
            self.chance.shuffle(steps)
        return self.take(steps)

    def take(self, steps: Iterable[StepId]) -> bool:
        """Take those that are ready; whether any was."""
        taken = False
        for step in steps:
            if self.engine.is_ready(step) and not self.holds(step):
                self.engine.take(step)
                taken = True
                if step.name not in DATA_STEPS:
                    self.saw(step)
        return taken

    @contextmanager
    def running(self) -> Generator[None]:
        """Steps are taken meanwhile."""
        yield

    @contextmanager
    def alone(self) -> Generator[None]:
        """Nothing moves meanwhile."""
        yield


class Threads(Turns):
    """Records are moved by a thread for each task."""

    def __init__(
        self, engine: Engine, saw: Callable[[StepId], None], signals: Signals | None = None
    ) -> None:
        super().__init__(engine, saw)
        self.signals = signals or Signals()
        self.changed = threading.Condition()
        self.busy = 0
        """So many threads are amid a step."""
        self.halted = self.over = False
        self.error: BaseException | None = None
        self.called = threading.Event()
        """There is something that a task's thread cannot do."""

    def turn(self, without: Collection[str]) -> bool:
        """All but the moving of records; exact about whether nothing at all can be done."""
        self.called.wait(SECONDS)
        self.called.clear()
        with self.alone():
            if self.error is not None:
                raise self.error
            taken = moves = self.take(self.engine.candidates({*without, *DATA_STEPS}))
            while moves:
                moves = self.take(self.engine.candidates({*without, *DATA_STEPS}))
            others = self.engine.actions.keys() - DATA_STEPS
            return taken or any(map(self.engine.is_ready, self.engine.candidates(others)))

    @contextmanager
    def running(self) -> Generator[None]:
        tasks = self.engine.tasks.values()
        # Daemons: a user's function that never returns does not keep the process when it ends.
        threads = [threading.Thread(target=self._run, args=[t], daemon=True) for t in tasks]
        try:
            for thread in threads:
                thread.start()
            yield
        finally:
            with self.changed:
                self.over = True
                self.changed.notify_all()
            for thread in threads:
                while thread.is_alive() and not self.signals.is_urgent:
                    thread.join(SECONDS)
            self.signals.cut |= any(thread.is_alive() for thread in threads)

    @contextmanager
    def alone(self) -> Generator[None]:
        try:
            with self.changed:
                self.halted = True
                while self.busy:
                    self.changed.wait(SECONDS)
                    self.signals.look()
            yield
        finally:
            with self.changed:
                # If the run is to end, no task begins another step.
                self.halted = self.signals.are_waiting
                self.changed.notify_all()

    def _run(self, task: Task) -> None:
        inputs = {channel.name for channel in task.inputs}
        others = self.engine.actions.keys() - DATA_STEPS
        near = {("task", task.name), *(("channel", name) for name in inputs)}
        steps = [s for s in self.engine.candidates(others) if near.issuperset(s.binding)]
        while not self.over and self.error is None:
            with self.changed:
                self.changed.wait_for(lambda: self.over or not self.halted)
                if self.over:
                    return
                self.busy += 1
            moved = False
            try:
                moved = self.take(steps)
                if not moved and self._needs_help(task):
                    self.called.set()
            except BaseException as error:
                self.error = error
                self.called.set()
            with self.changed:
                self.busy -= 1
                if moved or self.halted:
                    self.changed.notify_all()
                if not moved:
                    self.changed.wait(SECONDS)

    def _needs_help(self, task: Task) -> bool:
        """Whether what comes next at a task is not moving records."""
        if task.source is not None:
            return task.source.peek() is None
        heads = [channel.head for channel in task.inputs if task.reads(channel)]
        return any(head is not None and not isinstance(head, Buffer) for head in heads)
