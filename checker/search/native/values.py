"""Writes expressions as LLVM instructions over the words of a packed state.

Integers are signed 64-bit values, truth values single bits. Expressions cannot fail, so a shared
part is computed once, where the path needs it first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import assert_never

from finale.checker.search.state_graph.folding import fold, parts
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
        self._bits: dict[str, str] = {}
        self._tests: dict[Expression, CellTest | None] = {}

    def below(self) -> Values:
        """Return a copy for a place that is reached only from here."""
        copy = Values(self.text, self.layout, self.words)
        copy._names = dict(self._names)
        copy._bits = dict(self._bits)
        copy._tests = self._tests
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
        slot = self.layout.slots[index]
        return self._once(f"and i64 {self.words[slot.word]}, {signed(slot.mask)}")

    def _once(self, operation: str) -> str:
        """The bits of a word that an operation picks out. Comparing them again costs less than
        keeping the result, which quickly made code writes to memory."""
        name = self._bits.get(operation)
        if name is None:
            name = self._bits[operation] = self.text.value(operation)
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

    def _operands(self, node: Expression) -> Sequence[Expression]:
        if cell_test(node, self._tests) is not None:
            return []
        several = [part for part in parts(node) if not isinstance(part, Constant)]
        if isinstance(node, And | Or):
            return [part for part in several if cell_test(part, self._tests) is None]
        return several

    def _made(self, node: Expression) -> str:
        check_bounds(node)
        emit = self.text.value
        test = cell_test(node, self._tests)
        if test is not None:
            return self._is_among(test)
        match node:
            case Constant():
                return self._literal(node)
            case Cell():
                return self._cell(node)
            case Add() | Subtract():
                name = "add" if isinstance(node, Add) else "sub"
                return emit(f"{name} i64 {self.number(node.left)}, {self.number(node.right)}")
            case Equal():
                if node.left.boolean and node.right.boolean:
                    return emit(f"icmp eq i1 {self.truth(node.left)}, {self.truth(node.right)}")
                return emit(f"icmp eq i64 {self.number(node.left)}, {self.number(node.right)}")
            case Less():
                return emit(f"icmp slt i64 {self.number(node.left)}, {self.number(node.right)}")
            case Not():
                return emit(f"xor i1 {self.truth(node.operand)}, true")
            case And() | Or():
                return self._several(node)
            case IfThenElse():
                return self._choice(node)
            case _:
                assert_never(node)

    def _several(self, node: And | Or) -> str:
        """A conjunction or a disjunction. Cells of one word of which it needs to know only whether
        they have certain values are compared at once."""
        is_and = isinstance(node, And)
        allowed: dict[int, CellTest] = {}
        names: list[str] = []
        for operand in node.operands:
            test = cell_test(operand, self._tests)
            if test is None:
                names.append(self.truth(operand))
            else:
                old = allowed.get(test.index)
                allowed[test.index] = test if old is None else test.joined(old, is_and)
        #: Of each word: the bits compared, and all cells' values, or those that none must have.
        wanted: dict[int, tuple[int, int]] = {}
        for test in allowed.values():
            value = (test if is_and else test.inverted()).only
            if value is None:
                names.append(self._is_among(test))
            else:
                slot = self.layout.slots[test.index]
                mask, bits = wanted.get(slot.word, (0, 0))
                wanted[slot.word] = mask | slot.mask, bits | value << slot.shift
        how = "eq" if is_and else "ne"
        for word, (mask, bits) in wanted.items():
            name = self._once(f"and i64 {self.words[word]}, {signed(mask)}")
            names.append(self.text.value(f"icmp {how} i64 {name}, {signed(bits)}"))
        return self._joined("and" if is_and else "or", names)

    def _is_among(self, test: CellTest) -> str:
        """Whether a cell has one of some values, decided on its bits, where they are."""
        slot, others = self.layout.slots[test.index], test.inverted()
        if not test.values or not others.values:
            return "true" if test.values else "false"
        bits, emit = self.masked(test.index), self.text.value
        if test.size == 2:  # the two tests of such a cell are one operation and its opposite
            return emit(f"icmp {'eq' if test.values == 1 else 'ne'} i64 {bits}, 0")
        for each, equal, below, above in ((test, "eq", "ule", "uge"), (others, "ne", "ugt", "ult")):
            least, most = each.least, each.most
            if each.only is not None:
                return emit(f"icmp {equal} i64 {bits}, {signed(least << slot.shift)}")
            if least == 0 and each.is_range:
                return emit(f"icmp {below} i64 {bits}, {signed(most << slot.shift)}")
            if most == each.size - 1 and each.is_range:
                return emit(f"icmp {above} i64 {bits}, {signed(least << slot.shift)}")
        value = emit(f"lshr i64 {bits}, {slot.shift}") if slot.shift else bits
        return emit(f"trunc i64 {emit(f'lshr i64 {signed(test.values)}, {value}')} to i1")

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


@dataclass(frozen=True)
class CellTest:
    """Whether a cell has one of some values: a bit for each of its `size` values."""

    index: int
    size: int
    values: int

    @property
    def least(self) -> int:
        return (self.values & -self.values).bit_length() - 1

    @property
    def most(self) -> int:
        return self.values.bit_length() - 1

    @property
    def only(self) -> int | None:
        """The value, if there is just one."""
        return self.most if self.values.bit_count() == 1 else None

    @property
    def is_range(self) -> bool:
        """Whether there is no gap between the values."""
        return self.values.bit_count() == self.most - self.least + 1

    def inverted(self) -> CellTest:
        """Whether the cell has another value."""
        return CellTest(self.index, self.size, self.values ^ (1 << self.size) - 1)

    def joined(self, other: CellTest, both: bool) -> CellTest:
        """Whether this test and another one of the cell are true, or one of them."""
        values = self.values & other.values if both else self.values | other.values
        return CellTest(self.index, self.size, values)


def cell_test(node: Expression, known: dict[Expression, CellTest | None]) -> CellTest | None:
    """Return what a condition asks of its cell, if it reads no other, and no arithmetic is done."""
    if node not in known:
        known[node] = _cell_test(node, known)
    return known[node]


def _cell_test(node: Expression, known: dict[Expression, CellTest | None]) -> CellTest | None:
    match node:
        case Cell(boolean=True):
            return _test_of(node, lambda value: value != 0)
        case Equal(left=Cell(boolean=False) as cell, right=Constant(value=wanted)):
            return _test_of(cell, lambda value: value == wanted)
        case Less(left=Cell(boolean=False) as cell, right=Constant(value=bound)):
            return _test_of(cell, lambda value: value < bound)
        case Less(left=Constant(value=bound), right=Cell(boolean=False) as cell):
            return _test_of(cell, lambda value: bound < value)
        case Not():
            test = cell_test(node.operand, known)
            return None if test is None else test.inverted()
        case And() | Or():
            first, *others = [cell_test(each, known) for each in node.operands]
            for other in others:
                if first is None or other is None or other.index != first.index:
                    return None
                first = first.joined(other, isinstance(node, And))
            return first
        case _:
            return None


def _test_of(cell: Cell, is_allowed: Callable[[int], bool]) -> CellTest | None:
    size = cell.high - cell.low + 1
    if cell.after or size > WORD:
        return None
    values = sum(1 << value for value in range(size) if is_allowed(cell.low + value))
    return CellTest(cell.index, size, values)


def check_bounds(node: Expression) -> None:
    """Raises `domain-too-large` if signed words cannot hold all values of a node."""
    if max(abs(node.low), abs(node.high)) >> VALUE_BITS_MAX:
        raise FinaleError(
            "domain-too-large",
            f"a sum may lie anywhere from {node.low} to {node.high}, "
            "which the native search has no room for",
            advice="take smaller numbers, or --backend readable",
        )
