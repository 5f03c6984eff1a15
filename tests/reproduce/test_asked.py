"""Each assumption has a row: what a real Flink said about it, or why it was not asked."""

from __future__ import annotations

import pytest

from finale.checker.reproduce.forcing import Kept
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.reference.flink.asked import AskedRow, asked_table
from tests.docs.assumptions_page import FACTS, assumptions_in
from tests.docs.pages import ROOT

TABLE = asked_table()


def test_each_assumption_has_one_row() -> None:
    known = {each.name for each in assumptions_in(catalogue())}
    rows = [*TABLE.asked, *TABLE.unasked, *FACTS.unforced]
    assert sorted(rows) == sorted(known), "add a row to reference/flink/asked.toml"


def test_an_assumption_that_was_asked_has_a_method_to_force() -> None:
    assert TABLE.asked.keys() | TABLE.unasked.keys() == FACTS.assumed.keys()


@pytest.mark.parametrize(("name", "row"), TABLE.asked.items())
def test_a_row_is_of_a_spec_that_makes_the_assumption(name: str, row: AskedRow) -> None:
    spec = read_spec(ROOT / "specs" / f"{row.spec}.toml", catalogue())
    assert name in spec.protocol.assumptions()
    assert row.property in {"", *(each.name for each in spec.families)}


@pytest.mark.parametrize("row", TABLE.asked.values(), ids=TABLE.asked.keys())
def test_a_row_has_the_verdicts_of_two_runs(row: AskedRow) -> None:
    assert row.as_it_is in {each.value for each in (Kept.KEPT, Kept.NOT_KEPT)}
    forced = (Kept.BY_METHOD, Kept.NOT_BY_METHOD, Kept.NOT_TAKEABLE)
    assert row.forced in {each.value for each in forced}
    assert row.saw
