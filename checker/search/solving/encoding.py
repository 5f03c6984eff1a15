"""Encodes one step of a system as a transition relation over bit-vectors.

A step takes a leaf of the decision tree of a ground rule. Each leaf has a truth value that says
whether the step takes it. The truth value implies the tests on the path to the leaf, and its
writes. One clause for each cell says that the cell keeps its value unless a taken leaf writes it,
so no frame condition can be missing. The number of the taken rule keeps two rules from being taken
at once.

Independent steps are taken in rule order only: if two consecutive steps read and write nothing of
each other, the first one has the lower rule. Every state keeps a shortest run to it under this
restriction, and the least of these runs by rule order.
"""

from __future__ import annotations

# z3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import z3

from finale.checker.search.state_graph.folding import cells_read, paths
from finale.model.expressions import Expression, conjunction, negation
from finale.model.system import Blocked, Fault, State, System, Update

from .bit_vectors import BitVectorTerms, Substitution, Term, all_of, any_of, value_term, variable_of


@dataclass(frozen=True)
class RulePath:
    """A leaf of the decision tree of a rule, the tests on the path to the leaf, and its writes.

    Tests and new values are simplified by what is known on the path.
    """

    rule: int
    tests: tuple[Expression, ...]
    end: Update | Fault | Blocked
    writes: dict[int, Expression] = field(default_factory=dict[int, Expression])

    @cached_property
    def condition(self) -> Expression:
        """The condition under which the rule takes this leaf."""
        return conjunction(self.tests)

    @cached_property
    def reads(self) -> frozenset[int]:
        """The cells that tests and new values read."""
        return frozenset(each.index for each in cells_read([*self.tests, *self.writes.values()]))

    def is_independent_of(self, other: RulePath) -> bool:
        """Return whether the order of the two does not matter."""
        return not (
            self.writes.keys() & (other.reads | other.writes.keys())
            or other.writes.keys() & self.reads
        )


def ways_of(system: System) -> tuple[RulePath, ...]:
    """Return all paths through all trees, in rule order, `yes` before `no`."""
    return tuple(
        RulePath(
            index,
            tuple(test if outcome else negation(test) for test, outcome in path.tests),
            path.end,
            path.writes(),
        )
        for index, rule in enumerate(system.rules)
        for path in paths(rule.tree, {})
    )


class TransitionRelation:
    """The terms of a system. State `n` comes after `n` steps."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.context = z3.Context()
        self.ways = ways_of(system)
        self.taken = tuple(way for way in self.ways if isinstance(way.end, Update))
        self.initial_states = tuple(dict.fromkeys(system.initial))
        self._cells = [
            (index, cell) for index, cell in enumerate(system.cells) if cell.low < cell.high
        ]
        self.free = tuple(index for index, _ in self._cells)
        self._before = {i: variable_of(cell, f"c{i}", self.context) for i, cell in self._cells}
        self._after = {i: variable_of(cell, f"n{i}", self.context) for i, cell in self._cells}
        count = range(len(self.taken))
        self._takes = [z3.Bool(f"t{i}", self.context) for i in count]
        self._took = [z3.Bool(f"p{i}", self.context) for i in count]
        bits = max(1, (max(len(system.rules), len(self.initial_states)) - 1).bit_length())
        self._choice = z3.BitVec("r", bits, self.context)
        self._terms = BitVectorTerms(self._before, self.context)
        self._made: dict[tuple[int, int], Term] = {}
        self._renamings: dict[int, Substitution] = {}

    # --- the template of a step ------------------------------------------------------------------

    @cached_property
    def _step(self) -> Term:
        """What one step may do, of the variables before and after it."""
        return self._joined([*self._chosen(), *self._written(), *self._kept()])

    def _chosen(self) -> Iterator[Term]:
        """Some way is taken, where its tests hold; its rule has the number chosen."""
        yield self._any(self._takes)
        for takes, way in zip(self._takes, self.taken, strict=True):
            yield z3.Implies(takes, self._choice == way.rule)
            for test in way.tests:
                yield z3.Implies(takes, self._terms.of(test))

    def _written(self) -> Iterator[Term]:
        for takes, way in zip(self._takes, self.taken, strict=True):
            for index, value in way.writes.items():
                if index in self._after:
                    new = self._terms.new_value(value, self.system.cells[index])
                    yield z3.Implies(takes, self._after[index] == new)

    def _kept(self) -> Iterator[Term]:
        for index, _ in self._cells:
            writers = [
                takes
                for takes, way in zip(self._takes, self.taken, strict=True)
                if index in way.writes
            ]
            yield self._any([self._after[index] == self._before[index], *writers])

    @cached_property
    def _order(self) -> Term:
        """A step that the one before it neither enables nor disturbs does not have a lower rule."""
        clauses: list[Term] = []
        for takes, way in zip(self._takes, self.taken, strict=True):
            before = [
                took
                for took, other in zip(self._took, self.taken, strict=True)
                if other.rule <= way.rule or not way.is_independent_of(other)
            ]
            if len(before) < len(self.taken):
                clauses.append(self._any([z3.Not(takes), *before]))
        return self._joined(clauses)

    # --- at a place of a run ---------------------------------------------------------------------

    def initial(self) -> Term:
        """Return the term: state 0 is the initial state with the number chosen."""
        cases: list[Term] = [z3.ULT(self._choice, len(self.initial_states))]
        if len(self.initial_states) - 1 == (1 << self._choice.size()) - 1:
            cases = []
        for number, state in enumerate(self.initial_states):
            is_it = self._joined(self._equals(self._before, state))
            cases.append(z3.Implies(self._choice == number, is_it))
        return self._at(self._joined(cases), -1)

    def step(self, number: int, in_order: bool = True) -> Term:
        """Return the term: step `number` leads from the state of that number to the next.

        Unless `in_order`, the step may come after a step that it is independent of.
        """
        parts = [self._step, self._order] if number and in_order else [self._step]
        return self._at(self._joined(parts), number)

    def holds(self, condition: Expression, number: int) -> Term:
        """Return the term: a condition holds in a state."""
        return self._at(self._terms.of(condition), number)

    def bounds(self, number: int) -> Term:
        """Return the term: the cells of a state are within their bounds."""
        spans = ((i, cell, cell.high - cell.low) for i, cell in self._cells)
        return self._joined(
            z3.ULE(self._cell(i, number), span)
            for i, cell, span in spans
            if not cell.boolean and span & (span + 1)
        )

    def differ(self, one: int, other: int) -> Term:
        """Return the term: two states differ."""
        return self._any([self._cell(i, one) != self._cell(i, other) for i, _ in self._cells])

    def negated(self, term: Term) -> Term:
        """Return the negation of a term."""
        return z3.Not(term)

    def is_at(self, index: int, value: int, number: int) -> Term:
        """Return the term: a cell has a value in a state."""
        cell = self.system.cells[index]
        return self._cell(index, number) == value_term(cell, value, self.context)

    def is_outside(self, cube: Iterable[tuple[int, int]], number: int) -> Term:
        """Return the term: one of these cells has another value in a state."""
        return self._any([z3.Not(self.is_at(*each, number)) for each in sorted(cube)])

    def name(self, text: str) -> Term:
        """Return a free truth value of this name."""
        return z3.Bool(text, self.context)

    def implied(self, name: Term, term: Term) -> Term:
        """Return the term: the name implies a term."""
        return z3.Implies(name, term)

    def choice(self, number: int) -> Term:
        """Return the rule that step `number` takes; for -1, the initial state."""
        return z3.BitVec(f"r@{number}", self._choice.size(), self.context)

    def chosen(self, model: Term, number: int) -> int:
        """Return the choice in a run that was found."""
        return int(model.eval(self.choice(number), model_completion=True).as_long())

    def state(self, model: Term, number: int) -> State:
        """Return a state of a run that was found."""
        values = [cell.low for cell in self.system.cells]
        for index, cell in self._cells:
            value = model.eval(self._cell(index, number), model_completion=True)
            values[index] += int(z3.is_true(value)) if cell.boolean else value.as_long()
        return tuple(values)

    def _equals(self, variables: dict[int, Term], state: State) -> Iterator[Term]:
        for index, cell in self._cells:
            yield variables[index] == value_term(cell, state[index], self.context)

    def _cell(self, index: int, number: int) -> Term:
        key = index, number
        if key not in self._made:
            cell = self.system.cells[index]
            self._made[key] = variable_of(cell, f"c{index}@{number}", self.context)
        return self._made[key]

    def _at(self, term: Term, number: int) -> Term:
        """A term of the template, of a step or a state."""
        if number not in self._renamings:
            self._renamings[number] = Substitution(*zip(*self._pairs(number), strict=True))
        return self._renamings[number].of(term)

    def _pairs(self, number: int) -> Iterator[tuple[Term, Term]]:
        """What is what in the step of a number; before the first, there are initial states."""
        here = max(number, 0)
        for index, _ in self._cells:
            yield self._before[index], self._cell(index, here)
            yield self._after[index], self._cell(index, here + 1)
        for i in range(len(self.taken)):
            yield self._takes[i], z3.Bool(f"t{i}@{number}", self.context)
            yield self._took[i], z3.Bool(f"t{i}@{number - 1}", self.context)
        yield self._choice, self.choice(number)

    def _joined(self, terms: Iterable[Term]) -> Term:
        return all_of([*terms], self.context)

    def _any(self, terms: Sequence[Term]) -> Term:
        return any_of(terms, self.context)
