"""Writes expressions as LLVM instructions over the words of a packed state.

Integers are signed 64-bit values, truth values single bits. Expressions cannot fail, so a shared
part is computed once, where the path needs it first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from checker.search.state_graph.folding import fold, parts
from model.errors import FinaleError
from model.expressions import (
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

from .layout import WORD, StateLayout

#: Sums are computed in signed words: none may come near their bounds.
VALUE_BITS_MAX = 62


def signed(word: int) -> int:
    """Return a word as LLVM writes it."""
    return word - (1 << WORD) if word >> (WORD - 1) else word


class LlvmText:
    """The instructions of one function, block by block; `block` is the open one."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.block = "entry"
        self._made = 0

    def fresh(self, prefix: str) -> str:
        """Return an unused name."""
        self._made += 1
        return f"{prefix}{self._made}"

    def line(self, text: str) -> None:
        """Write an instruction without a result."""
        self.lines.append(f"  {text}")

    def value(self, operation: str) -> str:
        """Write an operation, and return the name of its result."""
        self._made += 1
        self.lines.append(f"  %v{self._made} = {operation}")
        return f"%v{self._made}"

    def open(self, label: str) -> None:
        """Open a new block."""
        self.lines.append(f"{label}:")
        self.block = label

    def branch(self, condition: str, yes: str, no: str) -> None:
        """End the block with a branch to one of two blocks."""
        self.line(f"br i1 {condition}, label %{yes}, label %{no}")

    def jump(self, label: str) -> None:
        """End the block with a jump."""
        self.line(f"br label %{label}")


class Values:
    """The values computed at one place of a function: their names, by expression."""

    def __init__(self, text: LlvmText, layout: StateLayout, words: Sequence[str]) -> None:
        self.text = text
        self.layout = layout
        self.words = words
        self._names: dict[Expression, str] = {}
        self._masked: dict[int, str] = {}

    def below(self) -> Values:
        """Return a copy for a place that is reached only from here."""
        copy = Values(self.text, self.layout, self.words)
        copy._names = dict(self._names)
        copy._masked = dict(self._masked)
        return copy

    def truth(self, expression: Expression) -> str:
        """Return a truth value, as a bit."""
        assert expression.boolean
        return self._of(expression)

    def number(self, expression: Expression) -> str:
        """Return an integer, or a truth value as an integer."""
        name = self._of(expression)
        if not expression.boolean:
            return name
        if isinstance(expression, Constant):
            return str(expression.value)
        return self.text.value(f"zext i1 {name} to i64")

    def any(self, expressions: Iterable[Expression]) -> str:
        """Return whether one of several truth values is true."""
        return self._joined("or", [self.truth(each) for each in expressions])

    def masked(self, index: int) -> str:
        """Return the bits of a cell, in their place."""
        name = self._masked.get(index)
        if name is None:
            slot = self.layout.slots[index]
            name = self.text.value(f"and i64 {self.words[slot.word]}, {signed(slot.mask)}")
            self._masked[index] = name
        return name

    def _of(self, root: Expression) -> str:
        if isinstance(root, Constant):
            return self._literal(root)
        if (name := self._names.get(root)) is not None:
            return name
        return fold(root, self._made, self._names, self._operands)

    @staticmethod
    def _literal(constant: Constant) -> str:
        if constant.boolean:
            return "true" if constant.value else "false"
        return str(constant.value)

    @staticmethod
    def _operands(node: Expression) -> Sequence[Expression]:
        if _is_cell_test(node):
            return []
        return [part for part in parts(node) if not isinstance(part, Constant)]

    def _made(self, node: Expression) -> str:
        check_bounds(node)
        emit = self.text.value
        match node:
            case Constant():
                return self._literal(node)
            case Cell():
                return self._cell(node)
            case Add() | Subtract():
                name = "add" if isinstance(node, Add) else "sub"
                return emit(f"{name} i64 {self.number(node.left)}, {self.number(node.right)}")
            case Equal(left=Cell() as cell, right=Constant() as wanted) if not cell.boolean:
                slot = self.layout.slots[cell.index]
                bits = signed((wanted.value - slot.low) << slot.shift)
                return emit(f"icmp eq i64 {self.masked(cell.index)}, {bits}")
            case Equal():
                if node.left.boolean and node.right.boolean:
                    return emit(f"icmp eq i1 {self.truth(node.left)}, {self.truth(node.right)}")
                return emit(f"icmp eq i64 {self.number(node.left)}, {self.number(node.right)}")
            case Less():
                return emit(f"icmp slt i64 {self.number(node.left)}, {self.number(node.right)}")
            case Not():
                return emit(f"xor i1 {self.truth(node.operand)}, true")
            case And():
                return self._joined("and", [self.truth(each) for each in node.operands])
            case Or():
                return self._joined("or", [self.truth(each) for each in node.operands])
            case IfThenElse():
                return self._choice(node)
            case _:
                assert_never(node)

    def _cell(self, cell: Cell) -> str:
        assert not cell.after, "what a step leads to is written in what it starts from"
        slot = self.layout.slots[cell.index]
        if cell.boolean:
            return self.text.value(f"icmp ne i64 {self.masked(cell.index)}, 0")
        name = self.masked(cell.index)
        if slot.shift:
            name = self.text.value(f"lshr i64 {name}, {slot.shift}")
        if slot.low:
            name = self.text.value(f"add i64 {name}, {slot.low}")
        return name

    def _choice(self, node: IfThenElse) -> str:
        condition, emit = self.truth(node.condition), self.text.value
        if not node.boolean:
            yes, no = self.number(node.yes), self.number(node.no)
            return emit(f"select i1 {condition}, i64 {yes}, i64 {no}")
        yes, no = self.truth(node.yes), self.truth(node.no)
        # LLVM compiles long blocks with `select` of single bits forty times as slowly.
        differs = emit(f"and i1 {condition}, {emit(f'xor i1 {yes}, {no}')}")
        return emit(f"xor i1 {differs}, {no}")

    def _joined(self, operation: str, names: Sequence[str]) -> str:
        joined = names[0]
        for name in names[1:]:
            joined = self.text.value(f"{operation} i1 {joined}, {name}")
        return joined


def _is_cell_test(node: Expression) -> bool:
    """A cell compared with a constant: decided on its bits, where they are."""
    return (
        isinstance(node, Equal)
        and isinstance(node.left, Cell)
        and isinstance(node.right, Constant)
        and not node.left.boolean
    )


def check_bounds(node: Expression) -> None:
    """Raises `domain-too-large` if signed words cannot hold all values of a node."""
    if max(abs(node.low), abs(node.high)) >> VALUE_BITS_MAX:
        raise FinaleError(
            "domain-too-large",
            f"a sum may lie anywhere from {node.low} to {node.high}, "
            "which the native search has no room for",
            advice="take smaller numbers, or --backend readable",
        )


__all__ = ["LlvmText", "Values", "check_bounds", "signed"]
