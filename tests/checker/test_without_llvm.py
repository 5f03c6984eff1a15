"""Without llvmlite or numba, the readable search replaces the native one and says so."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from finale.checker.search import backends
from finale.checker.search.backends import check_with
from finale.checker.search.limits import Limits
from finale.checker.search.native import support
from finale.checker.search.native.search import check as check_natively
from finale.checker.search.options import SearchOptions
from finale.checker.search.reductions.kinds import Reduction
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.protocols.yardstick import Yardstick
from finale.model.rules import Setting
from finale.model.system import System
from tests.agreement.test_back_ends import assert_told_alike
from tests.zoo import ZOO
from tests.zoo.animal import Animal

NOTE = "the readable search ran: FINALE_NO_NATIVE is set"


def yardstick(records: int, checkpoints: int, channel: int) -> System:
    bounds = {"records": records, "checkpoints": checkpoints, "channel": channel}
    return build(Yardstick(Setting(bounds=bounds)))


@pytest.fixture
def asked_anew() -> Iterator[None]:
    support.why_not.cache_clear()
    yield
    support.why_not.cache_clear()


@pytest.fixture
def switched_off(asked_anew: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(support.NO_NATIVE, "1")


@pytest.mark.usefixtures("switched_off")
@pytest.mark.parametrize("animal", ZOO, ids=str)
def test_reports_are_those_of_the_native_search(animal: Animal) -> None:
    system = build(animal.make(), animal.families)
    report = check_with("native", system, Limits(), None)
    assert report.remarks == (NOTE,)
    assert_told_alike(report, check_natively(system))


@pytest.mark.usefixtures("switched_off")
@pytest.mark.parametrize(("backend", "expected"), [("native", None), ("auto", 10**6)])
def test_the_readable_search_takes_over(backend: backends.Backend, expected: int | None) -> None:
    report = check_with(backend, yardstick(2, 1, 3), Limits(), None, expected)
    found = report.statistics
    assert (report.backend, report.remarks) == ("readable", (NOTE,))
    assert (found.states, found.transitions, found.depth) == (8_839, 42_508, 33)


@pytest.mark.usefixtures("switched_off")
def test_small_searches_need_no_note() -> None:
    report = check_with("auto", yardstick(1, 1, 2), Limits(), None)
    assert (report.backend, report.remarks) == ("readable", ())


@pytest.mark.usefixtures("switched_off")
def test_auto_searches_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "FEW_UNCOMPILED", backends.Few(100, 10.0))
    report = check_with("auto", yardstick(2, 1, 3), Limits(), None)
    assert (report.statistics.states, report.remarks) == (8_839, (NOTE,))


@pytest.mark.usefixtures("switched_off")
@pytest.mark.parametrize(
    ("flag", "limits", "reductions", "options"),
    [
        ("reduce", Limits(), [Reduction.SYMMETRY], SearchOptions()),
        ("storage", Limits(), [], SearchOptions("compressed")),
        ("threads", Limits(), [], SearchOptions(threads=2)),
        ("max-memory", Limits(memory_max=2**30), [], SearchOptions()),
    ],
)
def test_flags_of_the_native_search_are_refused(
    flag: str, limits: Limits, reductions: list[Reduction], options: SearchOptions
) -> None:
    with pytest.raises(FinaleError, match=f"the readable search does not know --{flag}") as caught:
        check_with("native", yardstick(2, 1, 3), limits, None, None, reductions, options)
    assert caught.value.code == "needs-native"


@pytest.mark.usefixtures("asked_anew")
def test_why_no_machine_code_can_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(support.NO_NATIVE, raising=False)
    assert not support.why_not()
    support.why_not.cache_clear()
    monkeypatch.delitem(sys.modules, "finale.checker.search.native.code", raising=False)
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    assert support.why_not().startswith("llvmlite does not work: import of llvmlite halted")
    support.why_not.cache_clear()
    monkeypatch.setattr(support, "find_spec", lambda _: None)
    assert support.why_not() == "numba is not installed"


def test_it_loads_nothing_that_compiles() -> None:
    code = (
        "import sys; from finale.checker.search.run import run;"
        "from finale.checker.spec.catalogue import catalogue;"
        "from finale.checker.spec.reading import read_spec; from pathlib import Path;"
        "spec = read_spec(Path('specs/final-checkpoint/pair.toml'), catalogue());"
        "result = run(spec, backend='native');"
        "assert result.report.backend == 'readable';"
        f"assert result.report.remarks == ({NOTE!r},);"
        "assert not {'llvmlite', 'numba'} & set(sys.modules)"
    )
    environment = {support.NO_NATIVE: "1"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
