"""The transitions that partial order speaks of: each has a guard, a list of literals.

A transition is a leaf of a ground rule's decision tree: an update or a fault. There are also
*observers*, which change nothing: an observer is enabled in the states that settle a question, or
from which a step settles it. A reduction that preserves whether each observer can become enabled
preserves the answers, so visibility needs no rules of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from math import prod

from finale.checker.search.state_graph.folding import Known, cells_read, folded, learn, paths
from finale.checker.search.state_graph.graph import numbered
from finale.checker.search.state_graph.questions import Asked, Question, of_states, of_steps
from finale.model.expressions import And, Constant, Expression, IfThenElse, Not, Or
from finale.model.system import Blocked, System, Update

#: A question is split into so many observers at most: each waits for one way to settle it.
WAYS_MAX = 16

Literal = int
"""An atom by its number, times two; plus one where the atom is to be true."""

Guard = tuple[Literal, ...]
"""What must hold, all of it."""


class Never(Exception):
    """No state satisfies the guard."""


@dataclass(frozen=True)
class Transition:
    """A leaf of a rule with its guard; `writes` is empty for faults and observers."""

    guard: Guard
    writes: Mapping[int, Expression] = field(default_factory=dict[int, Expression])


@dataclass(frozen=True)
class Observer:
    """A way to settle a question about the property of this name."""

    name: str
    guard: Guard


class Atoms:
    """The conditions that guards consist of, numbered in the order found."""

    def __init__(self) -> None:
        self.all: list[Expression] = []
        self._numbers: dict[Expression, int] = {}

    def literal(self, atom: Expression, holds: bool) -> Literal:
        """Return the literal that says whether an atom holds."""
        number = self._numbers.get(atom)
        if number is None:
            number = self._numbers[atom] = len(self.all)
            self.all.append(atom)
        return 2 * number + holds

    def guard(self, literals: Iterable[tuple[Expression, bool]]) -> Guard:
        """Return the guard of some literals, without duplicates. Raises Never."""
        found = dict.fromkeys(self.literal(atom, holds) for atom, holds in literals)
        if any(literal ^ 1 in found for literal in found):
            raise Never
        return tuple(found)

    def known(self, guard: Iterable[Literal]) -> Known:
        """Return what is known if a guard holds."""
        known: Known = {}
        for literal in guard:
            known = learn(known, self.all[literal // 2], bool(literal % 2))
        return known


def literals(condition: Expression, holds: bool) -> Iterator[tuple[Expression, bool]]:
    """Yield the atoms that a condition is a conjunction of. Raises Never."""
    match condition:
        case Constant():
            if bool(condition.value) != holds:
                raise Never
        case Not():
            yield from literals(condition.operand, not holds)
        case And() if holds:
            for operand in condition.operands:
                yield from literals(operand, True)
        case Or() if not holds:
            for operand in condition.operands:
                yield from literals(operand, False)
        case _:
            yield condition, holds


Way = tuple[tuple[Expression, bool], ...]


def ways(condition: Expression, holds: bool) -> list[Way]:
    """Return the conjunctions whose disjunction is the condition; only one if they are too many."""
    try:
        return [tuple(way) for way in _ways(condition, holds)]
    except _TooMany:
        return [tuple(literals(condition, holds))]


class _TooMany(Exception):
    pass


def _ways(condition: Expression, holds: bool) -> list[Way]:
    match condition:
        case Constant():
            return [()] if bool(condition.value) == holds else []
        case Not():
            return _ways(condition.operand, not holds)
        case And() | Or() if isinstance(condition, And) == holds:
            choices = [_ways(part, holds) for part in condition.operands]
            if prod(map(len, choices)) > WAYS_MAX:  # before they are built
                raise _TooMany
            found = [tuple(each for part in parts for each in part) for parts in product(*choices)]
        case And() | Or():
            found = [way for part in condition.operands for way in _ways(part, holds)]
        case IfThenElse():
            found = [
                (*first, *then)
                for outcome, side in ((True, condition.yes), (False, condition.no))
                for first in _ways(condition.condition, outcome)
                for then in _ways(side, holds)
            ]
        case _:
            return [((condition, holds),)]
    if len(found) > WAYS_MAX:
        raise _TooMany
    return found


@dataclass(frozen=True)
class Transitions:
    """All transitions of a system: `leaves` by number, None if unreachable; and observers."""

    system: System
    atoms: Atoms
    leaves: tuple[Transition | None, ...]
    observers: tuple[Observer, ...]


def transitions_of(system: System) -> Transitions:
    """Return the transitions and observers of a system."""
    atoms = Atoms()
    found, numbers = numbered(system)
    leaves: list[Transition | None] = [None] * len(found)
    observers: dict[Observer, None] = {}
    for name, condition in _asked_of_states(system):
        for guard in _guards(atoms, (), condition):
            observers[Observer(name, guard)] = None
    for number, rule in enumerate(system.rules):
        asked = of_steps(system, number)
        for path in paths(rule.tree, {}):
            if isinstance(path.end, Blocked):
                continue
            try:
                way = tuple(each for test in path.tests for each in literals(*test))
                guard = atoms.guard(way)
            except Never:
                continue
            cells = system.cells
            writes = {i: new for i, new in path.writes().items() if new is not cells[i]}
            if isinstance(path.end, Update):
                for name, condition in _asked_of_step(system, asked, path.known, writes):
                    for each in _guards(atoms, way, condition):
                        observers[Observer(name, each)] = None
            leaves[numbers[number, id(path.end)]] = Transition(guard, writes)
    return Transitions(system, atoms, tuple(leaves), tuple(observers))


def _guards(atoms: Atoms, path: Way, condition: Expression) -> Iterator[Guard]:
    for way in ways(condition, True):
        try:
            yield atoms.guard((*path, *way))
        except Never:
            continue


def _name(system: System, question: Question) -> str:
    return system.properties[question.subject].name


def _asked_of_states(system: System) -> Iterator[tuple[str, Expression]]:
    for question in of_states(system):
        if question.asked is not Asked.WHEN:
            yield _name(system, question), question.condition


def _asked_of_step(
    system: System, asked: list[Question], known: Known, writes: Mapping[int, Expression]
) -> Iterator[tuple[str, Expression]]:
    """What is asked of a step, as conditions on the state that it starts from."""
    conditions = [each.condition for each in asked if each.asked is not Asked.WHEN]
    known, memo = dict(known), dict[Expression, Expression]()
    for read in cells_read(conditions):
        if read.after:
            before = system.cells[read.index]
            known[read] = writes.get(read.index, known.get(before, before))
    for question in asked:
        if question.asked is not Asked.WHEN:
            yield _name(system, question), folded(question.condition, known, memo)


__all__ = [
    "Atoms", "Guard", "Literal", "Never", "Observer", "Transition", "Transitions",
    "transitions_of", "ways",
]  # fmt: skip
