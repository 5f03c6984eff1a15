"""Every transcribed scenario runs and agrees with what the other engine's test expects."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from finale.checker.scenario.running import run_file, text_of_events
from finale.checker.spec.catalogue import catalogue
from tests.docs.pages import ROOT

FILES = sorted((ROOT / "scenarios").rglob("*.scenario"))
KNOWN = catalogue(None)
#: Where the model does something else than the test that is transcribed: file -> why. What the
#: test expects stands in a comment of the file.
DISAGREE: dict[str, str] = {
    "SWS-06": "a job that may be restarted is: that restarts are not allowed is no option",
    "TASK-17": "a task that has finished takes a blocking savepoint; there it declines it",
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_is_seen_as_expected(file: Path) -> None:
    for run in run_file(file, KNOWN):
        for outcome in run.differences:
            pytest.fail(f"{file.name}:{outcome.line.number}: seen {text_of_events(outcome.found)}")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_says_where_it_comes_from(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert re.fullmatch(r"[A-Z][A-Z0-9]*-\d\d[a-z]?", file.stem)
    assert re.search(
        r"^cites: +\w+(?:Test|ITCase)(?:\.[a-z]\w+| of release|, all rows)", text, re.MULTILINE
    )
    assert (file.stem in DISAGREE) == ("# expected:" in text)


def test_what_is_not_transcribed_has_no_file() -> None:
    page = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    table = page.partition("\n| Test | Reason |")[2].partition("\n\n")[0]
    without = set(re.findall(r"^\| ([A-Z0-9]+-\d\d) \|", table, re.MULTILINE))
    assert without
    assert not without & {file.stem for file in FILES}


def test_names_are_used_once() -> None:
    names = [file.stem for file in FILES]
    assert len(names) == len(set(names)) >= 102
