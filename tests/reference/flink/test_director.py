"""The director with a scripted job: which threads it lets go, which it holds, and when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import cast

import pytest

from finale.model.topology import Job
from finale.reference.flink.director import Director, Taken
from finale.reference.flink.hooks import Hooks, hooks_in
from finale.reference.flink.order import Order, OrderedStep, Trigger
from finale.reference.flink.session import (
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
from tests.docs.pages import ROOT

HOOKS = hooks_in(ROOT / "reference" / "flink" / "flink-2.3.toml")
JOB = {"B": {"records": 0}, "K": {"from": ["B"]}}


class Scripted:
    """A session that tells what it is given, and notes what it is told."""

    def __init__(self, news: Iterable[News], log: Iterable[str] = ()) -> None:
        self.hooks: Hooks = HOOKS
        self.job = Job.from_table(JOB)
        self.done: list[str] = []
        self.log = list(log)
        self._news = list(news)

    def next(self, seconds: float) -> News | None:
        del seconds
        return self._news.pop(0) if self._news else None

    @property
    def logged(self) -> int:
        return 0 if self._news else 1  # the first line was there before the last news

    def lines_since(self, logged: int) -> list[str]:
        return self.log[logged:]

    def go(self, hit: Hit) -> None:
        self.done.append(f"go {hit}")

    def lose(self, hit: Hit) -> None:
        self.done.append(f"lose {hit}")

    def follow(self, hit: Hit) -> None:
        self.done.append(f"follow {hit}")

    def give(self, hit: Hit, value: str) -> None:
        self.done.append(f"give {hit} {value}")

    def change(self, hit: Hit, name: str, value: str) -> None:
        self.done.append(f"change {hit} {name} {value}")

    def to_task(self, word: str, task: str, *more: str) -> None:
        self.done.append(" ".join((word, task, *more)))

    def ask(self, word: str, request: str, *more: str) -> None:
        self.done.append(" ".join((word, request, *more)))

    def kept(self, checkpoint: int | None) -> str | None:
        return None if checkpoint is None else f"file:/chk-{checkpoint}"

    def resume(self, savepoint: str) -> None:
        self.done.append(f"resume {savepoint}")

    def crash(self) -> None:
        self.done.append("crash")


def hit(step: str, task: str | None, checkpoint: int | None = None, thread: int = 0) -> Hit:
    hook = next(each for each in HOOKS.all if step in each.steps)
    return Hit(hook, (step,), task, None, None, checkpoint, None, 0, thread, "thread")


def taken(
    steps: Iterable[OrderedStep], news: Iterable[News], log: Iterable[str] = ()
) -> tuple[Director, list[str], Taken]:
    session = Scripted(news, log)
    order = Order("", session.job, JOB, {}, tuple(steps))
    director = Director(cast("Session", session), order)
    return director, session.done, director.take(0.0)


def without(*, forced: bool, forbidden: int, steps: Iterable[OrderedStep]) -> Order:
    """An order without the assumption `is-released`."""
    job = Job.from_table(JOB)
    return Order(
        "", job, JOB, {}, tuple(steps),
        assumption="is-released", forced=forced, forbidden=forbidden,
    )  # fmt: skip


@pytest.mark.parametrize("forced", [False, True])
def test_the_method_of_an_assumption_is_followed_or_forced(forced: bool) -> None:
    assumed = HOOKS.without("is-released").all[-1]
    asked = replace(hit("quiesce", "K"), hook=assumed, steps=assumed.steps)
    session = Scripted([asked, *([] if forced else [Returned(asked, "true")])])
    order = without(forced=forced, forbidden=1, steps=[OrderedStep(1, "quiesce", {"task": "K"})])
    result = Director(cast("Session", session), order).take(0.0)
    method = "StreamTask.areCheckpointsWithFinishedTasksEnabled"
    said = "was made to return false" if forced else "returned true"
    assert result.results == {f"{method} {said} in K": 1}
    assert session.done == [f"give {asked} false" if forced else f"follow {asked}"]
    assert result.left == (1,)


def test_no_other_call_comes_before_a_step_that_is_forbidden() -> None:
    """A confirmation would let the task go on, and the order has none."""
    steps = [
        OrderedStep(1, "quiesce", {"task": "K"}),
        OrderedStep(2, "close", {"task": "K"}, (1,)),
    ]
    other, quiesce, close = hit("deliver_trigger", "K"), hit("quiesce", "K"), hit("close", "K")
    session = Scripted([other, quiesce, Left(quiesce), close, Left(close)])
    order = without(forced=True, forbidden=1, steps=steps)
    assert Director(cast("Session", session), order).take(0.0).missed is None
    assert session.done == [f"go {each}" for each in (quiesce, other, close)]


def test_a_call_is_lost_if_the_order_needs_its_thread() -> None:
    steps = [
        OrderedStep(1, "learn_finished", {"task": "K"}),
        OrderedStep(2, "close", {"task": "K"}, (1,)),
    ]
    other, needed = hit("deliver_trigger", "K", 7), hit("learn_finished", "K")
    session = Scripted([other, needed, Left(needed)])
    order = without(forced=True, forbidden=2, steps=steps)
    Director(cast("Session", session), order).take(0.0)
    assert session.done == [f"lose {other}", f"go {needed}"]


def test_an_acknowledgement_is_held_until_the_step_and_is_not_lost() -> None:
    """A checkpoint of which the order says nothing more must not complete before the step."""
    step = OrderedStep(1, "deliver_trigger", {"task": "K"})
    other, call = hit("apply_acknowledgement", "K", 7), hit("deliver_trigger", "K")
    session = Scripted([other, call, Left(call)])
    order = without(forced=False, forbidden=1, steps=[step])
    Director(cast("Session", session), order).take(0.0)
    assert session.done == [f"go {call}", f"go {other}"]


@pytest.mark.parametrize("forced", [False, True])
def test_a_field_is_told_or_changed_when_the_method_of_an_assumption_begins(forced: bool) -> None:
    assumed = HOOKS.without("waits-for-savepoint").all[-1]
    asked = replace(hit("quiesce", "K"), hook=assumed, steps=assumed.steps, field="Long")
    session = Scripted([asked])
    order = replace(
        without(forced=forced, forbidden=1, steps=[OrderedStep(1, "quiesce", {"task": "K"})]),
        assumption="waits-for-savepoint",
    )
    result = Director(cast("Session", session), order).take(0.0)
    said = (
        "was made to begin with syncSavepoint = null" if forced else "began with syncSavepoint = "
    )
    (told,) = result.results
    assert told.startswith(f"StreamTask.afterInvoke {said}")
    change = f"change {asked} syncSavepoint null"
    assert session.done == [change if forced else f"go {asked}"]


def test_only_calls_of_one_method_are_changed_if_a_caller_is_named() -> None:
    hook = HOOKS.without("is-confirmed").all[-1]
    assert hook.paths == {"caller": "caller^cleanupAfterCompletedCheckpoint"}
    assert HOOKS.without("accepts").all[-1].paths == {"field": "this.latestReportCheckpointId"}


def test_a_task_that_the_order_does_not_close_closes_last() -> None:
    quiesce, call = hit("quiesce", "K"), hit("deliver_trigger", "K")
    step = OrderedStep(1, "deliver_trigger", {"task": "K"})
    director, done, result = taken([step], [quiesce, call, Left(call)])
    assert result.missed is None
    assert done == ["go deliver_trigger(K)"]
    assert director.let_all_close()
    assert done[-1] == "go quiesce(K)"
    assert not director.let_all_close()


def test_a_task_closes_if_its_thread_is_to_take_a_step() -> None:
    steps = [
        OrderedStep(1, "deliver_trigger", {"task": "K"}),
        OrderedStep(2, "run_trigger", {"task": "K"}, (1,)),
    ]
    call, mail = hit("deliver_trigger", "K"), hit("run_trigger", "K")
    news: list[News] = [hit("quiesce", "K"), call, Left(call), mail, Left(mail)]
    _, done, result = taken(steps, news)
    assert result.missed is None
    assert done == ["go deliver_trigger(K)", "go quiesce(K)", "go run_trigger(K)"]


PERIODIC = OrderedStep(1, "trigger_checkpoint", {}, (), Trigger("cp1", "CHECKPOINT"))


def asked_for(*, scheduled: bool, number: int = 1) -> list[News]:
    """The driver's request comes to the coordinator, whose timer runs or not."""
    kind = HOOKS.kinds["CHECKPOINT"]
    made = replace(hit("trigger", None, number), kind=kind, scheduled=scheduled)
    return [made, Left(made), Left(hit("trigger.handled", None, number))]


def test_a_periodic_checkpoint_is_one_that_the_timer_would_trigger() -> None:
    """Flink triggers what a user asks for, also if its timer is stopped."""
    assert taken([PERIODIC], asked_for(scheduled=True))[2].missed is None
    missed = taken([PERIODIC], asked_for(scheduled=False))[2].missed
    assert missed is not None
    assert missed.steps == (PERIODIC,)
    assert "periodicScheduling is false" in missed.refused
    asked = replace(PERIODIC, name="request_checkpoint")
    assert taken([asked], asked_for(scheduled=False))[2].missed is None


REFUSES = "12:00 INFO Failed to trigger checkpoint for job 1 since B is not being executed"


def test_the_line_that_refuses_a_step_is_quoted() -> None:
    missed = taken([PERIODIC], [], ["12:00 INFO other", REFUSES])[2].missed
    assert missed is not None
    assert missed.refused == REFUSES


def test_a_line_from_before_the_step_refuses_nothing() -> None:
    call = hit("deliver_trigger", "B", 1)
    first = OrderedStep(1, "deliver_trigger", {"task": "B"})
    steps = [first, replace(PERIODIC, number=2, after=(1,))]
    for log, refused in ([REFUSES], ""), (["", REFUSES], REFUSES):
        missed = taken(steps, [call, Left(call)], log)[2].missed
        assert missed is not None
        assert missed.refused == refused


def test_a_line_about_another_checkpoint_refuses_nothing() -> None:
    waits = OrderedStep(2, "apply_acknowledgement", {"task": "K", "checkpoint": "cp1"}, (1,))
    for number, refuses in (7, True), (8, False):
        line = f"Decline checkpoint {number} by task K"
        missed = taken([PERIODIC, waits], asked_for(scheduled=True, number=7), ["", line])[2].missed
        assert missed is not None
        assert bool(missed.refused) == refuses


def test_a_request_that_is_answered_with_an_error_is_refused() -> None:
    step = OrderedStep(1, "request_savepoint", {"request": "sp1"}, (), Trigger("cp1", "SAVEPOINT"))
    missed = taken([step], [Answer("sp1", None, "not all tasks run")])[2].missed
    assert missed is not None
    assert missed.refused == "sp1 is answered: not all tasks run"


def test_a_region_has_failed_when_all_its_tasks_are_gone() -> None:
    step = OrderedStep(1, "fail_region", {"task": "K", "others": "B"})
    gone = {task: Left(hit("fail_region.handled", task)) for task in "BK"}
    assert taken([step], [gone["K"]])[2].missed is not None
    assert taken([step], [gone["K"], gone["B"]])[2].missed is None


def test_an_attempt_that_ends_is_noted_and_whether_the_order_lets_it_end() -> None:
    gone = Left(hit("fail_region.handled", "K"))
    legal, _, result = taken([OrderedStep(1, "deliver_trigger", {"task": "K"})], [gone])
    assert result.ended == ["K"]
    assert not legal.ends_attempts
    outside = ("crash_coordinator", "resume", "request_cancel", "expire", "fail_snapshot")
    for name in ("fail", "fail_region", "lose_split", *outside):
        about = {"task": "B", "request": "cancel1", "checkpoint": "cp1"}
        assert taken([OrderedStep(1, name, about)], [gone])[0].ends_attempts


def test_a_task_of_a_job_that_is_cancelled_may_fail() -> None:
    aborted = OrderedStep(2, "deliver_abort", {"task": "K"})
    news: list[News] = [hit("fail_region", "K"), Left(hit("fail_region.handled", "K"))]
    assert taken([aborted], news)[2].failed == ["K"]
    cancel = OrderedStep(1, "request_cancel", {"request": "cancel1"})
    assert taken([cancel, aborted], news)[2].failed == []


def test_a_task_that_closes_can_fail() -> None:
    step = OrderedStep(1, "fail_region", {"task": "K"})
    quiesce, status = hit("quiesce", "K"), Status("RUNNING", {}, {})
    news: list[News] = [quiesce, status, Left(hit("fail_region.handled", "K"))]
    _, done, result = taken([step], news)
    assert result.missed is None
    assert done == ["fail K", "go quiesce(K)"]


def test_a_checkpoint_expires_only_if_the_order_says_so() -> None:
    step = OrderedStep(1, "deliver_trigger", {"task": "K"})
    _, done, _ = taken([step], [hit("expire", None, 1)])
    assert done == ["lose expire(1)"]


def test_hooks_know_the_steps_of_threads() -> None:
    assert HOOKS.is_by_thread("run_trigger")
    assert not HOOKS.is_by_thread("deliver_trigger")


def test_a_task_closes_if_the_order_needs_it_gone() -> None:
    step = OrderedStep(1, "learn_finished", {"task": "B"})
    end = hit("learn_finished", "B")
    _, done, result = taken([step], [hit("quiesce", "B"), end, Left(end)])
    assert done[0] == "go quiesce(B)"
    assert result.missed is not None  # the coordinator has not learnt of it
    ended = Left(hit("learn_finished.handled", "B"))
    assert taken([step], [hit("quiesce", "B"), end, ended])[2].missed is None


def test_what_comes_after_a_missed_order_is_let_go() -> None:
    steps = [
        OrderedStep(1, "deliver_abort", {"task": "K"}),
        OrderedStep(2, "deliver_trigger", {"task": "K"}, (1,)),
    ]
    director, done, result = taken(steps, [])
    assert result.missed is not None
    director.note(hit("deliver_trigger", "K"))
    assert done == ["go deliver_trigger(K)"]


def test_a_call_with_a_split_comes_when_the_order_says_so_or_last() -> None:
    call, trigger = hit("receive_split", "K"), hit("deliver_trigger", "K")
    step = OrderedStep(1, "deliver_trigger", {"task": "K"})
    assert taken([step], [call, trigger, Left(trigger)])[1] == [
        "go deliver_trigger(K)",
        "go receive_split(K)",
    ]
    own = OrderedStep(2, "receive_split", {"task": "K"})
    received = Left(hit("receive_split.handled", "K"))
    news: list[News] = [call, received, trigger, Left(trigger)]
    assert taken([step, own], news)[1][0] == "go receive_split(K)"


def test_a_call_with_a_split_fails_if_the_order_says_so() -> None:
    call = replace(hit("lose_split", "K"), steps=("receive_split", "lose_split"))
    _, done, took = taken([OrderedStep(1, "lose_split", {"split": "split1"})], [call])
    assert done == ["give receive_split(K) fail"]
    assert took.missed is None


def test_a_coordinator_learns_of_a_failed_event_last() -> None:
    hooks = hooks_in(ROOT / "reference" / "flink" / "flink-1.12.toml")
    hook = next(each for each in hooks.all if "learn_of_failed_event" in each.steps)
    learns = Hit(hook, hook.steps, None, None, None, None, None, 0, 1, "thread")
    lost = replace(hit("lose_split", "K"), steps=("receive_split", "lose_split"))
    trigger = hit("deliver_trigger", "K")
    loses = OrderedStep(1, "lose_split", {"split": "split1"})
    step = OrderedStep(2, "deliver_trigger", {"task": "K"}, (1,))
    assert taken([loses, step], [lost, learns, trigger, Left(trigger)])[1][1:] == [
        "go deliver_trigger(K)",
        "go learn_of_failed_event()",
    ]
    # In an order without a lost event the coordinator may learn what it wants.
    step = replace(step, after=())
    assert taken([step], [learns, trigger, Left(trigger)])[1][0] == "go learn_of_failed_event()"


def barrier() -> Hit:
    """A barrier comes to a task: it may have overtaken data."""
    hook = next(each for each in HOOKS.all if "notice_barrier" in each.steps)
    steps = tuple(hook.events["CheckpointBarrier"].split())
    return Hit(hook, steps, None, "B→K", None, 1, None, 0, 0, "thread")


def test_data_arrive_after_the_order_if_a_barrier_overtakes_them() -> None:
    data = hit("receive_data", None, thread=1)
    for name, done in (
        ("notice_barrier", ["go poll_barrier(B→K, 1)", "go receive_data()"]),
        ("poll_barrier", ["go receive_data()", "go poll_barrier(B→K, 1)"]),
    ):
        step = OrderedStep(1, name, {"channel": "B→K", "checkpoint": "cp1"})
        _, said, took = taken([step], [data, barrier(), Left(barrier())])
        assert said == done
        assert took.missed is None


def test_committables_can_come_after_the_confirmation() -> None:
    hooks = hooks_in(ROOT / "reference" / "flink" / "flink-1.20.toml")
    hook = next(each for each in hooks.all if "hand_over" in each.steps)
    early, late = (
        Hit(hook, hook.steps, "K", None, None, number, None, 0, 0, "thread") for number in (2, 1)
    )
    confirmed = hit("deliver_confirmation.handled", "K", 1)
    step = OrderedStep(1, "deliver_trigger", {"task": "K"})
    trigger = hit("deliver_trigger", "K")
    news: list[News] = [Left(confirmed), early, late, trigger, Left(trigger)]
    assert taken([step], news)[2].late == ["K, checkpoint 1"]


def asked(checkpoint: str) -> OrderedStep:
    return OrderedStep(1, "trigger_checkpoint", {}, (), Trigger(checkpoint, "CHECKPOINT"))


def triggered(number: int) -> Left:
    made = hit("trigger", None, number)
    return Left(Hit(made.hook, made.steps, None, None, None, number, "Checkpoint", 0, 0, "thread"))


def test_the_parts_of_a_trigger_are_steps_of_their_own() -> None:
    steps = [
        asked("cp1"),
        OrderedStep(2, "take_coordinator_state", {"checkpoint": "cp1"}, (1,)),
        OrderedStep(3, "assign", {"task": "K", "split": "split1"}, (2,)),
        OrderedStep(4, "finish_coordinator_part", {"checkpoint": "cp1"}, (3,)),
    ]
    take, calls = hit("take_coordinator_state", None, 1), hit("trigger.handled", None, 1)
    _, done, result = taken(steps, [triggered(1), take, Left(take), calls, Left(calls)])
    assert result.missed is None
    assert done == [
        "checkpoint request 1",
        "go take_coordinator_state(1)",
        "assign K split1",
        "go trigger.handled(1)",
    ]


def test_an_answer_before_its_checkpoint_is_stored() -> None:
    about = {"checkpoint": "cp1"}
    steps = [
        asked("cp1"),
        OrderedStep(2, "apply_acknowledgement", {"task": "K", **about}, (1,)),
        OrderedStep(3, "report_first", {"request": "request 1", **about}, (2,)),
    ]
    calls, store = hit("trigger.handled", None, 1), hit("store", None, 1)
    last, answer = hit("apply_acknowledgement", "K", 1), Answer("request 1", "chk-1", None)
    before: list[News] = [triggered(1), Left(calls), last]
    _, done, result = taken(steps, [*before, store, answer])
    assert result.missed is None
    assert result.unstored == ["request 1"]
    assert done[-1] == "go store(1)"
    # The answer does not come as long as the checkpoint is kept from the store.
    assert taken(steps, [*before, store])[2].missed is not None


def test_the_end_of_data_is_reported_when_the_task_manager_is_needed() -> None:
    steps = [
        OrderedStep(1, "run_trigger", {"task": "K"}),
        OrderedStep(2, "deliver_trigger", {"task": "K"}, (1,)),
    ]
    mail, call = hit("run_trigger", "K"), hit("deliver_trigger", "K")
    news: list[News] = [hit("apply_end_report", "K"), mail, Left(mail), call, Left(call)]
    _, done, result = taken(steps, news)
    assert result.missed is None
    assert done == ["go run_trigger(K)", "go apply_end_report(K)", "go deliver_trigger(K)"]


def test_a_job_starts_again_when_it_is_over_and_has_a_savepoint() -> None:
    steps = [
        OrderedStep(1, "request_stop", {"request": "stop1", "drain": "drain"}),
        OrderedStep(2, "resume", {"checkpoint": "cp1", "request": "stop1"}, (1,)),
        OrderedStep(3, "restore", {"task": "K"}, (2,)),
    ]
    # A new attempt may run before the job says that all of its tasks do.
    restored = Left(hit("restore.handled", "K"))
    news: list[News] = [Over("FINISHED"), Answer("stop1", "file:/s", None), restored, Runs()]
    director, done, result = taken(steps, news)
    assert result.missed is None
    assert result.over is None
    assert done == ["stop stop1 drain", "resume file:/s"]
    # The job that runs now was not stopped.
    assert director.savepoints_of_stops == []
    director, done, result = taken(steps, [Answer("stop1", "file:/s", None), Runs()])
    assert result.missed is not None
    assert done == ["stop stop1 drain"]


def test_a_job_cannot_start_again_from_a_savepoint_that_there_is_not() -> None:
    steps = [
        OrderedStep(1, "request_savepoint", {"request": "savepoint1"}),
        OrderedStep(2, "resume", {"checkpoint": "cp1", "request": "savepoint1"}, (1,)),
    ]
    savepoint1 = Left(hit("trigger.handled", None, 1))
    _, done, result = taken(
        steps, [savepoint1, Over("FAILED"), Answer("savepoint1", None, "too late")]
    )
    assert str(result.missed).startswith("step 2, resume(cp1, savepoint1) did not happen")
    assert done == ["savepoint savepoint1"]


def test_threads_of_tasks_that_a_crash_ends_are_let_go() -> None:
    steps = [
        OrderedStep(1, "crash_coordinator"),
        OrderedStep(2, "restore", {"task": "K"}, (1,)),
        OrderedStep(3, "run_trigger", {"task": "K"}, (2,)),
    ]
    old, late = hit("quiesce", "K", thread=1), hit("run_trigger", "K", thread=1)
    new = hit("run_trigger", "K", thread=2)
    restored = Left(hit("restore.handled", "K"))
    _, done, result = taken(steps, [old, Crashed(), late, new, restored, Left(new)])
    assert result.missed is None
    # The old attempt's mail is not the step of the order; the new one's waits until it is restored.
    assert done == ["crash", "go quiesce(K)", "go run_trigger(K)", "go run_trigger(K)"]


def test_what_a_crash_ends_does_not_fail_by_itself() -> None:
    steps = [
        OrderedStep(1, "crash_coordinator"),
        OrderedStep(2, "restore", {"task": "K"}, (1,)),
        OrderedStep(3, "deliver_trigger", {"task": "K"}, (2,)),
    ]
    # A task may report its end before the JobManager is gone, and behind that.
    ended: list[News] = [hit("fail_region", "K"), Crashed(), hit("fail_region", "B")]
    restored, call = Left(hit("restore.handled", "K")), hit("deliver_trigger", "K")
    _, done, result = taken(steps, [*ended, restored, call, Left(call)])
    assert result.missed is None
    assert result.failed == []
    assert done[1:3] == ["go fail_region(K)", "go fail_region(B)"]
    # The new attempt fails by itself, and so does one before the crash.
    fails = hit("fail_region", "K")
    assert taken(steps, [*ended, restored, fails])[2].failed == ["K"]
    first = OrderedStep(1, "deliver_trigger", {"task": "K"})
    later = [first, OrderedStep(2, "crash_coordinator", {}, (1,))]
    assert taken(later, [fails, call, Left(call), Crashed()])[2].failed == ["K"]


def test_a_chained_source_has_a_name_of_its_own() -> None:
    step = OrderedStep(1, "end_chained", {"source": "T.source2", "task": "T"})
    first, second = (
        replace(hit("end_chained", "T"), source=f"T.source{number}") for number in (1, 2)
    )
    _, done, result = taken([step], [first, Left(first)])
    assert result.missed is not None
    assert done[0] == "end T.source2"
    assert taken([step], [second, Left(second)])[2].missed is None


def test_a_mail_of_an_attempt_is_no_step_of_a_later_one() -> None:
    steps = [
        OrderedStep(1, "request_savepoint", {"request": "savepoint1"}),
        OrderedStep(2, "resume", {"checkpoint": "cp1", "request": "savepoint1"}, (1,)),
        OrderedStep(3, "restore", {"task": "K"}, (2,)),
        OrderedStep(4, "run_trigger", {"task": "K"}, (3,)),
    ]
    first, later = hit("run_trigger", "K", thread=1), hit("run_trigger", "K", thread=2)
    news: list[News] = [first, Over("FINISHED"), Answer("savepoint1", "file:/s", None)]
    news += [Left(hit("restore.handled", "K")), Runs(), later, Left(later)]
    _, done, result = taken(steps, news)
    assert result.missed is None
    assert done[1:] == ["go run_trigger(K)", "resume file:/s", "go run_trigger(K)"]


def test_a_step_says_that_a_thread_has_come_to_another_one() -> None:
    steps = [
        OrderedStep(1, "stop_source", {"task": "B"}, (2,)),
        OrderedStep(2, "deliver_trigger", {"task": "B"}, (3,)),
        OrderedStep(3, "arrive", {"task": "B", "step": "1"}),
    ]
    call, mail = hit("deliver_trigger", "B"), hit("stop_source", "B")
    _, done, result = taken(steps, [call, mail, Left(call), Left(mail)])
    assert result.missed is None
    # The call is held until the thread has come to its mail, which waits for the call.
    assert done == ["go deliver_trigger(B)", "go stop_source(B)"]
    assert taken(steps, [call])[2].missed is not None


def test_a_job_starts_again_from_a_checkpoint_that_flink_has_kept() -> None:
    steps = [asked("cp1"), OrderedStep(2, "resume", {"checkpoint": "cp1"}, (1,))]
    calls = hit("trigger.handled", None, 7)
    news: list[News] = [triggered(7), Left(calls), Over("FAILED"), Runs()]
    _, done, result = taken(steps, news)
    assert result.missed is None
    assert done == ["checkpoint request 1", "resume file:/chk-7"]


@pytest.mark.parametrize(
    ("name", "task", "value"),
    [("lose_acknowledgement", "B", "skip"), ("fail_to_trigger", None, "throw")],
)
def test_a_call_and_a_trigger_fail_only_if_the_order_says_so(
    name: str, task: str | None, value: str
) -> None:
    about = {"checkpoint": "cp1"} | ({"task": task} if task else {})
    step, trigger = OrderedStep(1, name, about, (2,)), replace(asked("cp1"), number=2)
    calls: list[News] = [Left(hit("trigger.handled", None, 7))] if task else []
    other, own = hit(name, "K", 8), hit(name, task, 7)
    _, done, result = taken([trigger, step], [triggered(7), *calls, other, own])
    assert result.missed is None
    assert done == ["checkpoint request 2", f"go {other}", f"give {own} {value}"]


def test_a_snapshot_fails_if_the_order_says_so() -> None:
    step = OrderedStep(1, "fail_snapshot", {"task": "B", "checkpoint": "cp1"}, (2,))
    trigger = replace(asked("cp1"), number=2)
    calls, first = hit("trigger.handled", None, 7), hit("fail_snapshot", "K", 7)
    fails = hit("fail_snapshot", "B", 7)
    _, done, result = taken([trigger, step], [triggered(7), Left(calls), first, fails])
    assert result.missed is None
    assert done == [
        "checkpoint request 2",
        "go fail_snapshot(K, 7)",
        "give fail_snapshot(B, 7) skip",
    ]


def test_a_thread_that_comes_and_fails_has_not_arrived() -> None:
    steps = [
        OrderedStep(1, "stop_source", {"task": "B"}, (2,)),
        OrderedStep(2, "deliver_trigger", {"task": "B"}, (3,)),
        OrderedStep(3, "arrive", {"task": "B", "step": "1"}, (4,)),
        OrderedStep(4, "fail_region", {"task": "B"}),
    ]
    mail, call = hit("stop_source", "B"), hit("deliver_trigger", "B")
    gone = Left(hit("fail_region.handled", "B"))
    _, done, result = taken(steps, [mail, Status("RUNNING", {}, {}), gone, call])
    assert done[:2] == ["fail B", "go stop_source(B)"]
    assert result.missed is not None
    assert [each.name for each in result.missed.steps] == ["arrive"]


def test_what_came_instead_is_told_without_the_data_of_the_network() -> None:
    step = OrderedStep(1, "run_trigger", {"task": "K"})
    missed = taken([step], [hit("quiesce", "B"), hit("receive_data", None)])[2].missed
    assert missed is not None
    assert missed.instead == ()
    missed = taken([step], [hit("run_trigger", "B"), hit("receive_data", None)])[2].missed
    assert missed is not None
    assert missed.instead == ("run_trigger(B)",)


def test_an_order_drains_if_all_its_stops_do() -> None:
    drain, suspend = (
        OrderedStep(number, "request_stop", {"request": f"stop{number}", "drain": word})
        for number, word in enumerate(("drain", "suspend"), 1)
    )
    assert taken([drain], [])[0].drains
    assert not taken([drain, suspend], [])[0].drains


def test_a_call_that_a_task_does_not_have_before_it_fails_is_lost() -> None:
    steps = [asked("cp1"), OrderedStep(2, "fail_region", {"task": "B"}, (1,))]
    calls, call = hit("trigger.handled", None, 7), hit("deliver_trigger", "B", 7)
    gone = Left(hit("fail_region.handled", "B"))
    _, done, result = taken(steps, [triggered(7), Left(calls), call, gone])
    assert result.missed is None
    assert done == ["checkpoint request 1", "fail B", "lose deliver_trigger(B, 7)"]
    # A checkpoint that the order does not have is none of its business.
    other = hit("deliver_trigger", "B", 8)
    assert (
        taken(steps, [triggered(7), Left(calls), other, gone])[1][-1] == "go deliver_trigger(B, 8)"
    )
