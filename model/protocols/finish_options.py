"""Options of the finish under FLIP-147: what the texts leave open, and what other releases do."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from finale.model.protocols.committer import ConstantTagWriter, Writer
from finale.model.protocols.coordinator.options import CoordinatorOptions
from finale.model.protocols.failures import FailureOptions
from finale.model.protocols.requests import RequestOptions
from finale.model.protocols.task.execution import TaskOptions
from finale.model.protocols.task.operators import Buffering, FlushingStableTask, StableTask
from finale.model.protocols.task.tasks import Task
from finale.model.topology import OperatorKind


class FinishRace(enum.Enum):
    """What happens to a checkpoint whose trigger finds its task already ended."""

    ABORT = "abort"
    RETRIGGER = "retrigger"


class ReleasedBy(enum.Enum):
    """Which checkpoint, of those after the operators finished, releases a task."""

    ANY = "any"
    FIRST = "first"


class FinalWait(enum.Enum):
    """From when a checkpoint counts as final: the two readings of the blog's step 4.

    NONE is FLIP-147's first half alone: checkpoints go on after tasks have finished, and tasks
    finish without waiting for one.
    """

    AFTER_END_OF_DATA = "after-end-of-data"
    AFTER_END_OF_PARTITION = "after-end-of-partition"
    NONE = "none"


class HeldUntil(enum.Enum):
    """Until when an operator that buffers holds its records back.

    CONFIRMATION: until a checkpoint that has them is confirmed, whatever else has ended by then.
    """

    FINISH = "finish"
    CONFIRMATION = "confirmation"
    CONFIRMATION_OR_FINISH = "confirmation-or-finish"


class EndTag(enum.Enum):
    """How a writer calls what it hands over at the end: by the next id, or always the same."""

    LAST_PLUS_ONE = "last+1"
    CONSTANT = "constant"


@dataclass(frozen=True)
class FinishOptions:
    """Options of the finish; the defaults are today's Flink."""

    #: PL-5, PL-6: what becomes of a checkpoint whose trigger finds its task ended
    finish_race: FinishRace = FinishRace.ABORT
    #: FC-7: which checkpoint, of those after the operators finished, releases a task
    release: ReleasedBy = ReleasedBy.ANY
    #: FC-4: from when a checkpoint counts as final
    final_wait: FinalWait = FinalWait.AFTER_END_OF_DATA
    #: FC-6: a task closes only after its consumers have polled its EndOfData
    waits_for_acknowledgement: bool = True
    #: CN-4: confirmations older than the newest one are dropped
    filters_confirmations: bool = True
    #: 1.7: a sink opens a transaction in each checkpoint, also after its operators finished
    opens_after_finish: bool = False
    #: H12: what finish() of an operator emits it does not hold any more
    clears_on_finish: bool = True
    #: H10: until when an operator that buffers holds its records back
    held_until: HeldUntil = HeldUntil.FINISH
    #: 1.7: how a writer calls what it hands over at the end of its data
    end_tag: EndTag = EndTag.LAST_PLUS_ONE


@dataclass(frozen=True)
class FinalCheckpointOptions(
    FailureOptions, RequestOptions, TaskOptions, CoordinatorOptions, FinishOptions
):
    """The toggles of section 6 that concern final checkpoints; the defaults are today's Flink."""


def task_classes_of(held_until: HeldUntil, end_tag: EndTag) -> Mapping[OperatorKind, type[Task]]:
    """What the tasks of a vertex are whose kind has a choice, by its kind."""
    held: dict[HeldUntil, type[Task]] = {
        HeldUntil.FINISH: Buffering,
        HeldUntil.CONFIRMATION: StableTask,
        HeldUntil.CONFIRMATION_OR_FINISH: FlushingStableTask,
    }
    constant = end_tag == EndTag.CONSTANT
    writer = ConstantTagWriter if constant else Writer
    return {OperatorKind.BUFFERING: held[held_until], OperatorKind.WRITER: writer}
