"""The portable search: what the native one says, with numpy alone, and a note that it ran."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from checker.search.backends import check_with
from checker.search.bfs.search import check as check_readably
from checker.search.limits import INTERRUPTED, Limits, News
from checker.search.native import layout, support
from checker.search.native.portable import walk
from checker.search.native.portable.search import check
from checker.search.native.search import check as check_natively
from checker.search.reductions.kinds import Reduction
from model.errors import FinaleError
from model.language.build import build
from model.protocols.yardstick import Yardstick
from model.rules import Protocol, Range, Setting, field, rule
from model.system import System
from tests.agreement.test_back_ends import assert_told_alike
from tests.checker.test_native import TooWide, Wide
from tests.zoo import ZOO
from tests.zoo.animal import Animal


def yardstick(records: int, checkpoints: int, channel: int) -> System:
    bounds = {"records": records, "checkpoints": checkpoints, "channel": channel}
    return build(Yardstick(Setting(bounds=bounds)))


# --- agreement -----------------------------------------------------------------------------------


@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_it_agrees_on_the_zoo(animal: Animal) -> None:
    system = build(animal.make(), animal.families)
    assert_told_alike(check(system), check_readably(system))


@pytest.mark.parametrize("states", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_it_agrees_where_it_is_cut_short(animal: Animal, states: int) -> None:
    system, limits = build(animal.make(), animal.families), Limits(states_max=states)
    assert_told_alike(check(system, limits), check_readably(system, limits))


@pytest.mark.parametrize("batch", [1, 7, 4096])
def test_batches_of_any_size_agree(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "STATES_IN_BATCH", batch)
    for states in (100, 512, 513):
        system, limits = yardstick(1, 1, 2), Limits(states_max=states)
        assert_told_alike(check(system, limits), check_readably(system, limits))


def test_wide_and_negative_cells() -> None:
    system = build(Wide(Setting()))
    assert_told_alike(check(system), check_readably(system))


@pytest.mark.parametrize(
    ("bounds", "wanted"), [((2, 1, 3), (8_839, 42_508, 33)), ((1, 2, 2), (111_400, 845_274, 39))]
)
def test_the_first_rungs_of_the_yardstick(
    bounds: tuple[int, int, int], wanted: tuple[int, int, int]
) -> None:
    found = check(yardstick(*bounds)).statistics
    assert (found.states, found.transitions, found.depth) == wanted


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
def test_what_is_too_large_is_refused(kind: type[Protocol]) -> None:
    with pytest.raises(FinaleError) as caught:
        check(build(kind(Setting())))
    assert caught.value.code == "domain-too-large"


def test_more_rules_than_can_be_numbered_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "RULES_MAX", 4)
    system = yardstick(1, 1, 2)
    for search in (check, check_natively):
        with pytest.raises(FinaleError) as caught:
            search(system)
        assert caught.value.code == "too-many-rules"
    assert check_with("auto", system, Limits(), None, large=True).backend == "readable"


# --- limits --------------------------------------------------------------------------------------


def test_memory_is_limited() -> None:
    report = check(yardstick(1, 2, 2), Limits(memory_max=2 * 2**20))
    assert report.stopped == "the limit of 2 MB of memory"
    assert 0 < report.statistics.states < 111_400
    assert report.statistics.frontier > 0


def test_memory_for_nothing_at_all() -> None:
    report = check(yardstick(2, 1, 3), Limits(memory_max=1))
    assert (report.statistics.states, report.stopped) == (0, "the limit of 0 MB of memory")


def test_time_is_limited_and_an_interrupt_keeps_what_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert check(yardstick(2, 1, 3), Limits(seconds_max=1e-9)).stopped.endswith("seconds")
    monkeypatch.setattr(walk, "SECONDS_BETWEEN_NEWS", 0.0)

    def interrupt(news: News) -> None:
        if news.depth > 5:
            raise KeyboardInterrupt

    report = check(yardstick(2, 1, 3), progress=interrupt)
    assert report.stopped == INTERRUPTED
    assert 0 < report.statistics.states < 8_839


# --- where it takes over -------------------------------------------------------------------------


@pytest.fixture
def asked_anew() -> Iterator[None]:
    support.why_not.cache_clear()
    yield
    support.why_not.cache_clear()


@pytest.mark.usefixtures("asked_anew")
def test_it_takes_over_where_machine_code_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(support.PORTABLE_VARIABLE, "1")
    system = yardstick(2, 1, 3)
    report = check_with("native", system, Limits(), None, large=False)
    assert report.backend == "portable"
    assert report.remarks == ("the portable search ran: FINALE_PORTABLE is set",)
    assert check_with("auto", system, Limits(), None, large=True).backend == "portable"
    assert check_with("auto", system, Limits(), None, large=False).backend == "readable"
    with pytest.raises(FinaleError) as caught:
        check_with("native", system, Limits(), None, False, [Reduction.SYMMETRY])
    assert caught.value.code == "needs-native"


@pytest.mark.usefixtures("asked_anew")
def test_it_takes_over_where_machine_code_cannot_be_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(support.PORTABLE_VARIABLE, raising=False)
    assert not support.why_not()
    support.why_not.cache_clear()
    monkeypatch.delitem(sys.modules, "checker.search.native.code", raising=False)
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    assert support.why_not().startswith("llvmlite does not work: import of llvmlite halted")
    support.why_not.cache_clear()
    monkeypatch.setattr(support, "find_spec", lambda _: None)
    assert support.why_not() == "numba is not installed"


def test_it_loads_nothing_that_compiles() -> None:
    code = (
        "import sys; from checker.search.run import run;"
        "from checker.spec.catalogue import catalogue;"
        "from checker.spec.reading import read_spec; from pathlib import Path;"
        "spec = read_spec(Path('specs/final-checkpoint/pair.toml'), catalogue());"
        "result = run(spec, backend='native');"
        "assert result.report.backend == 'portable';"
        "assert not {'llvmlite', 'numba', 'scipy'} & set(sys.modules)"
    )
    environment = {support.PORTABLE_VARIABLE: "1"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
