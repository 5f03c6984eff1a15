"""The table of docs/minimised.md is what `finale check --minimise` finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.review.minimise import minimised
from finale.checker.spec.claim import Spec
from tests.review.broken import ROOT, found_of, row_of, shrinkable

PAGE = (ROOT / "docs" / "minimised.md").read_text(encoding="utf-8").splitlines()
MISTAKES = list(shrinkable())


def test_the_table_has_a_row_for_each_mistake() -> None:
    rows = {line.partition("](../")[2].partition(")")[0] for line in PAGE if line.startswith("| [")}
    assert rows == {str(file.relative_to(ROOT)) for file, _, _ in MISTAKES}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "spec", "name"), MISTAKES, ids=lambda each: getattr(each, "stem", "")
)
def test_row(file: Path, spec: Spec, name: str) -> None:
    assert row_of(found_of(file, spec, minimised(spec, name))) in PAGE
