"""Checks what the rules assume of Flink and what lines can show.

Each assumption names the lines that would contradict it, and the mechanism of Flink on which it
rests. A property of the model can hold in a run that contradicts an assumption: then the rules do
not describe that Flink. The properties check the rest (`checker/logs/replay`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from checker.logs.findings import Finding, Severity, Where
from checker.logs.read.job_runs import JobRun, RunEvent
from checker.logs.read.visibility import LogProfile

from .slices import Scope, in_words, slice_of

_Slices = dict[Hashable, dict[str, list[RunEvent]]]
"""By slice and word the events, in their order."""
#: As a task writes the kind of a snapshot.
_KIND = re.compile(r"(?P<class>\w+)\{name='(?P<name>[^']*)'")
#: Lines of the coordinator. All other lines are those of the process in which a task runs.
_OF_COORDINATOR = ("triggered", "completed")


@dataclass(frozen=True)
class _Logs:
    """Which lines cannot be missing in the logs of a run."""

    begins: bool
    """The logs have the beginning of the run, and no gap."""
    ends: bool
    deployed: frozenset[Hashable]
    """The attempts whose process has a log, from their beginning on."""
    coordinates: frozenset[int]
    """The logs that the coordinator writes."""
    is_one_coordinator: bool
    """No other process has taken the job over."""

    def have(self, cause: str, effect: RunEvent) -> bool:
        """Whether a cause of the effect would have left its line."""
        if cause in _OF_COORDINATOR:
            is_there = self.ends or effect.log_event.log in self.coordinates
        else:
            is_there = slice_of(effect, Scope.ATTEMPT) in self.deployed
        return self.begins and is_there


@dataclass(frozen=True)
class Once:
    """In each slice there is at most one line of the word."""

    word: str

    def broken(self, slices: _Slices, logs: _Logs) -> Iterator[tuple[RunEvent, RunEvent]]:
        """The lines that come again, each with the line before it."""
        for words in slices.values():
            events = words.get(self.word, ())
            yield from ((again, first) for first, again in pairwise(events))

    @property
    def words(self) -> tuple[str, ...]:
        return (self.word,)


@dataclass(frozen=True)
class After:
    """In each slice a line of the effect has a line of the cause before it."""

    cause: str
    effect: str
    or_elsewhere: bool = False
    """The cause may have no line in these logs; if it has one, that line comes before. But the
    coordinators of two processes have no common order, also where they write into one file."""

    def broken(self, slices: _Slices, logs: _Logs) -> Iterator[tuple[RunEvent, RunEvent | None]]:
        """The first effects without a cause, each with the cause that comes later.

        Files of several processes have no common order: there a cause must merely exist.
        """
        for words in slices.values():
            causes = words.get(self.cause, [])
            for effect in words.get(self.effect, [])[:1]:
                place = effect.log_event.place
                if any(_can_precede(each.log_event.place, place) for each in causes):
                    continue
                known = causes and logs.is_one_coordinator
                if known if self.or_elsewhere else logs.have(self.cause, effect):
                    yield effect, causes[0] if causes else None

    @property
    def words(self) -> tuple[str, ...]:
        return (self.cause, self.effect)


@dataclass(frozen=True)
class Never:
    """In each slice no line of the word stands behind a line of the end, in one file."""

    end: str
    word: str

    def broken(self, slices: _Slices, logs: _Logs) -> Iterator[tuple[RunEvent, RunEvent]]:
        """The first line behind each end."""
        for words in slices.values():
            for end in words.get(self.end, [])[:1]:
                log, *place = end.log_event.place
                later = (
                    each
                    for each in words.get(self.word, ())
                    if each.log_event.log == log and [*each.log_event.place[1:]] > place
                )
                yield from ((each, end) for each in [*later][:1])

    @property
    def words(self) -> tuple[str, ...]:
        return (self.end, self.word)


@dataclass(frozen=True)
class Rising:
    """In each slice the numbers of checkpoints in lines of the word rise."""

    word: str

    def broken(self, slices: _Slices, logs: _Logs) -> Iterator[tuple[RunEvent, RunEvent]]:
        """The lines with a number that is not above all before it, each with the highest one."""
        for words in slices.values():
            highest: RunEvent | None = None
            for event in words.get(self.word, ()):
                if highest is not None and _number(event) <= _number(highest):
                    yield event, highest
                else:
                    highest = event

    @property
    def words(self) -> tuple[str, ...]:
        return (self.word,)


@dataclass(frozen=True)
class Alike:
    """In each slice the lines of the effect tell the kind of snapshot that the cause tells."""

    cause: str
    effect: str

    def broken(self, slices: _Slices, logs: _Logs) -> Iterator[tuple[RunEvent, RunEvent]]:
        """The first line of another kind, with the line of the cause."""
        for words in slices.values():
            causes = words.get(self.cause, ())[:1]
            for cause in causes:
                others = (e for e in words.get(self.effect, ()) if differ_in_kind(cause, e))
                yield from ((each, cause) for each in [*others][:1])

    @property
    def words(self) -> tuple[str, ...]:
        return (self.cause, self.effect)


def differ_in_kind(triggered: RunEvent, begun: RunEvent) -> bool:
    """Whether a task begins another kind of snapshot than the coordinator has triggered.

    A full checkpoint is a checkpoint to the coordinator.
    """
    told, heard = triggered.log_event.fields, _KIND.match(begun.log_event.fields["kind"])
    if heard is None or told["class"] == heard["class"] == "CheckpointType":
        return False
    return (told["class"], told["kind"]) != (heard["class"], heard["name"])


@dataclass(frozen=True)
class Assumption:
    """What is assumed of Flink, which lines would contradict it, and what it rests on."""

    name: str
    sentence: str
    rests_on: str
    """The mechanism of Flink, with its class and method."""
    scope: Scope
    shapes: tuple[Once | After | Never | Rising | Alike, ...]


_RESTORED_BEHIND = After("completed", "restored", or_elsewhere=True)

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
        tuple(
            After("triggered", effect)
            for effect in (
                "trigger-arrived",
                "snapshot-begins",
                "barrier-received",
                "apply_acknowledgement",
                "apply_decline",
                "completed",
            )
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
        "pendingCheckpoints, under the coordinator's lock",
        Scope.CHECKPOINT,
        (
            Once("completed"),
            Never("completed", "apply_acknowledgement"),
            Never("completed", "apply_decline"),
            Never("aborted", "apply_acknowledgement"),
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
        (_RESTORED_BEHIND,),
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


def contradictions(run: JobRun, profile: LogProfile, *, begins: bool) -> tuple[Finding, ...]:
    """Return what lines of a run contradict, each assumption at its first line in each slice.

    `begins`: the log has the beginning of the run. An assumption about lines that the levels of
    the log leave out is not checked. A job that starts without a checkpoint after one has completed
    may give ids again, so nothing is checked that compares ids of the whole job.
    """
    found: dict[tuple[str, tuple[tuple[str, str], ...]], Finding] = {}
    logs = _logs_of(run, begins=begins)
    wanted = {word for each in ASSUMPTIONS for shape in each.shapes for word in shape.words}
    events = [event for event in run.events if event.word in wanted]
    for scope in (Scope.ATTEMPT, Scope.PART) if _begins_anew(run) else Scope:
        slices = _slices_of(events, scope)
        for assumption in (each for each in ASSUMPTIONS if each.scope is scope):
            for shape in assumption.shapes:
                if not profile.has(*shape.words):
                    continue
                for event, other in shape.broken(slices, logs):
                    finding = _finding(assumption, event, other)
                    kept = found.get((finding.property, finding.binding))
                    if kept is None or _place(finding) < _place(kept):
                        found[finding.property, finding.binding] = finding
    return tuple(found.values())


def _logs_of(run: JobRun, *, begins: bool) -> _Logs:
    return _Logs(
        begins,
        run.ends,
        frozenset(slice_of(e, Scope.ATTEMPT) for e in run.events if e.word == "task-deployed"),
        frozenset(e.log_event.log for e in run.events if e.word == "triggered"),
        is_one_coordinator(run),
    )


def is_one_coordinator(run: JobRun) -> bool:
    """Whether one process coordinates the job. The coordinators of two have no common order, also
    where they write into one file."""
    graphs = sum(event.word == "graph-created" for event in run.events)
    suspended = any(
        event.word == "job-switched" and event.log_event.fields["to"] == "SUSPENDED"
        for event in run.events
    )
    return graphs <= 1 and not suspended and all(event.failover is None for event in run.events)


def restored_early(run: JobRun) -> tuple[RunEvent, RunEvent] | None:
    """The first line that restores a job from a checkpoint which completes later, and the line of
    the completion. Of a checkpoint of another job no line tells that it completes."""
    if _begins_anew(run):
        return None
    slices = _slices_of(run.events, Scope.CHECKPOINT)
    found = _RESTORED_BEHIND.broken(slices, _logs_of(run, begins=True))
    return next(((event, other) for event, other in found if other is not None), None)


def _begins_anew(run: JobRun) -> bool:
    """Whether the job starts without a checkpoint after one has completed."""
    words = [event.word for event in run.events]
    return "completed" in words and "restored-nothing" in words[words.index("completed") :]


def _slices_of(events: Iterable[RunEvent], scope: Scope) -> _Slices:
    slices: _Slices = defaultdict(lambda: defaultdict(list))
    for event in events:
        key = slice_of(event, scope)
        if key is not None:
            slices[key][event.word].append(event)
    return slices


def _finding(assumption: Assumption, event: RunEvent, other: RunEvent | None) -> Finding:
    told = event.log_event
    seen = "no line tells its cause"
    if other is not None:
        seen = f"{told.word} contradicts {other.word}, line {other.log_event.line}"
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


def _place(finding: Finding) -> tuple[int, int, int]:
    return finding.where.log, finding.where.part, finding.where.line


def _can_precede(cause: tuple[int, int, int], effect: tuple[int, int, int]) -> bool:
    """Whether a line can stand for what came before: files of other processes have no order."""
    return cause[0] != effect[0] or cause < effect


def _number(event: RunEvent) -> int:
    number = event.log_event.checkpoint
    return -1 if number is None else number
