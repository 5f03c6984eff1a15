"""After any edit of a protocol, the answer with a cache is the answer without one."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finale.checker.cache.store import Store
from finale.checker.search.limits import Limits
from finale.checker.search.run import run
from finale.checker.search.verdict import Report, Timing
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.model.errors import FinaleError
from finale.model.system import System
from tests.cache.edits import edited
from tests.cache.plain_process import forget_tests
from tests.cache.same import assert_same_systems, plain
from tests.mutation.rules.apart import apart

ROOT = Path(__file__).parents[2] / "examples" / "classics"
#: Of each example its file and specs of it, of a variant too; all have few states.
EXAMPLES = {
    "alternating_bit": ("alternating-bit",),
    "semaphore": ("semaphore-weak", "semaphore-strong"),
    "election_ring": ("election-ring",),
    "peterson": ("peterson",),
    "phased_commit": ("phased-commit-two",),
}
LIMITS = Limits(states_max=400)


@pytest.fixture(autouse=True)
def no_bytecode() -> Iterator[None]:
    with mock.patch.object(sys, "dont_write_bytecode", new=True):
        yield


Answered = str | tuple[System, Report]


def answered(folder: Path, spec: Path, store: Store | None) -> Answered:
    """The system and the whole report, or the error."""
    try:
        claim = read_spec(spec, catalogue(folder, store))
        result = run(claim, LIMITS, backend="readable")
    except FinaleError as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    assert result.system is not None
    return result.system, result.report


def timeless(report: Report) -> Report:
    found = replace(report.statistics, seconds=0.0)
    return replace(report, statistics=found, timing=Timing(), cached=False)


def assert_same(warm: Answered, cold: Answered) -> None:
    if isinstance(warm, str) or isinstance(cold, str):
        assert plain(warm) == plain(cold)
        return
    (system, report), (other, expected) = warm, cold
    assert_same_systems(system, other)
    assert timeless(report) == timeless(expected)


#: Of these, edits are tried in CI; the others take as long, and differ less.
QUICK = ("alternating_bit", "semaphore", "phased_commit")


@pytest.mark.parametrize("name", QUICK)
def test_an_edit_is_followed(name: str, tmp_path: Path) -> None:
    assert_followed(name, tmp_path, settings().max_examples // 6)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_many_edits_are_followed(name: str, tmp_path: Path) -> None:
    assert_followed(name, tmp_path, settings().max_examples)


def assert_followed(name: str, tmp_path: Path, examples: int) -> None:
    text = (ROOT / "protocols" / f"{name}.py").read_text()
    specs = [ROOT / "specs" / f"{each}.toml" for each in EXAMPLES[name]]
    store = Store(tmp_path / "cache")

    def compared(changed: str) -> bool:
        """Whether the last answers are of the cache; raises AssertionError where answers differ."""
        forget_tests()
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        (folder / f"{name}.py").write_text(changed)
        cached = True
        for spec in specs:
            warm = answered(folder, spec, store)
            assert_same(warm, answered(folder, spec, None))
            again = answered(folder, spec, store)
            assert_same(again, warm)
            cached &= not isinstance(again, str) and again[1].cached
        shutil.rmtree(folder)
        return cached

    # In a process of its own, since `self.value = 1` may become `Enum.value = 1`.
    assert apart(lambda: compared(text)) is True

    @settings(
        max_examples=examples,
        suppress_health_check=(HealthCheck.function_scoped_fixture, HealthCheck.too_slow),
    )
    @given(st.data())
    def edit(data: st.DataObject) -> None:
        changed = data.draw(edited(text))
        assert apart(lambda: compared(changed)) in (True, False)

    edit()
