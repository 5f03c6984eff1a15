"""A normal form of expressions: the operands of commutative nodes are sorted.

Expressions of one form are one object, and equal. Those of two forms may be equal, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from finale.checker.search.state_graph.folding import with_parts
from finale.model.expressions import (
    Add,
    And,
    Constant,
    Equal,
    Expression,
    Or,
    conjunction,
    disjunction,
    equal,
    integer,
    plus,
)


class Normal:
    """Computes normal forms, and keeps them: expressions with one form are one object."""

    def __init__(self) -> None:
        self._forms: dict[Expression, Expression] = {}
        self._numbers: dict[Expression, int] = {}

    def of(self, expression: Expression) -> Expression:
        """Return the one form of an expression."""
        form = self._forms.get(expression)
        if form is None:
            form = self._forms[expression] = self._made(expression)
            self._forms[form] = form
            self._numbers.setdefault(form, len(self._numbers))
        return form

    def _ordered(self, expressions: Sequence[Expression]) -> list[Expression]:
        forms = [self.of(each) for each in expressions]
        return sorted(forms, key=lambda form: self._numbers[form])

    def _made(self, node: Expression) -> Expression:
        match node:
            case Add():
                return self._sum(node)
            case Equal():
                return equal(*self._ordered([node.left, node.right]))
            case And() | Or():
                return self._sorted(with_parts(node, self.of))
            case _:
                return with_parts(node, self.of)

    def _sorted(self, joined: Expression) -> Expression:
        """The operands that are left after joining, in order."""
        if isinstance(joined, And):
            return conjunction(self._ordered(joined.operands))
        if isinstance(joined, Or):
            return disjunction(self._ordered(joined.operands))
        return joined

    def _sum(self, node: Expression) -> Expression:
        parts = list(_summands(node))
        constant = sum(part.value for part in parts if isinstance(part, Constant))
        total: Expression = integer(0)
        for part in self._ordered([part for part in parts if not isinstance(part, Constant)]):
            total = plus(total, part)
        return plus(total, integer(constant))


def _summands(node: Expression) -> Iterator[Expression]:
    if isinstance(node, Add):
        yield from _summands(node.left)
        yield from _summands(node.right)
    else:
        yield node


__all__ = ["Normal"]
