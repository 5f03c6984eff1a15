"""The vocabulary of observations: events, and queries about a state.

Scenarios write them (`docs/scenarios.md`), and whatever else tells what a run did. A word is the
same for every part that knows it. `fields` says what follows it, in the order in which it is
written.

`STEPS` are the words of event logs (`docs/event-log.md`): each step of a protocol is an event of
the step's own name.

`LINES` are the words for what lines of raw logs tell (`docs/pipeline.md`): those of steps and of
what happens, where a line tells just that, and words of their own for what only lines tell.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


@dataclass(frozen=True)
class EventKind:
    """A word: what follows it, and what it says."""

    name: str
    fields: str
    meaning: str


#: What happens. Ids are checkpoints'; tasks, channels and records are names.
EVENTS: tuple[EventKind, ...] = (
    EventKind("refused", "", "what was tried is not possible in this state"),
    EventKind("fault", "code", "a step did what no step may do"),
    # the coordinator
    EventKind("planned", "", "a plan was made: which tasks to trigger, and which to wait for"),
    EventKind("triggered", "id tasks", "a checkpoint is pending, and these tasks are called"),
    EventKind("completed", "id", "a checkpoint is complete"),
    EventKind("aborted", "id", "a checkpoint, or its alignment at a task, is given up"),
    EventKind("confirmed", "id tasks", "these tasks will be told that the checkpoint is complete"),
    EventKind("abort-sent", "id tasks", "these tasks will be told that the checkpoint is aborted"),
    EventKind("answered", "request result", "a user's request has succeeded or failed"),
    # a start from a snapshot
    EventKind("accepted", "", "the job may start from the snapshot"),
    EventKind("rejected", "", "the job may not start from the snapshot"),
    EventKind("started", "", "all tasks are restored from the snapshot"),
    # a task
    EventKind("taken", "id", "the task takes its part of a checkpoint"),
    EventKind("notified-complete", "id", "the operators are told that a checkpoint is complete"),
    EventKind("operators-finished", "", "the operators have finished"),
    EventKind("data-ended", "", "a stop ends the data, and the operators are not finished"),
    EventKind("task-failed", "", "the task fails, and with it the attempt of the job"),
    EventKind("canceled", "", "the task ends because the job is cancelled"),
    EventKind("released", "", "no final checkpoint holds the task any more"),
    EventKind("closed", "", "the operators are closed, and nothing more will be sent"),
    # a sink
    EventKind("written", "records", "records become visible outside at once"),
    EventKind("precommitted", "id", "the open transaction waits for its checkpoint"),
    EventKind("committed", "records", "a transaction commits: its records become visible"),
    EventKind("rolled-back", "id", "a transaction that was pre-committed is aborted"),
    # an operator coordinator
    EventKind("sent", "event", "an event passes its gate and goes to its subtask"),
    EventKind("event-failed", "event", "an event cannot be delivered"),
)

#: What can be asked of a state.
QUERIES: tuple[EventKind, ...] = (
    EventKind(
        "called", "id subtasks", "the subtasks to which the call of a checkpoint is under way"
    ),
    EventKind("skips", "T", "T if the task was started as finished and runs no operators"),
    EventKind("numbers", "vertex numbers", "what the metadata says of a vertex"),
    EventKind("blocked", "channels", "the inputs that are not read until the alignment ends"),
    EventKind("in-flight", "id records", "the records of the inputs that are part of a checkpoint"),
    EventKind("arrived", "id T", "T if the barrier of a checkpoint counts as arrived"),
    EventKind("latest", "id", "the newest checkpoint that the task has begun, taken or given up"),
    EventKind("open", "number", "how many inputs have not ended"),
    EventKind("pending", "ids", "the checkpoints that are neither complete nor aborted"),
    EventKind("trigger", "tasks", "the plan: the tasks that are called"),
    EventKind("wait", "tasks", "the plan: the tasks that must acknowledge"),
    EventKind("finished", "tasks", "the plan: the tasks that count as finished"),
    EventKind("full", "vertices", "the plan: the vertices all of whose tasks count as finished"),
    EventKind("awaited", "id tasks", "the tasks whose acknowledgement is missing"),
    EventKind("stored", "ids", "the completed checkpoints that a restart may choose from"),
    EventKind("abort-latest", "id", "the newest completed checkpoint that an abort tells"),
    EventKind("status", "id word", "what the coordinator knows of a checkpoint"),
    EventKind("job", "status", "what the coordinator says of the job"),
    EventKind("periodic", "on or off", "whether checkpoints are triggered again and again"),
    EventKind("waiting", "requests", "the requests for checkpoints that wait, in their order"),
    EventKind("out", "elements", "what the task has put on each of its outputs so far"),
    EventKind("acknowledgements", "id tasks", "the acknowledgements under way"),
    EventKind("overtakes", "id T", "T if a barrier overtakes what is queued on the outputs"),
    EventKind("logs", "id T", "T if what is in flight becomes part of the checkpoint"),
    EventKind(
        "finishing", "id tasks", "the tasks that acknowledged after their operators had finished"
    ),
    EventKind(
        "transactions", "ids", "those neither committed nor aborted; `open` is the current one"
    ),
    EventKind("visible", "records", "the records that are visible outside, once for each time"),
    EventKind("gate", "subtask word", "whether the gate to a subtask is open or closed"),
    EventKind("held", "events", "the events that closed gates hold"),
    EventKind(
        "skipping", "tasks", "the tasks that were started as finished, without their operators"
    ),
    EventKind("kept", "task records", "the records in the state of a task"),
    EventKind(
        "replays", "task records", "what was in flight and a restarted task will process first"
    ),
)

#: What lines of raw logs tell: of a job, its coordinator, calls to a task, a task, a sink.
LINES: tuple[EventKind, ...] = (
    EventKind("engine-started", "version", "a process of the engine begins"),
    EventKind("older-release", "", "a line as only releases before the table's have it"),
    EventKind("graph-created", "job graph", "the executions of this graph are the job's"),
    EventKind("input-connected", "input reader writer", "a vertex reads another, as its input so"),
    EventKind("job-switched", "job from to", "the state of the job has changed"),
    EventKind("task-learned", "execution from to", "the coordinator knows of a task's new state"),
    EventKind("scheduler-on", "", "all tasks run: checkpoints are triggered from now on"),
    EventKind("scheduler-off", "", "some task does not run: no checkpoint is triggered"),
    EventKind(
        "request_checkpoint", "job", "a checkpoint is asked for: by a user, or at end of data"
    ),
    EventKind("request_stop", "job", "a user asks for a stop with a savepoint"),
    EventKind("request_savepoint", "job", "a user asks for a savepoint"),
    EventKind("stop-phase", "job from to on", "how far a stop has come"),
    EventKind("stop-inconsistent", "", "a savepoint is there, and not all tasks have finished"),
    EventKind("adaptive-phase", "from to", "the state of the adaptive scheduler has changed"),
    EventKind("adaptive-runs", "what phase", "the adaptive scheduler does something in a state"),
    EventKind("triggered", "checkpoint kind job", "a checkpoint is pending, and tasks are called"),
    EventKind("request-waited", "waited", "a request for a checkpoint was in the queue so long"),
    EventKind("refused", "job why", "no checkpoint can be begun in this state"),
    EventKind("call-failed", "checkpoint job why", "the call of a task has failed"),
    EventKind("apply_acknowledgement", "checkpoint execution", "an acknowledgement counts"),
    EventKind("acknowledgement-late", "checkpoint execution", "one that counts no more"),
    EventKind("apply_decline", "checkpoint execution", "a task has declined a checkpoint"),
    EventKind("decline-late", "checkpoint execution", "one that counts no more"),
    EventKind("completed", "checkpoint job", "a checkpoint is complete"),
    EventKind("aborted", "checkpoint job", "a checkpoint is given up"),
    EventKind("request-dropped", "job", "a request is given up that has begun no checkpoint"),
    EventKind("expire", "checkpoint job", "a checkpoint has taken too long"),
    EventKind(
        "statistics", "checkpoint job json", "all that the coordinator counts of a checkpoint"
    ),
    EventKind("restored", "job checkpoint", "tasks will start from a checkpoint"),
    EventKind("restored-nothing", "", "tasks will start from nothing"),
    EventKind("resumed", "job path", "the job starts from a savepoint of another one"),
    EventKind("ids-reset", "job next", "the number of the next checkpoint is set"),
    EventKind("task-deployed", "task execution", "a task is to be started"),
    EventKind(
        "end-reported", "task execution to", "a task's last state is sent to the coordinator"
    ),
    EventKind(
        "trigger-arrived", "checkpoint execution", "the call of a checkpoint reaches its task"
    ),
    EventKind("trigger-missed", "execution", "it finds no task, or one that takes nothing more"),
    EventKind(
        "confirmation-arrived", "checkpoint execution", "that of a completion reaches its task"
    ),
    EventKind("confirmation-missed", "execution", "it finds no task"),
    EventKind("abort-arrived", "checkpoint execution", "that of an abort reaches its task"),
    EventKind("abort-missed", "execution", "it finds no task"),
    EventKind("task-switched", "task execution from to", "the state of a task has changed"),
    EventKind("notification-lost", "what", "a task takes no notification any more"),
    EventKind(
        "barrier-received", "checkpoint task gate channel", "a barrier is read from an input"
    ),
    EventKind("barriers-trigger", "checkpoint task", "barriers make the task take its part"),
    EventKind("barriers-aligned", "checkpoint task", "the barrier of each input has been read"),
    EventKind("barriers-skip", "checkpoint newer task", "a newer barrier ends an alignment"),
    EventKind("cancel-received", "checkpoint task", "a barrier that cancels is read"),
    EventKind("alignment-canceled", "checkpoint task", "an alignment is given up"),
    EventKind(
        "snapshot-begins", "checkpoint kind task", "the task begins its part of a checkpoint"
    ),
    EventKind("barrier-sent", "task", "the task sends barriers on its outputs"),
    EventKind("taken", "checkpoint task", "the task has taken its part of a checkpoint"),
    EventKind("take-failed", "checkpoint task", "the task could not take its part"),
    EventKind(
        "trigger-after-abort", "checkpoint", "a checkpoint is not taken: it has been aborted"
    ),
    EventKind("trigger-overtaken", "checkpoint newer", "it is not taken: a newer one was begun"),
    EventKind("source-stops", "", "a source has been stopped: it reads no more"),
    EventKind("write-begins", "checkpoint task", "a snapshot is written in the background"),
    EventKind("write-ends", "checkpoint task", "it is written"),
    EventKind("fail_snapshot", "checkpoint task", "it could not be written"),
    EventKind("notified-complete", "checkpoint task", "the operators are told of a completion"),
    EventKind("notified-abort", "checkpoint task", "the operators are told of an abort"),
    EventKind("notified-subsumed", "checkpoint task", "the operators are told what is superfluous"),
    EventKind("loop-left", "task", "the main loop of the task has ended: its inputs have, too"),
    EventKind("waits", "", "the operators have ended their data; the task waits to be released"),
    EventKind("operators-left", "task", "the operators take part in nothing any more"),
    EventKind("released", "", "no final checkpoint holds the task any more"),
    EventKind("closed", "closed", "the task has left, whether its operators were closed or not"),
    EventKind("emitted", "task record", "an operator emits a record of its own"),
    EventKind(
        "precommitted", "checkpoint or transaction", "the open transaction waits for its checkpoint"
    ),
    EventKind("commit-begins", "checkpoint", "the transaction of a checkpoint is committed"),
    EventKind("written", "task record", "a record becomes visible outside at once"),
    EventKind("committed", "task transaction or record", "a transaction's records become visible"),
)


class Clock(enum.Enum):
    """The order in which events are observed: by one thread, or under one lock."""

    CHECKPOINTS = "jm.checkpoint-lock"
    """What the checkpoint coordinator does under its lock."""
    JOB = "jm.main"
    """The main thread of the job's coordinator: requests, failures, ends of tasks."""
    MAILBOX = "task.mailbox"
    """The main loop of one task."""
    ASYNC = "task.async"
    """What one task writes in the background."""
    CALLS = "tm.rpc"
    """Calls to one task, as they arrive."""


@dataclass(frozen=True)
class StepWord:
    """A step that can be seen: on which clock, and the kinds of what it is about.

    In some protocols the step of a name is about no checkpoint.
    """

    name: str
    clock: Clock
    about: tuple[str, ...]
    begins: bool
    """It may begin a checkpoint, which its event then names."""


#: By clock, each step and what it is about; a `+` says that it may begin a checkpoint.
_STEPS = {
    Clock.CHECKPOINTS: {
        "trigger_checkpoint": "+",
        "trigger_at_end_of_data": "+",
        "serve_periodic": "+",
        "serve_request": "request +",
        "call_tasks": "checkpoint",
        "apply_acknowledgement": "task checkpoint",
        "complete": "checkpoint",
        "apply_decline": "checkpoint",
        "apply_failed_snapshot": "checkpoint",
        "expire": "checkpoint",
        "pass_timeout": "checkpoint",
        "run_owed_expiry": "checkpoint",
        "time_out_under_load": "checkpoint",
    },
    Clock.JOB: {
        "request_stop": "request drain +",
        "request_savepoint": "request +",
        "request_checkpoint": "request +",
        "request_cancel": "request",
        "report_first": "request checkpoint",
        "learn_savepoint": "request checkpoint",
        "conclude_stop": "request checkpoint",
        "conclude_without_checkpoint": "request",
        "savepoint_failed": "request checkpoint",
        "miss_failed_attempt": "request checkpoint",
        "finish_cancelling": "",
        "learn_finished": "task",
        "apply_end_report": "task",
        "fail": "",
        "fail_region": "region",
        "restart_region": "region",
        "apply_late_report": "region",
        "crash_coordinator": "",
        "resume": "checkpoint",
    },
    Clock.MAILBOX: {
        "restore": "task",
        "run_trigger": "task checkpoint",
        "run_deferred": "task",
        "stop_source": "task checkpoint",
        "perform_savepoint": "task checkpoint",
        "leave_thread": "task",
        "notice_barrier": "channel checkpoint",
        "notice_announcement": "channel checkpoint",
        "time_out": "task",
        "time_out_output": "channel checkpoint",
        "poll_barrier": "channel",
        "poll_cancel_barrier": "channel",
        "poll_committables": "channel",
        "poll_end_of_data": "channel",
        "poll_end_of_partition": "channel",
        "deliver_confirmation": "task checkpoint",
        "deliver_abort": "task checkpoint",
        "end_source": "task",
        "end_task": "task",
        "end_without_end_of_data": "task",
        "cancel_task": "task",
        "quiesce": "task",
        "close": "task",
    },
    Clock.ASYNC: {"fail_snapshot": "task checkpoint"},
    Clock.CALLS: {
        "deliver_trigger": "task checkpoint",
        "find_no_slot": "task checkpoint",
        "lose_acknowledgement": "task checkpoint",
        "lose_confirmation": "task checkpoint",
    },
}

#: The steps of protocols on jobs that event logs tell.
STEPS: tuple[StepWord, ...] = tuple(
    StepWord(name, clock, tuple(about.replace("+", "").split()), "+" in about)
    for clock, steps in _STEPS.items()
    for name, about in steps.items()
)

#: The steps that only move records: no event tells them.
DATA_STEPS: tuple[str, ...] = (
    "fetch", "emit", "emit_parked", "flush", "tick", "poll_data", "poll_recovered",
)  # fmt: skip

#: The version of event logs, and how each of their sections begins (`docs/event-log.md`).
LOG_VERSION, START = 1, b'{"event":"log-start"'
#: What went wrong on purpose: no step of a protocol, but information.
STRUCK = "struck"
#: The steps, by their names.
WORDS = {word.name: word for word in STEPS}


class Copied(enum.Enum):
    """Why a checkpoint is a copy of another one."""

    SHAPE = "shape"
    """The job has another shape now."""
    GIVEN = "given"
    """The user has named it, of those in this folder."""
    ELSEWHERE = "elsewhere"
    """The user has named it, in another folder, when there was none in this one."""
