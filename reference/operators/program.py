"""The program of a job: the operator of each task, and the routes of its records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from finale.model.errors import FinaleError, Place
from finale.model.topology import Edge, Job, OperatorKind, Sink, Subtask, Vertex
from finale.reference.channel import Record
from finale.reference.formats.files import Files
from finale.reference.operators.base import Context, Operator
from finale.reference.operators.simple import HoldBack, HoldUntilLast, Numbered, PassOn
from finale.reference.operators.sinks import AppendingSink, TransactionalSink
from finale.reference.task import Partitioner


class JobProgram(Protocol):
    """Asked once, when an engine is made."""

    def kind(self, vertex: Vertex) -> str:
        """What a vertex does, in a word."""
        ...

    def settings(self, vertex: Vertex) -> Mapping[str, Any]:
        """What is said of a vertex that its state depends on."""
        ...

    def operator(self, subtask: Subtask, files: Files, *, keeps: bool) -> Callable[[], Operator]:
        """Makes the operator of a subtask, once for each attempt."""
        ...

    def partitioner(self, edge: Edge) -> Partitioner | None:
        """Return the partitioner of an edge; None if each record goes to all subtasks."""
        ...

    def mark(self, edge: Edge) -> Callable[[Record], Record] | None:
        """What becomes of a record along an edge, if anything."""
        ...


OPERATORS: dict[OperatorKind, type[Operator]] = {
    OperatorKind.PASS_THROUGH: PassOn,
    OperatorKind.BUFFERING: HoldBack,
    OperatorKind.TIMER: HoldUntilLast,
}


def by_number(records: Sequence[Record], count: int) -> list[Sequence[Record]]:
    """`S#3` goes to the third channel."""
    numbers = [int(str(record).split("#")[1].split("/")[0]) for record in records]
    numbered = list(zip(records, numbers, strict=True))
    return [[each for each, number in numbered if number % count == i] for i in range(count)]


@dataclass(frozen=True)
class Followed:
    """The program of a job of which nothing but its shape is given, as in a spec."""

    job: Job
    effects: bool = True
    """Whether sinks write anything."""

    def kind(self, vertex: Vertex) -> str:
        return vertex.kind.value

    def settings(self, vertex: Vertex) -> Mapping[str, Any]:
        return {}

    def operator(self, subtask: Subtask, files: Files, *, keeps: bool) -> Callable[[], Operator]:
        context = Context(subtask.name, files)
        vertex = subtask.vertex
        if vertex.is_source and vertex.kind is not OperatorKind.ITERATION_HEAD:
            return partial(Numbered, context, count=subtask.records, bounded=subtask.bounded)
        if vertex.is_sink and not self.effects:
            return partial(Operator, context)
        if vertex.sink is Sink.TWO_PHASE:
            return partial(TransactionalSink, context, keeps=keeps)
        if vertex.sink is Sink.AT_LEAST_ONCE:
            return partial(AppendingSink, context)
        if vertex.kind not in OPERATORS:
            raise FinaleError(
                "no-engine",
                f'the engine has no operator for "{vertex.name}", of kind "{vertex.kind.value}"',
                place=Place(key=f"job.{vertex.name}.kind"),
                advice=f"it has {', '.join(kind.value for kind in OPERATORS)}",
            )
        return partial(OPERATORS[vertex.kind], context)

    def partitioner(self, edge: Edge) -> Partitioner | None:
        return None if edge.broadcast else by_number

    def mark(self, edge: Edge) -> Callable[[Record], Record] | None:
        """Where ways part, a record tells which it took."""
        source = self.job.vertex(edge.source)
        if len(self.job.edges_out_of(source)) < 2:
            return None
        return partial(_marked, edge.target)


def _marked(target: str, record: Record) -> Record:
    return f"{record}/{target}"
