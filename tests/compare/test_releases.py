"""The table of releases in docs/diff.md is what `finale diff` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.model.protocols.releases import Release
from tests.compare.releases import compared, pairs, row

PAGE = Path(__file__).parents[2] / "docs" / "diff.md"


def test_the_table_has_a_row_for_each_pair() -> None:
    text = PAGE.read_text(encoding="utf-8")
    starts = [f"| {topic} | " for topic, _, _ in pairs()]
    rows = [line for line in text.splitlines() if line.startswith(tuple(starts))]
    assert len(rows) == len(starts) == 33


@pytest.mark.slow
@pytest.mark.parametrize(
    ("topic", "one", "other"), list(pairs()), ids=lambda each: getattr(each, "key", each)
)
def test_row(topic: str, one: Release, other: Release, tmp_path: Path) -> None:
    found = compared(topic, one, other, tmp_path)
    assert row(topic, one, other, found) in PAGE.read_text(encoding="utf-8").splitlines()
