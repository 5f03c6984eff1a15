"""Each broken variant falls by the property that it names; without the mistake that one holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from checker.answer import Holds, Violated
from checker.claim import Spec
from checker.loading import catalogue
from checker.readable.search import check
from checker.run import chosen
from model.protocols.registry import PROTOCOLS
from tests.protocols.specs import name_of, specs

BROKEN = [spec for spec in specs() if spec.variant is not None]


def must_fall(spec: Spec) -> str:
    name: str = spec.protocol.must_fall  # type: ignore[attr-defined]
    return name


@pytest.mark.parametrize("spec", BROKEN, ids=lambda spec: name_of(spec.file))
def test_variant_falls_and_its_base_holds(spec: Spec) -> None:
    name = must_fall(spec)
    assert spec.expectations[name].verdict == "violated"
    families = chosen(spec, {name})

    broken = {a.property: a for a in check(spec.system(families)).answers}[name]
    assert isinstance(broken.verdict, Violated)
    assert broken.steps == spec.expectations[name].steps

    base = replace(spec, protocol=catalogue().protocol(spec.protocol.key), variant=None)
    sound = {a.property: a for a in check(base.system(families)).answers}[name]
    assert isinstance(sound.verdict, Holds), f"without the mistake: {sound.verdict}"


def test_every_variant_has_a_spec() -> None:
    known = {(entry.key, variant) for entry in PROTOCOLS for variant in entry.variants}
    assert known == {(spec.protocol.key, spec.variant) for spec in BROKEN}
