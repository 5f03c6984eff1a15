"""What a task sends, however many outputs it has: its barrier, and the end of its partition.

Read off are the step in which a task takes its part of a checkpoint, and that in which it closes.
Nodes are the outputs. A full channel blocks the step: what is claimed is of steps that are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from model.language.entities import Entity
from model.protocols.coordinator.coordinator import JobProtocol
from model.protocols.job.elements import Barrier, EndOfPartition
from model.rules import Setting
from model.topology import Edge, Job, Vertex

from .fact import Fact, Marks, Question
from .logic import Logic, Term, Z3Logic
from .reading import After, State, formula, returns
from .window import Binding, Step, Window


@dataclass(frozen=True)
class Outputs:
    """The methods of a protocol, in a window onto any number of outputs."""

    kind: type[JobProtocol]
    options: Mapping[str, object]

    @cached_property
    def window(self) -> tuple[Any, Window, Entity]:
        """The protocol; C is any output of the task T."""
        job = Job((Vertex.source("T", records=0), Vertex("D")), (Edge("T", "D"),))
        bounds = {"checkpoints": 1, "channel": 4}
        protocol: Any = self.kind(Setting(job=job, options=self.options, bounds=bounds))
        (output,) = protocol.channels

        def anyone(logic: Logic, binding: Binding, node: Term) -> Term:
            return logic.truth(True)

        return protocol, Window(protocol, (), {output: anyone}, (output,)), output

    @cached_property
    def performing(self) -> Step:
        """AL-5: a task takes its part of a checkpoint that is not known to be aborted."""
        protocol, window, _ = self.window
        task, checkpoint = protocol.tasks[0], protocol.checkpoints[0]
        live = window.condition(lambda: not task.aborted.has(checkpoint))
        return window.step(lambda: protocol.perform(task, checkpoint), given=live)

    @cached_property
    def closing(self) -> Step:
        """FC-9: a task closes."""
        protocol, window, _ = self.window
        return window.step(lambda: protocol.close_task(protocol.tasks[0]))


def _sent(
    outputs: Outputs, name: str, of: str, what: str, step: Step, holds: Callable[[Any], object]
) -> Fact:
    def ask(logic: Z3Logic) -> list[Question]:
        _, window, output = outputs.window
        before = State(logic)
        after = After(before, window, step, {})
        node: Binding = {output: logic.some_node("c")}
        is_there = window.condition(lambda: holds(output))
        given = [
            returns(window, step, before, node),
            logic.negation(formula(is_there, window, before, before, node)),
        ]

        def gets_it(channel: Term) -> Term:
            return formula(is_there, window, after, after, {output: channel})

        marks: Marks = {"gets nothing": lambda channel: logic.negation(gets_it(channel))}
        return [Question(of, given, gets_it(node[output]), marks)]

    return Fact(name, ("AL-1", "FC-9"), f"{what} on every output.", ask, node="output", of=(of,))


def facts_of_outputs(outputs: Outputs) -> list[Fact]:
    """What is claimed of what a task sends."""
    checkpoint = outputs.window[0].checkpoints[0]
    return [
        _sent(
            outputs,
            "barrier-on-every-output",
            "perform",
            "A task that takes its part of a checkpoint puts the barrier",
            outputs.performing,
            lambda output: output.queue.holds(Barrier(checkpoint)),
        ),
        _sent(
            outputs,
            "end-on-every-output",
            "close_task",
            "A task that closes puts EndOfPartition",
            outputs.closing,
            lambda output: output.queue.holds(EndOfPartition()),
        ),
    ]


__all__ = ["Outputs", "facts_of_outputs"]
