"""What each line of Flink's log means: the table from which all judges of Flink's logs derive.

A row of `Observed` says which step of the model a line shows, and what follows from the line. To
add a line: a row here, its pattern in `read/flink-2.3.toml`, and, if the witness has to explain the
line, how to get there in `flink/witness_search.py`.

- Monitors (`replay/`, `regularities/`) and the settings ask what a line tells of its checkpoint.
- The guide of the witness (`flink/witness_*.py`) asks which steps lead to a line.
- The check of the witness and the proofs (`flink/witness_check.py`, `flink/flink_projections.py`)
  ask the opposite: which lines a step shows.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from finale.model.events import Clock
from finale.model.protocols.coordinator.checkpoints import (
    ABORTED,
    COMPLETED,
    PENDING,
    Checkpoint,
    CheckpointKind,
    CheckpointStatus,
)
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.requests import Request
from finale.model.protocols.task.tasks import Task, TaskStatus

#: Steps that may rename ids: what is taken by them is not looked at.
TRIGGERS = ("trigger_checkpoint", "trigger_at_end_of_data", "request_stop", "request_savepoint")
#: The step by which a new coordinator follows. Its process writes nothing of what is pending then.
CRASH = "crash_coordinator"


@dataclass(frozen=True)
class LineFacts:
    """What is known of one kind of line."""

    text: str
    """What messages call it; if it has no `word`, also the word of its events."""
    clock: Clock
    """Lines of one clock are in the order of their steps."""
    rests_on: str
    """The method of Flink whose step the line shows."""
    steps: tuple[str, ...]
    """The steps that the line tells of by itself. Other steps are taken on the way there."""
    tells: tuple[str, ...] = ()
    """What its step changes, as projections call their cells (`flink/flink_projections.py`)."""
    becomes: CheckpointStatus | TaskStatus | None = None
    """The new status of its checkpoint, or of its task."""
    gains: str = ""
    """The variable of its task that becomes true, or gets the checkpoint as a new member."""
    word: str = ""
    states: tuple[str, ...] = ()
    """Events of its word are of this kind if they tell one of these new states."""
    of_task: bool = True
    """It is of an attempt of a task."""
    is_sure: bool = False
    """Each step of this kind leaves it, at INFO; steps that a failure takes may leave none."""
    takes_part: bool = False
    """Its task counts for the checkpoint: the plan does not have the task as finished."""
    once: bool = False
    """It happens to an attempt once, with a checkpoint or at all."""
    late: bool = False
    """After the failure that ends its attempt, in the model at once, it does nothing."""
    impossible_from: TaskStatus | None = None
    """From this status on its task does so no more."""
    begins_attempt: bool = False
    fails: bool = False
    """Its attempt has failed, or was canceled."""
    claim: str = ""
    """What a line contradicts that no step shows."""


class Observed(enum.Enum):
    """What a line shows that a run of the model has to explain."""

    # fmt: off
    TRIGGERED = LineFacts(
        "triggered", Clock.CHECKPOINTS, "CheckpointCoordinator.startTriggeringCheckpoint",
        TRIGGERS, ("checkpoint",), PENDING, of_task=False, is_sure=True,
        claim="a checkpoint is triggered once",
    )
    ACKNOWLEDGED = LineFacts(
        "apply_acknowledgement", Clock.CHECKPOINTS,
        "CheckpointCoordinator.receiveAcknowledgeMessage",
        ("apply_acknowledgement",), ("acknowledgements",), takes_part=True,
    )
    COMPLETED = LineFacts(
        "completed", Clock.CHECKPOINTS, "CheckpointCoordinator.completePendingCheckpoint",
        ("complete",), ("checkpoint",), COMPLETED, of_task=False, is_sure=True,
    )
    ABORTED = LineFacts(
        "aborted", Clock.CHECKPOINTS, "CheckpointFailureManager.handleCheckpointException",
        ("expire", "deliver_trigger", "apply_decline", "complete"), ("checkpoint",), ABORTED,
        of_task=False,
    )
    CALLED = LineFacts(
        "trigger-arrived", Clock.CALLS, "TaskExecutor.triggerCheckpoint",
        ("deliver_trigger",), ("mail",), gains="mail", takes_part=True, once=True, late=True,
    )
    BARRIER = LineFacts(
        "barrier-received", Clock.MAILBOX, "SingleCheckpointBarrierHandler.processBarrier",
        ("poll_barrier",), ("aligned",), takes_part=True, impossible_from=TaskStatus.QUIESCED,
        claim="a barrier is read once from each input",
    )
    CANCEL = LineFacts(
        "cancel-received", Clock.MAILBOX,
        "SingleCheckpointBarrierHandler.processCancellationBarrier",
        ("poll_cancel_barrier",), late=True,
    )
    BEGUN = LineFacts(
        "snapshot-begins", Clock.MAILBOX, "StreamTask.performCheckpoint",
        ("run_trigger", "perform_savepoint"), ("taken",), gains="taken", takes_part=True,
        once=True, impossible_from=TaskStatus.CLOSED,
        claim="a task takes a checkpoint once, when all its barriers are there",
    )
    NOT_BEGUN = LineFacts(
        "trigger-after-abort", Clock.MAILBOX, "SubtaskCheckpointCoordinatorImpl.checkpointState",
        ("run_trigger", "perform_savepoint"), late=True, impossible_from=TaskStatus.CLOSED,
    )
    CONFIRMED = LineFacts(
        "notified-complete", Clock.MAILBOX,
        "SubtaskCheckpointCoordinatorImpl.notifyCheckpointComplete",
        ("deliver_confirmation", "deliver_abort"), ("confirmations", "released"), late=True,
        impossible_from=TaskStatus.CLOSED,
    )
    GIVEN_UP = LineFacts(
        "notified-abort", Clock.MAILBOX, "SubtaskCheckpointCoordinatorImpl.notifyCheckpointAborted",
        ("deliver_abort",), ("aborts",), late=True, impossible_from=TaskStatus.CLOSED,
    )
    LEFT = LineFacts(
        "operators-left", Clock.MAILBOX, "StreamTask.afterInvoke",
        ("quiesce",), ("task",), TaskStatus.QUIESCED, once=True, late=True,
    )
    RUNS = LineFacts(
        "task runs", Clock.MAILBOX, "Task.transitionState",
        ("restore",), ("task",), word="task-switched", states=("RUNNING",), once=True,
        begins_attempt=True,
    )
    ENDED = LineFacts(
        "task has finished", Clock.MAILBOX, "Task.transitionState",
        ("close",), ("task",), TaskStatus.CLOSED, word="task-switched", states=("FINISHED",),
        once=True,
    )
    STOPS = LineFacts(
        "task has failed", Clock.MAILBOX, "Task.transitionState",
        ("cancel_task",), word="task-switched", states=("FAILED", "CANCELED"), late=True,
        fails=True,
    )
    LEARNED = LineFacts(
        "finish learned", Clock.JOB, "Execution.transitionState",
        ("learn_finished",), ("reported",), gains="reported_finished", word="task-learned",
        states=("FINISHED",), is_sure=True, once=True,
    )
    LOST = LineFacts(
        "failure learned", Clock.JOB, "Execution.transitionState",
        ("fail_region", "cancel_task"), word="task-learned", states=("FAILED", "CANCELED"),
        late=True, fails=True,
    )
    RESTORED = LineFacts(
        "restored", Clock.JOB, "CheckpointCoordinator.restoreLatestCheckpointedStateInternal",
        ("restart_region",), of_task=False, is_sure=True,
        claim="a restart takes the newest checkpoint that has completed",
    )
    CRASHED = LineFacts(
        "coordinator crashed", Clock.JOB, "JobMaster.onStart of another process",
        (CRASH,), ("checkpoint", "task"), of_task=False,
    )
    CANCELLING = LineFacts(
        "cancellation", Clock.JOB, "DefaultExecutionGraph.transitionState",
        ("request_cancel",), word="job-switched", states=("CANCELLING",), of_task=False,
    )
    CANCELED = LineFacts(
        "canceled", Clock.JOB, "DefaultExecutionGraph.transitionState",
        ("finish_cancelling",), word="job-switched", states=("CANCELED",), of_task=False,
    )
    # fmt: on

    def __init__(self, facts: LineFacts) -> None:
        self.facts = facts
        self.word = facts.word or facts.text
        """The word of its events (`model/events.py`)."""
        self.begins_checkpoint = facts.becomes is PENDING
        self.ends_checkpoint = facts.becomes in (COMPLETED, ABORTED)
        self.of_coordinator = facts.clock in (Clock.CHECKPOINTS, Clock.JOB)
        self.comes_before_failure = not (
            facts.clock is not Clock.MAILBOX or facts.late or facts.begins_attempt
        )
        """Its step was taken before the failure of its attempt."""
        self.ends_task = facts.becomes in (TaskStatus.QUIESCED, TaskStatus.CLOSED) or (
            facts.gains == "reported_finished"
        )
        """The coordinator or the process tells that its task comes to its end."""


#: By new status of a checkpoint or a task the line that shows it.
BY_STATUS: Mapping[object, Observed] = {
    kind.facts.becomes: kind for kind in Observed if kind.facts.becomes is not None
}
#: By variable of a task, which becomes true or gets a checkpoint, the line that shows so.
BY_VARIABLE = {kind.facts.gains: kind for kind in Observed if kind.facts.gains}
#: By step, about a task and a checkpoint or about none, the line that it always leaves.
BY_STEP = {
    kind.facts.steps[0]: kind
    for kind in Observed
    if kind.facts.tells and kind.facts.becomes is None and not kind.facts.gains
}
#: By word of an event, the new status of its checkpoint.
CHECKPOINT_BECOMES: Mapping[str, CheckpointStatus] = {
    kind.word: kind.facts.becomes
    for kind in Observed
    if isinstance(kind.facts.becomes, CheckpointStatus)
}
_BY_STATE = {(kind.word, state): kind for kind in Observed for state in kind.facts.states}
_BY_WORD = {kind.word: kind for kind in Observed if not kind.facts.states}

#: Two lines of different clocks that have an order if they are in one log. Flink writes the line of
#: the cause before its step can lead to the effect, and the line of the effect after the effect.
CAUSES = (
    # CheckpointCoordinator.startTriggeringCheckpoint, before triggerCheckpointRequest calls a task.
    (Observed.TRIGGERED, Observed.CALLED),
    (Observed.TRIGGERED, Observed.BEGUN),
    # TaskExecutor.triggerCheckpoint, before Task.triggerCheckpointBarrier puts the mail.
    (Observed.CALLED, Observed.BEGUN),
    # StreamTask.performCheckpoint, before AsyncCheckpointRunnable reports.
    (Observed.BEGUN, Observed.ACKNOWLEDGED),
    # CheckpointCoordinator.cleanupAfterCompletedCheckpoint tells the tasks.
    (Observed.COMPLETED, Observed.CONFIRMED),
    # Task.run, before TaskExecutor.unregisterTaskAndNotifyFinalState.
    (Observed.ENDED, Observed.LEARNED),
    # DefaultCheckpointPlanCalculator reads the states that the ExecutionGraph has learned.
    (Observed.LEARNED, Observed.TRIGGERED),
)

# --- what a line tells by its fields --------------------------------------------------------------


@dataclass(frozen=True)
class Snapshot:
    """What a checkpoint is for that a user has asked for."""

    kind: CheckpointKind
    request: str
    """The step by which the user asks."""
    drain: bool | None = None
    """Of a savepoint that ends the job: whether the data of the sources end."""

    @property
    def ends_job(self) -> bool:
        return self.drain is not None


#: By name in Flink, the checkpoints that a user has asked for. All others are to restart from.
SNAPSHOTS: Mapping[str, Snapshot] = {
    "Savepoint": Snapshot(CheckpointKind.SAVEPOINT, "request_savepoint"),
    "Terminate Savepoint": Snapshot(CheckpointKind.DRAIN, "request_stop", drain=True),
    "Suspend Savepoint": Snapshot(CheckpointKind.SUSPEND, "request_stop", drain=False),
}
#: Those that end the job.
STOPS = tuple(name for name, snapshot in SNAPSHOTS.items() if snapshot.ends_job)
#: States of an attempt that ends for another reason than its release.
ENDED_OTHERWISE = ("CANCELING", "CANCELED", "FAILED")

# --- which lines tell a variable ------------------------------------------------------------------

#: Of each job the coordinator writes a line of this at INFO.
OF_EACH_JOB = ("job-switched",)
#: And of each job that takes checkpoints, of these.
OF_CHECKPOINTS = tuple(
    kind.word for kind in Observed if kind.facts.is_sure and kind.word in CHECKPOINT_BECOMES
)
#: What becomes of a checkpoint is known if these leave lines: an abort leaves one at WARN.
OF_ENDS = (*OF_CHECKPOINTS, Observed.ABORTED.word)
#: Of each task the process in which it runs writes a line of this.
OF_TASKS = "task-switched"
#: Lines beside the protocol that an engine writes once: each names its task, or its checkpoint, and
#: what has changed. A new state of a task is one, unless it is a step (`Observed`).
ONCE = frozenset(
    (
        "barrier-sent",
        "barriers-aligned",
        "barriers-trigger",
        "input-connected",
        "notified-subsumed",
        "statistics",
        "task-learned",
        OF_TASKS,
        "write-begins",
        "write-ends",
    )
)
#: The events that tell whether a task is released.
OF_RELEASES = ("released", "notified-complete", "snapshot-begins")

#: The variables that lines tell, by the class that has them, and the events that must be visible.
TELLS: Mapping[type, Mapping[str, tuple[str, ...]]] = {
    Task: {
        "status": (OF_TASKS,),
        "reported_finished": (),
        "taken": ("taken",),
        "taken_after_finish": ("taken",),
        "newest": ("snapshot-begins",),
        "sync": ("snapshot-begins",),
        "confirmed": ("notified-complete",),
    },
    Checkpoint: {"status": OF_ENDS, "kind": OF_CHECKPOINTS, "finished": OF_CHECKPOINTS},
    Request: dict.fromkeys(("status", "of"), OF_ENDS),
    Channel: {"ended": ("loop-left",)},
}
#: Events that leave a variable one value where without them lines leave it two.
SETTLES: Mapping[type, Mapping[str, tuple[str, ...]]] = {
    Task: {
        "status": ("waits",),
        "taken_after_finish": ("taken", "waits"),
        "released": OF_RELEASES,
    },
    Checkpoint: {"finished": ("apply_acknowledgement",)},
}

# --- messages between processes ------------------------------------------------------------------


class About(enum.Enum):
    """What the two lines of a message have in common, besides the job."""

    CHECKPOINT = "checkpoint"
    ATTEMPT = "attempt"
    PART = "checkpoint and attempt"
    FAILURE = "attempt and the reason of its failure"


LineKind = tuple[str, str]
"""The word of a line, and the new state of its task that it tells, if it tells one."""


@dataclass(frozen=True)
class Message:
    """Lines of two processes of which the first is written before the second, for certain."""

    cause: LineKind
    effect: LineKind
    about: About


#: The messages between processes. The wall clocks of two processes order no lines: these do.
MESSAGES = (
    # Execution.deploy, before TaskExecutorGateway.submitTask.
    Message(("task-learned", "DEPLOYING"), ("task-deployed", ""), About.ATTEMPT),
    # Execution.cancel, before TaskExecutorGateway.cancelTask.
    Message(("task-learned", "CANCELING"), (OF_TASKS, "CANCELING"), About.ATTEMPT),
    # Task.transitionState, before TaskManagerActions.updateTaskExecutionState. A coordinator may
    # find by itself that a task has failed, for another reason: its process is lost.
    Message((OF_TASKS, "FAILED"), ("task-learned", "FAILED"), About.FAILURE),
    *(
        Message((OF_TASKS, state), ("task-learned", state), About.ATTEMPT)
        for state in ("INITIALIZING", "RUNNING", "FINISHED")
    ),
    Message(("end-reported", "FINISHED"), ("task-learned", "FINISHED"), About.ATTEMPT),
    # The rest is as in CAUSES.
    *(
        Message((Observed.TRIGGERED.word, ""), (kind.word, ""), About.CHECKPOINT)
        for kind in (Observed.CALLED, Observed.BARRIER, Observed.BEGUN)
    ),
    # SubtaskCheckpointCoordinatorImpl.takeSnapshotSync, before AsyncCheckpointRunnable reports.
    *(
        Message((word, ""), (Observed.ACKNOWLEDGED.word, ""), About.PART)
        for word in (Observed.BEGUN.word, "taken")
    ),
    *(
        Message((Observed.COMPLETED.word, ""), (word, ""), About.CHECKPOINT)
        for word in ("confirmation-arrived", Observed.CONFIRMED.word)
    ),
    # CheckpointCoordinator.abortPendingCheckpoint, before sendAbortedMessages.
    *(
        Message((Observed.ABORTED.word, ""), (word, ""), About.CHECKPOINT)
        for word in ("abort-arrived", Observed.GIVEN_UP.word)
    ),
)


def observed(word: str, new_state: str) -> Observed | None:
    """Return what an event of this word shows that a run has to explain, if it shows anything."""
    return _BY_STATE.get((word, new_state)) or _BY_WORD.get(word)
