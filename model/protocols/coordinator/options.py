"""Options of the checkpoint coordinator, and the bounds of protocols on jobs.

An option is what the texts leave open, or what another release does. A bound says how many
checkpoints, failures and requests a search explores.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class UnionCheck(enum.Enum):
    """PL-8: when a vertex with union state may not be part of a completed checkpoint."""

    NONE = "none"
    FINISHED = "finished"
    FINISHED_OR_FINISHING = "finished-or-finishing"


class Acknowledgement(enum.Enum):
    """What becomes of an acknowledgement on its way; if it is answered, its loss is noticed."""

    RELIABLE = "reliable"
    LOSSY = "lossy"
    ANSWERED = "answered"


class CheckpointingMode(enum.Enum):
    """Whether a job takes checkpoints by itself (`execution.checkpointing.interval`)."""

    CONFIGURED = "configured"
    NOT_CONFIGURED = "not-configured"
    BATCH = "batch"


class DuringRestore(enum.Enum):
    """What becomes of a checkpoint while some task is being restored.

    REFUSED: it is not triggered. Up to 1.12 a task counted as running from its deployment on
    (FLINK-17012): it DECLINES the call, or leaves it in its mailbox until it has its state.
    """

    REFUSED = "refused"
    DECLINED = "declined"
    DEFERRED = "deferred"


class VirtualBarrier(enum.Enum):
    """Where a trigger by RPC puts the barrier on an input that has not ended (PL-7)."""

    NOW = "now"
    BEFORE_END_OF_PARTITION = "before-end-of-partition"


@dataclass(frozen=True)
class CoordinatorOptions:
    """Options of the coordinator; the defaults are today's Flink."""

    #: PL-2.1: checkpoints are taken after tasks have finished, and tasks wait for one (the flag)
    checkpoints_after_finish: bool = True
    #: PL-1: how many checkpoints may be pending at once
    concurrent: int = 1
    #: PL-7: where a trigger by RPC puts the barrier on an input that has not ended
    virtual_barrier: VirtualBarrier = VirtualBarrier.NOW
    #: CN-3: an abort carries the newest completed id
    aborts_carry_latest: bool = True
    #: checkpoints are triggered again and again
    periodic: bool = True
    #: FC-5: checkpointing is configured, or not, or the job runs in batch mode
    checkpointing: CheckpointingMode = CheckpointingMode.CONFIGURED
    #: PL-8: which checkpoints of unevenly finished union state are aborted
    union_check: UnionCheck = UnionCheck.FINISHED_OR_FINISHING
    #: 1.6: trigger calls to a task arrive and run in their order
    calls_in_order: bool = False
    #: CN-5: confirmations of checkpoints reach a task in their order; else in any
    confirmations_in_order: bool = False
    #: PL-2.5: what becomes of a checkpoint while some task is being restored
    during_restore: DuringRestore = DuringRestore.REFUSED
    #: PL-4: a trigger to a task without a slot counts as sent
    unassigned_counts_as_triggered: bool = False
    #: 1.6: what becomes of acknowledgements on their way
    acknowledgement: Acknowledgement = Acknowledgement.RELIABLE


@dataclass(frozen=True)
class JobBounds:
    """How much is explored: checkpoint ids, elements a channel, and how often what may go wrong."""

    #: how many checkpoint ids there are
    checkpoints: int = 1
    #: instead: how many ids are live at once, given again without end
    live_checkpoints: int = 0
    #: how many elements a channel holds; 0 is as many as must fit, by the job and the ids
    channel: int = 0
    #: how often the job fails
    failures: int = 0
    #: how many confirmations are lost
    lost_confirmations: int = 0
    #: how many pending checkpoints time out
    expiries: int = 0
    #: how many snapshots fail
    declines: int = 0
    #: how often a user asks for a stop
    stops: int = 0
    #: how often a user asks for a savepoint
    savepoints: int = 0
    #: how often a user cancels
    cancels: int = 0
    #: how often a user asks for a checkpoint
    manual: int = 0
    #: how often the coordinator crashes
    crashes: int = 0
    #: how many alignments run out of time
    time_outs: int = 0
    #: how many records come of processing-time timers
    ticks: int = 0
    #: how many watermarks a source emits before the maximal one
    watermarks: int = 0
    #: how often a job is resumed from what it left behind
    resumes: int = 0
    #: how many failed checkpoints in a row are tolerated
    tolerable: int = 0
