"""Decides whether two expressions are equal: by a normal form, then by cases.

The operands of commutative nodes are sorted, so that equal expressions become one object. If that
does not decide, the values of one cell after another are tried, until both sides are one object in
every case. That is a proof; it gives up after a number of cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from checker.search.state_graph.folding import Known, cells_read, folded_at, with_parts
from model.expressions import (
    Add,
    And,
    Constant,
    Equal,
    Expression,
    Or,
    conjunction,
    constant,
    disjunction,
    equal,
    integer,
    plus,
)
from model.semantics import steps
from model.system import State, System

#: Cases tried before a proof is given up.
CASES_MAX = 4_000
#: Runs, and their steps, from which samples are taken.
RUNS, RUN_STEPS = 3, 15


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


class Proofs:
    """Proves equality by cases, and keeps what several proofs need."""

    def __init__(self) -> None:
        self.normal = Normal()
        self._sampled: System | None = None
        self._samples: Sequence[State] = ()
        self._proven: set[tuple[Expression, Expression]] = set()

    def samples(self, system: System) -> Sequence[State]:
        """Return some reachable states: expressions that differ in one of them are not equal."""
        if self._sampled is not system:
            self._sampled, self._samples = system, _walked(system)
        return self._samples

    def are_equal(self, one: Expression, other: Expression) -> bool:
        """Return whether two expressions are equal in all states; False if that is not proven."""
        self._left = CASES_MAX
        return self._equal(one, other)

    def _equal(self, one: Expression, other: Expression) -> bool:
        one, other = self.normal.of(one), self.normal.of(other)
        if one is other or (one, other) in self._proven:
            return True
        self._left -= 1
        if self._left < 0 or one.high < other.low or other.high < one.low:
            return False
        cells = sorted(cells_read([one, other]), key=lambda each: (each.after, each.index))
        if not cells:
            return False
        # What both sides read is decided first: they differ in the order of the rest.
        both = cells_read([one]) & cells_read([other])
        cell = next((each for each in cells if each in both), cells[0])
        for value in range(cell.low, cell.high + 1):
            here = constant(value, cell.boolean)
            memo: Known = {}
            first, then = (folded_at(each, cell, here, memo) for each in (one, other))
            if not self._equal(first, then):
                return False
        self._proven.add((one, other))
        return True


def _walked(system: System) -> list[State]:
    """The states of a few runs, the same ones each time."""
    found = dict.fromkeys(system.initial)
    for seed in range(RUNS):
        state, choose_one = system.initial[0], Random(seed)
        for _ in range(RUN_STEPS):
            results = [step.result for step in steps(system, state)]
            after = [each for each in results if isinstance(each, tuple) and each != state]
            if not after:
                break
            state = choose_one.choice(after)
            found.setdefault(state)
    return list(found)


__all__ = ["Normal", "Proofs"]
