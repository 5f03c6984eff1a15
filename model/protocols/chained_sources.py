"""Tasks with sources chained into them, at natural ends and at stops, under FLIP-147.

Rule SP-4, the last sentence of PL-7 and hazard H17 of the fact sheet, over the stops of FLIP-147;
what such a task and its gate are is in `task/chained.py`. The coordinator calls it as it calls
sources, whether or not it reads channels, too: so the discussion of FLINK-21085 has it. With
`calls_chained = false` it goes by the edges of the job, as the plan is written (PL-2).
Left out: H7, the blocking stop of release 1.14, and barriers that overtake.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from finale.model.errors import FinaleError, Place
from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Datum, StopMode
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint, StopWithSavepointOptions
from finale.model.protocols.stopping import MultiInput, NoDrain
from finale.model.protocols.task.chained import ChainingGate, ChainingTask
from finale.model.protocols.task.chained_source import ChainedSource
from finale.model.protocols.task.sources import Reader
from finale.model.protocols.task.tasks import Task
from finale.model.rules import STRONG, Entity, Setting, define, require, rule, step
from finale.model.topology import OperatorKind


@dataclass(frozen=True)
class ChainedSourcesOptions(StopWithSavepointOptions):
    """The toggles of stops, and those of chained sources."""

    #: PL-2: a task with chained sources is called whoever feeds it; if not, by its channels alone
    calls_chained: bool = True
    #: SP-4: a source that ended before a stop without drain holds the savepoint, as it is built
    ended_sources_hold: bool = False


class ChainedSources(StopWithSavepoint):
    """StopWithSavepoint, with tasks that sources are chained into."""

    key = "chained-sources"
    Options = ChainedSourcesOptions
    options: ChainedSourcesOptions
    parts: ClassVar[tuple[type[Entity], ...]] = (
        *StopWithSavepoint.parts,
        *(ChainedSource, ChainingTask, ChainingGate),
    )

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        chosen = self.options
        if chosen.multi_input != MultiInput.INTENDED or chosen.no_drain != NoDrain.UNIFIED:
            raise FinaleError(
                "chained-as-built",
                "what a task with chained sources does as built (H7), or in 1.14, is not modelled",
                place=Place(key="options"),
                advice="leave out multi_input and no_drain",
            )
        for task in self.tasks:
            if isinstance(task, ChainingTask):
                records = self.data_at[task.subtask.vertex]
                task.chain(tuple(each for each in records if each.source == task.subtask))

    @property
    def gate_class(self) -> type[AlignedGate]:
        return ChainingGate

    @property
    def task_classes(self) -> Mapping[OperatorKind, type[Task]]:
        return {**super().task_classes, OperatorKind.CHAINED: ChainingTask}

    def entities(self) -> Sequence[Entity]:
        return (*super().entities(), *(each for task in self.tasks for each in task.chained))

    # --- the sources -----------------------------------------------------------------------------

    @define
    def polls(self, source: ChainedSource) -> bool:
        """Whether a task's main loop takes what comes of a chained source."""
        return self.task_of[source.subtask].is_running and not source.aligned and not source.ended

    @define
    def is_stopped(self, source: ChainedSource) -> bool:
        """SP-4: whether a stop has told a chained source to end its data."""
        return self.stops and source.mode != StopMode.NONE

    @define
    def is_idle(self, task: Task) -> bool:
        """Whether a task would take one more record, also of each chained source that goes on."""
        emits = all(
            source.ended
            or (self.polls(source) and not self.is_stopped(source) and not task.subtask.bounded)
            for source in task.chained
        )
        return super().is_idle(task) and emits

    @rule(fair=STRONG)
    def emit_chained(self, source: ChainedSource) -> None:
        """1.7: a chained source hands its next record to the operator of its task."""
        require(self.polls(source), not self.is_stopped(source), self.processes_records())
        require(source.remaining > 0)
        for record in source.data:
            self._operate_if_next(source, record)
        source.remaining -= 1

    @step
    def _operate_if_next(self, source: ChainedSource, record: Datum) -> None:
        if source.remaining == source.after(record) + 1:
            self.operate(self.task_of[source.subtask], record)

    @rule(fair=STRONG)
    def end_chained(self, source: ChainedSource) -> None:
        """FC-2, SP-4: a chained source reports its end; with the last input operators finish."""
        require(self.polls(source))
        has_no_more = source.subtask.bounded and source.remaining == 0
        require(has_no_more or self.is_stopped(source))
        source.ended = True
        task = self.task_of[source.subtask]
        if self.all_have_ended(task):
            self.finish_operators(task)

    @define
    def all_have_ended(self, task: Task) -> bool:
        """FC-2: whether the data of all channels and chained sources of a task have ended."""
        channels = all(channel.end_of_data for channel in task.inputs)
        return channels and all(source.ended for source in task.chained)

    @define
    def ends_data_of(self, task: Task, channel: Channel) -> bool:
        """FC-2: whether the end of a channel's data is the end of the task's."""
        return self.all_have_ended(task)

    # --- the plan, and the stop ------------------------------------------------------------------

    @define
    def is_head(self, task: Task) -> bool:
        """PL-2.3, PL-2.4: a task with chained sources is called, too, whoever feeds it."""
        return bool(task.chained and self.options.calls_chained) or super().is_head(task)

    @define
    def has_stopped(self, task: Reader) -> bool:
        """SP-4: a task takes the savepoint when all its sources have stopped; as built, one that
        had ended before is waited for until its operator finishes, which only a drain does."""
        if not self.options.ended_sources_hold:
            return super().has_stopped(task)
        holds = any(source.ended_by_itself() for source in task.chained)
        finished = task.has_finished and self.drains(task)
        return finished if holds else super().has_stopped(task)

    @define
    def was_stopped(self, task: Task) -> bool:
        """FC-3: whether a stop without drain has ended the data of one of its inputs."""
        sources = self.stops and any(s.mode == StopMode.NO_DRAIN for s in task.chained)
        return sources or super().was_stopped(task)

    @define
    def has_emitted(self, record: Datum) -> bool:
        """Whether the source of a record has emitted it."""
        task = self.task_of[record.source]
        for source in task.chained:
            if record in source.data:
                return not self.stops or source.has_emitted(record)
        return super().has_emitted(record)

    @define
    def had_emitted(self, record: Datum, checkpoint: Checkpoint) -> bool:
        """Whether the source of a record, chained or not, had emitted it at a checkpoint."""
        task = self.task_of[record.source]
        for source in task.chained if self.stops else ():
            if record in source.data:
                return source.had_emitted(record, checkpoint) or checkpoint.finished.has(task)
        return super().had_emitted(record, checkpoint)
