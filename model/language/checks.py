"""Refuses syntax that rules cannot use.

Refused is what would silently mean something else over symbolic values (`is`, `case None`, a bare
capture), what cannot be explored (`while`, `try`), and what keeps state outside the state.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NoReturn

from finale.model.errors import FinaleError, Place

#: Method names that change Python containers; the collections of the state have other names.
MUTATORS = {
    "append",
    "appendleft",
    "extend",
    "insert",
    "pop",
    "popitem",
    "popleft",
    "update",
    "setdefault",
    "sort",
    "reverse",
}
#: What is said of `is`.
COMPARES_OBJECTS = "`is` compares Python objects, not values of the state"
WRITE_EQUAL = "write == or !=; compare with Nothing instead of None"
_BUILTINS = {"bool", "int", "float", "str", "tuple", "list", "dict", "set", "frozenset", "object"}


class SyntaxCheck(ast.NodeVisitor):
    """Visits a body; raises a coded error at the first thing that is refused.

    `names` are what names of the module and of enclosing functions stand for. A function that is
    rewritten for exploration tests some operations when they happen: `is`, and methods that change.
    """

    def __init__(
        self, file: str, rule: str, names: Mapping[str, object], is_rewritten: bool = True
    ) -> None:
        self.file = file
        self.rule = rule
        self.names = names
        self.is_rewritten = is_rewritten

    def refuse(self, node: ast.AST, code: str, message: str, advice: str) -> NoReturn:
        line = getattr(node, "lineno", None)
        raise FinaleError(
            code, message, place=Place(self.file, line, rule=self.rule), advice=advice
        )

    # --- what would mean something else ----------------------------------------------------------

    def visit_Compare(self, node: ast.Compare) -> None:
        is_tested = self.is_rewritten and len(node.ops) == 1
        if not is_tested and any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
            self.refuse(node, "rule-uses-is", COMPARES_OBJECTS, WRITE_EQUAL)
        self.visit(node.left)
        for op, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.In | ast.NotIn) and isinstance(right, ast.Set):
                for element in right.elts:  # looked into like a tuple
                    self.visit(element)
            else:
                self.visit(right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Invert):
            self.refuse(node, "rule-uses-invert", "`~` of a plain bool is a number", "write `not`")
        self.generic_visit(node)

    def visit_MatchSingleton(self, node: ast.MatchSingleton) -> None:
        self.refuse(
            node,
            "case-singleton",
            f"`case {node.value}` compares by identity and never matches a value of the state",
            "use if with ==, or `case NothingType():` for Nothing",
        )

    def visit_match_case(self, node: ast.match_case) -> None:
        self._check_pattern(node.pattern)
        self.generic_visit(node)

    def _check_pattern(self, pattern: ast.pattern) -> None:
        if isinstance(pattern, ast.MatchOr):
            for each in pattern.patterns:
                self._check_pattern(each)
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is None and pattern.name:
            self.refuse(
                pattern,
                "case-captures",
                f"`case {pattern.name}` matches everything and binds a new name",
                f"write `case {pattern.name}():` for a record class, "
                "a dotted name for a constant, `case _:` for the rest",
            )

    def _case_shape(self, node: ast.AST) -> NoReturn:
        self.refuse(
            node,
            "case-shape",
            "sequence and mapping patterns do not match values of the state",
            "match record classes, or compare the parts",
        )

    def visit_MatchSequence(self, node: ast.MatchSequence) -> None:
        self._case_shape(node)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._case_shape(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        self._builtin(node, node.cls, f"`case {ast.unparse(node.cls)}()`")
        for nested in (*node.patterns, *node.kwd_patterns):
            if isinstance(nested, ast.MatchClass):
                self._nested_class(nested)
        self.generic_visit(node)

    def _nested_class(self, node: ast.MatchClass) -> None:
        kind = self.names.get(node.cls.id) if isinstance(node.cls, ast.Name) else None
        if not hasattr(kind, "__parts__") and getattr(kind, "__name__", "") != "NothingType":
            self.refuse(
                node,
                "case-nested",
                f"`{ast.unparse(node.cls)}(...)` within a pattern does not match a part that "
                "depends on the state",
                "match the record, then test its part",
            )

    def _builtin(self, node: ast.AST, kind: ast.expr, what: str) -> None:
        if isinstance(kind, ast.Name) and kind.id in _BUILTINS and kind.id not in self.names:
            self.refuse(
                node,
                "case-builtin",
                f"{what}: whether a value is a Python {kind.id} is no question about the state",
                "match record classes, or compare with values",
            )

    # --- what keeps state outside the state ------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> None:
        is_changing = isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS
        if is_changing and not self.is_rewritten:
            self.refuse(
                node,
                "rule-mutates",
                f"`{ast.unparse(node.func)}(...)` may change a Python object outside the state",
                "keep what must last in a field; mark a helper that writes fields with @step",
            )
        if isinstance(node.func, ast.Name) and node.func.id == "isinstance" and len(node.args) == 2:
            kinds = node.args[1]
            for kind in kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]:
                self._builtin(node, kind, f"`isinstance(..., {ast.unparse(kind)})`")
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Store):
            target = node.value
            named = self.names.get(target.id) if isinstance(target, ast.Name) else None
            own = isinstance(target, ast.Attribute) and target.attr == "__class__"
            typed = isinstance(target, ast.Call) and ast.unparse(target.func) == "type"
            if isinstance(named, type) or own or typed:
                self.refuse(
                    node,
                    "field-assigned-on-class",
                    f"`{ast.unparse(node)}` is a field of a class, not of one of its entities",
                    "assign it on an entity: a parameter of the rule, or one of self's",
                )
        self.generic_visit(node)

    def _built(self, node: ast.AST, word: str) -> NoReturn:
        self.refuse(
            node,
            f"rule-builds-{word}",
            f"a {word} cannot be built in a rule: it would not see values of the state",
            "use a tuple, a Set or PerEntity field for what must last; "
            "a set that is written behind `in` is fine",
        )

    def visit_Set(self, node: ast.Set) -> None:
        self._built(node, "set")

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._built(node, "set")

    def visit_Dict(self, node: ast.Dict) -> None:
        self._built(node, "dict")

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._built(node, "dict")

    # --- what cannot be explored -----------------------------------------------------------------

    def _statement(self, node: ast.AST, word: str, advice: str) -> NoReturn:
        self.refuse(node, f"rule-uses-{word}", f"`{word}` cannot be explored", advice)

    def visit_While(self, node: ast.While) -> None:
        self._statement(node, "while", "loop over the topology or the domain with `for`")

    def visit_Try(self, node: ast.Try) -> None:
        self._statement(node, "try", "test beforehand; what no rule may do is a fault")

    def visit_TryStar(self, node: ast.TryStar) -> None:
        self._statement(node, "try", "test beforehand; what no rule may do is a fault")

    def visit_With(self, node: ast.With) -> None:
        self._statement(node, "with", "a rule only reads and writes fields")

    def visit_Global(self, node: ast.Global) -> None:
        self._statement(node, "global", "keep what must last in a field of an entity")

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._statement(node, "nonlocal", "keep what must last in a field of an entity")

    def visit_Delete(self, node: ast.Delete) -> None:
        self._statement(node, "del", "assign a value, or remove from a Set field")

    def visit_Yield(self, node: ast.Yield) -> None:
        self._statement(node, "yield", "a rule takes one step; write one rule a step")

    def visit_YieldFrom(self, node: ast.YieldFrom) -> None:
        self._statement(node, "yield", "a rule takes one step; write one rule a step")

    def visit_Await(self, node: ast.Await) -> None:
        self._statement(node, "await", "a rule takes one step; write one rule a step")

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._statement(node, "async", "a rule takes one step; write one rule a step")

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._statement(node, "class", "define record and entity classes beside the protocol")

    def visit_Import(self, node: ast.Import) -> None:
        self._statement(node, "import", "import at the top of the file")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self._statement(node, "import", "import at the top of the file")
