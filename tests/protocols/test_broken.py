"""Each broken variant falls by the property that it names; without the mistake that one holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finale.checker.search.backends import check_with
from finale.checker.search.limits import Limits
from finale.checker.search.run import chosen
from finale.checker.search.verdict import Verdict, Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.model.protocols.registry import PROTOCOLS
from finale.model.system import Kind
from tests.protocols.specs import FILES, name_of, spec_of, specs
from tests.protocols.test_specs import is_large

BROKEN = [spec for spec in specs() if spec.variant is not None]


def must_fall(spec: Spec) -> str:
    name: str = spec.protocol.must_fall  # type: ignore[attr-defined]
    return name


def answer_to(spec: Spec, name: str) -> Verdict:
    """What a search says of one property."""
    system = spec.system(chosen(spec, {name}))
    report = check_with("auto", system, Limits(), None)
    return next(answer for answer in report.verdicts if answer.property == name)


@pytest.mark.parametrize("spec", BROKEN, ids=lambda spec: name_of(spec.file))
def test_variant_falls_and_its_base_holds(spec: Spec) -> None:
    name = must_fall(spec)
    assert spec.expectations[name].verdict == "violated"

    if is_large(spec):  # test_specs.py searches the others
        broken = answer_to(spec, name)
        assert broken.word is Word.VIOLATED
        assert broken.steps == spec.expectations[name].steps

    base = replace(spec, protocol=catalogue().protocol(spec.protocol.key), variant=None)
    sound = answer_to(base, name)
    assert sound.word is Word.HOLDS, f"without the mistake: {sound}"


def test_every_variant_has_a_spec() -> None:
    known = {(entry.key, variant) for entry in PROTOCOLS for variant in entry.variants}
    assert known == {(spec.protocol.key, spec.variant) for spec in BROKEN}


def test_every_property_falls_somewhere() -> None:
    """One that falls in no spec might be one that cannot fall."""
    asked = {each.name for each in catalogue().properties.values() if each.kind != Kind.REACHABLE}
    fallen = {
        name
        for file in FILES
        for name, expectation in spec_of(file).expectations.items()
        if expectation.verdict == "violated"
    }
    assert not asked - fallen
