"""The bounded search finds what the readable one finds, trace for trace, and claims no more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from time import process_time

import pytest

from finale.checker.search.bfs.search import check
from finale.checker.search.bmc.search import check as check_bounded
from finale.checker.search.limits import INTERRUPTED, Limits, SearchProgress
from finale.checker.search.run import chosen, run
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Report, Verdict, Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.model.expressions import (
    FALSE,
    TRUE,
    cell,
    conjunction,
    equal,
    integer,
    less,
    negation,
    plus,
)
from finale.model.language.build import build
from finale.model.protocols.yardstick import Yardstick
from finale.model.rules import Setting
from finale.model.system import Kind, System
from tests.agreement.loose_systems import loose, property_of, system_of, when
from tests.protocols.specs import FILES, name_of, spec_of
from tests.zoo import ZOO
from tests.zoo.animal import Animal

LIVENESS = (Kind.LEADS_TO, Kind.EVENTUALLY)
#: Random systems, in parts.
PARTS, SYSTEMS_A_PART, STEPS_OF_RANDOM = 4, 125, 3
#: Within a few seconds at most: the others of up to so many steps are slow.
QUICK = {
    "final-checkpoint/broken/confirms-aborted.toml",
    "final-checkpoint/broken/subsumes-all.toml",
    "history/flink-1775.toml",
    "legacy-finish/broken/commit-on-close.toml",
    "two-phase-commit/broken/withdraws.toml",
}
STEPS_OF_BROKEN, SECONDS_OF_BROKEN = 15, 60.0
#: A processor that is shared takes longer: what is limited is its own time.
SECONDS_MAX = 600.0


def bare(verdict: Verdict) -> Verdict:
    """A verdict without how it was reached."""
    return replace(verdict, how="")


def disagreements(full: Report, bounded: Report) -> Iterator[str]:
    """Where a bounded search says what is not so, or has not seen what it says to have seen."""
    for sure, told in zip(full.verdicts, bounded.verdicts, strict=True):
        assert sure.property == told.property
        if told.word is not Word.UNKNOWN:
            if bare(told) != bare(sure):
                yield f"{told.property}: {told} instead of {sure}"
        elif "fair runs" not in told.why and sure.steps is not None:
            depth = bounded.statistics.depth
            if sure.steps <= depth or f"up to depth {depth}" not in told.why:
                yield f"{told.property}: {told.why}, but there is one of {sure.steps} steps"


def assert_agree(system: System, steps_max: int) -> tuple[Report, Report]:
    full, bounded = check(system), check_bounded(system, Limits(steps_max=steps_max))
    assert list(disagreements(full, bounded)) == []
    if bounded.statistics.complete:
        assert bounded.statistics.depth >= full.statistics.depth
    return full, bounded


# --- agreement -----------------------------------------------------------------------------------


@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_agrees_on_the_zoo(animal: Animal) -> None:
    assert_agree(build(animal.make(), animal.families), 12)


def test_agrees_on_the_yardstick() -> None:
    small = Setting(bounds={"records": 1, "checkpoints": 1, "channel": 2})
    _, bounded = assert_agree(build(Yardstick(small)), 12)
    assert bounded.statistics.depth == 12


@pytest.mark.parametrize("part", range(PARTS))
def test_agrees_on_random_systems(part: int) -> None:
    told = Counter[str]()
    for seed in range(part * SYSTEMS_A_PART, (part + 1) * SYSTEMS_A_PART):
        system = loose(seed, processes_max=2 + seed % 2)
        _, bounded = assert_agree(system, STEPS_OF_RANDOM)
        proven = "proven" if bounded.statistics.complete else "bounded"
        told.update(f"{each.word} {proven}" for each in bounded.verdicts)
    for word in ("holds proven", "violated proven", "violated bounded", "unknown bounded"):
        assert told[word] >= SYSTEMS_A_PART / 10, told


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS, 4 * PARTS))
def test_agrees_on_larger_random_systems_and_longer_runs(part: int) -> None:
    for seed in range(part * SYSTEMS_A_PART, (part + 1) * SYSTEMS_A_PART):
        assert_agree(loose(seed), 10)


def must_fall() -> Iterator[tuple[int, Spec, str]]:
    """What broken variants violate within so many steps, but for liveness."""
    kinds = {name: family.kind for name, family in catalogue().properties.items()}
    for spec in map(spec_of, FILES):
        for expected in spec.expectations.values() if spec.variant is not None else ():
            steps = expected.steps if expected.verdict == Word.VIOLATED else None
            is_safe = kinds.get(expected.property) not in LIVENESS
            if steps is not None and steps <= STEPS_OF_BROKEN and is_safe:
                yield steps, spec, expected.property


@pytest.mark.parametrize(
    ("steps", "spec", "name"),
    [
        pytest.param(
            *each,
            id=f"{name_of(each[1].file)}-{each[2]}",
            marks=() if name_of(each[1].file) in QUICK else pytest.mark.slow,
        )
        for each in must_fall()
    ],
)
def test_broken_variant_falls_in_as_many_steps(steps: int, spec: Spec, name: str) -> None:
    system = spec.system(chosen(spec, {name}))
    began = process_time()
    report = check_bounded(system, Limits(seconds_max=SECONDS_MAX), only={name})
    assert process_time() - began < SECONDS_OF_BROKEN
    answer = answer_to(report, name)
    assert answer.word is Word.VIOLATED
    assert answer.steps == steps
    assert bare(answer) == bare(answer_to(check(system), name))


def answer_to(report: Report, name: str) -> Verdict:
    return next(each for each in report.verdicts if each.property == name)


# --- what is made by hand ------------------------------------------------------------------------


def counting(to: int, asked: int = 4, stays: bool = False) -> System:
    """A number that counts, and goes round or stays at the end; it never is what is asked."""
    x = cell(0, 0, 9, False)
    up = when(less(x, integer(to)), {0: plus(x, integer(1))})
    end = when(equal(x, integer(to)), {0: x if stays else integer(0)})
    return system_of([x], [up, end], [property_of(Kind.ALWAYS, negation(equal(x, integer(asked))))])


def test_is_the_shortest() -> None:
    _, bounded = assert_agree(counting(6), 20)
    answer = answer_to(bounded, "claim")
    assert (answer.steps, answer.how) == (4, "bounded to 4")


def test_where_nothing_new_is_left_it_is_proven() -> None:
    _, bounded = assert_agree(counting(6, asked=8), 20)
    answer = answer_to(bounded, "claim")
    assert answer == Verdict("claim", Word.HOLDS, how="complete at depth 6")


def test_a_step_that_changes_nothing_is_no_progress() -> None:
    full, bounded = assert_agree(counting(3, stays=True), 20)
    assert bounded.statistics.complete
    assert answer_to(full, "claim") == Verdict("claim", Word.HOLDS)


def test_a_limit_leaves_it_open_and_says_how_far_it_came() -> None:
    bounded = check_bounded(counting(6), Limits(steps_max=3))
    answer = answer_to(bounded, "claim")
    why = "no counterexample up to depth 3: the limit of 3 steps"
    assert answer == Verdict("claim", Word.UNKNOWN, why=why, how="bounded to 3")
    assert bounded.stopped == "the limit of 3 steps"
    assert not bounded.statistics.complete


def test_a_step_beyond_the_limit_is_not_told() -> None:
    x, after = cell(0, 0, 9, False), cell(0, 0, 9, False, after=True)
    up = when(less(x, integer(9)), {0: plus(x, integer(1))})
    claim = negation(equal(after, integer(4)))
    system = system_of([x], [up], [property_of(Kind.ON_STEP, claim, rules=1)])
    assert answer_to(check_bounded(system, Limits(steps_max=3)), "claim").steps is None
    assert answer_to(check_bounded(system, Limits(steps_max=4)), "claim").steps == 4


def test_the_last_step_may_lead_back() -> None:
    """A step into a known state, or one that changes nothing, is a counterexample too."""
    x, after = cell(0, 0, 2, False), cell(0, 0, 2, False, after=True)
    rules = [
        when(less(x, integer(2)), {0: plus(x, integer(1))}),
        when(equal(x, integer(2)), {0: x}),
        when(equal(x, integer(1)), {0: integer(0)}),
    ]
    still = negation(conjunction([equal(x, after), equal(x, integer(2))]))
    back = negation(conjunction([equal(x, integer(1)), equal(after, integer(0))]))
    for claim, steps in ((still, 3), (back, 2)):
        system = system_of([x], rules, [property_of(Kind.ON_STEP, claim, rules=3)])
        _, bounded = assert_agree(system, 9)
        assert answer_to(bounded, "claim").steps == steps


def test_order_does_not_hide_what_two_independent_steps_show() -> None:
    """Of two steps that do not disturb each other, one order is left out; not before a step."""
    x, y = cell(0, 0, 1, False), cell(1, 0, 1, False)
    y_after = cell(1, 0, 1, False, after=True)
    rules = [when(equal(each, integer(0)), {i: integer(1)}) for i, each in enumerate((x, y))]
    first = conjunction([equal(x, integer(0)), equal(y_after, integer(1))])
    system = system_of([x, y], rules, [property_of(Kind.ON_STEP, negation(first), rules=2)])
    _, bounded = assert_agree(system, 5)
    assert answer_to(bounded, "claim").steps == 1


def test_liveness_is_left_to_others() -> None:
    lively = property_of(Kind.EVENTUALLY, TRUE)
    system = replace(counting(3), properties=(lively,))
    verdict = answer_to(check_bounded(system), "claim")
    why = "a bounded search says nothing of fair runs"
    assert bare(verdict) == bare(Verdict("claim", Word.UNKNOWN, why=why))


def test_what_is_not_asked_for_is_not_looked_into() -> None:
    stuck = system_of([cell(0, 0, 1, False)], [], [property_of(Kind.ALWAYS, TRUE)], terminal=FALSE)
    assert answer_to(check_bounded(stuck), NO_DEADLOCK).steps == 0
    only = check_bounded(stuck, only={WELL_FORMED})
    assert answer_to(only, NO_DEADLOCK).steps is None


# --- stopping ------------------------------------------------------------------------------------


def hard() -> System:
    """Far from its end: nothing goes wrong in a very long time."""
    setting = Setting(bounds={"records": 2, "checkpoints": 2, "channel": 3})
    return build(Yardstick(setting))


def test_time_is_limited() -> None:
    report = check_bounded(hard(), Limits(seconds_max=1.0, steps_max=500))
    assert report.stopped == "the limit of 1 second"
    assert report.statistics.seconds < 5
    assert any(each.word is Word.UNKNOWN for each in report.verdicts)


def test_the_user_may_interrupt_and_is_told_how_far_it_came() -> None:
    told: list[SearchProgress] = []

    def progress(news: SearchProgress) -> None:
        told.append(news)
        if news.depth >= 8:
            raise KeyboardInterrupt

    report = check_bounded(hard(), Limits(steps_max=500), progress)
    assert report.stopped == INTERRUPTED
    assert report.statistics.depth >= 8
    assert all("no more counterexamples up to depth" in each.before for each in told)


def test_a_spec_is_checked_by_it_and_unknown_is_not_as_expected() -> None:
    spec = spec_of(
        next(file for file in FILES if name_of(file) == "two-phase-commit/broken/withdraws.toml")
    )
    result = run(spec, Limits(), backend="bmc")
    assert result.ok
    assert result.report.backend == "bmc"
    short = run(spec, Limits(steps_max=6), backend="bmc")
    assert not short.ok
    assert short.exit == 3
