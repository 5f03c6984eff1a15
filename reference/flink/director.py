"""Makes a running job take an order: threads are held at their hooks until it is their turn.

A step may be taken when all steps before it have happened. What only the world outside does, such
as a request, is a command to the job. Checkpoints are matched by their kind and the order in which
they are triggered: the order names them, and Flink chooses the ids. A hit that the order does not
mention is let go at once, with two exceptions. A checkpoint does not expire unless the order says
so. A task closes, and reports the end of its data, only if the order says so, if a step that may
happen needs its thread, or when nothing else moves any more.

If nothing more comes in time, the order is not taken, and `Missed` says which step did not happen,
what it waited for, and what came instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter
from time import monotonic

from .debugged import VALUES
from .hooks import ASSUMED, EARLY, HANDLED
from .order import Order, OrderedStep
from .session import (
    Answer,
    Crashed,
    Hit,
    Left,
    News,
    Over,
    Returned,
    Runs,
    Session,
    Status,
)

#: So long a step that nothing holds has to happen, in seconds: longer than a restart waits.
SECONDS_OF_STEP = 30.0
TRIGGER = "trigger"
#: A trigger fails before its calls to tasks are sent.
FAIL_TO_TRIGGER = "fail_to_trigger"
#: The method of the step is left without its work, and what it gives instead (`VALUES`): a call is
#: lost, and its caller hears of no error; a call fails; a snapshot or a trigger fails.
LOSSES = {
    "lose_acknowledgement": "skip",
    "lose_confirmation": "skip",
    "lose_split": "fail",
    "fail_snapshot": "skip",
    FAIL_TO_TRIGGER: "throw",
}
#: Steps that happen only if the order has them: else the call is dropped.
ONLY_IN_ORDER = frozenset({"expire"})
STOP = "request_stop"
#: A request is told its answer; a checkpoint is put into the store.
REPORT, STORE = "report_first", "store"
#: Steps that happen only when the order says so: else when all of it was taken. If a step stands
#: beside one, that is so in orders with that step.
LATE = {
    "receive_split": None,
    "learn_of_failed_event": "lose_split",
    "receive_data": "notice_barrier",
    STORE: REPORT,
}
#: Steps that happen often: what came instead of a step is better told without them.
UNTOLD = frozenset({"other", TRIGGER, "receive_data", "learn_of_failed_event", *LOSSES})
CONFIRMED = "deliver_confirmation.handled"
#: A committer is handed committables of a checkpoint.
HAND_OVER = "hand_over"
#: The parts of a trigger, in orders that tell them apart: the last one is the calls to the tasks.
PARTS = ("take_coordinator_state", "finish_coordinator_part")
#: A task is asked for a checkpoint.
CALL = "deliver_trigger"
#: Calls of the coordinator to tasks. Before a step that an assumption forbids, only those come that
#: the order has.
CALLS = frozenset({CALL, "deliver_confirmation", "deliver_abort"})
#: The same for what tasks answer, of which the thread is no task manager's.
ANSWERS = frozenset({"apply_acknowledgement"})
#: A task has failed.
FAILED = "fail_region"
#: Steps with which the thread of a task goes to its end, and those of its task manager's thread.
LAST = frozenset({"quiesce", "close"})
LAST_CALLS = frozenset({"apply_end_report"})
#: The steps that happen after a task has closed.
AFTER_CLOSE = frozenset({"learn_finished", "poll_end_of_partition"})
#: The job starts again, from the checkpoint of a request.
RESUME = "resume"
#: The JobManager is gone, and another one takes over.
CRASH = "crash_coordinator"
#: A user cancels the job.
CANCEL = "request_cancel"
#: Steps from outside that let attempts end, beside failures: those of users and of the clock, a
#: snapshot that fails, and an event that does not come to its task.
ENDS = (RESUME, CRASH, CANCEL, "expire", "fail_snapshot", "lose_split")
#: A new attempt of a task runs.
RESTORE = "restore"
#: A source makes a call, and the call is answered. Meanwhile only the most urgent mails run.
BEGIN_CALL, END_CALL = "begin_call", "end_call"
#: A source emits a record that fills a channel, fills the channels while the task behind it is held
#: at that record, and the task goes on.
PRESS, FILL, ABSORB = "press", "fill", "absorb"
#: An operator puts a mail of its own into the mailbox, and the mail runs.
PUT_MAIL, RUN_MAIL = "put_mail", "run_mail"
#: A thread has come to the hook of another step, and may be held there.
ARRIVE = "arrive"
#: The steps of the world outside, as commands about a task.
OF_TASK = {
    BEGIN_CALL: "call",
    END_CALL: "answer",
    PRESS: "press",
    FILL: "fill",
    PUT_MAIL: "mail",
    "emit": "emit",
    "emit_chained": "emit",
    "end_source": "end",
    "end_chained": "end",
    "fail": "fail",
    "fail_region": "fail",
    "assign": "assign",
}
#: Those of these that only a source takes.
OF_SOURCES = frozenset(
    {BEGIN_CALL, END_CALL, PRESS, FILL, "emit", "emit_chained", "end_source", "end_chained"}
)
#: What a step must say that it is about, beside the task of a command.
NEEDS: Mapping[str, tuple[str, ...]] = {
    "assign": ("split",),
    ARRIVE: ("task", "step"),
    RESTORE: ("task",),
    REPORT: ("request", "checkpoint"),
    STOP: ("drain",),
} | dict.fromkeys(PARTS, ("checkpoint",))
#: Steps that belong together: without the others a source waits for nothing, or for ever.
TOGETHER = frozenset({PRESS, FILL, ABSORB})
DRAINS = frozenset({"drain", "suspend"})
#: Steps for which the driver asks as a user would, and that Flink's timer takes. Flink stops the
#: timer at times, and a user's request is triggered all the same.
OF_TIMER = frozenset({"trigger_checkpoint"})
NO_TIMER = (
    "CheckpointCoordinator.periodicScheduling is false: Flink triggers no periodic checkpoint"
)
#: The steps of the world outside, as requests.
REQUESTS = {
    "request_savepoint": "savepoint",
    "request_checkpoint": "checkpoint",
    "trigger_checkpoint": "checkpoint",
    STOP: "stop",
    CANCEL: "cancel",
}


@dataclass(frozen=True)
class Moment:
    """What happened, so many seconds after the job ran. `step` is its number in the order."""

    seconds: float
    what: str
    step: int | None = None


@dataclass(frozen=True)
class Missed:
    """The order was not taken: the steps that did not happen, though nothing of it held them.

    `held` are the threads that waited for them. If Flink `refused` one of the steps, that is what
    says so: a line of its log, or the answer to a request. Else the driver could not force them.
    """

    steps: tuple[OrderedStep, ...]
    held: tuple[str, ...]
    instead: tuple[str, ...]
    refused: str = ""

    def __str__(self) -> str:
        first = self.steps[0] if self.steps else "a step"
        came = f"; instead: {', '.join(self.instead)}" if self.instead else ""
        held = f"; held: {', '.join(self.held)}" if self.held else ""
        return f"{first} did not happen{came}{held}"


@dataclass
class Taken:
    """How far an order was taken. `missed` is None if all of it was.

    `unstored` are requests that were answered before their checkpoint was in the store. `failed`
    are tasks that failed although the order did not say so. `late` are the tasks that were handed
    committables of a checkpoint after its confirmation. `ended` are the tasks of which an
    attempt has FAILED or was CANCELED, as the coordinator knows it. `results` says how often the
    method of an assumption gave what, in which task. `left` are the numbers of the steps that did
    not happen.
    """

    moments: list[Moment] = field(default_factory=list[Moment])
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    ids: dict[str, int] = field(default_factory=dict[str, int])
    over: str | None = None
    missed: Missed | None = None
    unstored: list[str] = field(default_factory=list[str])
    failed: list[str] = field(default_factory=list[str])
    late: list[str] = field(default_factory=list[str])
    ended: list[str] = field(default_factory=list[str])
    stops: int = 0
    results: dict[str, int] = field(default_factory=dict[str, int])
    left: tuple[int, ...] = ()


class Director:
    """Takes one order on one job that has just begun to run."""

    def __init__(self, session: Session, order: Order) -> None:
        self._session, self._order = session, order
        self.taken = Taken()
        self._began = monotonic()
        self._open = {step.number: step for step in order.steps}
        self._begun: dict[int, OrderedStep] = {}
        self._commanded: set[int] = set()
        self._held: list[tuple[Hit, OrderedStep]] = []
        self._last: list[Hit] = []
        self._late: list[Hit] = []
        self._away: list[Hit] = []
        self._stored: set[int | None] = set()
        self._confirmed: set[tuple[str | None, int | None]] = set()
        self._pasts = _pasts(order.steps)
        self._former: frozenset[str] = frozenset()
        self._threads: dict[str, int] = {}
        self._restored: list[str | None] = []
        self._gone_of: dict[int, set[str | None]] = {}
        self._failing: set[str | None] = set()
        self._inside: dict[int, Hit] = {}
        self._handled: set[int] = set()
        self._instead: list[str] = []
        self._is_taking = True
        self._called: set[int] = set()
        self._arrived: set[str] = set()
        self._logged: dict[int, int] = {}

    def take(self, seconds: float = SECONDS_OF_STEP) -> Taken:
        """Take the order. Raises `jvm-died`."""
        end = monotonic() + seconds
        while self._open:
            left = len(self._open), len(self._begun)
            self._begin_what_may()
            if not self._open:
                break
            news = self._session.next(max(end - monotonic(), 0.0))
            if news is None and self.let_all_close():
                end = monotonic() + seconds
                continue
            if news is None:
                self.taken.missed = self._missed()
                break
            self.note(news)
            if self.taken.missed is not None:
                break
            if (len(self._open), len(self._begun)) != left:
                end = monotonic() + seconds
        for hit in (*(hit for hit, _ in self._held), *self._late, *self._away):
            self._session.go(hit)
        self._held.clear()
        self._is_taking = False
        self.taken.left = tuple(self._open)
        return self.taken

    @property
    def savepoints_of_stops(self) -> list[int]:
        """The ids of the savepoints of stops, if a stop was answered with its savepoint.

        A job that has started again since then was not stopped.
        """
        stops = [each for each in self._order.steps if each.name == STOP]
        if not any(self._answered(each) for each in stops):
            return []
        triggers = [step.trigger for step in self._order.steps if step.trigger is not None]
        ids = self.taken.ids
        return [ids[each.checkpoint] for each in triggers if each.stops and each.checkpoint in ids]

    @property
    def drains(self) -> bool:
        """Whether the order has only stops that end the data of the job."""
        stops = [each for each in self._order.steps if each.name == STOP]
        return all(each.about.get("drain") == "drain" for each in stops)

    @property
    def ends_attempts(self) -> bool:
        """Whether a step of the order lets attempts end before they have FINISHED."""
        return any(_is_failure(step) or step.name in ENDS for step in self._order.steps)

    def _answered(self, step: OrderedStep) -> bool:
        name, answer = step.request, self.taken.answers.get(step.request)
        return answer is not None and answer.value is not None and name not in self._former

    # --- what may happen -------------------------------------------------------------------------

    def _may(self, step: OrderedStep) -> bool:
        return not any(number in self._open for number in step.after)

    def _begin_what_may(self) -> None:
        for step in [each for each in self._open.values() if each.name == RESTORE]:
            if self._may(step) and step.about["task"] in self._restored:
                self._restored.remove(step.about["task"])
                self._happened(step)
        for step in [each for each in self._open.values() if each.name == ARRIVE]:
            if self._may(step) and step.about["step"] in self._arrived:
                self._happened(step)
        for step in list(self._open.values()):
            if self._may(step) and step.number not in self._commanded and self._is_time(step):
                self._commanded.add(step.number)
                self._command(step)
        for hit, step in list(self._held):
            if self._may(step):
                self._held.remove((hit, step))
                self._begin(hit, step)
        may = [step for step in self._open.values() if self._may(step)]
        for hit in [hit for hit in self._away if any(self._needs(step, hit) for step in may)]:
            if hit.steps[0] in ANSWERS:
                continue
            self._away.remove(hit)
            self._tell(f"{hit} is lost: the order needs its thread")
            self._session.lose(hit)
        self._let_end([hit for hit in self._last if any(self._needs(step, hit) for step in may)])

    def _is_time(self, step: OrderedStep) -> bool:
        """Whether a command can be given: a job starts again when it is over, from a savepoint."""
        return step.name != RESUME or (
            self.taken.over is not None and self._savepoint(step) is not None
        )

    def _savepoint(self, step: OrderedStep) -> str | None:
        """The path from which a step starts the job again, if there is one yet."""
        if "request" not in step.about:
            return self._session.kept(self.taken.ids.get(step.about["checkpoint"]))
        answer = self.taken.answers.get(step.about["request"])
        return None if answer is None else answer.value

    @property
    def keeps(self) -> bool:
        """Whether some task is kept from its end."""
        return bool(self._last)

    def let_all_close(self) -> bool:
        """Let those tasks close that were kept from it. Returns whether there were any."""
        return self._let_end(list(self._last))

    def _let_end(self, hits: Sequence[Hit]) -> bool:
        """Let tasks go on that are about to end: a task first takes the mail that it has."""
        for hit in hits:
            self._last.remove(hit)
            self._tell(f"{hit}, which the order does not mention")
            self._session.go(hit)
        return bool(hits)

    def _needs(self, step: OrderedStep, hit: Hit) -> bool:
        """Whether a step happens in the thread that a hit holds."""
        if hit.steps[0] in LAST:
            return hit.task is not None and self._needed_for(step) == hit.task
        return self._session.hooks.is_call(step.name) and step.about.get("task") == hit.task

    def _let_fail(self) -> None:
        """Let the threads of failed tasks go: they were told to fail, and the job has done so."""
        for step in self._open.values():
            if step.number in self._commanded and _is_failure(step):
                self._failing.add(step.about["task"])
                if self._gone_of.get(step.number):
                    self._failing |= _tasks(step)
        self._let_go_of_failing()

    def _let_go_of_failing(self) -> None:
        dead = [hit for hit in self._last if hit.task in self._failing]
        self._let_end(
            [hit for hit in dead if hit.steps[0] in LAST_CALLS or self._is_of_failing(hit)]
        )
        for hit, step in list(self._held):
            if self._is_of_failing(hit):
                self._held.remove((hit, step))
                self._arrived.discard(str(step.number))
                self._session.go(hit)

    def _is_last(self, hit: Hit) -> bool:
        """Whether a task is about to end that has not failed."""
        if hit.steps[0] in LAST:
            return not self._is_of_failing(hit)
        return hit.steps[0] in LAST_CALLS and hit.task not in self._failing

    def _is_ended(self, task: str) -> bool:
        """Whether the order ends an attempt: the task is to fail, or the JobManager to crash, or
        the job is cancelled.

        The JobManager ends its tasks between the command and the news that it is gone.
        """
        crashes = {each.number for each in self._open.values() if each.name == CRASH}
        cancels = {each.number for each in self._order.steps if each.name == CANCEL}
        return task in self._failing or not self._commanded.isdisjoint(crashes | cancels)

    def _is_of_failing(self, hit: Hit) -> bool:
        """Whether an attempt that has failed is still on its way: no step of the order is its."""
        if not hit.hook.by_thread or hit.task is None or hit.task not in self._failing:
            return False
        return self._threads.get(hit.task, hit.thread) == hit.thread

    def _needed_for(self, step: OrderedStep) -> str | None:
        """The task that must go on for a step: it takes the step, or it must close first."""
        if step.name in AFTER_CLOSE:
            channels = self._session.job.channels
            senders = {each.name: each.sender.name for each in channels}
            return senders.get(step.about.get("channel", ""), step.about.get("task"))
        if not self._session.hooks.is_by_thread(step.name):
            return None
        channels = self._session.job.channels
        receivers = {each.name: each.receiver.name for each in channels}
        return receivers.get(step.about.get("channel", ""), step.about.get("task"))

    def _command(self, step: OrderedStep) -> None:
        if step.name in OF_TASK:
            more = (step.about["split"],) if "split" in step.about else ()
            subject = step.about.get("source") or step.about["task"]
            self._session.to_task(OF_TASK[step.name], subject, *more)
        elif step.name in REQUESTS:
            kind = () if "drain" not in step.about else (step.about["drain"],)
            self._session.ask(REQUESTS[step.name], step.request, *kind)
        elif step.name == RESUME:
            self.taken.over, self._former = None, frozenset(self.taken.answers)
            self._session.resume(self._savepoint(step) or "")
        elif step.name == CRASH:
            self._session.crash()
        else:
            return
        self._tell(f"asked for {step.name}({', '.join(step.about.values())})", step.number)
        if step.name in (RESUME, CRASH):
            return
        known = {step.name, step.name + HANDLED}
        if step.trigger is None and not any(map(self._session.hooks.has, known)):
            self._happened(step)

    def _begin(self, hit: Hit, step: OrderedStep) -> None:
        self._begun[step.number] = step
        if step.name in LOSSES:
            self._session.give(hit, LOSSES[step.name])
            self._happened(step)
            return
        self._inside[step.number] = hit
        self._session.go(hit)

    def _happened(self, step: OrderedStep) -> None:
        del self._open[step.number]
        if _is_failure(step):
            self._failing -= _tasks(step)
        self._begun.pop(step.number, None)
        self._inside.pop(step.number, None)
        self._logged[step.number] = self._session.logged
        while step.number == self._order.forbidden and self._away:
            self._session.go(self._away.pop(0))
        self._tell(str(step), step.number)

    def _tell(self, what: str, step: int | None = None) -> None:
        self.taken.moments.append(Moment(round(monotonic() - self._began, 3), what, step))

    # --- what happens ----------------------------------------------------------------------------

    def note(self, news: News) -> None:
        """Take notice of what happened, and let go or hold the thread."""
        match news:
            case Hit(steps=(name,)) if name == ASSUMED:
                self._assume(news)
            case Returned(hit, value):
                self._give(hit, f"returned {value}")
            case Hit():
                self.taken.stops += 1
                self._come(news)
            case Left(hit):
                self._gone(hit)
            case Answer():
                self.taken.answers[news.request] = news
                self._report(news)
                self._tell(f"{news.request} is answered: {news.value or news.error}")
            case Over(state):
                self.taken.over = state
                self._tell(f"the job is {state}")
            case Runs():
                self._follows(RESUME)
            case Crashed():
                self._failing |= {each.name for each in self._session.job.subtasks}
                self._let_go_of_failing()
                self._follows(CRASH)
            case Status():
                self._let_fail()

    def _assume(self, hit: Hit) -> None:
        """A thread has come to the method of an assumption."""
        own = self._session.hooks.assumed[self._order.assumption]
        if own.field and self._order.forced:
            self._session.change(hit, own.field, own.gives)
            self._give(hit, f"was made to begin with {own.field} = {own.gives}")
        elif own.field:
            self._session.go(hit)
            self._give(hit, f"began with {own.field} = {hit.field}")
        elif self._order.forced:
            self._session.give(hit, own.gives)
            self._give(hit, f"was made to return {VALUES[own.gives]}")
        else:
            self._session.follow(hit)

    def _give(self, hit: Hit, what: str) -> None:
        told = f"{hit.hook.place} {what}{f' in {hit.task}' if hit.task else ''}"
        self.taken.results[told] = self.taken.results.get(told, 0) + 1
        self._tell(told)

    def _follows(self, name: str) -> None:
        """A command of this name has been obeyed."""
        for step in [each for each in self._open.values() if each.name == name]:
            if step.number in self._commanded:
                self._happened(step)

    def _come(self, hit: Hit) -> None:
        is_end = hit.steps[0].endswith((HANDLED, EARLY))
        if hit.hook.by_thread and hit.task is not None and hit.task not in self._failing:
            self._threads[hit.task] = hit.thread
        step = self._calls_of(hit) if is_end else self._step_of(hit)
        if step is not None:
            self._arrived.add(str(step.number))
        if step is None and (hit.steps[0] in ONLY_IN_ORDER or self._comes_too_late(hit)):
            self._session.lose(hit)
        elif step is None and self._is_late(hit) and self._is_taking:
            self._late.append(hit)
            self._tell(f"{hit} is held until the order is taken")
        elif step is None and self._is_kept_away(hit):
            self._away.append(hit)
            self._tell(f"{hit} is held, which the order does not mention")
        elif step is None and self._is_last(hit):
            self._last.append(hit)
            self._tell(f"{hit} is held until nothing else moves")
        elif step is None:
            if hit.steps[0] == HAND_OVER and (hit.task, hit.checkpoint) in self._confirmed:
                self.taken.late.append(f"{hit.task}, checkpoint {hit.checkpoint}")
            if hit.steps[0] not in UNTOLD and not is_end:
                self._instead.append(str(hit))
                if hit.steps[0] == FAILED and hit.task is not None and not self._is_ended(hit.task):
                    self.taken.failed.append(hit.task)
                self._tell(f"{hit}, which the order does not mention")
            self._session.go(hit)
        elif self._may(step) or not self._is_taking:
            self._begin(hit, step)
        else:
            self._held.append((hit, step))
            self._tell(f"{hit} is held", step.number)

    def _step_of(self, hit: Hit) -> OrderedStep | None:
        """The first step of the order that a hit is, and that no thread has come to yet."""
        if hit.steps[0] == TRIGGER or self._is_of_failing(hit):
            return None
        come = {step.number for _, step in self._held} | set(self._begun)
        for step in self._open.values():
            if step.number in come or self._is_of_later_attempt(hit, step):
                continue
            if step.name in hit.steps and self._is_about(hit, step):
                return step
        return None

    def _comes_too_late(self, hit: Hit) -> bool:
        """Whether a call asks for a checkpoint of the order, and the task fails without having it.

        A call that comes then would be declined, which the order does not have.
        """
        return (
            hit.steps[0] == CALL
            and hit.checkpoint in self.taken.ids.values()
            and any(_is_failure(each) and hit.task in _tasks(each) for each in self._open.values())
        )

    def _is_late(self, hit: Hit) -> bool:
        name = hit.steps[0]
        if name not in LATE:
            return False
        return LATE[name] in (None, *(step.name for step in self._order.steps))

    def _is_kept_away(self, hit: Hit) -> bool:
        """Whether a call comes that could let Flink take a step that an assumption forbids."""
        if hit.steps[0] not in CALLS | ANSWERS:
            return False
        return self._is_taking and self._order.forbidden in self._open

    def _report(self, answer: Answer) -> None:
        """A request has its value: the steps have happened inside of which it was told."""
        for step in list(self._open.values()):
            inside = [number for number in step.after if number in self._open]
            tells = step.name == REPORT and step.about["request"] == answer.request
            if tells and answer.value is not None and self._begun.keys() >= set(inside):
                if self.taken.ids.get(step.about["checkpoint"]) not in self._stored:
                    self.taken.unstored.append(answer.request)
                for number in (*inside, step.number):
                    self._happened(self._open[number])

    def _calls_of(self, hit: Hit) -> OrderedStep | None:
        """The step that is the calls to the tasks of a checkpoint, if the order has it."""
        if hit.steps[0] != TRIGGER + HANDLED:
            return None
        return next((e for e in self._parts(hit.checkpoint) if e.name == PARTS[-1]), None)

    def _parts(self, checkpoint: int | None) -> list[OrderedStep]:
        """The parts of the trigger of a checkpoint that are still to happen."""
        ids, parts = self.taken.ids, [e for e in self._open.values() if e.name in PARTS]
        return [each for each in parts if ids.get(each.about["checkpoint"]) == checkpoint]

    def _is_of_later_attempt(self, hit: Hit, step: OrderedStep) -> bool:
        """Whether the attempt of a hit is to end before a step."""
        receivers = {each.name: each.receiver.name for each in self._session.job.channels}
        task = hit.task if hit.channel is None else receivers[hit.channel]
        ends = (each for each in self._open.values() if each.number not in self._commanded)
        return any(
            each.number in self._pasts[step.number]
            and (each.name in (RESUME, CRASH) or (_is_failure(each) and task in _tasks(each)))
            for each in ends
        )

    def _is_about(self, hit: Hit, step: OrderedStep) -> bool:
        about = step.about
        if "channel" in about and about["channel"] != hit.channel:
            return False
        if "task" in about and hit.task not in _tasks(step):
            return False
        if "source" in about and about["source"] != hit.source:
            return False
        named = about.get("checkpoint")
        if named is None or hit.checkpoint is None or hit.channel is not None:
            return True
        return self.taken.ids.get(named) == hit.checkpoint

    def _gone(self, hit: Hit) -> None:
        if hit.steps[0] == TRIGGER:
            self._triggered(hit)
            return
        if hit.steps[0] == TRIGGER + HANDLED:
            self._sent(hit)
            return
        if hit.steps[0] == STORE:
            self._stored.add(hit.checkpoint)
            return
        if CONFIRMED in hit.steps:
            self._confirmed.add((hit.task, hit.checkpoint))
        if RESTORE + HANDLED in hit.steps:
            self._failing.discard(hit.task)
        if FAILED + HANDLED in hit.steps and hit.task is not None:
            self.taken.ended.append(hit.task)
        for step in list(self._open.values()):
            if step.number not in self._begun and step.number not in self._commanded:
                continue
            name, handled = f"{step.name}{HANDLED}", self._session.hooks.has(step.name + HANDLED)
            inside = self._inside.get(step.number)
            own = inside == hit
            if inside and inside.thread == hit.thread and step.name + EARLY in hit.steps:
                own = True
            if name in hit.steps and not self._is_last_of_region(hit, step):
                continue
            if (own and not handled) or (name in hit.steps and self._is_about(hit, step)):
                self._handled.add(step.number)
                self._close(step)
                return
        if RESTORE + HANDLED in hit.steps:
            self._restored.append(hit.task)

    def _is_last_of_region(self, hit: Hit, step: OrderedStep) -> bool:
        """Note that a task of a region is gone. Returns whether it is the last one of the step."""
        if "others" not in step.about:
            return True
        gone = self._gone_of.setdefault(step.number, set())
        gone |= _tasks(step) & {hit.task}
        self._let_fail()
        return gone == _tasks(step)

    def _triggered(self, hit: Hit) -> None:
        """A checkpoint has been triggered: it is the next one of its kind in the order."""
        assert hit.checkpoint is not None
        for step in self._open.values():
            trigger = step.trigger
            if trigger is None or trigger.checkpoint in self.taken.ids:
                continue
            kind = self._session.hooks.kinds.get(trigger.kind, trigger.kind)
            if kind == hit.kind and self._may(step):
                if step.name in OF_TIMER and hit.scheduled is False:
                    self.taken.missed = replace(self._missed(), steps=(step,), refused=NO_TIMER)
                    return
                self.taken.ids[trigger.checkpoint] = hit.checkpoint
                self._tell(f"checkpoint {hit.checkpoint} is {trigger.checkpoint}", step.number)
                self._close(step)
                return
        self._instead.append(f"checkpoint {hit.checkpoint} ({hit.kind}) is triggered")
        self._tell(self._instead[-1])

    def _sent(self, hit: Hit) -> None:
        """The calls to the tasks of a checkpoint are on their way."""
        assert hit.checkpoint is not None
        self._called.add(hit.checkpoint)
        for step in list(self._open.values()):
            if step.trigger and self.taken.ids.get(step.trigger.checkpoint) == hit.checkpoint:
                self._close(step)
        for step in self._parts(hit.checkpoint):
            if step.number in self._begun:
                self._happened(step)

    def _close(self, step: OrderedStep) -> None:
        """End a step whose method has returned and whose checkpoint has been triggered.

        Its calls to tasks must have been sent, unless no later step is about a checkpoint
        that a request triggers: other tasks may abort that checkpoint first.
        """
        is_command = step.name in REQUESTS
        name = None if step.trigger is None else step.trigger.checkpoint
        made = None if name is None else self.taken.ids.get(name)
        is_needed = any(
            each.about.get("checkpoint") == name and each.name != FAIL_TO_TRIGGER
            for each in self._open.values()
        )
        is_made = is_command and made is not None and (not is_needed or bool(self._parts(made)))
        triggered = name is None or made in self._called or is_made
        if triggered and (is_command or step.number in self._handled):
            self._happened(step)

    def _missed(self) -> Missed:
        waits = [step for step in self._open.values() if self._may(step)]
        held = tuple(_held(self._held))
        refused = next((why for step in waits if (why := self._refusal(step))), "")
        return Missed(tuple(waits), held, tuple(self._instead[-5:]), refused)

    def _refusal(self, step: OrderedStep) -> str:
        """The line of the log with which Flink refuses a step, or the error of its request."""
        since = max((self._logged[number] for number in step.after), default=0)
        named = step.trigger.checkpoint if step.trigger else step.about.get("checkpoint", "")
        made = self.taken.ids.get(named)
        for line in self._session.lines_since(since):
            for pattern in self._session.hooks.refused:
                found = re.search(pattern, line)
                about = None if found is None else found.groupdict().get("checkpoint")
                if found is not None and (None in (about, made) or about == str(made)):
                    return line
        answer = self.taken.answers.get(step.request)
        asks = step.name in REQUESTS and answer is not None and answer.error is not None
        return f"{step.request} is answered: {answer.error}" if asks and answer else ""


def _pasts(steps: Sequence[OrderedStep]) -> dict[int, set[int]]:
    """For each step all those that come before it."""
    pasts: dict[int, set[int]] = {}
    for number in TopologicalSorter({step.number: step.after for step in steps}).static_order():
        after = next(step.after for step in steps if step.number == number)
        pasts[number] = set(after).union(*(pasts[each] for each in after))
    return pasts


def _is_failure(step: OrderedStep) -> bool:
    return OF_TASK.get(step.name) == "fail"


def _tasks(step: OrderedStep) -> set[str | None]:
    """The tasks that a step is about: one, or all that fail together."""
    return {step.about["task"], *step.about.get("others", "").split()}


def _held(held: Sequence[tuple[Hit, OrderedStep]]) -> Iterator[str]:
    for hit, step in held:
        yield f"{hit} in {hit.thread_name}, for step {step.number}"


__all__ = [
    "ABSORB",
    "ARRIVE",
    "BEGIN_CALL",
    "END_CALL",
    "FILL",
    "PRESS",
    "PUT_MAIL",
    "RUN_MAIL",
    "Director",
    "Missed",
    "Moment",
    "Taken",
]
