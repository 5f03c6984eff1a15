"""Writes expressions in the operators of a language, and names shared subexpressions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from finale.checker.search.state_graph.folding import SIGNS, nodes, parts
from finale.model.errors import FinaleError
from finale.model.expressions import (
    Add,
    And,
    Cell,
    Constant,
    Equal,
    Expression,
    IfThenElse,
    Less,
    Not,
    Or,
    Subtract,
)

from .names import SystemNames, Words

#: TLC and SPIN count with 32 bits, sign included.
NUMBER_MAX = 2**31 - 1
#: Nested deeper than this, an expression gets a name: parsers have stacks.
DEPTH_MAX = 40


@dataclass(frozen=True)
class Operators:
    """The operators of a language."""

    true: str
    false: str
    equal: str
    negation: str
    conjunction: str
    disjunction: str
    choice: str
    after: str


class TermWriter:
    """Writes expressions over the cells of a system."""

    def __init__(self, operators: Operators, names: SystemNames) -> None:
        self.operators = operators
        self.names = names

    def text(
        self, node: Expression, known: Mapping[Expression, str] | None = None, words: Words = ()
    ) -> str:
        """An expression; parts that are `known` by a name are written so.

        Constants are written as `words` if the expression is compared with, or stored in, a cell
        whose values have names.
        """
        known = known or {}
        name = known.get(node)
        if name is not None:
            return name
        own = self.operators

        def of(part: Expression, words: Words = ()) -> str:
            return self.text(part, known, words)

        match node:
            case Constant():
                return self._constant(node, words)
            case Cell():
                return self.names.cells[node.index] + (own.after if node.after else "")
            case Add() if isinstance(node.right, Constant) and node.right.value < 0:
                return f"({of(node.left)} - {-node.right.value})"
            case Equal():
                words = self._words(node.left) or self._words(node.right)
                return f"({of(node.left, words)} {own.equal} {of(node.right, words)})"
            case Add() | Subtract() | Less():
                return f"({of(node.left)} {SIGNS[type(node)]} {of(node.right)})"
            case Not():
                return f"{own.negation}{of(node.operand)}"
            case And():
                return "(" + f" {own.conjunction} ".join(map(of, node.operands)) + ")"
            case Or():
                return "(" + f" {own.disjunction} ".join(map(of, node.operands)) + ")"
            case IfThenElse():
                yes, no = of(node.yes, words), of(node.no, words)
                return own.choice.format(of(node.condition), yes, no)
            case _:
                assert_never(node)

    def _constant(self, node: Constant, words: Words) -> str:
        if node.boolean:
            return self.operators.true if node.value else self.operators.false
        if 0 <= node.value < len(words):
            return self.names.value(words, node.value)
        return str(node.value) if node.value >= 0 else f"({node.value})"

    def _words(self, node: Expression) -> Words:
        """Return the names of the values of an expression, if its cells share their names."""
        pending, found, seen = [node], set[Words](), set[Expression]()
        while pending:
            part = pending.pop()
            if part in seen:
                continue
            seen.add(part)
            match part:
                case Cell():
                    found.add(self.names.words[part.index])
                case IfThenElse():
                    pending += [part.yes, part.no]
                case Constant():
                    pass
                case _:
                    return ()
        return found.pop() if len(found) == 1 else ()


def shared(
    expressions: Sequence[Expression], size_min: int, name: Callable[[], str]
) -> list[tuple[Expression, str]]:
    """The parts that need a name, each after those that it is made of.

    They are used more than once and have at least `size_min` nodes, or are nested deeply.
    """
    order = [node for node in nodes(expressions) if not isinstance(node, Cell | Constant)]
    uses = Counter(expressions)
    for node in order:
        uses.update(parts(node))
    found: list[tuple[Expression, str]] = []
    sizes: dict[Expression, int] = {}
    depths: dict[Expression, int] = {}
    for node in order:
        size = 1 + sum(sizes.get(part, 1) for part in parts(node))
        depth = 1 + max((depths.get(part, 0) for part in parts(node)), default=0)
        if depth > DEPTH_MAX or (uses[node] > 1 and size >= size_min):
            found.append((node, name()))
            size, depth = 1, 0
        sizes[node], depths[node] = size, depth
    return found


def refuse_large_numbers(expressions: Iterable[Expression]) -> None:
    """Raises `number-too-large` where an expression may have a value of more than 32 bits."""
    for node in nodes(expressions):
        if node.high > NUMBER_MAX or node.low < -NUMBER_MAX:
            raise FinaleError(
                "number-too-large",
                f"a number of the system may be {max(node.high, -node.low)}; TLC and SPIN count to "
                f"{NUMBER_MAX}",
                advice="smaller bounds, or smaller numbers in domains",
            )
