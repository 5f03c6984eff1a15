"""Facts about what a task sends to any number of outputs: barriers and ends of partitions.

Two steps are read off: the step in which a task takes its snapshot, and the step in which it
closes. The nodes of the graph are the outputs. A full channel blocks the step, so the facts are
about steps that are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from finale.checker.proofs.window import Effect
from finale.model.language.entities import Entity
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.elements import Barrier, EndOfPartition
from finale.model.rules import Setting
from finale.model.topology import Edge, Job, Vertex

from .fact import Fact, FactCase, Marks
from .logic import Logic, Term, Z3Logic
from .reading import StateAfterStep, SymbolicState, formula, returns
from .window import Binding, JobWindow, laid_out


@dataclass(frozen=True)
class Outputs:
    """The methods of a protocol, in a window onto any number of outputs."""

    kind: type[JobProtocol]
    options: Mapping[str, object]

    @cached_property
    def window(self) -> tuple[Any, JobWindow, Entity]:
        """The protocol; C is any output of the task T."""
        job = Job((Vertex.source("T", records=0), Vertex("D")), (Edge("T", "D"),))
        bounds = {"checkpoints": 1, "channel": 4}
        protocol = laid_out(self.kind, Setting(job=job, options=self.options, bounds=bounds))
        (output,) = protocol.channels

        def anyone(logic: Logic, binding: Binding, node: Term) -> Term:
            return logic.truth(True)

        return protocol, JobWindow(protocol, (), {output: anyone}, (output,)), output

    @cached_property
    def performing(self) -> Effect:
        """AL-5: a task takes its part of a checkpoint that is not known to be aborted."""
        protocol, window, _ = self.window
        task, checkpoint = protocol.tasks[0], protocol.checkpoints[0]
        live = window.condition(lambda: not task.aborted.has(checkpoint))
        return window.step(lambda: protocol.perform(task, checkpoint), given=live)

    @cached_property
    def closing(self) -> Effect:
        """FC-9: a task closes."""
        protocol, window, _ = self.window
        return window.step(lambda: protocol.close_task(protocol.tasks[0]))


def _sent(
    outputs: Outputs, name: str, of: str, what: str, step: Effect, holds: Callable[[Any], object]
) -> Fact:
    def ask(logic: Z3Logic) -> list[FactCase]:
        _, window, output = outputs.window
        before = SymbolicState(logic)
        after = StateAfterStep(before, window, step, {})
        node: Binding = {output: logic.some_node("c")}
        is_there = window.condition(lambda: holds(output))
        given = [
            returns(window, step, before, node),
            logic.negation(formula(is_there, window, before, before, node)),
        ]

        def gets_it(channel: Term) -> Term:
            return formula(is_there, window, after, after, {output: channel})

        marks: Marks = {"gets nothing": lambda channel: logic.negation(gets_it(channel))}
        return [FactCase(of, given, gets_it(node[output]), marks)]

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
