"""Checks an invariant anew: one question, over integers, for each path of a rule.

The check shares nothing with the search for the invariant: neither its encoding of steps, nor
bit-vectors, nor its solver. It replaces what a condition reads by what the step writes, so it says
nothing about cells that keep their values. An induction over several steps is checked anew, too;
its base case lists states.
"""

from __future__ import annotations

# z3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import z3

from finale.checker.search.state_graph.folding import Known, cells_read, folded
from finale.model.expressions import Cell, Expression, conjunction, constant, disjunction, negation
from finale.model.semantics import evaluate, steps
from finale.model.system import State, System

from .cubes import Cube, within
from .encoding import RulePath, ways_of
from .solver import Solver
from .translation import Term, Translation, Variables, all_of, any_of


@dataclass(frozen=True)
class Certificate:
    """An invariant was confirmed; the number of questions that this took."""

    clauses: tuple[Expression, ...]
    questions: int


@dataclass
class Certifier:
    """Checks invariants of a system. `look` may raise to stop it."""

    system: System
    look: Callable[[], None]
    questions: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._context = z3.Context()
        self._solver = Solver(self._context, self.look, "QF_LIA")
        self._terms = Translation(Variables("cell", self._context, self._solver.add), self._context)
        self._ways = tuple(way for way in ways_of(self.system) if way.writes)

    def certify(self, clauses: Sequence[Expression], bad: Expression) -> Certificate | str:
        """Return a certificate: the clauses hold initially, each step keeps them, and they exclude
        all bad states. Otherwise, return which of these is wrong.
        """
        began = self.questions
        for state in dict.fromkeys(self.system.initial):
            if not all(evaluate(clause, state) for clause in clauses):
                return "a clause does not hold at the start"
        together = self._given(clauses)
        if self._can_be(together, bad):
            return "the clauses do not rule out what is bad"
        for way in self._ways:
            if self._can_be(together, self._breaks(way, clauses)):
                rule = self.system.rules[way.rule]
                return f"a clause is not kept by {rule}"
        return Certificate(tuple(clauses), self.questions - began)

    def certify_cubes(
        self, cubes: Iterable[Cube], bad: Expression
    ) -> tuple[tuple[Cube, ...], Certificate | str]:
        """Return a few of the cubes, and the certificate that their clauses exclude all bad states.

        Otherwise, return what is wrong with the clauses.
        """
        clauses = {negation(within(self.system, cube)): cube for cube in sorted(cubes, key=_size)}
        needed = self.needed([*clauses], bad)
        return tuple(clauses[clause] for clause in needed), self.certify(needed, bad)

    def core(
        self, clauses: Sequence[Expression], bad: Expression, assumed: Sequence[Expression]
    ) -> frozenset[int] | None:
        """Return the numbers of a few conditions, out of constant ones, under which the clauses are
        an invariant; None if all conditions together do not suffice. No condition of the core is
        superfluous.
        """
        together, names = self._given(clauses), [self._given([each]) for each in assumed]
        breaks = [bad, *(self._breaks(way, clauses) for way in self._ways)]
        asked = [[self._asked(at_start)] for at_start in self._broken_at_start(clauses)]
        asked += [[together, self._asked(broken)] for broken in breaks]
        everything, cores = frozenset(range(len(names))), dict[int, frozenset[int]]()
        for number, literals in enumerate(asked):
            found = self._resting(literals, names, everything)
            if found is None:
                return None
            cores[number] = found
        taken = frozenset[int]().union(*cores.values())
        for each in sorted(taken):
            others: dict[int, frozenset[int]] = {}
            for number in (number for number, core in cores.items() if each in core):
                found = self._resting(asked[number], names, taken - {each})
                if found is None:
                    break
                others[number] = found
            else:
                taken, cores = taken - {each}, cores | others
        return taken

    def _broken_at_start(self, clauses: Sequence[Expression]) -> Iterator[Expression]:
        """That some clause does not hold in an initial state, by what the states do not say."""
        for state in dict.fromkeys(self.system.initial):
            known: Known = {
                each: constant(value, each.boolean)
                for each, value in zip(self.system.cells, state, strict=True)
            }
            yield folded(negation(conjunction(clauses)), known, {})

    def _resting(
        self, literals: Sequence[Term], names: Sequence[Term], taken: frozenset[int]
    ) -> frozenset[int] | None:
        """Of the names taken, those for which literals cannot be together; nothing if they can."""
        self.questions += 1
        if self._solver.can_be(*literals, *(names[each] for each in sorted(taken))):
            return None
        core = self._solver.core()
        return frozenset(each for each in taken if names[each].get_id() in core)

    def needed(self, clauses: Sequence[Expression], bad: Expression) -> tuple[Expression, ...]:
        """Return a few clauses of an invariant that are an invariant by themselves, in order."""
        names = [self._given([clause]) for clause in clauses]
        taken: set[int] = set()
        asked: list[Expression] = [bad]
        while asked:
            for number in self._reasons(asked.pop(), names, taken):
                taken.add(number)
                breaks = (self._breaks(way, [clauses[number]]) for way in self._ways)
                asked.append(disjunction(breaks))
        return tuple(clauses[number] for number in sorted(taken))

    def _reasons(self, wanted: Expression, names: Sequence[Term], taken: set[int]) -> list[int]:
        """Clauses that rule something out together with those that are taken: none is left over."""
        literal = self._asked(wanted)
        known = [names[number] for number in sorted(taken)]
        reasons = self._core(literal, known, names) if self._together(literal, known) else []
        for number in [*reasons]:
            fewer = [each for each in reasons if each != number]
            if not self._together(literal, [*known, *(names[each] for each in fewer)]):
                reasons = fewer
        self._solver.drop(literal)
        return reasons

    def _core(self, literal: Term, known: Sequence[Term], names: Sequence[Term]) -> list[int]:
        assert not self._together(literal, names), "they are an invariant"
        core = self._solver.core() - {each.get_id() for each in known}
        return [number for number, name in enumerate(names) if name.get_id() in core]

    def _together(self, literal: Term, names: Sequence[Term]) -> bool:
        self.questions += 1
        return self._solver.can_be(literal, *names)

    def _asked(self, wanted: Expression) -> Term:
        return self._solver.literal(self._terms.of(wanted))

    def _given(self, clauses: Sequence[Expression]) -> Term:
        return self._asked(conjunction(clauses))

    def _can_be(self, given: Term, wanted: Expression) -> bool:
        self.questions += 1
        literal = self._asked(wanted)
        found = self._solver.can_be(given, literal)
        self._solver.drop(literal)
        return found

    def _breaks(self, way: RulePath, clauses: Sequence[Expression]) -> Expression:
        """That a way is taken, and some clause does not hold after it."""
        after: Known = {
            cell: way.writes[index]
            for index, cell in enumerate(self.system.cells)
            if isinstance(cell, Cell) and index in way.writes
        }
        memo: Known = {}
        touched = [
            folded(clause, after, memo)
            for clause in clauses
            if any(cell.index in way.writes for cell in cells_read([clause]))
        ]
        return conjunction([way.condition, negation(conjunction(touched))])


def certify_steps(
    system: System, bad: Expression, over: int, look: Callable[[], None]
) -> Certificate | str:
    """Return a certificate: after this many different consecutive states that are not bad, no bad
    state follows, and no shorter run from the start is bad. Otherwise, return what is wrong.
    """
    states = dict.fromkeys(system.initial)
    level = tuple(states)
    for number in range(over):
        if any(evaluate(bad, state) for state in level):
            return f"a bad state is reached in {number} steps"
        level = tuple(_after(system, level, states, look))
    row = _Row(system, look)
    for number in range(over):
        row.hold(negation(bad), number)
        row.step(number)
    row.hold(bad, over)
    if row.can_be():
        return f"{over} states that are not bad may come before one that is"
    return Certificate((), 1)


def _after(
    system: System, level: Sequence[State], seen: dict[State, None], look: Callable[[], None]
) -> Iterator[State]:
    """The states that one step leads to from a level, and which were not seen before."""
    for state in level:
        look()
        for step in steps(system, state):
            if isinstance(step.result, tuple) and step.result not in seen:
                seen[step.result] = None
                yield step.result


class _Row:
    """States in a row, in integers, no two of them the same, and which way leads to the next."""

    def __init__(self, system: System, look: Callable[[], None]) -> None:
        self._system, self._context = system, z3.Context()
        self._solver = Solver(self._context, look, "QF_LIA")
        self._cells = [each for each in system.cells if isinstance(each, Cell)]
        self._ways = tuple(way for way in ways_of(system) if way.writes)
        self._states: list[Translation] = []
        self._state()

    def _state(self) -> Translation:
        name = f"cell{len(self._states)}."
        variables = Variables(name, self._context, self._solver.add)
        state = Translation(variables, self._context)
        for other in self._states:
            differ = [state.of(each) != other.of(each) for each in self._cells]
            self._solver.add(any_of(differ, self._context))
        self._states.append(state)
        return state

    def hold(self, condition: Expression, number: int) -> None:
        """That a condition holds in a state."""
        self._solver.add(self._states[number].of(condition))

    def step(self, number: int) -> None:
        """That some way leads from the last state to a new one."""
        here, after = self._states[number], self._state()
        taken: list[Term] = []
        for way in self._ways:
            becomes = [
                after.of(each) == here.of(way.writes.get(each.index, each)) for each in self._cells
            ]
            taken.append(all_of([here.of(way.condition), *becomes], self._context))
        self._solver.add(any_of(taken, self._context))

    def can_be(self) -> bool:
        """Return whether there may be such states."""
        return self._solver.can_be()


def _size(cube: Cube) -> tuple[int, list[tuple[int, int]]]:
    return len(cube), sorted(cube)
