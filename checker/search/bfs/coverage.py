"""Records which branches of the rules' source some transition has taken, and which none has.

A transition takes a branch if it takes a leaf that has the branch, and if the condition of the
branch was true in the state before the transition.
"""

from __future__ import annotations

from finale.model.expressions import TRUE, Expression
from finale.model.language.explore import Branch
from finale.model.semantics import Known, evaluate
from finale.model.system import State, Update

from .machine import StateTest, SuccessorGenerator

#: A condition that was false so often is worth compiling.
TRIES_MAX = 256


class _Condition:
    """A condition that was not true yet in any state that took its leaf."""

    def __init__(self, machine: SuccessorGenerator, expression: Expression) -> None:
        self.machine = machine
        self.expression = expression
        self.tries = 0
        self.test: StateTest | None = None

    def holds(self, state: State, known: Known) -> bool:
        if self.test is not None:
            return bool(self.test(state))
        self.tries += 1
        if self.tries > TRIES_MAX:
            self.test = self.machine.state_test([self.expression])
        return bool(evaluate(self.expression, state, known=known))


class BranchCoverage:
    """Marks leaves and branches while a search runs.

    `fresh[leaf]` is 1 while a visit of the leaf can still mark a new branch.
    """

    def __init__(self, machine: SuccessorGenerator) -> None:
        self.machine = machine
        self.fresh = bytearray(b"\1") * len(machine.leaves)
        self.exercised: set[Branch] = set()
        self.rules: set[str] = set()
        self._conditions: dict[Expression, _Condition] = {}
        self._pending = [
            list(leaf.end.branches) if isinstance(leaf.end, Update) else []
            for leaf in machine.leaves
        ]

    def visit(self, leaf: int, state: State) -> None:
        """Mark that a transition takes a leaf in a state."""
        self.rules.add(self.machine.system.rules[self.machine.leaves[leaf].rule].rule.name)
        left: list[tuple[Branch, Expression]] = []
        known: Known = {}
        for branch, condition in self._pending[leaf]:
            if branch in self.exercised:
                continue
            if condition is TRUE or self._condition(condition).holds(state, known):
                self.exercised.add(branch)
            else:
                left.append((branch, condition))
        self._pending[leaf] = left
        self.fresh[leaf] = bool(left)

    def _condition(self, expression: Expression) -> _Condition:
        known = self._conditions.get(expression)
        if known is None:
            known = self._conditions[expression] = _Condition(self.machine, expression)
        return known

    def dead(self) -> tuple[Branch, ...]:
        """Return the branches that no transition has taken, by file and line."""
        ends = (leaf.end for leaf in self.machine.leaves)
        written = {b for end in ends if isinstance(end, Update) for b, _ in end.branches}
        dead = written - self.exercised
        return tuple(sorted(dead, key=lambda each: (each.file, each.line, not each.outcome)))
