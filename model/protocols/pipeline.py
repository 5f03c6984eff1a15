"""A pipeline: a source, operators and a sink, one bounded queue between each and the next.

It is the example on which partial-order reductions are compared, after "Partial-Order Reduction in
SPIN" (Holzmann and Peled, 1994) and two Promela models whose counts are known: stages work side by
side, no step of one depends on when another takes its own, and yet all their orders are searched.
The models differ in one option. Where only one process may use an end of a channel, SPIN takes a
put or a take as a step of that process alone and joins to it what the process does by itself next.
Left out: what operators compute, for no step depends on it. The stages end like Promela's
processes, each after those behind it.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from finale.model.properties.passing import LastStage, PipelineView
from finale.model.rules import (
    Bound,
    Entity,
    Enum,
    Nothing,
    Option,
    Protocol,
    Queue,
    Range,
    Setting,
    define,
    field,
    require,
    rule,
    step,
)

Count = Range(0, Bound("records"))
Number = Range(0, Bound("records") - 1)


class OwnWork(enum.Enum):
    """When a stage does what concerns no other: in steps of its own, or with its last one."""

    APART = "apart"
    JOINED = "joined"


class Status(enum.Enum):
    """Where a stage is in its loop."""

    DECIDES = "decides whether records are left"
    WANTS = "wants the next record"
    HAS = "has a record"
    HAS_WORKED = "has worked on the record"
    HAS_PASSED = "is done with the record"
    ENDS = "ends"
    GONE = "gone"


class Stage(Entity):
    """A source, an operator or a sink, and how many records it is done with."""

    status = field(Enum(Status), Status.DECIDES)
    done = field(Count, 0, effect=True)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.behind: tuple[Stage, ...] = ()


class Producer(Stage):
    """A stage with a queue behind it."""

    queue = field(Queue(Number, Bound("channel")), (), messages="held")


class Consumer(Stage):
    """A stage with a queue before it."""

    record = field(Option(Number), Nothing)
    before: Producer


class Source(Producer):
    """The first stage: it makes the records."""


class Operator(Consumer, Producer):
    """A stage that passes on what it takes."""


class Sink(Consumer, LastStage):
    """The last stage."""

    @property
    def finds_record(self) -> bool:
        return not self.before.queue.is_empty

    @property
    def finds_next(self) -> bool:
        if self.record != Nothing:
            return self.before.queue.head == self.done + 1
        return self.before.queue.head == self.done

    @property
    def has_all(self) -> bool:
        return self.status == Status.GONE


@dataclass(frozen=True)
class PipelineOptions:
    """How a stage's steps are cut."""

    #: whether what a stage does by itself is a step, or part of the put or take before it
    own_work: OwnWork = OwnWork.APART


@dataclass(frozen=True)
class PipelineSizes:
    """How long it is."""

    #: how many operators there are between source and sink
    operators: int = 2


@dataclass(frozen=True)
class PipelineBounds:
    """How much is explored."""

    #: how many records the source makes
    records: int = 3
    #: how many records a queue holds
    channel: int = 2


class Pipeline(Protocol, PipelineView):
    """The stages, in order."""

    key = "pipeline"
    Options = PipelineOptions
    options: PipelineOptions
    Sizes = PipelineSizes
    sizes: PipelineSizes
    Bounds = PipelineBounds
    bounds: PipelineBounds

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        source, sink = Source("source"), Sink("sink")
        operators = [Operator(f"operator{i + 1}") for i in range(self.sizes.operators)]
        producers, consumers = [source, *operators], [*operators, sink]
        for producer, consumer in zip(producers, consumers, strict=True):
            consumer.before = producer
        self.stages: tuple[Stage, ...] = (source, *operators, sink)
        for position, stage in enumerate(self.stages):
            stage.behind = self.stages[position + 1 :]

    def entities(self) -> Sequence[Entity]:
        return self.stages

    @define
    def terminal(self) -> bool:
        return all(stage.status == Status.GONE for stage in self.stages)

    # --- the loop of a stage ---------------------------------------------------------------------

    @rule
    def want(self, stage: Stage) -> None:
        """A stage that is not done with all records wants the next one."""
        require(stage.status == Status.DECIDES, stage.done < self.bounds.records)
        stage.status = Status.WANTS

    @rule
    def end(self, stage: Stage) -> None:
        """A stage that is done with all records ends."""
        require(stage.status == Status.DECIDES, stage.done == self.bounds.records)
        stage.status = Status.ENDS

    @rule
    def leave(self, stage: Stage) -> None:
        """A stage that has ended leaves, when all behind it have left."""
        require(stage.status == Status.ENDS)
        require(all(other.status == Status.GONE for other in stage.behind))
        stage.status = Status.GONE

    # --- what concerns two stages ----------------------------------------------------------------

    @rule
    def emit(self, source: Source) -> None:
        """The source puts the next record into its queue."""
        require(source.status == Status.WANTS, source.queue.has_space)
        source.queue.put(source.done)
        self.pass_on(source)

    @rule
    def take(self, consumer: Consumer) -> None:
        """An operator or sink takes a record from the queue before it."""
        require(consumer.status == Status.WANTS, not consumer.before.queue.is_empty)
        consumer.record = consumer.before.queue.take()
        consumer.status = Status.HAS
        if self.options.own_work == OwnWork.JOINED:
            self.do_own_work(consumer)

    @rule
    def put(self, operator: Operator) -> None:
        """An operator puts the record that it has worked on into its queue."""
        require(operator.status == Status.HAS_WORKED, operator.queue.has_space)
        operator.queue.put(operator.record)
        self.pass_on(operator)

    # --- what concerns one stage -----------------------------------------------------------------

    @step
    def pass_on(self, stage: Stage) -> None:
        """A record has gone on."""
        stage.status = Status.HAS_PASSED
        if self.options.own_work == OwnWork.JOINED:
            self.count_record(stage)

    @step
    def do_own_work(self, consumer: Consumer) -> None:
        """An operator works on its record; a sink counts it."""
        if isinstance(consumer, Operator):
            consumer.status = Status.HAS_WORKED
        else:
            self.count_record(consumer)

    @step
    def count_record(self, stage: Stage) -> None:
        """A stage is done with a record and goes back to the start of its loop."""
        stage.done += 1
        stage.status = Status.DECIDES
        if isinstance(stage, Consumer):
            stage.record = Nothing

    @rule
    def work(self, consumer: Consumer) -> None:
        """An operator works on the record that it has taken; a sink counts it."""
        require(consumer.status == Status.HAS)
        self.do_own_work(consumer)

    @rule
    def move_on(self, producer: Producer) -> None:
        """A source or operator whose record has gone on counts it."""
        require(producer.status == Status.HAS_PASSED)
        self.count_record(producer)
