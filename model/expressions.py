"""The closed list of expression nodes: what a condition or a new value is made of.

Every value of a state is stored in *cells*, each a bounded integer or a truth value (`domains.py`
says which cells a queue or a record takes), so that this list stays short and every back end has
the same few cases to lower: searches, solver and exports see no queue, only its cells.

Nodes are shared: building the same node twice gives the same object, so identity is equality and a
back end may memoise by node. The constructor functions below fold constants and keep one normal
form for comparisons (constants are moved to the right); nothing else is rewritten.
Truth values are the integers 0 and 1. Integers are unbounded; `low` and `high` bound each node, and
machine and solver widths derive from them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar, cast
from weakref import WeakValueDictionary

__all__ = [
    # Leaves
    "Constant",
    "Cell",
    # Arithmetic
    "Add",
    "Subtract",
    # Comparison
    "Equal",
    "Less",
    # Logic
    "Not",
    "And",
    "Or",
    # Choice
    "IfThenElse",
    # What may stand where
    "Expression",
]


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Constant:
    """A known integer, or a known truth value (0 or 1)."""

    value: int
    boolean: bool

    @property
    def low(self) -> int:
        return self.value

    @property
    def high(self) -> int:
        return self.value


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Cell:
    """The value of cell `index`: in the state, or, if `after`, in the state that a step leads to.

    Only `on_step` predicates read both; everything else reads the state.
    """

    index: int
    low: int
    high: int
    boolean: bool
    after: bool = False


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Add:
    """left + right, over unbounded integers."""

    left: Expression
    right: Expression
    low: int
    high: int
    boolean: bool = False


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Subtract:
    """left - right, over unbounded integers."""

    left: Expression
    right: Expression
    low: int
    high: int
    boolean: bool = False


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Equal:
    """left == right: of two integers, or of two truth values."""

    left: Expression
    right: Expression
    low: int = 0
    high: int = 1
    boolean: bool = True


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Less:
    """left < right, of two integers."""

    left: Expression
    right: Expression
    low: int = 0
    high: int = 1
    boolean: bool = True


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Not:
    """The truth value that `operand` is not."""

    operand: Expression
    low: int = 0
    high: int = 1
    boolean: bool = True


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class And:
    """All of two or more truth values."""

    operands: tuple[Expression, ...]
    low: int = 0
    high: int = 1
    boolean: bool = True


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Or:
    """At least one of two or more truth values."""

    operands: tuple[Expression, ...]
    low: int = 0
    high: int = 1
    boolean: bool = True


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class IfThenElse:
    """`yes` where `condition` is true, else `no`; both integers, or both truth values."""

    condition: Expression
    yes: Expression
    no: Expression
    low: int
    high: int
    boolean: bool


Expression = Constant | Cell | Add | Subtract | Equal | Less | Not | And | Or | IfThenElse

_Node = TypeVar("_Node", bound=Expression)
_POOL: WeakValueDictionary[Hashable, Expression] = WeakValueDictionary()


def _shared(kind: type[_Node], *parts: Hashable) -> _Node:
    key = (kind, *parts)
    node = _POOL.get(key)
    if node is None:
        node = kind(*parts)
        _POOL[key] = node
    return cast(_Node, node)


# --- leaves --------------------------------------------------------------------------------------

TRUE = _shared(Constant, 1, True)
FALSE = _shared(Constant, 0, True)


def integer(value: int) -> Constant:
    """The integer `value`."""
    return _shared(Constant, int(value), False)


def truth(value: bool) -> Constant:
    """TRUE or FALSE."""
    return TRUE if value else FALSE


def cell(index: int, low: int, high: int, boolean: bool, after: bool = False) -> Expression:
    """The cell `index`, whose values lie in low..high."""
    if low == high:
        return _shared(Constant, low, boolean)
    return _shared(Cell, index, low, high, boolean, after)


# --- arithmetic ----------------------------------------------------------------------------------


def plus(left: Expression, right: Expression) -> Expression:
    """left + right; constants move to the right."""
    if isinstance(left, Constant):
        left, right = right, left
    if isinstance(right, Constant):
        if isinstance(left, Constant):
            return integer(left.value + right.value)
        if right.value == 0:
            return left
        if isinstance(left, Add) and isinstance(left.right, Constant):
            return plus(left.left, integer(left.right.value + right.value))
    return _shared(Add, left, right, left.low + right.low, left.high + right.high)


def minus(left: Expression, right: Expression) -> Expression:
    """left - right; a constant subtracted is its negative added."""
    if isinstance(right, Constant):
        return plus(left, integer(-right.value))
    if left is right:
        return integer(0)
    return _shared(Subtract, left, right, left.low - right.high, left.high - right.low)


def _without_offset(left: Expression, right: Expression) -> tuple[Expression, Expression]:
    """`x + 1 ? 3` as `x ? 2`: one form for comparisons that mean the same."""
    if isinstance(left, Add) and isinstance(left.right, Constant):
        return _without_offset(left.left, minus(right, left.right))
    if isinstance(right, Add) and isinstance(right.right, Constant):
        if isinstance(left, Constant):
            return minus(left, right.right), right.left
        return plus(left, integer(-right.right.value)), right.left
    return left, right


# --- comparison ----------------------------------------------------------------------------------


def equal(left: Expression, right: Expression) -> Expression:
    """left == right; of truth values, the constant side decides."""
    if left is right:
        return TRUE
    if isinstance(left, Constant):
        left, right = right, left
    if isinstance(right, Constant) and right.boolean:
        return left if right.value else negation(left)
    if not left.boolean:
        left, right = _balanced(left, right)
    if left is right:
        return TRUE
    if left.high < right.low or right.high < left.low:
        return FALSE
    if isinstance(left, Constant) and isinstance(right, Constant):
        return truth(left.value == right.value)
    if isinstance(left, IfThenElse) and isinstance(right, Constant):
        yes, no = equal(left.yes, right), equal(left.no, right)
        if isinstance(yes, Constant) or isinstance(no, Constant):
            return choose(left.condition, yes, no)
    return _shared(Equal, left, right)


def _balanced(left: Expression, right: Expression) -> tuple[Expression, Expression]:
    if isinstance(right, Constant):
        return _without_offset(left, right)
    if isinstance(left, Add) and isinstance(right, Add):
        return _without_offset(left, right)
    if isinstance(right, Add) and isinstance(right.right, Constant):
        return right, left
    return left, right


def less(left: Expression, right: Expression) -> Expression:
    """left < right."""
    if left is right:
        return FALSE
    if isinstance(left, Constant) or isinstance(right, Constant):
        left, right = _without_offset(left, right)
    if left.high < right.low:
        return TRUE
    if left.low >= right.high:
        return FALSE
    return _shared(Less, left, right)


# --- logic ---------------------------------------------------------------------------------------


def negation(operand: Expression) -> Expression:
    """not operand."""
    if isinstance(operand, Constant):
        return truth(not operand.value)
    if isinstance(operand, Not):
        return operand.operand
    return _shared(Not, operand)


def conjunction(operands: Iterable[Expression]) -> Expression:
    """All of the operands; of none, true."""
    kept: dict[Expression, None] = {}
    for operand in operands:
        for part in operand.operands if isinstance(operand, And) else (operand,):
            if part is FALSE or negation(part) in kept:
                return FALSE
            if part is not TRUE:
                kept[part] = None
    if len(kept) <= 1:
        return next(iter(kept), TRUE)
    return _shared(And, tuple(kept))


def disjunction(operands: Iterable[Expression]) -> Expression:
    """At least one of the operands; of none, false."""
    kept: dict[Expression, None] = {}
    for operand in operands:
        for part in operand.operands if isinstance(operand, Or) else (operand,):
            if part is TRUE or negation(part) in kept:
                return TRUE
            if part is not FALSE:
                kept[part] = None
    if len(kept) <= 1:
        return next(iter(kept), FALSE)
    return _shared(Or, tuple(kept))


# --- choice --------------------------------------------------------------------------------------


def choose(condition: Expression, yes: Expression, no: Expression) -> Expression:
    """`yes` where the condition is true, else `no`."""
    if yes is no:
        return yes
    if isinstance(condition, Constant):
        return yes if condition.value else no
    if isinstance(condition, Not):
        return choose(condition.operand, no, yes)
    if yes.boolean:
        if yes is TRUE or yes is condition:
            return disjunction([condition, no])
        if yes is FALSE:
            return conjunction([negation(condition), no])
        if no is FALSE or no is condition:
            return conjunction([condition, yes])
        if no is TRUE:
            return disjunction([negation(condition), yes])
    low, high = min(yes.low, no.low), max(yes.high, no.high)
    return _shared(IfThenElse, condition, yes, no, low, high, yes.boolean)
