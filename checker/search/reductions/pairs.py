"""Finds which values two cells can have at the same time: an invariant over pairs of cells.

A *fact* says that a cell has a value. The table has, for each fact, the facts that may hold beside
it in a reachable state. It is the least table that contains the facts of the initial states and
that no update leaves: an update is applied where the table allows its guard, and the facts after it
are added. This is the abstract reachability of pairs that planners use (Haslum and Geffner,
"Admissible heuristics for optimal planning", 2000): the table contains at least what is reachable,
so facts that it does not pair never hold together. No search is needed, and no prover.

Sets of facts are integers, one bit each. A set that has no value for some cell is empty: no state
is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from finale.checker.search.state_graph.folding import cells_read
from finale.model.expressions import (
    FALSE,
    TRUE,
    And,
    Cell,
    Constant,
    Equal,
    Expression,
    IfThenElse,
    Not,
    Or,
)
from finale.model.semantics import evaluate
from finale.model.system import State

Facts = int
"""A set of facts, one bit each."""

#: So many combinations of values of the cells of one expression are tried; of more, all are taken
#: for possible.
COMBINATIONS_MAX = 300
#: A condition is taken apart in so many parts at most; the rest is taken for possible.
PARTS_MAX = 100
#: A step distinguishes so many ways to write one cell; of more, only the values written.
ROWS_MAX = 24
#: So many cases of one value are told apart; of more, none is.
CASES_MAX = 64


@dataclass(frozen=True)
class Step:
    """What the table is closed under: where all conditions hold, cells get new values."""

    guard: tuple[tuple[Expression, bool], ...]
    writes: Mapping[int, Expression]


@dataclass(frozen=True)
class _Row:
    """One value that a step may write: the fact after it, the facts it comes from, and those that
    may hold beside these before it."""

    fact: int
    own: Facts
    beside: Facts
    #: Whether it stands for several ways to write the value, and `own` is not known.
    is_joined: bool = False


class TooMany(Exception):
    """A step writes a product from too many cells."""


class Pairs:
    """The table, and what follows from it."""

    def __init__(self, cells: Sequence[Expression], cells_own: int | None = None) -> None:
        self._cells = cells
        self._first: list[int] = []
        self._values: list[Facts] = []
        count = 0
        for each in self._cells:
            self._first.append(count)
            size = each.high - each.low + 1
            self._values.append(((1 << size) - 1) << count)
            count += size
        #: Cells from here on stand for several others: these have values together only if it does.
        self._products = self._values[len(cells) if cells_own is None else cells_own :]
        self._owner = [
            i for i, cell in enumerate(self._cells) for _ in range(cell.low, cell.high + 1)
        ]
        #: The facts that may hold beside each fact, and the fact itself.
        self.beside: list[Facts] = [0] * count
        self._known: dict[tuple[Expression, tuple[int, ...]], int] = {}
        self._support: dict[Expression, tuple[int, ...]] = {}
        self._scratch = [each.low for each in self._cells]
        self._changed: Facts = 0
        self._looked_at: Facts = 0
        self._parts = 0

    # --- the table -------------------------------------------------------------------------------

    def close(
        self,
        initial: Iterable[State],
        steps: Sequence[Step],
        look: Callable[[], None] = lambda: None,
    ) -> None:
        """Fill the table: with the initial states, and with all that the steps lead to."""
        for state in initial:
            facts = sum(1 << self.fact(i, value) for i, value in enumerate(state))
            for fact in numbers_in(facts):
                self._add(fact, facts)
        #: The facts whose pairs were looked at when each step was last applied; at first, all.
        looked_at: list[Facts] = [-1] * len(steps)
        dirty = [True] * len(steps)
        while any(dirty):
            for number, step in enumerate(steps):
                if not dirty[number]:
                    continue
                look()
                before = self.reachable
                self._looked_at = self._changed = 0
                self._take(step)
                looked_at[number], dirty[number] = self._looked_at, False
                if self._changed:
                    grown = self.reachable != before
                    for other, facts in enumerate(looked_at):
                        dirty[other] = dirty[other] or grown or bool(facts & self._changed)

    def _take(self, step: Step) -> None:
        before = self.where(step.guard)
        if not before:
            return
        kept = before
        for index in step.writes:
            kept &= ~self._values[index]
        found: dict[int, list[_Row]] = {}
        for index, value in step.writes.items():
            rows = list(self._rows(index, value, before))
            if not rows:
                return  # no state is left
            found[index] = rows
        for rows in found.values():
            for row in rows:
                self._add(row.fact, row.beside & kept | 1 << row.fact)
        self._add_pairs_of_written(found)

    def _add_pairs_of_written(self, found: Mapping[int, list[_Row]]) -> None:
        """The facts that a step writes hold together if what they come from does."""
        #: What is written, by what it comes from; and what is written whatever that is.
        written: dict[Facts, Facts] = {}
        joined = 0
        for rows in found.values():
            for row in rows:
                if row.is_joined:
                    joined |= 1 << row.fact
                else:
                    written[row.own] = written.get(row.own, 0) | 1 << row.fact
        together: dict[Facts, Facts] = {}
        for index, rows in found.items():
            for row in rows:
                after = together.get(row.beside)
                if after is None:
                    after = 0
                    for own, facts in written.items():
                        if not own & ~row.beside:
                            after |= facts
                    together[row.beside] = after
                if row.is_joined:
                    after |= joined
                self._add(row.fact, after & ~self._values[index] | 1 << row.fact)

    def _rows(self, index: int, value: Expression, before: Facts) -> Iterator[_Row]:
        """The values that a step may write to a cell."""
        first, low = self._first[index], self._cells[index].low
        found: dict[tuple[int, Facts], Facts] = {}
        self._parts = -COMBINATIONS_MAX
        for assigned, own, beside in self._assignments(self._cells_of(value), before):
            number = self._evaluated(value, assigned)
            if self._cells[index].low <= number <= self._cells[index].high:
                key = first + number - low, own
                found[key] = found.get(key, 0) | beside
        if self._too_many:
            yield from self._rows_of_cases(index, value, before)
            return
        if len(found) > ROWS_MAX:
            joined: dict[int, Facts] = {}
            for (fact, _), beside in found.items():
                joined[fact] = joined.get(fact, 0) | beside
            for fact, beside in joined.items():
                yield _Row(fact, 0, beside, is_joined=True)
            return
        for (fact, own), beside in found.items():
            yield _Row(fact, own, beside)

    def _rows_of_cases(self, index: int, value: Expression, before: Facts) -> Iterator[_Row]:
        """The same, where a value reads too many cells to try them all: case by case."""
        first, low = self._first[index], self._cells[index].low
        cases = list(self._cases(value, before))
        if len(cases) > CASES_MAX:
            cases = [(value, before)]
        for case, facts in cases:
            own = self._fixed(facts)
            if isinstance(case, Constant):
                if low <= case.value <= self._cells[index].high:
                    yield _Row(first + case.value - low, own, facts)
                continue
            self._parts = -COMBINATIONS_MAX
            found: dict[tuple[int, Facts], Facts] = {}
            for assigned, more, beside in self._assignments(self._cells_of(case), facts):
                number = self._evaluated(case, assigned)
                if low <= number <= self._cells[index].high:
                    key = first + number - low, own | more
                    found[key] = found.get(key, 0) | beside
            if self._too_many and self._values[index] in self._products:
                raise TooMany
            if self._too_many:
                for fact in numbers_in(self._values[index]):
                    yield _Row(fact, own, facts)
            else:
                for (fact, more), beside in found.items():
                    yield _Row(fact, more, beside)

    def _cases(self, value: Expression, facts: Facts) -> Iterator[tuple[Expression, Facts]]:
        """What a value is in each case, and the facts that may hold there."""
        if isinstance(value, Constant):
            yield value, facts
        elif isinstance(value, IfThenElse):
            for holds, side in ((True, value.yes), (False, value.no)):
                there = self.where([(value.condition, holds)], facts)
                if there:
                    yield from self._cases(side, there)
        elif value.boolean and not isinstance(value, Cell):
            for holds in (False, True):
                there = self.where([(value, holds)], facts)
                if there:
                    yield TRUE if holds else FALSE, there
        else:
            yield value, facts

    def _fixed(self, facts: Facts) -> Facts:
        """Those facts of a set that are the only one of their cell."""
        fixed = 0
        for values in self._values:
            left = facts & values
            if not left & (left - 1):
                fixed |= left
        return fixed

    def _add(self, fact: int, facts: Facts) -> None:
        """Facts may hold beside a fact."""
        fresh = facts & ~self.beside[fact]
        if not fresh:
            return
        self.beside[fact] |= fresh
        self._changed |= fresh | 1 << fact
        for other in numbers_in(fresh):
            self.beside[other] |= 1 << fact

    # --- what follows ----------------------------------------------------------------------------

    def fact(self, index: int, value: int) -> int:
        """The number of a fact."""
        return self._first[index] + value - self._cells[index].low

    @property
    def reachable(self) -> Facts:
        """All facts that may hold."""
        return sum(1 << fact for fact, beside in enumerate(self.beside) if beside)

    def values_of(self, index: int, facts: Facts | None = None) -> Iterator[int]:
        """Yield the values that a cell may have."""
        found = self.reachable if facts is None else facts
        for fact in numbers_in(found & self._values[index]):
            yield self._cells[index].low + fact - self._first[index]

    def moves(self, index: int, value: Expression, before: Facts) -> Iterator[tuple[int, int]]:
        """Yield what a cell may be before and after it is written, where some facts may hold."""
        low = self._cells[index].low - self._first[index]
        for row in self._rows(index, value, before):
            for each in self.values_of(index, row.beside):
                yield each, row.fact + low

    def where(self, guard: Iterable[tuple[Expression, bool]], facts: Facts | None = None) -> Facts:
        """The facts that may hold where all of some conditions do; none if no state is there."""
        found = self.reachable if facts is None else facts
        conditions = list(guard)
        # What fixes a cell comes first: less is left to try for the rest.
        conditions.sort(key=lambda each: len(self._cells_of(each[0])))
        for condition, holds in conditions:
            self._parts = 0
            found = self.narrowed(found, condition, holds)
            if not found:
                return 0
        return self._settled(found)

    def narrowed(self, facts: Facts, condition: Expression, holds: bool = True) -> Facts:
        """The facts of a set that may hold where a condition does."""
        self._parts += 1
        if self._parts > PARTS_MAX:
            return facts
        match condition:
            case Constant():
                return facts if bool(condition.value) == holds else 0
            case Not():
                return self.narrowed(facts, condition.operand, not holds)
            case Cell():
                return self._choose(facts, self.fact(condition.index, int(holds)))
            case Equal(left=Cell() as cell, right=Constant() as value):
                if not cell.low <= value.value <= cell.high:
                    return 0 if holds else facts
                fact = self.fact(cell.index, value.value)
                return (
                    self._choose(facts, fact)
                    if holds
                    else self._left(facts & ~(1 << fact), cell.index)
                )
            case And() | Or() if isinstance(condition, And) == holds:
                for each in condition.operands:
                    facts = self.narrowed(facts, each, holds)
                    if not facts:
                        return 0
                return facts
            case And() | Or():
                found = 0
                for each in condition.operands:
                    found |= self.narrowed(facts, each, holds)
                return found
            case IfThenElse():
                then = self.narrowed(facts, condition.condition, True)
                otherwise = self.narrowed(facts, condition.condition, False)
                return (self.narrowed(then, condition.yes, holds) if then else 0) | (
                    self.narrowed(otherwise, condition.no, holds) if otherwise else 0
                )
            case _:
                return self._tried(facts, condition, holds)

    def _tried(self, facts: Facts, condition: Expression, holds: bool) -> Facts:
        """The same, by trying the values of the cells of the condition."""
        found = 0
        for assigned, _, beside in self._assignments(self._cells_of(condition), facts):
            if bool(self._evaluated(condition, assigned)) == holds:
                found |= beside
        return facts if self._too_many else found

    def _choose(self, facts: Facts, fact: int) -> Facts:
        return facts & self._with(fact) if facts >> fact & 1 else 0

    def _with(self, fact: int) -> Facts:
        """The facts that may hold beside a fact, which is noted."""
        self._looked_at |= 1 << fact
        return self.beside[fact]

    def _left(self, facts: Facts, index: int) -> Facts:
        """The same facts, where a cell has lost a value: if one is left, it holds."""
        left = facts & self._values[index]
        if not left:
            return 0
        return facts if left & (left - 1) else facts & self._with(left.bit_length() - 1)

    def _settled(self, facts: Facts) -> Facts:
        """The same facts, where a cell that has one value left has it; none if one has none."""
        done = 0
        while True:
            before = facts
            for values in self._values:
                left = facts & values
                if not left:
                    return 0
                if not left & (left - 1) and not left & done:
                    done |= left
                    facts &= self._with(left.bit_length() - 1)
            if facts == before:
                return facts

    def _evaluated(self, expression: Expression, state: State) -> int:
        """The value of an expression in a state: the same few are asked again and again."""
        values = tuple([state[index] for index in self._cells_of(expression)])
        found = self._known.get((expression, values))
        if found is None:
            found = self._known[expression, values] = evaluate(expression, state)
        return found

    def _cells_of(self, expression: Expression) -> tuple[int, ...]:
        found = self._support.get(expression)
        if found is None:
            indices = sorted(cell.index for cell in cells_read([expression]))
            found = self._support[expression] = tuple(indices)
        return found

    def _assignments(
        self, cells: tuple[int, ...], facts: Facts
    ) -> Iterator[tuple[State, Facts, Facts]]:
        """The values that some cells may have together: as a state that has them, as facts, and
        the facts that may hold beside these. `_too_many` tells if some are left out."""
        self._too_many = False
        order = sorted(cells, key=lambda index: (facts & self._values[index]).bit_count())
        scratch, count = self._scratch, 0

        def go_on(place: int, own: Facts, beside: Facts) -> Iterator[tuple[State, Facts, Facts]]:
            nonlocal count
            if place == len(order):
                count += 1
                self._parts += 1
                yield scratch, own, beside  # type: ignore[misc]
                return
            index = order[place]
            for fact in numbers_in(beside & self._values[index]):
                if count > COMBINATIONS_MAX or self._parts > PARTS_MAX:
                    self._too_many = True
                    return
                scratch[index] = self._cells[index].low + fact - self._first[index]
                left = beside & self._with(fact)
                if all(left & values for values in self._products):
                    yield from go_on(place + 1, own | 1 << fact, left)

        yield from go_on(0, 0, facts)


def numbers_in(bits: int) -> Iterator[int]:
    """Yield the numbers in a set, in order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


__all__ = ["Facts", "Pairs", "Step", "TooMany", "numbers_in"]
