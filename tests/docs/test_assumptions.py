"""docs/assumptions.md is what the marks in the rules say. RECORD_ASSUMPTIONS=1 writes it anew."""

from __future__ import annotations

import os

import pytest

from finale.checker.spec.catalogue import catalogue
from finale.model.language.assumptions import Assumption, Leaving
from tests.docs.assumptions_page import assumptions_in, assumptions_page
from tests.docs.pages import ROOT
from tests.docs.test_rule_reference import rules

PAGE = ROOT / "docs" / "assumptions.md"
#: Rules of the gates that take the place of the aligned one, under the same names.
OTHER_GATES = ("UN-4", "TR")
FOUND = assumptions_in(catalogue())


def test_the_page_is_current() -> None:
    page = assumptions_page(catalogue())
    if os.environ.get("RECORD_ASSUMPTIONS"):
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page, "RECORD_ASSUMPTIONS=1 writes the page anew"


def test_there_are_guards_steps_and_atomic_steps() -> None:
    assert len(FOUND) > 40
    assert {each.leaving for each in FOUND} == set(Leaving)


@pytest.mark.parametrize("assumption", FOUND, ids=lambda each: each.name)
def test_a_mark_names_methods_that_the_rule_reference_gives_for_its_rules(
    assumption: Assumption,
) -> None:
    known = rules()
    cites = (
        [*assumption.cites, *OTHER_GATES] if "gate" in str(assumption.place) else assumption.cites
    )
    cells = " ".join(known[each][2] for each in cites if each in known)
    missing = [method for method in assumption.methods if f"`{method}`" not in cells]
    assert not missing, f"{assumption.place}: not in the rows of {assumption.cites}"
    assert assumption.sentence.endswith(".")


@pytest.mark.parametrize(
    "assumption",
    [each for each in FOUND if each.leaving is Leaving.AT_ONCE],
    ids=lambda each: each.name,
)
def test_an_atomic_step_names_a_class_that_takes_it_apart(assumption: Assumption) -> None:
    kind = next(
        kind
        for key in catalogue().protocols
        if assumption.name in (kind := catalogue().protocol(key)).assumptions()
    )
    apart = assumption.apart_from(kind)
    overriding, protocol = apart.__bases__
    assert protocol is kind
    assert assumption.name.removesuffix("-at-once").replace("-", "_") in vars(overriding)
