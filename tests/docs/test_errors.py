"""Every code of an error stands in docs/errors.md, and none that nobody raises."""

from __future__ import annotations

import re

from tests.docs.codes import codes
from tests.docs.pages import ROOT

ROW = re.compile(r"^\| ((?:`[a-z0-9-]+`(?:, )?)+) \|", re.MULTILINE)


def rows(page: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return [code for row in ROW.findall(text) for code in re.findall("`([^`]+)`", row)]


def test_the_table_has_every_code_once() -> None:
    told = rows("errors.md")
    assert sorted(told) == sorted(codes(ROOT))


def test_the_tutorial_names_codes_of_the_table() -> None:
    told = rows("rules.md")
    assert len(told) > 10
    assert set(told) <= set(rows("errors.md"))


def test_codes_that_are_put_together_are_found() -> None:
    found = codes(ROOT)
    assert {"rule-uses-while", "missing-bound", "not-a-mapping", "no-release", "usage"} <= found
