"""A field that a setting lacks: the help names a setting that has it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from tests.protocols.specs import ROOT

SPEC = read_spec(ROOT / "final-checkpoint/pair.toml", catalogue())


@pytest.mark.parametrize(
    ("switch", "bound", "value"), [("kinds", "savepoints", 1), ("recovery", "failures", 1)]
)
def test_the_help_names_a_bound_that_has_the_field(switch: str, bound: str, value: int) -> None:
    protocol = SPEC.instance()
    assert switch not in protocol.keeps()
    what, advice = protocol.why_absent(switch)
    assert what == "is there only in settings that need it"
    assert advice.startswith(f"a spec with [bounds] {bound} = {value} has it")
    bounds = {**SPEC.setting.bounds, bound: value}
    assert switch in type(protocol)(replace(SPEC.setting, bounds=bounds)).keeps()


def test_history_is_switched_on() -> None:
    assert SPEC.instance().why_absent("taken") == (
        "is history that is not kept",
        "switch it on: [observe] taken = true",
    )
