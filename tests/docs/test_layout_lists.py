"""`docs/proofs.md` has the closed lists of what a rule may read, as the guards have them."""

from __future__ import annotations

from tests.docs.layout_lists import lists
from tests.protocols.specs import ROOT


def test_the_page_has_the_lists() -> None:
    page = (ROOT.parent / "docs" / "proofs.md").read_text(encoding="utf-8")
    assert lists() in page
