"""What is known on a path: tests that were decided, and the bounds that follow from them.

It decides tests that cannot go both ways, so that fewer paths are run and fewer faults are
suspected. It may miss a consequence: the path is then explored and never taken by any state.
"""

from __future__ import annotations

from model.expressions import (
    Add,
    And,
    Constant,
    Equal,
    Expression,
    IfThenElse,
    Less,
    Not,
    Or,
    Subtract,
)


class Facts:
    """Decided tests, and for integers the bounds and the single values that they exclude."""

    def __init__(self) -> None:
        self.decided: dict[Expression, bool] = {}
        self.bounds: dict[Expression, tuple[int, int]] = {}
        self.excluded: dict[Expression, frozenset[int]] = {}

    def copy(self) -> Facts:
        """Facts that can grow apart from these."""
        other = Facts()
        other.decided = dict(self.decided)
        other.bounds = dict(self.bounds)
        other.excluded = dict(self.excluded)
        return other

    def range(self, term: Expression) -> tuple[int, int]:
        """The bounds of a term, as far as known."""
        if isinstance(term, Constant):
            return term.value, term.value
        low, high = self.bounds.get(term, (term.low, term.high))
        if isinstance(term, Add | Subtract):
            left, right = self.range(term.left), self.range(term.right)
            if isinstance(term, Subtract):
                right = (-right[1], -right[0])
            return max(low, left[0] + right[0]), min(high, left[1] + right[1])
        if isinstance(term, IfThenElse) and not term.boolean:
            known = self.known(term.condition)
            sides = [term.yes] if known else [term.no] if known is False else [term.yes, term.no]
            ranges = [self.range(side) for side in sides]
            return max(low, min(r[0] for r in ranges)), min(high, max(r[1] for r in ranges))
        return low, high

    def known(self, test: Expression) -> bool | None:
        """The outcome of a test where it follows from the facts, else None."""
        if test in self.decided:
            return self.decided[test]
        match test:
            case Constant():
                return bool(test.value)
            case Not():
                inner = self.known(test.operand)
                return None if inner is None else not inner
            case And() | Or():
                decisive = isinstance(test, Or)
                outcomes = [self.known(operand) for operand in test.operands]
                if decisive in outcomes:
                    return decisive
                return None if None in outcomes else not decisive
            case Equal():
                return self._known_equal(test)
            case Less():
                left, right = self.range(test.left), self.range(test.right)
                if left[1] < right[0]:
                    return True
                return False if left[0] >= right[1] else None
            case IfThenElse():
                condition = self.known(test.condition)
                if condition is None:
                    return None
                return self.known(test.yes if condition else test.no)
            case _:
                return None

    def _known_equal(self, test: Equal) -> bool | None:
        left, right = self.range(test.left), self.range(test.right)
        if left[1] < right[0] or right[1] < left[0]:
            return False
        if left == right and left[0] == left[1]:
            return True
        if right[0] == right[1] and right[0] in self.excluded.get(test.left, ()):
            return False
        return None

    def learn(self, test: Expression, outcome: bool) -> None:
        """Take a decided test, and what follows from it at once, into the facts."""
        self.decided[test] = outcome
        match test:
            case Not():
                self.learn(test.operand, not outcome)
            case And() if outcome:
                for operand in test.operands:
                    self.learn(operand, True)
            case Or() if not outcome:
                for operand in test.operands:
                    self.learn(operand, False)
            case Equal(right=Constant(value=value)) if not test.left.boolean:
                self._learn_value(test.left, value, outcome)
            case Less():
                self._learn_order(test.left, test.right, outcome)
            case _:
                pass

    def _learn_value(self, term: Expression, value: int, outcome: bool) -> None:
        if outcome:
            self.bounds[term] = (value, value)
            return
        excluded = self.excluded.get(term, frozenset()) | {value}
        self.excluded[term] = excluded
        low, high = self.range(term)
        while low in excluded:
            low += 1
        while high in excluded:
            high -= 1
        self.bounds[term] = (low, high)

    def _learn_order(self, left: Expression, right: Expression, outcome: bool) -> None:
        (left_low, left_high), (right_low, right_high) = self.range(left), self.range(right)
        if outcome:  # left < right
            self.bounds[left] = (left_low, min(left_high, right_high - 1))
            self.bounds[right] = (max(right_low, left_low + 1), right_high)
        else:  # right <= left
            self.bounds[left] = (max(left_low, right_low), left_high)
            self.bounds[right] = (right_low, min(right_high, left_high))
