"""Decides which transitions can affect each other: what enables what, and what does not commute.

The decision uses what the transitions read and write. If that does not settle it, the guard and the
values of one transition are rewritten over the state before the other; at last a prover is asked.
What none of these excludes counts as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from finale.checker.search.state_graph.folding import Known, cells_read, folded
from finale.model.expressions import (
    FALSE,
    Cell,
    Constant,
    Equal,
    Expression,
    conjunction,
    equal,
    negation,
)

from .canonical import Reset, deadness
from .pairs import Facts, Pairs, numbers_in
from .transitions import Guard, Literal, Transition, Transitions

Bits = int
"""A set of numbers, one bit each."""

MayHold = Callable[[Sequence[Expression], Sequence[Expression]], bool]
"""Whether some state satisfies all of the first conditions and one of the second ones; a prover
that cannot tell says yes."""


@dataclass(frozen=True)
class Relations:
    """The relations between transitions.

    Transitions are numbered: leaves first, then observers. For each leaf, `dependent` has the
    transitions that do not commute with it: if both are enabled, one may disable the other, or
    their order may matter; and the observers that it may disable. For each literal, `enabling` has
    the leaves that may make it true. For each leaf, `absorbing` has those of its dependent leaves
    that undo it: where both are enabled, the other one stays enabled after the leaf, and leads to
    the same state as without the leaf. States that differ only in dead cells count as the same.
    """

    dependent: tuple[Bits, ...]
    enabling: tuple[Bits, ...]
    absorbing: tuple[Bits, ...]


def relations_of(
    transitions: Transitions,
    may_hold: MayHold | None = None,
    pairs: Pairs | None = None,
    resets: Sequence[Reset] = (),
) -> Relations:
    """Return the relations between the transitions of a system, in the states that `pairs` allows.

    Cells are dead where `resets` says so.
    """
    may_hold = may_hold or (lambda _facts, _ways: True)
    return _Relating(transitions, may_hold, pairs, resets).relations()


@dataclass
class _Side:
    """A transition with what is asked of it again and again."""

    guard: Guard
    literals: frozenset[Literal]
    writes: Mapping[int, Expression]
    guard_reads: set[int]
    value_reads: set[int]
    known: Known
    fixed: dict[int, int]
    #: The literals that may hold before it and not after it.
    breaks: set[Literal]
    #: Substitutes the values written for the cells, in expressions over the state after.
    changed: Known
    memo: Known
    #: The facts that may hold where it is enabled.
    facts: Facts

    def after(self, expression: Expression) -> Expression:
        """An expression in the state after it, told in the state before it."""
        return folded(expression, self.changed, self.memo)


class _Relating:
    def __init__(
        self,
        transitions: Transitions,
        may_hold: MayHold,
        pairs: Pairs | None = None,
        resets: Sequence[Reset] = (),
    ) -> None:
        #: The condition that a cell is dead, of each cell that is dead at times.
        self.dead = deadness(resets)
        self.pairs = pairs
        self.system = transitions.system
        self.atoms = transitions.atoms.all
        self.leaves = len(transitions.leaves)
        self.may_hold = may_hold
        self.reads = [_indices([atom]) for atom in self.atoms]
        observers = (Transition(each.guard) for each in transitions.observers)
        sides = {
            number: self._side(transitions, each)
            for number, each in enumerate([*transitions.leaves, *observers])
            if each is not None
        }
        #: Without those that are never enabled.
        self.sides = {number: side for number, side in sides.items() if side.facts}
        self.enabling = [0] * (2 * len(self.atoms))
        self.updates = [number for number, side in self.sides.items() if side.writes]

    def _side(self, transitions: Transitions, each: Transition) -> _Side:
        fixed: dict[int, int] = {}
        for literal in each.guard:
            match self.atoms[literal // 2]:
                case Equal(left=Cell() as cell, right=Constant() as value) if literal % 2:
                    fixed[cell.index] = value.value
                case Cell() as cell:
                    fixed[cell.index] = literal % 2
                case _:
                    pass
        return _Side(
            each.guard,
            frozenset(each.guard),
            each.writes,
            set[int]().union(*(self.reads[literal // 2] for literal in each.guard)),
            _indices(each.writes.values()),
            transitions.atoms.known(each.guard),
            fixed,
            set(),
            {self.system.cells[index]: value for index, value in each.writes.items()},
            {},
            self.pairs.where(self._conditions(each.guard)) if self.pairs is not None else -1,
        )

    def _conditions(self, guard: Iterable[Literal]) -> list[tuple[Expression, bool]]:
        return [(self.atoms[literal // 2], bool(literal % 2)) for literal in guard]

    def relations(self) -> Relations:
        """Return all of them."""
        for literal in range(2 * len(self.atoms)):
            for number in self._enabling(literal):
                self.enabling[literal] |= 1 << number
                self.sides[number].breaks.add(literal ^ 1)
        dependent = self._dependent()
        return Relations(tuple(dependent), tuple(self.enabling), tuple(self._absorbing(dependent)))

    # --- enabling --------------------------------------------------------------------------------

    def _enabling(self, literal: Literal) -> Iterator[int]:
        for number in self.updates:
            update = self.sides[number]
            writes_it = not self.reads[literal // 2].isdisjoint(update.writes)
            if writes_it and self._makes(update, literal):
                yield number

    def _makes(self, update: _Side, literal: Literal) -> bool:
        """Whether an update may lead from where a literal is false to where it is true."""
        atom = self.atoms[literal // 2]
        if literal in update.literals:
            return False
        before = _of(folded(atom, update.known, {}), literal ^ 1)
        if _is_false(before):
            return False
        then = _of(folded(update.after(atom), update.known, {}), literal)
        return self._possible((update,), [before], [then])

    # --- dependence ------------------------------------------------------------------------------

    def _dependent(self) -> list[Bits]:
        found = [0] * self.leaves
        for place, one in enumerate(self.updates):
            first = self.sides[one]
            for other in self.updates[place + 1 :]:
                if not self._accord(first, self.sides[other]):
                    found[one] |= 1 << other
                    found[other] |= 1 << one
            for other, then in self.sides.items():
                if not then.writes and self._may_disable(first, then):
                    found[one] |= 1 << other
        return found

    def _absorbing(self, dependent: Sequence[Bits]) -> list[Bits]:
        found, sides = [0] * self.leaves, self.sides
        for number in self.updates:
            for other in self.updates:
                if dependent[number] >> other & 1 and self._undoes(sides[other], sides[number]):
                    found[number] |= 1 << other
        undoing = {other for bits in found for other in numbers_in(bits)}
        for number in self.updates:
            for other in undoing - {number}:
                # Where they are never enabled together, there is nothing to undo.
                if _exclude(sides[number], sides[other]) or not self._together(
                    sides[number], sides[other]
                ):
                    found[number] |= 1 << other
        return found

    def _undoes(self, last: _Side, first: _Side) -> bool:
        """Whether, where both are enabled, `last` leads to the same state after `first` or not."""
        kept = first.writes.keys() - last.writes.keys()
        if not kept <= self.dead.keys():
            return False
        known = first.known | last.known
        wrong = list(self._broken(first, last.guard, known))
        memo: Known = {}
        for index in first.writes.keys() | last.writes.keys():
            value = last.writes.get(index, self.system.cells[index])
            both = first.after(value)
            if both is not value:
                sides = folded(both, known, memo), folded(value, known, memo)
                wrong.append(conjunction([negation(equal(*sides)), self._alive(index, last)]))
        return not self._possible((first, last), [], wrong)

    def _alive(self, index: int, update: _Side) -> Expression:
        """The condition that a cell is not dead after an update."""
        return negation(update.after(self.dead.get(index, FALSE)))

    def _accord(self, one: _Side, other: _Side) -> bool:
        """Whether, where both are enabled, neither disables the other and they commute."""
        if (
            other.writes.keys().isdisjoint(one.guard_reads | one.value_reads)
            and one.writes.keys().isdisjoint(other.guard_reads | other.value_reads)
            and one.writes.keys().isdisjoint(other.writes)
        ):
            return True
        if _exclude(one, other) or not self._together(one, other):
            return True
        known = one.known | other.known
        wrong = [
            *self._broken(one, other.guard, known),
            *self._broken(other, one.guard, known),
            *self._different(one, other, known),
        ]
        return not self._possible((one, other), [], wrong)

    def _may_disable(self, update: _Side, other: _Side) -> bool:
        if update.breaks.isdisjoint(other.literals) or _exclude(update, other):
            return False
        wrong = self._broken(update, other.guard, update.known | other.known)
        return self._possible((update, other), [], list(wrong))

    def _broken(self, update: _Side, guard: Guard, known: Known) -> Iterator[Expression]:
        """The ways in which a guard that holds before a step may not hold after it."""
        memo: Known = {}
        for literal in guard:
            if literal in update.breaks:
                then = folded(update.after(self.atoms[literal // 2]), known, memo)
                yield _of(then, literal ^ 1)

    def _different(self, one: _Side, other: _Side, known: Known) -> Iterator[Expression]:
        """The ways in which it may matter which of two updates comes first."""
        memo: Known = {}
        for index in one.writes.keys() | other.writes.keys():
            first, then = one.writes.get(index), other.writes.get(index)
            one_last = other.after(first) if first is not None else then
            other_last = one.after(then) if then is not None else first
            if one_last is not other_last:
                assert one_last is not None
                assert other_last is not None
                sides = folded(one_last, known, memo), folded(other_last, known, memo)
                yield negation(equal(*sides))

    def _together(self, one: _Side, other: _Side) -> Facts:
        """The facts that may hold where both are enabled; none if that is nowhere."""
        if self.pairs is None:
            return -1
        found = one.facts & other.facts
        return self.pairs.where(self._conditions((*one.guard, *other.guard)), found)

    # --- what is possible ------------------------------------------------------------------------

    def _possible(
        self, sides: Sequence[_Side], facts: list[Expression], wrong: list[Expression]
    ) -> bool:
        """Whether one of some conditions may hold where guards and facts do."""
        wrong = [each for each in wrong if not _is_false(each)]
        if not wrong:
            return False
        if len(sides) > 1:
            one, other = sides
            for literal in other.guard:
                if _is_false(_of(folded(self.atoms[literal // 2], one.known, {}), literal)):
                    return False
        if self.pairs is not None:
            found = self._together(*sides) if len(sides) > 1 else sides[0].facts
            for fact in facts:
                found = self.pairs.where([(fact, True)], found) if found else 0
            wrong = [each for each in wrong if found and self.pairs.where([(each, True)], found)]
            if not wrong:
                return False
        guards = dict.fromkeys(literal for side in sides for literal in side.guard)
        facts = [*(_of(self.atoms[literal // 2], literal) for literal in guards), *facts]
        denied = {negation(fact) for fact in facts}
        wrong = [each for each in wrong if each not in denied]
        return bool(wrong) and self.may_hold(facts, wrong)


def _exclude(one: _Side, other: _Side) -> bool:
    """Whether two guards can be seen not to hold together: most that cannot are told so."""
    if any(literal ^ 1 in one.literals for literal in other.guard):
        return True
    return any(other.fixed.get(cell, value) != value for cell, value in one.fixed.items())


def _of(atom: Expression, literal: Literal) -> Expression:
    return atom if literal % 2 else negation(atom)


def _is_false(expression: Expression) -> bool:
    return isinstance(expression, Constant) and not expression.value


def _indices(expressions: Iterable[Expression]) -> set[int]:
    return {cell.index for cell in cells_read(expressions)}


__all__ = ["Bits", "MayHold", "Relations", "relations_of"]
