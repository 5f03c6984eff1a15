"""Checks what the rules assume of Flink and what lines can show.

Each assumption names the lines that would contradict it, and the mechanism of Flink on which it
rests. A property of the model can hold in a run that contradicts an assumption: then the rules do
not describe that Flink. The properties check the rest (`checker/logs/replay`).
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from finale.checker.logs.findings import Finding, Severity, Where
from finale.checker.logs.lines import Observed
from finale.checker.logs.read.job_runs import JobRun, RunEvent
from finale.checker.logs.read.log_events import LinePlace
from finale.checker.logs.read.messages import tells_end
from finale.checker.logs.read.visibility import LogProfile
from finale.model.protocols.coordinator.checkpoints import COMPLETED, PENDING

from .line_classes import Scope, in_words, slice_of
from .line_orders import (
    After,
    Alike,
    KnownLogs,
    LineOrder,
    Never,
    Once,
    Released,
    Rising,
    Slices,
    is_one_coordinator,
)
from .necessary_lines import lacking


@dataclass(frozen=True)
class Assumption:
    """What is assumed of Flink, which lines would contradict it, and what it rests on."""

    name: str
    sentence: str
    rests_on: str
    """The mechanism of Flink, with its class and method."""
    scope: Scope
    orders: tuple[LineOrder, ...]


ASSUMPTIONS = (
    Assumption(
        "ids-are-new",
        "The coordinator gives each checkpoint a higher id than all checkpoints before it.",
        "CheckpointIDCounter.getAndIncrement counts up, also over restarts of the job",
        Scope.JOB,
        (Rising("triggered"),),
    ),
    Assumption(
        "begun-after-trigger",
        "Everything about a checkpoint comes after the coordinator has triggered the checkpoint.",
        "CheckpointCoordinator.startTriggeringCheckpoint registers the pending checkpoint before "
        "triggerCheckpointRequest calls a task",
        Scope.CHECKPOINT,
        (
            After("triggered", "apply_decline"),
            After("triggered", "completed"),
            *(After("triggered", kind.word) for kind in Observed if kind.facts.takes_part),
        ),
    ),
    Assumption(
        "begun-as-triggered",
        "A task begins the kind of snapshot that the coordinator has triggered.",
        "CheckpointCoordinator.triggerCheckpointRequest takes the type from the properties of the "
        "checkpoint, and CheckpointBarrier carries it downstream",
        Scope.CHECKPOINT,
        (Alike("triggered", "snapshot-begins"),),
    ),
    Assumption(
        "ended-once",
        "A checkpoint completes at most once, and nothing counts for it after its end.",
        "CheckpointCoordinator.receiveAcknowledgeMessage takes an ended checkpoint out of "
        "pendingCheckpoints, receiveDeclineMessage aborts one that a task declines, and "
        "CheckpointCanceller.run one that expires, all under the coordinator's lock",
        Scope.CHECKPOINT,
        (
            Once("completed"),
            Never("completed", "apply_acknowledgement"),
            Never("completed", "apply_decline"),
            Never("apply_decline", "completed"),
            Never("apply_decline", "apply_acknowledgement"),
            Never("aborted", "apply_acknowledgement"),
            Never("expire", "apply_acknowledgement"),
            Never("expire", "completed"),
        ),
    ),
    Assumption(
        "acknowledged-once",
        "The coordinator counts one acknowledgement of a task for a checkpoint, after the task has "
        "begun the checkpoint.",
        "PendingCheckpoint.acknowledgeTask removes the task from notYetAcknowledgedTasks, and "
        "AsyncCheckpointRunnable reports after the synchronous part",
        Scope.PART,
        (
            Once("apply_acknowledgement"),
            After("snapshot-begins", "apply_acknowledgement"),
            After("taken", "apply_acknowledgement"),
        ),
    ),
    Assumption(
        "restored-after-completion",
        "A job is restored from a checkpoint that has completed before.",
        "CheckpointCoordinator.restoreLatestCheckpointedStateInternal takes the newest checkpoint "
        "of the store under the lock under which checkpoints complete",
        Scope.CHECKPOINT,
        (After("completed", "restored", of_coordinator=True),),
    ),
    Assumption(
        "confirmed-after-completion",
        "A confirmation follows the completion of its checkpoint.",
        "CheckpointCoordinator.cleanupAfterCompletedCheckpoint tells the tasks after the "
        "checkpoint is in the store",
        Scope.CHECKPOINT,
        (After("completed", "confirmation-arrived"), After("completed", "notified-complete")),
    ),
    Assumption(
        "confirmed-once",
        "A task learns of a completion at most once, and after the confirmation has arrived.",
        "CheckpointCoordinator.sendAcknowledgeMessages calls each attempt once; "
        "StreamTask.notifyCheckpointCompleteAsync puts one mail",
        Scope.PART,
        (
            Once("confirmation-arrived"),
            Once("notified-complete"),
            After("confirmation-arrived", "notified-complete"),
        ),
    ),
    Assumption(
        "aborts-are-told-once",
        "A task learns of an abort at most once, and after the notification has arrived.",
        "CheckpointCoordinator.sendAbortedMessages calls each attempt once for a checkpoint",
        Scope.PART,
        (Once("abort-arrived"), Once("notified-abort"), After("abort-arrived", "notified-abort")),
    ),
    Assumption(
        "called-once",
        "The coordinator calls a task at most once for a checkpoint.",
        "CheckpointCoordinator.triggerTasks calls each attempt of the plan once",
        Scope.PART,
        (Once("trigger-arrived"),),
    ),
    Assumption(
        "taken-once",
        "A task takes a checkpoint at most once, and begins it before.",
        "SubtaskCheckpointCoordinatorImpl.checkpointState drops ids up to lastCheckpointId",
        Scope.PART,
        (Once("snapshot-begins"), Once("taken"), After("snapshot-begins", "taken")),
    ),
    Assumption(
        "tasks-go-forward",
        "A task begins checkpoints, and learns of completions, in the order of their ids.",
        "SubtaskCheckpointCoordinatorImpl.lastCheckpointId; "
        "StreamTask.latestReportCompletedCheckpointId drops an older completion",
        Scope.ATTEMPT,
        (Rising("taken"), Rising("notified-complete")),
    ),
    Assumption(
        "calls-keep-their-order",
        "Calls of the coordinator to an attempt arrive in the order of the checkpoints.",
        "one connection from the JobMaster to a TaskExecutor keeps the order of its messages; the "
        "coordinator triggers in the order of ids",
        Scope.ATTEMPT,
        (Rising("trigger-arrived"),),
    ),
    Assumption(
        "leaves-in-order",
        "A task leaves its main loop, waits if it must, takes its last mails, and closes.",
        "StreamTask.invoke runs the mailbox loop and then afterInvoke, and Task calls cleanUp "
        "after that, all in one thread",
        Scope.ATTEMPT,
        (
            After("loop-left", "waits"),
            After("loop-left", "operators-left"),
            After("operators-left", "released"),
            *(
                Never("operators-left", word)
                for word in ("waits", "snapshot-begins", "taken", "notified-complete")
            ),
            *(Never("closed", word) for word in ("loop-left", "operators-left", "released")),
        ),
    ),
    Assumption(
        "released-by-a-completion",
        "A task that waits for its final checkpoint, or for the savepoint of a stop, leaves after "
        "it has heard of a completion that can release it.",
        "StreamTask.notifyCheckpointComplete completes finalCheckpointCompleted, for which "
        "afterInvoke waits",
        Scope.ATTEMPT,
        (Released(),),
    ),
    Assumption(
        "nothing-after-release",
        "A task that no checkpoint holds any more takes no checkpoint.",
        "StreamTask.afterInvoke lets the mailbox drain and quiesces it behind "
        "finalCheckpointCompleted",
        Scope.ATTEMPT,
        (Never("released", "snapshot-begins"), Never("released", "taken")),
    ),
    Assumption(
        "nothing-after-close",
        "A task does nothing after it has closed.",
        "StreamTask.cleanUp closes the mailbox before it releases the operators",
        Scope.ATTEMPT,
        tuple(
            Never("closed", word)
            for word in (
                "snapshot-begins",
                "taken",
                "notified-complete",
                "notified-abort",
                "barrier-received",
                "commit-begins",
                "waits",
            )
        ),
    ),
    Assumption(
        "ends-once",
        "A task ends once.",
        "Task.run reports one final state; TaskExecutor.unregisterTaskAndNotifyFinalState removes "
        "the task from the table of slots",
        Scope.ATTEMPT,
        (Once("end-reported"), Once("closed"), Once("released"), Once("task-deployed")),
    ),
)


#: The name of a finding about a line that is missing.
NECESSARY = "necessary-lines"
_END = [sys.maxsize]
_MISSING = "Each run writes another line before this one, and that line is missing."


def contradictions(
    run: JobRun, profile: LogProfile | None, *, begins: bool, gaps: Sequence[LinePlace] = ()
) -> tuple[Finding, ...]:
    """Return what lines of a run contradict: assumptions, each at its first line in each slice, and
    lines before which another line is missing.

    `begins`: the log has the beginning of the run. `gaps` are places where lines are missing: what
    they could explain is no contradiction. Without a `profile` all that happens
    is taken to leave its lines. An assumption about lines that the levels of the log leave out is
    not checked. A job that starts without a checkpoint after one has completed may give ids again,
    so nothing is checked that compares ids of the whole job.
    """
    found: dict[tuple[str, tuple[tuple[str, str], ...]], Finding] = {}
    logs = _logs_of(run, begins=begins, gaps=gaps)
    wanted = {word for each in ASSUMPTIONS for order in each.orders for word in order.words}
    events = [event for event in run.events if event.word in wanted]
    for scope in (Scope.ATTEMPT, Scope.PART) if _begins_anew(run) else Scope:
        slices = _slices_of(events, scope)
        for assumption in (each for each in ASSUMPTIONS if each.scope is scope):
            for order in assumption.orders:
                if profile is not None and not profile.has(*order.words):
                    continue
                for event, other in order.broken(slices, logs):
                    finding = _finding(assumption, event, other)
                    kept = found.get((finding.property, finding.binding))
                    if kept is None or finding.where < kept.where:
                        found[finding.property, finding.binding] = finding
    first = {log: at for log, *at in sorted(gaps, reverse=True)}
    before = [e for e in run.events if [*e.log_event.place[1:]] < first.get(e.log_event.log, _END)]
    whole = replace(run, events=before)
    return (*found.values(), *(_lacking(whole, profile) if begins else ()))


def unwritten(run: JobRun, origin: JobRun) -> Iterator[Finding]:
    """Return that a job starts from a checkpoint that another job has not completed.

    The logs of the other job have no gap.
    """
    (assumption,) = (each for each in ASSUMPTIONS if each.name == "restored-after-completion")
    completed = {e.log_event.checkpoint for e in origin.events if e.checkpoint_becomes is COMPLETED}
    brought = {*_brought(run)} - completed
    restored = (e for e in run.events if e.word == "restored")
    event = next((each for each in restored if each.log_event.checkpoint in brought), None)
    if event is not None and origin.begins and is_one_coordinator(origin):
        found = _finding(assumption, event, None)
        why = f"no line tells that job {origin.name} has completed it; this rests on: "
        yield replace(found, why=why + assumption.rests_on)


def _lacking(run: JobRun, profile: LogProfile | None) -> Iterator[Finding]:
    checkpoints = any(event.log_event.checkpoint is not None for event in run.events)
    if profile is not None and not profile.is_whole(checkpoints=checkpoints):
        return
    shows_release = profile is None or profile.has("waits", "released")
    for event, binding, why in lacking(run, shows_release=shows_release):
        where, word = Where(*event.log_event.place), event.word
        yield Finding(NECESSARY, binding, where, Severity.VIOLATED, _MISSING, f"{word}: {why}")


def _logs_of(run: JobRun, *, begins: bool, gaps: Sequence[LinePlace]) -> KnownLogs:
    of_attempts = [(slice_of(each, Scope.ATTEMPT), each.log_event) for each in run.events]
    return KnownLogs(
        run,
        begins,
        gaps,
        {own: told.log for own, told in of_attempts if told.word == "task-deployed"},
        frozenset(own for own, told in of_attempts if tells_end(told)),
        frozenset(e.log_event.log for e in run.events if e.checkpoint_becomes is PENDING),
        is_one_coordinator(run),
        frozenset(_brought(run)),
    )


def _brought(run: JobRun) -> Iterator[int | None]:
    """The checkpoints of other jobs from which a job has started: the first that it restores behind
    each line that names such a one."""
    resumes = False
    for event in run.events:
        if event.word == "restored" and resumes:
            yield event.log_event.checkpoint
        resumes = event.word == "resumed" or (resumes and event.word != "restored")


def _begins_anew(run: JobRun) -> bool:
    """Whether the job starts without a checkpoint after one has completed."""
    completed = (n for n, e in enumerate(run.events) if e.checkpoint_becomes is COMPLETED)
    first = next(completed, len(run.events))
    return any(event.word == "restored-nothing" for event in run.events[first:])


def _slices_of(events: Iterable[RunEvent], scope: Scope) -> Slices:
    slices: Slices = defaultdict(lambda: defaultdict(list))
    for event in events:
        key = slice_of(event, scope)
        if key is not None:
            slices[key][event.word].append(event)
    return slices


def _finding(assumption: Assumption, event: RunEvent, other: RunEvent | None) -> Finding:
    told = event.log_event
    seen = "no line tells its cause"
    if other is not None:
        place = other.log_event.place
        whose = "" if place[:2] == told.place[:2] else " of another file"
        seen = f"{told.word} contradicts {other.word}, line {place[2]}{whose}"
    binding = in_words(event, assumption.scope)
    if assumption.scope in (Scope.JOB, Scope.ATTEMPT) and told.checkpoint is not None:
        binding = (*binding, ("checkpoint", f"checkpoint {told.checkpoint}"))
    return Finding(
        assumption.name,
        binding,
        Where(*told.place),
        Severity.VIOLATED,
        assumption.sentence,
        f"{seen}; this rests on: {assumption.rests_on}",
    )
