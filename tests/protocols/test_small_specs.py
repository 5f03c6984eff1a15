"""The smallest specs of each protocol are as expected; `test_specs.py` asks all of them."""

from __future__ import annotations

import pytest

from finale.checker.search.run import run
from finale.checker.spec.claim import Spec
from tests.protocols.specs import name_of, specs

#: So many specs of each protocol, the smallest first.
EACH = 3
#: A spec with more states is left to the slow part of `test_specs.py`.
STATES_MAX = 10_000


def smallest() -> list[Spec]:
    """The smallest specs of each protocol, if they are small."""
    by_protocol: dict[str, list[Spec]] = {}
    for spec in sorted(specs(), key=lambda each: each.counts.states if each.counts else 10**9):
        by_protocol.setdefault(spec.protocol.key, []).append(spec)
    chosen = (spec for own in by_protocol.values() for spec in own[:EACH])
    return [spec for spec in chosen if not spec.counts or spec.counts.states <= STATES_MAX]


@pytest.mark.parametrize("spec", smallest(), ids=lambda spec: name_of(spec.file))
def test_a_small_spec_is_as_expected(spec: Spec) -> None:
    result = run(spec, backend="readable")
    assert [row.property for row in result.rows if not row.ok] == []
