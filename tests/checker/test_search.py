"""The readable search: limits, interruptions, which trace it shows, what it says was exercised."""

import inspect

import pytest

from finale.checker.search.bfs import search
from finale.checker.search.bfs.search import check
from finale.checker.search.interpreter.search import explore
from finale.checker.search.limits import INTERRUPTED, Limits, SearchProgress
from finale.checker.search.verdict import Report, Verdict, Word
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.language.properties import Family
from finale.model.protocols.yardstick import Yardstick
from finale.model.rules import (
    Bool,
    Protocol,
    Range,
    Setting,
    always,
    define,
    field,
    reachable,
    require,
    rule,
    step,
)
from tests.zoo.classics import DIE_HARD
from tests.zoo.fairness import LASSO
from tests.zoo.faults import FORGETFUL
from tests.zoo.values import COUNTER


def answer(report: Report, name: str) -> Verdict:
    return next(each for each in report.verdicts if each.property == name)


# --- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("states", "seconds"), [(0, None), (-1, None), (None, 0.0), (None, -0.5), (None, float("nan"))]
)
def test_a_limit_that_forbids_everything_is_refused(
    states: int | None, seconds: float | None
) -> None:
    with pytest.raises(FinaleError) as caught:
        Limits(states, seconds)
    assert caught.value.code == "bad-limit"


@pytest.mark.parametrize("search", ["compiled", "defined", "concrete"])
def test_a_search_that_is_cut_short_claims_only_what_it_saw(search: str) -> None:
    limits = Limits(states_max=3)
    protocol = COUNTER.make()
    if search == "concrete":
        report = explore(protocol, COUNTER.families, limits)
    else:
        system = build(protocol, COUNTER.families)
        report = check(system, limits, compiled=search == "compiled")
    found = report.statistics
    assert not found.complete
    assert (found.states, found.transitions, found.depth, found.frontier) == (3, 3, 2, 1)
    assert report.stopped == "the limit of 3 states"
    assert report.dead_branches == ()
    verdicts = {each.property: each.word for each in report.verdicts}
    assert verdicts.pop("skips-two") == "violated"  # in two steps
    assert verdicts.pop("reaches-two") == "holds"
    assert set(verdicts.values()) == {"unknown"}  # also what would be vacuous, or never reached
    unknown = answer(report, "stays-below-three")
    assert unknown.word is Word.UNKNOWN
    if search != "concrete":
        assert unknown.why == (
            "the limit of 3 states: 3 states and 3 transitions seen, depth 2, "
            "1 states left to expand"
        )
    assert {each.how for each in report.verdicts} == {"partial"}


def test_a_limit_that_is_just_enough_is_no_limit() -> None:
    report = check(build(COUNTER.make()), Limits(states_max=4))
    assert report.statistics.complete
    assert report.stopped == ""


def test_time_is_limited_too() -> None:
    report = check(build(Yardstick(Setting())), Limits(seconds_max=1e-9))
    assert report.stopped == "the limit of 1e-09 seconds"
    assert report.statistics.frontier > 0
    concrete = explore(Yardstick(Setting()), limits=Limits(seconds_max=1e-9))
    assert concrete.stopped == report.stopped


def test_limits_are_named_as_they_were_given() -> None:
    assert Limits(states_max=1, seconds_max=1).states_word == "the limit of 1 state"
    assert Limits(states_max=2, seconds_max=1).seconds_word == "the limit of 1 second"
    left = Limits(seconds_max=2.5).after(1).after(1)
    assert (left.seconds_max, left.seconds_word) == (0.5, "the limit of 2.5 seconds")
    assert (Limits(seconds_max=2).after(3).seconds_max or 0) > 0
    assert Limits(states_max=2).after(3) == Limits(states_max=2)


# --- progress and interruption -------------------------------------------------------------------


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finale.checker.search.limits.SECONDS_BETWEEN_REPORTS", 0.0)
    told: list[tuple[int, int, int, int]] = []

    def progress(news: SearchProgress) -> None:
        told.append((news.states, news.transitions, news.depth, news.frontier))
        assert news.seconds >= 0

    report = check(build(Yardstick(Setting())), progress=progress)
    assert told[0] == (1, 0, 0, 1)
    assert len(told) == -(-report.statistics.states // search.STATES_BETWEEN_LOOKS)
    assert told == sorted(told, key=lambda each: each[:3])


def test_an_interrupt_ends_the_search_and_keeps_what_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("finale.checker.search.limits.SECONDS_BETWEEN_REPORTS", 0.0)

    def interrupt(news: SearchProgress) -> None:
        if news.depth > 5:
            raise KeyboardInterrupt

    report = check(build(Yardstick(Setting())), progress=interrupt)
    assert report.stopped == INTERRUPTED
    assert not report.statistics.complete
    assert report.statistics.states > 0
    assert answer(report, "no-deadlock").word is Word.UNKNOWN


def test_an_interrupt_of_the_work_after_the_search_leaves_only_liveness_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("finale.checker.search.limits.SECONDS_BETWEEN_REPORTS", 0.0)

    def interrupt(news: SearchProgress) -> None:
        if news.frontier == 0:
            raise KeyboardInterrupt

    report = check(build(LASSO.make(), LASSO.families), progress=interrupt)
    assert report.stopped == INTERRUPTED
    assert report.statistics.complete
    words = [each.word for each in report.verdicts]
    assert words == ["unknown"] * 4 + ["holds"] * 2


# --- which trace ---------------------------------------------------------------------------------


class Ways(Protocol):
    """Two ways to three, equally long, and two numbers there that are wrong."""

    number = field(Range(0, 9), 0)

    @rule
    def first(self, by: bool) -> None:
        """The second choice is one more."""
        require(self.number < 5)
        self.number += 2 if by else 1

    @rule
    def second(self) -> None:
        """Three more."""
        require(self.number < 5)
        self.number += 3


@always(witness="is-three")
def is_below_three(ways: Ways) -> bool:
    """Three is one step of the second rule, not two of the first."""
    return ways.number < 3


@always(witness="is-three")
def is_not_four(ways: Ways) -> bool:
    """Four is 1 + 3, 2 + 2 or 3 + 1: the first is least, for it starts with the first choice."""
    return ways.number != 4


@reachable
def is_three(ways: Ways) -> bool:
    """It comes to three."""
    return ways.number == 3


def test_of_the_shortest_traces_the_least_is_shown() -> None:
    report = check(build(Ways(Setting()), (is_below_three, is_not_four, is_three)))
    shortest, least = (
        answer(report, "is-below-three"),
        answer(report, "is-not-four"),
    )
    assert shortest.word is Word.VIOLATED
    assert least.word is Word.VIOLATED
    assert shortest.trace is not None
    assert least.trace is not None
    assert shortest.trace.rules == (2,)
    assert least.trace.rules == (0, 2)
    assert least.trace.states == ((0,), (1,), (4,))


def test_a_trace_into_a_fault_names_it() -> None:
    verdict = answer(check(build(FORGETFUL.make())), "well-formed")
    assert verdict.word is Word.VIOLATED
    assert verdict.trace is not None
    assert verdict.trace.fault is not None
    assert verdict.trace.fault.code == "nothing-read"
    assert len(verdict.trace.states) == len(verdict.trace.rules) == 2


@pytest.mark.parametrize("name", ["nowhere", "is-below-three"])
def test_a_witness_must_be_asked_for(name: str) -> None:
    family = always(witness=name)(is_below_three.mark.function)
    families: tuple[Family, ...] = (family, is_not_four)
    with pytest.raises(FinaleError) as caught:
        check(build(Ways(Setting()), families))
    assert caught.value.code == "witness-missing"
    with pytest.raises(FinaleError) as caught:
        explore(Ways(Setting()), families)
    assert caught.value.code == "witness-missing"


# --- coverage ------------------------------------------------------------------------------------


class Paths(Protocol):
    """Branches in a rule and in a helper, some of which are never taken."""

    number = field(Range(0, 3), 0)
    odd = field(Bool, False)

    @define
    def sign(self) -> bool:
        """Merged: its branches are exercised under conditions."""
        if self.number == 1:
            return True
        if self.number == 3:  # impossible where it is asked: no decision tree has this branch
            return False
        return False

    @step
    def reset(self) -> None:
        """Merged, and called with an even number only."""
        if self.odd:  # dead when true
            self.number = 3
        else:
            self.number = 0

    @rule
    def grow(self) -> None:
        """One more, up to two."""
        require(self.number < 2)
        self.number += 1
        self.odd = not self.odd
        if self.sign():
            self.odd = True

    @rule
    def shrink(self) -> None:
        """Back to zero from two."""
        require(self.number == 2)
        self.reset()

    @rule
    def jump(self) -> None:
        """Never enabled."""
        require(self.odd, self.number == 2)
        self.number = 0


def lines(text: str) -> set[int]:
    source, start = inspect.getsourcelines(Paths)
    return {start + offset for offset, line in enumerate(source) if text in line}


def test_branches_that_are_never_taken_are_named() -> None:
    report = check(build(Paths(Setting())))
    assert report.statistics.states == 3
    assert report.exercised == {"grow", "shrink"}
    dead = {(branch.line, branch.outcome) for branch in report.dead_branches}
    assert dead == {(line, True) for line in lines("# dead when true")}
    assert list(report.dead_branches) == sorted(
        report.dead_branches, key=lambda branch: (branch.file, branch.line, not branch.outcome)
    )


def test_the_generated_steps_can_be_read() -> None:
    from finale.checker.search.bfs.machine import CompiledSuccessors

    source = CompiledSuccessors(build(DIE_HARD.make())).source
    assert "# 0: fill_small()" in source
    assert "out.append((1, (5, c1,)))" in source
