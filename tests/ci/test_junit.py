"""JUnit documents, as another program reads them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from finale.checker.ci.junit import junit_of
from finale.checker.search.limits import Limits
from finale.checker.search.rows import CheckResult, Mistake
from finale.model.errors import FinaleError
from tests.ci.outcomes import HOSTILE, checked, mixed, titled, unexpected


def read(outcome: CheckResult) -> dict[str, TestSuite]:
    found = JUnitXml.fromstring(junit_of(outcome).encode())
    assert (found.tests, found.failures, found.errors) == tuple(
        sum(getattr(suite, name) for suite in found) for name in ("tests", "failures", "errors")
    )
    return {str(suite.name): suite for suite in found}


def cases(suite: TestSuite) -> dict[str, TestCase]:
    return {case.name: case for case in suite}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_spec_is_a_suite_with_exact_numbers(folder: Path) -> None:
    suites = read(mixed(folder))
    numbers = {
        name: (suite.tests, suite.failures, suite.errors, suite.skipped)
        for name, suite in suites.items()
    }
    assert numbers == {
        "good.toml": (9, 0, 0, 1),  # whether it ends is unknown, and nobody asked
        "deep/er/failed.toml": (9, 1, 0, 1),
        "unexpected.toml": (9, 0, 0, 2),
        "stopped.toml": (9, 0, 5, 4),
        "bad.toml": (1, 0, 1, 0),
        "slow.toml": (1, 0, 0, 1),
    }


def test_a_failure_has_the_place_and_the_counterexample(folder: Path) -> None:
    result = checked(folder, "deep/er/failed.toml", never_done="holds")
    case = cases(read(CheckResult([result]))["deep/er/failed.toml"])["never-done"]
    (failure,) = case.result
    assert isinstance(failure, Failure)
    assert (case.classname, failure.type) == ("deep.er.failed", "violated")
    assert case._elem.get("file") == "deep/er/failed.toml"
    assert case._elem.get("line") == "8"
    assert failure.message == "never-done is violated after 3 steps. The spec expects: holds."
    lines = (failure.text or "").splitlines()
    assert any(line.startswith("   3  receive  ") for line in lines)
    assert any(line.split() == ["A.status", "WAITING", "→", "DONE"] for line in lines)
    assert lines[-1].startswith("show it again: finale trace /")
    assert "/deep/er/failed.toml --property never-done --protocols /" in lines[-1]


def test_a_witness_that_is_not_reached_is_no_violation(folder: Path) -> None:
    result = checked(folder, two_pings="holds")
    case = cases(read(CheckResult([result]))["spec.toml"])["two-pings"]
    (failure,) = case.result
    assert failure.message.startswith("two-pings is never reached (no reachable state shows it).")


def test_a_situation_that_no_run_reaches_is_no_green_tick(folder: Path) -> None:
    result = checked(folder)
    rows = [
        replace(row, expected=None) if row.property == "two-pings" else row for row in result.rows
    ]
    result = replace(result, rows=tuple(rows))
    (skipped,) = cases(read(CheckResult([result]))["spec.toml"])["two-pings"].result
    assert isinstance(skipped, Skipped)
    assert skipped.message == "never reached: no run of this spec shows it"


def test_what_nobody_expected_is_no_green_tick(folder: Path) -> None:
    (skipped,) = cases(read(CheckResult([unexpected(folder)]))["unexpected.toml"])[
        "never-done"
    ].result
    assert isinstance(skipped, Skipped)
    assert skipped.message.endswith("The spec expects nothing of it.")
    strict = checked(folder, never_done="violated", strict=True)
    assert read(CheckResult([strict]))["spec.toml"].failures == 0


def test_what_a_limit_left_open_is_an_error(folder: Path) -> None:
    found = cases(read(CheckResult([checked(folder, limits=Limits(3))]))["spec.toml"])
    (error,) = found["search"].result
    assert isinstance(error, Error)
    assert "3 states" in error.message
    assert found["never-done"].result[0].type == "unknown"


def test_foreign_text_is_text(folder: Path) -> None:
    result = titled(checked(folder, never_done="holds"), HOSTILE)
    error = FinaleError("bad-value", HOSTILE, advice=HOSTILE)
    outcome = CheckResult([result], [Mistake(None, error), Mistake(folder / HOSTILE, error)])
    suites = read(outcome)
    shown = HOSTILE.encode("unicode_escape").decode().replace("\\\\u", "\\u")
    title = suites["spec.toml"]._elem.find("properties/property[@name='title']")
    assert title is not None
    assert title.get("value") == shown
    (told,) = cases(suites["finale check"])["reading"].result
    assert told.message == shown


def test_an_interrupted_check_does_not_pass(folder: Path) -> None:
    suites = read(replace(CheckResult([checked(folder)]), interrupted=True))
    assert suites["finale check"].errors == 1
