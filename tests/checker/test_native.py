"""The native search: packed states, exact counts, growth, limits, interruptions."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from finale.checker.cache.store import VARIABLE
from finale.checker.search import backends
from finale.checker.search.backends import FEW, FEW_UNCOMPILED, Few, check_with
from finale.checker.search.bfs.search import check as check_readably
from finale.checker.search.limits import (
    COMPILING,
    INTERRUPTED,
    LimitHit,
    Limits,
    SearchProgress,
    TimeOver,
)
from finale.checker.search.native import layout, tables
from finale.checker.search.native import search as native
from finale.checker.search.native.breadth_first import NativeSearch
from finale.checker.search.native.compiling import alone, is_compiling
from finale.checker.search.native.kernel import places as at
from finale.checker.search.native.layout import CELL_BITS_MAX, WORD, layout_of
from finale.checker.search.native.loops import compile_within, loops, must_be_compiled
from finale.checker.search.native.machine import NativeMachine
from finale.checker.search.native.search import check, searched
from finale.checker.search.native.tables import Tables
from finale.checker.search.verdict import Report, Statistics, Word
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.protocols.two_phase_commit import TwoPhaseCommit
from finale.model.protocols.yardstick import Yardstick
from finale.model.rules import Array, Bool, Protocol, Range, Setting, field, require, rule
from finale.model.system import System
from tests.agreement.test_back_ends import assert_told_alike
from tests.zoo import ZOO
from tests.zoo.animal import Animal
from tests.zoo.fairness import LASSO

#: More states than any readable search would visit.
MANY = 10**6


def yardstick(records: int, checkpoints: int, channel: int) -> System:
    bounds = {"records": records, "checkpoints": checkpoints, "channel": channel}
    return build(Yardstick(Setting(bounds=bounds)))


# --- packed states -------------------------------------------------------------------------------


@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_packed_states_are_unpacked_as_they_were(animal: Animal) -> None:
    system = build(animal.make(), animal.families)
    search = searched(system, Limits(), None)
    layout, found = search.machine.layout, search.tables
    states = search.statistics.states
    assert layout.is_canonical(found.store[: states * found.width])
    unpacked = [search.state(number) for number in range(states)]
    assert len(set(unpacked)) == states
    assert [layout.encode(state) for state in unpacked] == [found.words(n) for n in range(states)]


def test_no_cell_straddles_words_and_none_overlap() -> None:
    layout = layout_of(yardstick(5, 3, 5))
    assert layout.width == 2
    used = [0] * layout.width
    for slot in layout.slots:
        assert slot.shift + slot.bits <= WORD
        assert not used[slot.word] & slot.mask
        used[slot.word] |= slot.mask
    sizes = [mask.bit_count() for mask in used]
    assert max(sizes) - min(sizes) <= 4


class Wide(Protocol):
    """Negative numbers, numbers at the edge of what is taken, and more words than one."""

    numbers = field(Array(Range(-5, 2**40), 4), -5)
    single = field(Range(7, 7), 7)
    flag = field(Bool, False)

    @rule
    def jump(self) -> None:
        """The first number jumps to the top, the others follow it."""
        require(self.numbers[0] != 2**40)
        self.numbers[3] = self.numbers[2]
        self.numbers[2] = self.numbers[1]
        self.numbers[1] = self.numbers[0]
        self.numbers[0] = 2**40 if self.flag else self.numbers[0] + 3
        self.flag = self.numbers[0] > 0


def test_wide_and_negative_cells() -> None:
    system = build(Wide(Setting()))
    assert layout_of(system).width == 4
    report, expected = check(system), check_readably(system)
    assert report.verdicts == expected.verdicts
    assert report.statistics.states == expected.statistics.states > 3


class TooWide(Protocol):
    """A number that no packed cell takes."""

    number = field(Range(0, 2**CELL_BITS_MAX), 0)

    @rule
    def toggle(self) -> None:
        """Zero and one."""
        self.number = 1 if self.number == 0 else 0


class Sum(Protocol):
    """Numbers that fit, whose sums do not."""

    number = field(Range(0, 2**47), 0)

    @rule
    def grow(self) -> None:
        """Always twice as much, up to a point."""
        doubled = self.number
        for _ in range(20):
            doubled = doubled + doubled
        self.number = 1 if doubled == 0 else 0


@pytest.mark.parametrize("kind", [TooWide, Sum])
def test_a_domain_that_is_too_large_is_refused_and_read_instead(kind: type[Protocol]) -> None:
    system = build(kind(Setting()))
    with pytest.raises(FinaleError) as caught:
        check(system)
    assert caught.value.code == "domain-too-large"
    report = check_with("auto", system, Limits(), None, MANY)
    assert (report.backend, report.statistics.states) == ("readable", 2)


def test_more_rules_than_can_be_numbered_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "RULES_MAX", 4)
    system = yardstick(1, 1, 2)
    with pytest.raises(FinaleError) as caught:
        check(system)
    assert caught.value.code == "too-many-rules"
    assert check_with("auto", system, Limits(), None, MANY).backend == "readable"


# --- exact counts --------------------------------------------------------------------------------

RUNGS = [
    ((2, 1, 3), (8_839, 42_508, 33)),
    ((1, 2, 2), (111_400, 845_274, 39)),
    ((5, 2, 3), (1_206_119, 10_084_250, 59)),
    pytest.param((3, 3, 3), (11_213_941, 131_776_852, 60), marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("bounds", "wanted"), RUNGS)
def test_the_rungs_of_the_yardstick(
    bounds: tuple[int, int, int], wanted: tuple[int, int, int]
) -> None:
    search = searched(yardstick(*bounds), Limits(), None)
    found = search.statistics
    assert (found.states, found.transitions, found.depth) == wanted
    assert search.tables.bytes <= 45 * found.states or found.states < 10_000


def test_two_phase_commit_with_eight_managers() -> None:
    system = build(TwoPhaseCommit(Setting(sizes={"managers": 8})))
    assert check(system).statistics.states == 1_745_408


@pytest.mark.slow
def test_two_phase_commit_with_ten_managers() -> None:
    system = build(TwoPhaseCommit(Setting(sizes={"managers": 10})))
    found = check(system, Limits(memory_max=4 * 2**30)).statistics
    assert (found.states, found.transitions, found.depth) == (61_515_776, 817_760_257, 31)


# --- growth and limits ---------------------------------------------------------------------------


def test_memory_is_limited_before_it_is_taken() -> None:
    system = yardstick(1, 2, 2)
    report = check(system, Limits(memory_max=2 * 2**20))
    assert report.stopped == "the limit of 2 MB of memory"
    assert 0 < report.statistics.states < 111_400
    assert report.statistics.frontier > 0
    assert {verdict.word for verdict in report.verdicts} == {Word.UNKNOWN}


def test_a_limit_below_the_first_tables_is_said_too() -> None:
    report = check(yardstick(2, 1, 3), Limits(memory_max=1))
    assert report.stopped == "the limit of 0 MB of memory"
    assert report.statistics.states == 0


def test_levels_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    class Count(Protocol):
        """A thousand levels of one state."""

        number = field(Range(0, 1000), 0)

        @rule
        def grow(self) -> None:
            """One more."""
            require(self.number < 1000)
            self.number += 1

    report = check(build(Count(Setting())))
    assert (report.statistics.states, report.statistics.depth) == (1001, 1000)


def test_tables_that_may_not_grow_stay_as_they_are() -> None:
    small = Tables(1, np.zeros(at.SHARED_COUNT, np.int64), loops(), memory_max=2**20)
    with pytest.raises(LimitHit):
        small.grow(2**20)
    assert small.store.size == tables.ROOM_MIN


def test_time_is_limited() -> None:
    search = NativeSearch(NativeMachine(yardstick(2, 1, 3)), Limits(seconds_max=1e-9), None)
    search.run()
    assert search.stopped == "the limit of 1e-09 seconds"
    assert search.statistics.frontier > 0


def test_compiling_the_rules_is_part_of_the_time() -> None:
    with pytest.raises(TimeOver):
        check(yardstick(2, 1, 3), Limits(seconds_max=1e-9))


def test_compiling_the_search_itself_is_part_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    loops.cache_clear()
    try:
        assert must_be_compiled()
        with pytest.raises(TimeOver):
            compile_within(0.01)
        assert must_be_compiled()
    finally:
        monkeypatch.undo()
        loops()


def test_one_process_compiles_and_the_others_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Path("kept")
    monkeypatch.setattr("finale.checker.search.native.loops.must_be_compiled", kept.exists)
    monkeypatch.chdir(tmp_path)
    kept.touch()
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr("subprocess.run", None)
    with alone(0.0):
        assert is_compiling()
        with pytest.raises(TimeOver):
            compile_within(0.2)
    assert not is_compiling()
    with ThreadPoolExecutor(1) as other:
        with alone(0.0):
            waits = other.submit(compile_within, 60.0)
            assert not waits.done()
            kept.unlink()  # here as if this process had compiled
        waits.result()  # without compiling


@pytest.mark.parametrize("seconds", [1e12, float("inf")])
def test_a_limit_of_time_may_be_larger_than_any_wait(
    seconds: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    false = shutil.which("false")
    assert false is not None
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr("sys.executable", false)
    monkeypatch.setattr("finale.checker.search.native.loops.must_be_compiled", lambda: True)
    compile_within(seconds)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_another_process_compiles_the_search_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    loops.cache_clear()
    try:
        compile_within(600)
        assert len(list(tmp_path.iterdir())) == 1
        assert not must_be_compiled()
        assert check(yardstick(2, 1, 3)).statistics.complete
    finally:
        monkeypatch.undo()


def test_that_the_search_itself_is_compiled_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert not must_be_compiled()  # it was, in this process
    told: list[SearchProgress] = []
    monkeypatch.setattr(native, "must_be_compiled", lambda: True)
    check(yardstick(2, 1, 3), progress=told.append)
    assert told[0].before == COMPILING


# --- progress and interruption -------------------------------------------------------------------


def test_an_interrupt_keeps_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finale.checker.search.limits.SECONDS_BETWEEN_REPORTS", 0.0)

    def interrupt(news: SearchProgress) -> None:
        if news.depth > 5:
            raise KeyboardInterrupt

    report = check(yardstick(1, 2, 2), progress=interrupt)
    assert report.stopped == INTERRUPTED
    assert not report.statistics.complete
    assert report.statistics.states > 0


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
    assert set(words[:-2]) == {"unknown"}
    assert words[-2:] == ["holds", "holds"]


# --- which search --------------------------------------------------------------------------------


def auto(system: System, limits: Limits | None = None, expected: int | None = None) -> str:
    return check_with("auto", system, limits or Limits(), None, expected).backend


def test_auto_changes_over_where_there_is_more_to_see() -> None:
    small, large = yardstick(1, 1, 1), yardstick(1, 2, 2)
    assert auto(small) == "readable"
    assert auto(large) == "native"
    assert auto(large, Limits(states_max=FEW.states)) == "readable"
    assert auto(large, Limits(states_max=FEW.states + 1)) == "native"


@pytest.mark.parametrize("expected", [None, 1, FEW.states, FEW.states + 1, MANY])
def test_an_expectation_changes_no_answer(expected: int | None) -> None:
    small, large = yardstick(1, 1, 1), yardstick(2, 1, 3)
    assert auto(small, None, expected) == ("native" if (expected or 0) > FEW.states else "readable")
    assert auto(large, None, expected) == "native"
    for system in (small, large):
        report = check_with("auto", system, Limits(), None, expected)
        assert_told_alike(report, check_readably(system))


def test_auto_reads_for_longer_where_the_loops_are_not_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("finale.checker.search.native.loops.must_be_compiled", lambda: True)
    system = yardstick(2, 1, 3)
    assert FEW.states < check(system).statistics.states < FEW_UNCOMPILED.states
    assert auto(system) == auto(system, None, 8_839) == "readable"
    assert auto(system, None, MANY) == "native"


def test_auto_changes_over_where_it_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "FEW", Few(10_000, 1e-6))
    system = yardstick(2, 1, 3)
    report = check_with("auto", system, Limits(), None)
    assert report.backend == "native"
    assert report.statistics.complete
    assert report.timing.searching == report.statistics.seconds  # without the search before it
    assert report.timing.readable_first > 0

    limited = check_with("auto", system, Limits(seconds_max=1e-9), None)
    assert limited.backend == "readable"
    assert limited.stopped == Limits(seconds_max=1e-9).seconds_word


@pytest.mark.parametrize("stop", [TimeOver(), KeyboardInterrupt(), None], ids=repr)
def test_auto_keeps_what_was_found_where_the_native_search_sees_less(
    stop: BaseException | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def native_check(*_: object, **__: object) -> Report:
        if stop is not None:
            raise stop
        return Report(
            "native", (), Statistics(1, 0, 0, 0.0, complete=False, frontier=1), stopped=word
        )

    limits = Limits(seconds_max=1000)
    word = INTERRUPTED if isinstance(stop, KeyboardInterrupt) else limits.seconds_word
    monkeypatch.setattr(native, "check", native_check)
    monkeypatch.setattr(backends, "FEW", Few(1000, 10.0))
    report = check_with("auto", yardstick(1, 2, 2), limits, None)
    assert (report.backend, report.statistics.states, report.stopped) == ("readable", 1000, word)
    whys = [each.why for each in report.verdicts if each.word is Word.UNKNOWN]
    assert whys
    assert all(why.startswith(f"{word}: 1000 states") for why in whys)
