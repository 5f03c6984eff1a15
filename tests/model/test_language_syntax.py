"""What the language refuses by its syntax, each with its code and its line."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from finale.model.language.build import build
from finale.model.language.checks import SyntaxCheck
from finale.model.rules import Protocol
from finale.model.semantics import steps
from tests.model.language_kit import (
    assert_refused,
    made,
    mistake,
    module,
    protocol,
    system_of,
    written,
)

HEADER = '''
"""A module with a rule to be refused."""

from finale.model.rules import *

CACHE = {}
ONE = 1


def KEEPER():
    pass


class Token(Record):
    """A record with a part."""

    number: int = part(Range(0, 3))


class Node(Entity):
    """An entity with a number."""

    number = field(Range(0, 3), 0)
    target = field(Option(Ref(Entity)), Nothing)

    @property
    def is_one(self):
        return self.number is ONE


class Base(Protocol):
    """Two nodes."""

    def __init__(self, setting):
        super().__init__(setting)
        self.nodes = (Node("a"), Node("b"))

    def entities(self):
        return self.nodes


'''

# Code and body; the line that the error must name is marked.
REFUSED = [
    # What would mean something else.
    ("rule-uses-is", "if node.number == 1 and node.target is None:  # here\n    node.number = 0"),
    ("rule-uses-is", "if node.target is not None:  # here\n    node.number = 0"),
    ("rule-uses-is", "if node is self.nodes[0]:  # here\n    node.number = 0"),
    ("rule-uses-is", "if None is node.target is None:  # here\n    node.number = 0"),
    ("rule-uses-invert", "node.number = 0\nif ~(node.number == 0):  # here\n    node.number = 1"),
    ("case-singleton", "match node.target:\n    case None:  # here\n        node.number = 0"),
    (
        "case-singleton",
        "match node.number:\n    case Token(number=True):  # here\n        node.number = 0",
    ),
    ("case-captures", "match node.number:\n    case Token:  # here\n        node.number = 0"),
    (
        "case-captures",
        "match node.number:\n    case 1 | 2:\n        pass\n    case other:  # here\n"
        "        node.number = 0",
    ),
    ("case-shape", "match (node.number, 1):\n    case (1, 1):  # here\n        node.number = 0"),
    ("case-shape", "match node.number:\n    case {'a': 1}:  # here\n        node.number = 0"),
    (
        "case-nested",
        "match node.target:\n    case Token(number=Node()):  # here\n        node.number = 0",
    ),
    ("case-builtin", "match node.number:\n    case int():  # here\n        node.number = 0"),
    ("case-builtin", "if isinstance(node.number, (Token, bool)):  # here\n    node.number = 0"),
    # What keeps state outside the state.
    ("rule-mutates", "found = [1]\nfound.append(node.number)  # here\nnode.number = 0"),
    ("rule-mutates", "node.number = 0\nCACHE['number'] = node.number  # here"),
    ("rule-mutates", "node.number = 0\nCACHE['number'] += node.number  # here"),
    ("rule-mutates", "node.number = 0\nKEEPER.last = node.number  # here"),
    ("rule-mutates", "found = set()\nnode.number = 0\nfound.add(node)  # here"),
    ("rule-mutates", "CACHE.clear()  # here\nnode.number = 0"),
    ("rule-mutates", "CACHE.update(number=1)  # here\nnode.number = 0"),
    ("unknown-field", "node.nmber = node.number + 1  # here"),
    ("unknown-field", "node.number = node.numbr  # here"),
    ("field-assigned-on-class", "Node.number = 1  # here"),
    ("field-assigned-on-class", "type(node).number += 1  # here"),
    ("field-assigned-on-class", "node.__class__.number = 1  # here"),
    ("field-assigned-on-class", "kind = Node\nkind.number = 1  # here"),
    ("rule-builds-set", "node.number = len({each.number for each in self.nodes})  # here"),
    ("rule-builds-dict", "node.number = {0: 1}[0]  # here"),
    ("rule-builds-dict", "node.number = len({each: 1 for each in self.nodes})  # here"),
    # What cannot be explored.
    ("rule-uses-while", "while node.number > 0:  # here\n    node.number -= 1"),
    ("rule-uses-try", "try:  # here\n    node.number = 1\nfinally:\n    node.number = 0"),
    ("rule-uses-try", "try:  # here\n    node.number = 1\nexcept* ValueError:\n    pass"),
    ("rule-uses-with", "with open('x'):  # here\n    node.number = 1"),
    ("rule-uses-global", "global CACHE  # here\nnode.number = 1"),
    (
        "rule-uses-nonlocal",
        "total = 0\ndef add():\n    nonlocal total  # here\n    total += 1\nadd()",
    ),
    ("rule-uses-del", "del node.number  # here"),
    ("rule-uses-yield", "node.number = 1\nyield  # here"),
    ("rule-uses-yield", "yield from (1, 2)  # here"),
    ("rule-uses-async", "async def inner():  # here\n    await None\nnode.number = 1"),
    ("rule-uses-class", "class Inner:  # here\n    pass\nnode.number = 1"),
    ("rule-uses-import", "import math  # here\nnode.number = 1"),
    ("rule-uses-import", "from math import floor  # here\nnode.number = 1"),
    # What Python itself refuses.
    ("rule-raises", "node.number = 1\nundefined()  # here"),
    ("rule-raises", "node.number = len(3)  # here"),
    ("rule-raises", "raise NotImplementedError('not yet')  # here"),
]


@pytest.mark.parametrize(
    ("code", "body"), REFUSED, ids=[f"{code}-{i}" for i, (code, _) in enumerate(REFUSED)]
)
def test_refused_with_code_line_and_advice(code: str, body: str, tmp_path: Path) -> None:
    assert_refused(HEADER, code, body, tmp_path)


def test_every_check_is_tried() -> None:
    codes = {code for code, _ in REFUSED}
    visited = {name for name in vars(SyntaxCheck) if name.startswith("visit_")}
    # Some share a code, and `await` stands in coroutines only, which are refused before.
    assert len(codes) >= len(visited) - 8


def test_a_coroutine_is_no_rule(tmp_path: Path) -> None:
    found = module(
        HEADER + "async def later(self, node: Node) -> None:\n    node.number = 1\n", tmp_path
    )
    assert mistake(found["Base"], found["later"]).code == "rule-uses-async"


def test_a_property_that_is_not_marked_is_checked_when_it_reads_the_state(tmp_path: Path) -> None:
    base, function = written(HEADER, "if node.is_one:\n    node.number = 2", tmp_path)
    error = mistake(base, function)
    assert error.code == "rule-uses-is"
    assert error.place is not None
    assert error.place.line == 1 + HEADER.splitlines().index("        return self.number is ONE")


def test_what_is_never_called_is_checked_too(tmp_path: Path) -> None:
    text = """
        class Helping(Base):
            @define
            def unused(self):
                return {each for each in self.nodes}  # here

        def counts(self, node: Node) -> None:
            "Counts."
            node.number = 1
    """
    found = module(HEADER + textwrap.dedent(text), tmp_path)
    assert mistake(found["Helping"], found["counts"]).code == "rule-builds-set"


def test_what_only_looks_like_a_change_of_a_python_object_is_accepted(tmp_path: Path) -> None:
    """A helper may be called `update`, a plain value be None, a set stand behind `in`."""
    text = """
        class Helping(Base):
            partner = None

            @step
            def update(self, node: Node, number) -> None:
                node.number = number

        def counts(self, node: Node) -> None:
            "Counts."
            require(node.number in {1, ONE, 2}, node.number not in {2}, self.partner is None)
            self.update(node, 2 if self.nodes is not None else 3)
    """
    found = module(HEADER + textwrap.dedent(text), tmp_path)
    system = system_of(found["Helping"], found["counts"])
    after = {
        number: [step.result for step in steps(system, (number, 0, 0, 0, 0, 0))][:1]
        for number in range(4)
    }
    assert after == {0: [], 1: [(2, 0, 0, 0, 0, 0)], 2: [], 3: []}


def test_rules_without_a_source_are_refused() -> None:
    namespace: dict[str, Any] = {}
    exec('def made_up(self) -> None:\n    "Is made up."\n    self.number = 1', namespace)
    assert mistake(Protocol, namespace["made_up"]).code == "source-unavailable"
    assert mistake(Protocol, lambda self: None).code == "source-unavailable"


def test_a_rule_that_another_function_makes_is_refused() -> None:
    def doubled(body: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(body)
        def twice(self: Protocol) -> None:
            body(self)
            body(self)

        return twice

    @doubled
    def acts(self: Protocol) -> None:
        """Acts."""

    refused = mistake(Protocol, acts)
    assert refused.code == "source-unavailable"
    assert "acts is made by another function: its code is that of twice" in refused.message


def test_all_else_of_python_is_accepted(tmp_path: Path) -> None:
    body = """
        names = [each.name for each in self.nodes if each != node]
        size = len(names) * 2 // 2
        total: int = max(size, *(len(name) for name in names))
        text = f"{total:02d}" + "".join(sorted(names))
        for index, (first, second) in enumerate(zip(names, names)):
            total += index if first == second and text else 0
        if (half := node.number) > 1:
            node.number = half - 1
        elif 0 < node.number <= 1:
            node.number = total if not text else 0
        else:
            node.number = 3
    """
    base, function = written(HEADER, textwrap.dedent(body), tmp_path)
    assert len(build(made(protocol(base, function))).rules) == 2


def test_an_error_says_where_what_and_what_to_do(tmp_path: Path) -> None:
    body = "if node.target is None:  # here\n    node.number = 0"
    first, second = str(assert_refused(HEADER, "rule-uses-is", body, tmp_path)).splitlines()
    assert first.startswith("error[rule-uses-is]: ")
    assert "written.py:" in first
    assert "rule rule_of_a_test" in first
    assert second.startswith("  help: ")
