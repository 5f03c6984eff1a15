"""The words for what can be seen of a protocol: what happens, and what can be asked of a state.

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
class Word:
    """A word: what follows it, and what it says."""

    name: str
    fields: str
    meaning: str


#: What happens. Ids are checkpoints'; tasks, channels and records are names.
EVENTS: tuple[Word, ...] = (
    Word("refused", "", "what was tried is not possible in this state"),
    Word("fault", "code", "a step did what no step may do"),
    # the coordinator
    Word("planned", "", "a plan was made: which tasks to trigger, and which to wait for"),
    Word("triggered", "id tasks", "a checkpoint is pending, and these tasks are called"),
    Word("completed", "id", "a checkpoint is complete"),
    Word("aborted", "id", "a checkpoint, or its alignment at a task, is given up"),
    Word("confirmed", "id tasks", "these tasks will be told that the checkpoint is complete"),
    Word("abort-sent", "id tasks", "these tasks will be told that the checkpoint is aborted"),
    Word("answered", "request result", "a user's request has succeeded or failed"),
    # a start from a snapshot
    Word("accepted", "", "the job may start from the snapshot"),
    Word("rejected", "", "the job may not start from the snapshot"),
    Word("started", "", "all tasks are restored from the snapshot"),
    # a task
    Word("taken", "id", "the task takes its part of a checkpoint"),
    Word("notified-complete", "id", "the operators are told that a checkpoint is complete"),
    Word("operators-finished", "", "the operators have finished"),
    Word("data-ended", "", "a stop ends the data, and the operators are not finished"),
    Word("task-failed", "", "the task fails, and with it the attempt of the job"),
    Word("canceled", "", "the task ends because the job is cancelled"),
    Word("released", "", "no final checkpoint holds the task any more"),
    Word("closed", "", "the operators are closed, and nothing more will be sent"),
    # a sink
    Word("written", "records", "records become visible outside at once"),
    Word("precommitted", "id", "the open transaction waits for its checkpoint"),
    Word("committed", "records", "a transaction commits: its records become visible"),
    Word("rolled-back", "id", "a transaction that was pre-committed is aborted"),
    # an operator coordinator
    Word("sent", "event", "an event passes its gate and goes to its subtask"),
    Word("event-failed", "event", "an event cannot be delivered"),
)

#: What can be asked of a state.
QUERIES: tuple[Word, ...] = (
    Word("called", "id subtasks", "the subtasks to which the call of a checkpoint is under way"),
    Word("skips", "T", "T if the task was started as finished and runs no operators"),
    Word("numbers", "vertex numbers", "what the metadata says of a vertex"),
    Word("blocked", "channels", "the inputs that are not read until the alignment ends"),
    Word("in-flight", "id records", "the records of the inputs that are part of a checkpoint"),
    Word("arrived", "id T", "T if the barrier of a checkpoint counts as arrived"),
    Word("latest", "id", "the newest checkpoint that the task has begun, taken or given up"),
    Word("open", "number", "how many inputs have not ended"),
    Word("pending", "ids", "the checkpoints that are neither complete nor aborted"),
    Word("trigger", "tasks", "the plan: the tasks that are called"),
    Word("wait", "tasks", "the plan: the tasks that must acknowledge"),
    Word("finished", "tasks", "the plan: the tasks that count as finished"),
    Word("full", "vertices", "the plan: the vertices all of whose tasks count as finished"),
    Word("awaited", "id tasks", "the tasks whose acknowledgement is missing"),
    Word("stored", "ids", "the completed checkpoints that a restart may choose from"),
    Word("abort-latest", "id", "the newest completed checkpoint that an abort tells"),
    Word("status", "id word", "what the coordinator knows of a checkpoint"),
    Word("job", "status", "what the coordinator says of the job"),
    Word("periodic", "on or off", "whether checkpoints are triggered again and again"),
    Word("waiting", "requests", "the requests for checkpoints that wait, in their order"),
    Word("out", "elements", "what the task has put on each of its outputs so far"),
    Word("acknowledgements", "id tasks", "the acknowledgements under way"),
    Word("overtakes", "id T", "T if a barrier overtakes what is queued on the outputs"),
    Word("logs", "id T", "T if what is in flight becomes part of the checkpoint"),
    Word("finishing", "id tasks", "the tasks that acknowledged after their operators had finished"),
    Word("transactions", "ids", "those neither committed nor aborted; `open` is the current one"),
    Word("visible", "records", "the records that are visible outside, once for each time"),
    Word("gate", "subtask word", "whether the gate to a subtask is open or closed"),
    Word("held", "events", "the events that closed gates hold"),
    Word("skipping", "tasks", "the tasks that were started as finished, without their operators"),
    Word("kept", "task records", "the records in the state of a task"),
    Word("replays", "task records", "what was in flight and a restarted task will process first"),
)

#: What lines of raw logs tell: of a job, its coordinator, calls to a task, a task, a sink.
LINES: tuple[Word, ...] = (
    Word("graph-created", "job graph", "the executions of this graph are the job's"),
    Word("input-connected", "input reader writer", "a vertex reads another, as its input so"),
    Word("job-switched", "job from to", "the state of the job has changed"),
    Word("task-learned", "execution from to", "the coordinator knows of a task's new state"),
    Word("scheduler-on", "", "all tasks run: checkpoints are triggered from now on"),
    Word("scheduler-off", "", "some task does not run: no checkpoint is triggered"),
    Word("request_checkpoint", "job", "a checkpoint is asked for: by a user, or at end of data"),
    Word("request_stop", "job", "a user asks for a stop with a savepoint"),
    Word("request_savepoint", "job", "a user asks for a savepoint"),
    Word("stop-phase", "job from to on", "how far a stop has come"),
    Word("stop-inconsistent", "", "a savepoint is there, and not all tasks have finished"),
    Word("adaptive-phase", "from to", "the state of the adaptive scheduler has changed"),
    Word("adaptive-runs", "what phase", "the adaptive scheduler does something in a state"),
    Word("triggered", "checkpoint kind job", "a checkpoint is pending, and tasks are called"),
    Word("request-waited", "waited", "a request for a checkpoint was in the queue so long"),
    Word("refused", "job why", "no checkpoint can be begun in this state"),
    Word("call-failed", "checkpoint job why", "the call of a task has failed"),
    Word("apply_acknowledgement", "checkpoint execution", "an acknowledgement counts"),
    Word("acknowledgement-late", "checkpoint execution", "one that counts no more"),
    Word("apply_decline", "checkpoint execution", "a task has declined a checkpoint"),
    Word("decline-late", "checkpoint execution", "one that counts no more"),
    Word("completed", "checkpoint job", "a checkpoint is complete"),
    Word("aborted", "checkpoint job", "a checkpoint is given up"),
    Word("request-dropped", "job", "a request is given up that has begun no checkpoint"),
    Word("expire", "checkpoint job", "a checkpoint has taken too long"),
    Word("statistics", "checkpoint job json", "all that the coordinator counts of a checkpoint"),
    Word("restored", "job checkpoint", "tasks will start from a checkpoint"),
    Word("restored-nothing", "", "tasks will start from nothing"),
    Word("resumed", "job", "the job starts from a savepoint of another one"),
    Word("ids-reset", "job next", "the number of the next checkpoint is set"),
    Word("task-deployed", "task execution", "a task is to be started"),
    Word("end-reported", "task execution to", "a task's last state is sent to the coordinator"),
    Word("trigger-arrived", "checkpoint execution", "the call of a checkpoint reaches its task"),
    Word("trigger-missed", "execution", "it finds no task, or one that takes nothing more"),
    Word("confirmation-arrived", "checkpoint execution", "that of a completion reaches its task"),
    Word("confirmation-missed", "execution", "it finds no task"),
    Word("abort-arrived", "checkpoint execution", "that of an abort reaches its task"),
    Word("abort-missed", "execution", "it finds no task"),
    Word("task-switched", "task execution from to", "the state of a task has changed"),
    Word("notification-lost", "what", "a task takes no notification any more"),
    Word("barrier-received", "checkpoint task gate channel", "a barrier is read from an input"),
    Word("barriers-trigger", "checkpoint task", "barriers make the task take its part"),
    Word("barriers-aligned", "checkpoint task", "the barrier of each input has been read"),
    Word("barriers-skip", "checkpoint newer task", "a newer barrier ends an alignment"),
    Word("cancel-received", "checkpoint task", "a barrier that cancels is read"),
    Word("alignment-canceled", "checkpoint task", "an alignment is given up"),
    Word("snapshot-begins", "checkpoint kind task", "the task begins its part of a checkpoint"),
    Word("barrier-sent", "task", "the task sends barriers on its outputs"),
    Word("taken", "checkpoint task", "the task has taken its part of a checkpoint"),
    Word("take-failed", "checkpoint task", "the task could not take its part"),
    Word("trigger-after-abort", "checkpoint", "a checkpoint is not taken: it has been aborted"),
    Word("trigger-overtaken", "checkpoint newer", "it is not taken: a newer one was begun"),
    Word("source-stops", "", "a source has been stopped: it reads no more"),
    Word("write-begins", "checkpoint task", "a snapshot is written in the background"),
    Word("write-ends", "checkpoint task", "it is written"),
    Word("fail_snapshot", "checkpoint task", "it could not be written"),
    Word("notified-complete", "checkpoint task", "the operators are told of a completion"),
    Word("notified-abort", "checkpoint task", "the operators are told of an abort"),
    Word("notified-subsumed", "checkpoint task", "the operators are told what is superfluous"),
    Word("loop-left", "task", "the main loop of the task has ended: its inputs have, too"),
    Word("waits", "", "the operators have ended their data; the task waits to be released"),
    Word("operators-left", "task", "the operators take part in nothing any more"),
    Word("released", "", "no final checkpoint holds the task any more"),
    Word("closed", "closed", "the task has left, whether its operators were closed or not"),
    Word("emitted", "task record", "an operator emits a record of its own"),
    Word(
        "precommitted", "checkpoint or transaction", "the open transaction waits for its checkpoint"
    ),
    Word("commit-begins", "checkpoint", "the transaction of a checkpoint is committed"),
    Word("written", "task record", "a record becomes visible outside at once"),
    Word("committed", "task transaction or record", "a transaction's records become visible"),
)


class Clock(enum.Enum):
    """Who sees in which order some events come: a thread, or all that one lock guards."""

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

__all__ = ["DATA_STEPS", "EVENTS", "LINES", "QUERIES", "STEPS", "Clock", "StepWord", "Word"]
