"""Every rule of the fact sheet is cited by the protocol that models it."""

from __future__ import annotations

import pytest

from finale.checker.spec.catalogue import catalogue
from finale.model.language.decorators import ids_in
from finale.model.protocols.registry import PROTOCOLS, RULE_IDS, cited_ids


def test_every_rule_is_modelled_by_some_protocol() -> None:
    known = catalogue()
    covered = set[str]().union(*(cited_ids(known.protocol(entry.key)) for entry in PROTOCOLS))
    assert [name for name in RULE_IDS if name not in covered] == []


def test_the_ids_are_all_of_section_2() -> None:
    assert len(RULE_IDS) == len(set(RULE_IDS)) == 130
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
