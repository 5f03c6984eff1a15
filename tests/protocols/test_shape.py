"""Protocols read like their papers: few classes, and few bodies to a rule."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from finale import model
from finale.checker.spec.catalogue import catalogue
from finale.model.language.bindings import rule_names
from finale.model.language.protocol import Protocol
from finale.model.protocols.registry import PROTOCOLS
from tests.test_house import lines_to_read

CLASSES_MAX = 8
BODIES_MAX = 2
#: The lines of `final_checkpoint.py` before its first rule, without imports and blank lines.
FIRST_RULE_MAX = 20

#: Examples of one file each, which share no class with another protocol.
EXAMPLES = ("yardstick.py", "pipeline.py")

ROOT = Path(model.__file__).parent
KINDS = tuple(catalogue(None).protocol(each.key) for each in PROTOCOLS)


def protocol_classes(kind: type[Protocol]) -> list[type]:
    """The classes of a protocol that have rules, or what rules call: no views of properties."""
    return [
        base
        for base in kind.__mro__
        if base.__module__.startswith("finale.model.protocols")
        and not base.__name__.endswith("View")
    ]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.key))
def test_a_protocol_has_few_classes(kind: type[Protocol]) -> None:
    assert len(protocol_classes(kind)) <= CLASSES_MAX, protocol_classes(kind)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.key))
def test_a_rule_has_few_bodies(kind: type[Protocol]) -> None:
    bodies = Counter(
        name for base in kind.__mro__ for name in vars(base) if name in rule_names(kind)
    )
    assert not {name: number for name, number in bodies.items() if number > BODIES_MAX}


def test_the_final_checkpoint_opens_with_its_rules() -> None:
    lines = lines_to_read(ROOT / "protocols" / "final_checkpoint.py")
    first = next(number for number, line in enumerate(lines) if "@rule" in line)
    assert first <= FIRST_RULE_MAX


def test_public_classes_of_protocols_have_names_of_their_own() -> None:
    names = Counter(
        node.name
        for file in (ROOT / "protocols").rglob("*.py")
        if "broken" not in file.parts and file.name not in EXAMPLES
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert not {name: number for name, number in names.items() if number > 1}
