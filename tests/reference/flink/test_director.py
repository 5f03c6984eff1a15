"""The director with a scripted job: which threads it lets go, which it holds, and when."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from model.topology import Job
from reference.flink.director import Director, Taken
from reference.flink.hooks import Hooks, hooks_in
from reference.flink.order import Order, OrderedStep
from reference.flink.session import Hit, Left, News, Session, Status
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

    def to_task(self, word: str, task: str) -> None:
        self.done.append(f"{word} {task}")


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
