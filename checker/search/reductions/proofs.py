"""Proves what symmetry and dead variables need: that two expressions are equal, or never differ.

First by a normal form, then in all states, reachable or not, with z3. If two expressions differ in
some states, an invariant may show that no run reaches these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from finale.checker.search.limits import LimitHit
from finale.checker.search.solving.certificate import Certificate, Certifier
from finale.checker.search.solving.ic3 import BadStateReached, Ic3, walked
from finale.checker.search.solving.prover import Prover
from finale.model.expressions import FALSE, Expression, conjunction, disjunction, equal, negation
from finale.model.system import State, System

from .normal import Normal

#: At most this many questions are asked to find the invariants of a system. They are counted, not
#: timed, so that every machine proves the same.
QUESTIONS_MAX = 20_000
#: Runs, and their steps, from which samples are taken.
RUNS, RUN_STEPS = 3, 15


class Proofs:
    """Proves facts about one system, and keeps them.

    `look` is called again and again, and may raise.
    """

    def __init__(self, system: System, look: Callable[[], None] = lambda: None) -> None:
        self.system = system
        self.normal = Normal()
        self._look = look
        self._frames: Ic3 | None = None

    @cached_property
    def samples(self) -> Sequence[State]:
        """Some reachable states: what differs in one of them is not equal."""
        return walked(self.system, self._look, RUNS, RUN_STEPS)

    @cached_property
    def _certifier(self) -> Certifier:
        return Certifier(self.system, self._look)

    @cached_property
    def _prover(self) -> Prover:
        return Prover(look=self._look)

    def may_hold(self, facts: Sequence[Expression], condition: Expression) -> bool:
        """Return whether some state, reachable or not, may satisfy facts and a condition."""
        return condition is not FALSE and self._prover.may_hold(facts, [condition])

    def are_equal(self, one: Expression, other: Expression) -> bool:
        """Return whether two expressions are equal in all states; False if that is not proven."""
        return self.difference(one, other, ()) is FALSE

    def difference(
        self, one: Expression, other: Expression, facts: Sequence[Expression]
    ) -> Expression:
        """Return the condition under which two expressions may differ together with facts.

        It is FALSE if they provably do not.
        """
        one, other = self.normal.of(one), self.normal.of(other)
        if one is other:
            return FALSE
        if one.boolean:
            sides = ((one, negation(other)), (negation(one), other))
            differs = disjunction(map(conjunction, sides))
        else:
            differs = negation(equal(one, other))
        return conjunction([*facts, differs]) if self.may_hold(facts, differs) else FALSE

    def why_reachable(self, condition: Expression) -> str:
        """Return why a reachable state may satisfy a condition; empty if an invariant excludes it.

        The invariant is checked anew.
        """
        if self._frames is None:
            self._frames = Ic3(self.system, self._count)
        try:
            cubes = self._frames.prove(condition)
            _, found = self._certifier.certify_cubes(cubes, condition)
        except BadStateReached:
            return "some run shows the difference"
        except LimitHit as limit:
            return f"no invariant was found: {limit}"
        return "" if isinstance(found, Certificate) else found

    def _count(self) -> None:
        self._look()
        if self._frames is not None and self._frames.questions > QUESTIONS_MAX:
            raise LimitHit(f"the limit of {QUESTIONS_MAX} questions")


__all__ = ["Proofs"]
