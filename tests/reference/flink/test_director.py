"""The director with a scripted job: which threads it lets go, which it holds, and when."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from model.topology import Job
from reference.flink.director import Director, Taken
from reference.flink.hooks import Hooks, hooks_in
from reference.flink.order import Order, OrderedStep, Trigger
from reference.flink.session import Answer, Hit, Left, News, Session, Status
from tests.docs.pages import ROOT

HOOKS = hooks_in(ROOT / "reference" / "flink" / "flink-2.3.toml")
JOB = {"B": {"records": 0}, "K": {"from": ["B"]}}


class Scripted:
    """A session that tells what it is given, and notes what it is told."""

    def __init__(self, news: Iterable[News]) -> None:
        self.hooks: Hooks = HOOKS
        self.job = Job.from_table(JOB)
        self.done: list[str] = []
        self._news = list(news)

    def next(self, seconds: float) -> News | None:
        del seconds
        return self._news.pop(0) if self._news else None

    def go(self, hit: Hit) -> None:
        self.done.append(f"go {hit}")

    def lose(self, hit: Hit) -> None:
        self.done.append(f"lose {hit}")

    def to_task(self, word: str, task: str, *more: str) -> None:
        self.done.append(" ".join((word, task, *more)))

    def ask(self, word: str, request: str, *more: str) -> None:
        self.done.append(" ".join((word, request, *more)))


def hit(step: str, task: str | None, checkpoint: int | None = None) -> Hit:
    hook = next(each for each in HOOKS.all if step in each.steps)
    return Hit(hook, (step,), task, None, checkpoint, None, 0, 0, "thread")


def taken(steps: Iterable[OrderedStep], news: Iterable[News]) -> tuple[Director, list[str], Taken]:
    session = Scripted(news)
    order = Order("", session.job, JOB, {}, tuple(steps))
    director = Director(cast("Session", session), order)
    return director, session.done, director.take(0.0)


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


def test_a_region_has_failed_when_all_its_tasks_are_gone() -> None:
    step = OrderedStep(1, "fail_region", {"task": "K", "others": "B"})
    gone = {task: Left(hit("fail_region.handled", task)) for task in "BK"}
    assert taken([step], [gone["K"]])[2].missed is not None
    assert taken([step], [gone["K"], gone["B"]])[2].missed is None


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


def asked(checkpoint: str) -> OrderedStep:
    return OrderedStep(1, "trigger_checkpoint", {}, (), Trigger(checkpoint, "CHECKPOINT"))


def triggered(number: int) -> Left:
    made = hit("trigger", None, number)
    return Left(Hit(made.hook, made.steps, None, None, number, "Checkpoint", 0, 0, "thread"))


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
