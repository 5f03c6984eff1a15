"""Which rules of the fact sheet no protocol models yet: a list that can only shrink."""

from __future__ import annotations

import pytest

from checker.loading import catalogue
from model.language.marks import ids_in
from model.protocols.registry import PROTOCOLS
from model.rule_ids import RULE_IDS, cited_ids

#: Rules that no protocol cites. What becomes covered must leave, in the line of its family.
UNCOVERED: dict[str, str] = {
    "RC": "RC-10",
}


def test_the_rules_that_no_protocol_models() -> None:
    known = catalogue()
    covered = set[str]().union(*(cited_ids(known.protocol(entry.key)) for entry in PROTOCOLS))
    uncovered = [name for name in RULE_IDS if name not in covered]
    assert uncovered == [name for names in UNCOVERED.values() for name in names.split()]


def test_the_ids_are_all_of_section_2() -> None:
    assert len(RULE_IDS) == len(set(RULE_IDS)) == 119
    assert ids_in(" … ".join(RULE_IDS)) == RULE_IDS


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("CL-RPC-ALL, CL-SFL and F45-3 (S7, V-11).", "CL-RPC-ALL CL-SFL F45-3 S7 V-11"),
        ("AL-1 … AL-5, twice AL-1; TR, no TRI and no CL-ASFX.", "AL-1 AL-5 TR"),
        ("S1→K is an edge's start, S an entity, UTF-8 cited by accident.", "S1 UTF-8"),
    ],
)
def test_ids_in_a_text(text: str, ids: str) -> None:
    assert " ".join(ids_in(text)) == ids
