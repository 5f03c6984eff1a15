"""Collects the facts of a path: decided tests, and the bounds that follow from the tests.

It decides tests that cannot go both ways, so that fewer paths are run and fewer faults are
suspected. What it says is so in every state that takes the path. It may miss a consequence: the
path is then explored and never taken by any state.
"""

from __future__ import annotations

from finale.model.expressions import (
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

#: What follows from longer clauses is not looked for: it is rare, and they are many.
OPERANDS_MAX = 4


class Facts:
    """Decided tests, and for integers the bounds and the single values that they exclude."""

    def __init__(self) -> None:
        self._decided: dict[Expression, bool] = {}
        self._bounds: dict[Expression, tuple[int, int]] = {}
        self._excluded: dict[Expression, frozenset[int]] = {}
        self._clauses: tuple[And | Or, ...] = ()
        """Conjunctions that are false and disjunctions that are true: some operand is the cause."""
        self._known: dict[Expression, bool | None] = {}
        self._ranges: dict[Expression, tuple[int, int]] = {}
        self._shared = False

    def copy(self) -> Facts:
        """Facts that can grow apart from these; what both know is copied when one learns."""
        other = Facts()
        other._decided, other._bounds = self._decided, self._bounds
        other._excluded, other._clauses = self._excluded, self._clauses
        other._known, other._ranges = self._known, self._ranges
        self._shared = other._shared = True
        return other

    def _own(self) -> None:
        if self._shared:
            self._decided = dict(self._decided)
            self._bounds = dict(self._bounds)
            self._excluded = dict(self._excluded)
            self._shared = False
        self._forget()

    def _forget(self) -> None:
        """Discard derived facts. Copies can share them, so they are not cleared in place."""
        self._known = {}
        self._ranges = {}

    # --- asking ----------------------------------------------------------------------------------

    def range(self, term: Expression) -> tuple[int, int]:
        """The known bounds of a term."""
        if isinstance(term, Constant):
            return term.value, term.value
        if isinstance(term, Add | Subtract | IfThenElse):
            found = self._ranges.get(term)
            if found is None:
                found = self._ranges[term] = self._derived_range(term)
            return found
        return self._bounds.get(term, (term.low, term.high))

    def _derived_range(self, term: Add | Subtract | IfThenElse) -> tuple[int, int]:
        low, high = self._bounds.get(term, (term.low, term.high))
        if isinstance(term, IfThenElse):
            known = self.known(term.condition)
            sides = [term.yes] if known else [term.no] if known is False else [term.yes, term.no]
            lows, highs = zip(*(self.range(side) for side in sides), strict=True)
            return max(low, min(lows)), min(high, max(highs))
        left, right = self.range(term.left), self.range(term.right)
        if isinstance(term, Subtract):
            right = (-right[1], -right[0])
        return max(low, left[0] + right[0]), min(high, left[1] + right[1])

    def known(self, test: Expression) -> bool | None:
        """The outcome of a test where it follows from the facts, else None."""
        if isinstance(test, Constant):
            return bool(test.value)
        decided = self._decided.get(test)
        if decided is not None:
            return decided
        if test in self._known:
            return self._known[test]
        outcome = self._known[test] = self._derived(test)
        return outcome

    def _derived(self, test: Expression) -> bool | None:
        match test:
            case Not():
                inner = self.known(test.operand)
                return None if inner is None else not inner
            case And() | Or():
                return self._known_of_all(test)
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

    def _known_of_all(self, test: And | Or) -> bool | None:
        decisive = isinstance(test, Or)
        complete = True
        for operand in test.operands:
            outcome = self.known(operand)
            if outcome is decisive:
                return decisive
            complete = complete and outcome is not None
        return (not decisive) if complete else None

    def _known_equal(self, test: Equal) -> bool | None:
        if test.left.boolean:
            left_known, right_known = self.known(test.left), self.known(test.right)
            both = left_known is not None and right_known is not None
            return left_known == right_known if both else None
        left, right = self.range(test.left), self.range(test.right)
        if left[1] < right[0] or right[1] < left[0]:
            return False
        if left == right and left[0] == left[1]:
            return True
        if right[0] == right[1] and right[0] in self._excluded.get(test.left, ()):
            return False
        return None

    # --- learning --------------------------------------------------------------------------------

    def learn(self, test: Expression, outcome: bool) -> None:
        """Take a decided test, and what follows from it at once, into the facts."""
        self._own()
        self._learn(test, outcome)
        self._propagate()

    def bound(self, term: Expression, low: int, high: int) -> None:
        """Take it as a fact that a term lies in low..high."""
        known = self.range(term)
        self._own()
        self._bounds[term] = (max(known[0], low), min(known[1], high))

    def _learn(self, test: Expression, outcome: bool) -> None:
        self._decided[test] = outcome
        self._forget()
        match test:
            case Not():
                self._learn(test.operand, not outcome)
            case And() | Or():
                if outcome is isinstance(test, And):
                    for operand in test.operands:
                        self._learn(operand, outcome)
                elif len(test.operands) <= OPERANDS_MAX:
                    self._clauses = (*self._clauses, test)
            case Equal(right=Constant(value=value)) if not test.left.boolean:
                self._learn_value(test.left, value, outcome)
            case Less():
                self._learn_order(test.left, test.right, outcome)
            case _:
                pass

    def _propagate(self) -> None:
        """If all operands of a clause but one are excluded as the cause, the other is the cause."""
        again = bool(self._clauses)
        while again:
            again = False
            open_clauses: list[And | Or] = []
            for clause in self._clauses:
                unknown = self._unknown(clause)
                if len(unknown) == 1:
                    self._learn(unknown[0], isinstance(clause, Or))
                    again = True
                elif unknown:
                    open_clauses.append(clause)
            if not again:
                self._clauses = tuple(open_clauses)

    def _unknown(self, clause: And | Or) -> list[Expression]:
        """The operands that may be the cause; none if one is known to be it."""
        cause = isinstance(clause, Or)
        unknown: list[Expression] = []
        for operand in clause.operands:
            outcome = self.known(operand)
            if outcome is cause:
                return []
            if outcome is None:
                unknown.append(operand)
        return unknown

    def _learn_value(self, term: Expression, value: int, outcome: bool) -> None:
        if outcome:
            self._set_bounds(term, value, value)
            return
        excluded = self._excluded.get(term, frozenset()) | {value}
        self._excluded[term] = excluded
        low, high = self.range(term)
        while low in excluded:
            low += 1
        while high in excluded:
            high -= 1
        self._set_bounds(term, low, high)

    def _set_bounds(self, term: Expression, low: int, high: int) -> None:
        self._bounds[term] = (low, high)
        self._forget()

    def _learn_order(self, left: Expression, right: Expression, outcome: bool) -> None:
        (left_low, left_high), (right_low, right_high) = self.range(left), self.range(right)
        if outcome:  # left < right
            self._set_bounds(left, left_low, min(left_high, right_high - 1))
            self._set_bounds(right, max(right_low, left_low + 1), right_high)
        else:  # right <= left
            self._set_bounds(left, max(left_low, right_low), left_high)
            self._set_bounds(right, right_low, min(right_high, left_high))
