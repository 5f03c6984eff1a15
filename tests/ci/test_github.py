"""Annotations and summaries, as a runner of GitHub Actions reads them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from finale.checker.ci.findings import Checkout
from finale.checker.ci.github import SUMMARY_BYTES_MAX, Guard, annotation_lines, summary_page
from finale.checker.search.rows import CheckResult, Mistake
from finale.model.errors import FinaleError
from finale.model.visible import visible
from tests.ci.outcomes import HOSTILE, checked, mixed

_COMMAND = re.compile(r"::([a-z-]+)(?: ([^:]*))?::(.*)", re.DOTALL)
_SIGNS = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))


def plain(text: str) -> str:
    for sign, character in _SIGNS:
        text = text.replace(sign, character)
    return text


def commands(outcome: CheckResult, folder: Path) -> list[tuple[str, dict[str, str], str]]:
    """Each command as a runner reads it: its name, its properties, its message."""
    found = []
    for line in annotation_lines(outcome, Checkout(folder)):
        assert "\n" not in line
        match = _COMMAND.fullmatch(line)
        assert match is not None
        pairs = (pair.split("=", 1) for pair in match[2].split(","))
        values = {name: plain(value) for name, value in pairs}
        found.append((match[1], values, plain(match[3])))
    return found


def test_each_finding_is_at_its_line(tmp_path: Path) -> None:
    found = commands(mixed(tmp_path), tmp_path)
    assert [(name, values["file"], values["line"]) for name, values, _ in found] == [
        ("error", "deep/er/failed.toml", "8"),
        ("warning", "unexpected.toml", "1"),
        ("warning", "stopped.toml", "8"),
        ("warning", "stopped.toml", "12"),
        ("warning", "stopped.toml", "1"),
        ("warning", "stopped.toml", "1"),
        ("warning", "stopped.toml", "1"),
        ("error", "bad.toml", "3"),
    ]
    _, values, message = found[0]
    assert values["title"] == "Finale: never-done"
    assert message.splitlines()[:4] == [
        "never-done is violated after 3 steps. The spec expects: holds.",
        "Nobody is ever done.",
        "sent = 1",
        "A.status = DONE",
    ]


def test_foreign_text_is_no_command(tmp_path: Path) -> None:
    error = FinaleError("bad-value", f"{HOSTILE}\n::stop-commands::x", advice="none")
    file = tmp_path / "a,b:c%\nd.toml"
    ((name, values, message),) = commands(CheckResult([], [Mistake(file, error)]), tmp_path)
    assert name == "error"
    assert values["file"] == "a,b:c%\nd.toml"
    assert message.startswith(visible(HOSTILE))
    assert message.splitlines()[1].startswith("::stop-commands::x")


def test_a_guard_ends_as_it_began() -> None:
    guard = Guard()
    token = guard.begin.removeprefix("::stop-commands::")
    assert guard.end == f"::{token}::"
    assert len(token) == 32
    assert Guard().begin != guard.begin


def test_a_summary_has_a_row_for_each_finding_and_the_traces(tmp_path: Path) -> None:
    page = summary_page(mixed(tmp_path))
    assert page.startswith("## Finale\n\n4 specs checked, 2 as expected, ")
    assert page.count("\n| ❌ |") == 2
    assert page.count("\n| ⚠️ |") == 6
    assert page.count("<details>") == 2  # the failure, and what nobody expected
    assert "   3  receive  " in page


def test_foreign_text_is_no_markup_in_a_summary(tmp_path: Path) -> None:
    error = FinaleError("bad-value", f"{HOSTILE}\n\n# head </pre>", advice="none")
    page = summary_page(CheckResult([], [Mistake(tmp_path / "x.toml", error)]))
    (row,) = [line for line in page.splitlines() if line.startswith("| ❌")]
    assert row.count("|") == 5
    for markup in ("<b>", "`", "::", "@", "]]>", "\x1b", "\u202e", "# "):
        assert markup not in row.replace("&#", "")


def test_a_summary_is_not_longer_than_a_server_takes(tmp_path: Path) -> None:
    result = checked(tmp_path, never_done="holds")
    page = summary_page(CheckResult([result] * 1_000))
    assert len(page.encode()) <= SUMMARY_BYTES_MAX
    assert "800 more." in page
    assert "as expected, interrupted." in summary_page(replace(CheckResult([]), interrupted=True))
