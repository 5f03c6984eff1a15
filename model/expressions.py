"""The ten expression nodes of conditions and new values.

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

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar, assert_never, cast
from weakref import WeakValueDictionary


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

_Parts = ParamSpec("_Parts")
_Node = TypeVar("_Node", bound=Expression)
_POOL: WeakValueDictionary[Hashable, Expression] = WeakValueDictionary()


def shared(kind: Callable[_Parts, _Node], *parts: _Parts.args, **_: _Parts.kwargs) -> _Node:
    """The node of a kind with these parts, as it is: nothing is folded."""
    key = (kind, *parts)
    node = _POOL.get(key)
    if node is None:
        node = _POOL[key] = kind(*parts, **_)
    return cast(_Node, node)


# --- leaves --------------------------------------------------------------------------------------

TRUE = shared(Constant, 1, True)
FALSE = shared(Constant, 0, True)
_INTEGERS: dict[int, Constant] = {}


def integer(value: int) -> Constant:
    """The integer `value`."""
    known = _INTEGERS.get(value)
    if known is None:
        known = _INTEGERS[value] = shared(Constant, int(value), False)
    return known


def truth(value: bool) -> Constant:
    """TRUE or FALSE."""
    return TRUE if value else FALSE


def constant(value: int, boolean: bool) -> Constant:
    """The integer `value` or, if `boolean`, its truth value."""
    return truth(bool(value)) if boolean else integer(value)


def cell(index: int, low: int, high: int, boolean: bool, after: bool = False) -> Expression:
    """The cell `index`, whose values lie in low..high."""
    if low == high:
        return shared(Constant, low, boolean)
    return shared(Cell, index, low, high, boolean, after)


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
    return shared(Add, left, right, left.low + right.low, left.high + right.high)


def minus(left: Expression, right: Expression) -> Expression:
    """left - right; a constant subtracted is its negative added."""
    if isinstance(right, Constant):
        return plus(left, integer(-right.value))
    if left is right:
        return integer(0)
    return shared(Subtract, left, right, left.low - right.high, left.high - right.low)


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
        yes, no = _decided(left.yes, right), _decided(left.no, right)
        if yes is not None or no is not None:
            # Only the other side goes deeper: nested choices are walked once.
            yes = equal(left.yes, right) if yes is None else yes
            no = equal(left.no, right) if no is None else no
            return choose(left.condition, yes, no)
    return shared(Equal, left, right)


def _decided(side: Expression, wanted: Constant) -> Expression | None:
    """Whether a side of a choice is this number, where its bounds alone say so."""
    if wanted.value < side.low or wanted.value > side.high:
        return FALSE
    return TRUE if side.low == side.high else None


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
    if isinstance(left, IfThenElse) and isinstance(right, Constant):
        return _chosen_less(left, right)
    return shared(Less, left, right)


def _chosen_less(left: IfThenElse, right: Constant) -> Expression:
    below = tuple(
        TRUE if side.high < right.value else FALSE if side.low >= right.value else None
        for side in (left.yes, left.no)
    )
    if below == (None, None):
        return shared(Less, left, right)
    yes, no = (
        less(side, right) if known is None else known
        for side, known in zip((left.yes, left.no), below, strict=True)
    )
    return choose(left.condition, yes, no)


# --- logic ---------------------------------------------------------------------------------------


def negation(operand: Expression) -> Expression:
    """not operand."""
    if isinstance(operand, Constant):
        return truth(not operand.value)
    if isinstance(operand, Not):
        return operand.operand
    return shared(Not, operand)


def conjunction(operands: Iterable[Expression]) -> Expression:
    """All of the operands; of none, true."""
    return _joined(And, operands, FALSE, TRUE)


def disjunction(operands: Iterable[Expression]) -> Expression:
    """At least one of the operands; of none, false."""
    return _joined(Or, operands, TRUE, FALSE)


def _joined(
    kind: type[And | Or], operands: Iterable[Expression], decisive: Constant, neutral: Constant
) -> Expression:
    """Flattened, each operand once; an operand beside its negation decides."""
    kept: dict[Expression, None] = {}
    denied: set[Expression] = set()
    for operand in operands:
        for part in operand.operands if isinstance(operand, kind) else (operand,):
            if part is decisive or part in denied:
                return decisive
            if isinstance(part, Not):
                if part.operand in kept:
                    return decisive
                denied.add(part.operand)
            if part is not neutral:
                kept[part] = None
    if len(kept) <= 1:
        return next(iter(kept), neutral)
    return shared(kind, tuple(kept))


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
    return shared(IfThenElse, condition, yes, no, low, high, yes.boolean)


# --- parts ---------------------------------------------------------------------------------------


def parts(expression: Expression) -> tuple[Expression, ...]:
    """Return the expressions that an expression is made of."""
    match expression:
        case Constant() | Cell():
            return ()
        case Add() | Subtract() | Equal() | Less():
            return expression.left, expression.right
        case Not():
            return (expression.operand,)
        case And() | Or():
            return expression.operands
        case IfThenElse():
            return expression.condition, expression.yes, expression.no
        case _:
            assert_never(expression)
