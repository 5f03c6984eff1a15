"""What is asked on request can be asked of every spec, whatever its options leave out."""

from __future__ import annotations

import pytest

from checker.claim import Spec
from model.language.build import build
from tests.protocols.specs import audits

#: Larger specs have the options of smaller ones, or nearly.
STATES_MAX = 3_000


@pytest.mark.parametrize("spec", audits(STATES_MAX))
def test_what_is_asked_on_request_can_be_asked(spec: Spec) -> None:
    families = [family for family in spec.families if family.on_request]
    names = {prop.name.split("[")[0] for prop in build(spec.instance(), families).properties}
    assert names == {family.name for family in families}
