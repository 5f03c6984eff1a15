"""Says which alternatives of its rule a step took: the conditions, as the source has them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from finale.model.errors import Place
from finale.model.semantics import evaluate, outcome
from finale.model.system import GroundRule, State, Update, leaves

#: Functions with such a mark say something of the state, and do nothing.
_READS = {"define", "property", "cached_property", "staticmethod", "classmethod"}
_OPPOSITES: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Lt: ">=",
    ast.GtE: "<",
    ast.Gt: "<=",
    ast.LtE: ">",
}
#: A member of an enumeration, with its class.
_MEMBER = re.compile(r"\b[A-Z]\w*\.([A-Z][A-Z_]*)\b")


@dataclass(frozen=True)
class Alternative:
    """What was true where a rule, or a step that it calls, does one thing or another."""

    text: str
    place: Place


def taken_by(rule: GroundRule, before: State) -> tuple[Alternative, ...]:
    """Return the alternatives that a rule takes in a state, if other states lead to others."""
    end = outcome(rule.tree, before)
    if not isinstance(end, Update) or not end.branches:
        return ()
    taken = [branch for branch, given in end.branches if evaluate(given, before)]
    ways = {
        (branch.file, branch.line, branch.outcome)
        for leaf in leaves(rule.tree)
        if isinstance(leaf, Update)
        for branch, _ in leaf.branches
    }
    found: dict[Alternative, None] = {}
    for branch in taken:
        key = branch.file, branch.line
        both = (*key, True) in ways and (*key, False) in ways
        is_mixed = any((b.file, b.line) == key and b.outcome != branch.outcome for b in taken)
        text = _texts(branch.file).get((branch.line, branch.outcome))
        if both and not is_mixed and text is not None:
            found[Alternative(text, Place(*key))] = None
    return tuple(found)


@cache
def _texts(file: str) -> Mapping[tuple[int, bool], str]:
    """The conditions of the statements of a file that do one thing or another, by their lines.

    Lines with more than one are left out: nobody knows which one is meant.
    """
    source = Path(file).read_text(encoding="utf-8")
    found: dict[tuple[int, bool], str] = {}
    crowded = set[tuple[int, bool]]()
    for key, text in _conditions(ast.parse(source), source):
        if key in found:
            crowded.add(key)
        found[key] = text
    return {key: text for key, text in found.items() if key not in crowded}


def _conditions(tree: ast.AST, source: str) -> Iterator[tuple[tuple[int, bool], str]]:
    def said(node: ast.AST) -> str:
        text = " ".join((ast.get_source_segment(source, node) or "").split())
        return _MEMBER.sub(r"\1", text.replace("self.", ""))

    def negated(test: ast.expr) -> str:
        match test:
            case ast.UnaryOp(ast.Not(), inner):
                return said(inner)
            case ast.Compare(left, [op], [right]) if type(op) in _OPPOSITES:
                return f"{said(left)} {_OPPOSITES[type(op)]} {said(right)}"
            case ast.BoolOp() | ast.Compare() | ast.IfExp():
                return f"not ({said(test)})"
            case _:
                return f"not {said(test)}"

    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef) and _READS & set(map(_name, node.decorator_list)):
            continue
        if isinstance(node, ast.If):
            yield (node.test.lineno, True), said(node.test)
            yield (node.test.lineno, False), negated(node.test)
        if isinstance(node, ast.Match):
            for case in node.cases:
                pattern = f"{said(node.subject)} is {said(case.pattern)}"
                yield (case.pattern.lineno, True), pattern
        yield from _conditions(node, source)


def _name(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


__all__ = ["Alternative", "taken_by"]
