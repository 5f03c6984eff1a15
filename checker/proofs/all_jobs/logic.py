"""What formulas over a graph are made of: terms of z3, or plain values on a given graph.

z3 is asked in two ways: over any number of nodes, with quantifiers, and over a fixed number, with
each quantifier written out. The third way computes on one given graph. It compares what was read
off a method with what the method does.
"""

from __future__ import annotations

# z3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

Term = Any
"""A formula, a number or a node: of z3, or a plain value."""


class Logic(ABC):
    """How formulas are made. Quantifiers range over nodes."""

    @abstractmethod
    def number(self, value: int) -> Term: ...
    @abstractmethod
    def truth(self, value: bool) -> Term: ...
    @abstractmethod
    def negation(self, formula: Term) -> Term: ...
    @abstractmethod
    def conjunction(self, formulas: Sequence[Term]) -> Term: ...
    @abstractmethod
    def disjunction(self, formulas: Sequence[Term]) -> Term: ...
    @abstractmethod
    def choice(self, condition: Term, yes: Term, no: Term) -> Term: ...
    @abstractmethod
    def forall(self, body: Callable[[Term], Term]) -> Term: ...
    @abstractmethod
    def exists(self, body: Callable[[Term], Term]) -> Term: ...

    @abstractmethod
    def value(
        self, name: str, nodes: Sequence[Term], low: int = 0, high: int = 1, boolean: bool = True
    ) -> Term:
        """The value of a relation or function at nodes, within its bounds."""

    @abstractmethod
    def before(self, one: Term, other: Term) -> Term:
        """A strict order of the nodes, in which each edge goes forward."""

    def implies(self, condition: Term, formula: Term) -> Term:
        """Return the formula: the condition implies it."""
        return self.disjunction([self.negation(condition), formula])

    def both(self, *formulas: Term) -> Term:
        """All of the formulas."""
        return self.conjunction(formulas)

    def either(self, *formulas: Term) -> Term:
        """One of the formulas."""
        return self.disjunction(formulas)

    def holds(self, name: str, *nodes: Term) -> Term:
        """Whether a relation holds of nodes."""
        return self.value(name, nodes)

    def of(self, name: str) -> Callable[[Term], Term]:
        """Whether a relation holds of a node."""
        return partial(self.holds, name)

    def edge(self, producer: Term, consumer: Term) -> Term:
        """Whether a node reads another."""
        return self.holds("edge", producer, consumer)

    def differ(self, one: Term, other: Term) -> Term:
        """Whether two nodes are not the same."""
        return self.negation(one == other)


class Z3Logic(Logic):
    """Formulas of z3; `axioms` are the facts about orders and bounds."""

    def __init__(self) -> None:
        import z3

        self.z3 = z3
        self.context = z3.Context()
        self.sort = z3.DeclareSort("Node", self.context)
        self._known: dict[str, Any] = {}
        self._fresh = 0
        self.axioms: list[Term] = []

    def number(self, value: int) -> Term:
        return self.z3.IntVal(value, self.context)

    def truth(self, value: bool) -> Term:
        return self.z3.BoolVal(value, self.context)

    def negation(self, formula: Term) -> Term:
        return self.z3.Not(formula)

    def conjunction(self, formulas: Sequence[Term]) -> Term:
        return self.z3.And(*formulas, self.truth(True))

    def disjunction(self, formulas: Sequence[Term]) -> Term:
        return self.z3.Or(*formulas, self.truth(False))

    def choice(self, condition: Term, yes: Term, no: Term) -> Term:
        return self.z3.If(condition, yes, no)

    def value(
        self, name: str, nodes: Sequence[Term], low: int = 0, high: int = 1, boolean: bool = True
    ) -> Term:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = self._declared(name, len(nodes), low, high, boolean)
        return known(*nodes) if nodes else known

    def _declared(self, name: str, arity: int, low: int, high: int, boolean: bool) -> Any:
        z3: Any = self.z3
        kind = z3.BoolSort(self.context) if boolean else z3.IntSort(self.context)
        if arity == 0:
            value = z3.Const(name, kind)
            if not boolean:
                self.axioms.append(z3.And(low <= value, value <= high))
            return value
        function = z3.Function(name, *[self.sort] * arity, kind)
        if not boolean:
            assert arity == 1
            self.axioms.append(
                self.forall(lambda node: z3.And(low <= function(node), function(node) <= high))
            )
        return function

    def some_node(self, name: str) -> Term:
        """Return a free node."""
        return self.z3.Const(name, self.sort)

    def _variable(self) -> Term:
        self._fresh += 1
        return self.z3.Const(f"n{self._fresh}", self.sort)


class AnyNumber(Z3Logic):
    """Formulas over any number of nodes, with the quantifiers of z3."""

    def __init__(self) -> None:
        super().__init__()
        z3, before = self.z3, self.before
        a, b, c = (self._variable() for _ in range(3))
        self.axioms += [
            z3.ForAll([a], z3.Not(before(a, a))),
            z3.ForAll([a, b, c], z3.Implies(z3.And(before(a, b), before(b, c)), before(a, c))),
            z3.ForAll([a, b], z3.Implies(self.edge(a, b), before(a, b))),
        ]

    def forall(self, body: Callable[[Term], Term]) -> Term:
        node = self._variable()
        return self.z3.ForAll([node], body(node))

    def exists(self, body: Callable[[Term], Term]) -> Term:
        node = self._variable()
        return self.z3.Exists([node], body(node))

    def before(self, one: Term, other: Term) -> Term:
        return self.holds("before", one, other)


class SoMany(Z3Logic):
    """Formulas over a fixed number of nodes, in topological order."""

    def __init__(self, size: int) -> None:
        super().__init__()
        z3 = self.z3
        self.nodes = [z3.Const(f"V{number + 1}", self.sort) for number in range(size)]
        self.axioms.append(z3.Distinct(*self.nodes) if size > 1 else self.truth(True))
        for one in range(size):
            for other in range(one + 1):
                self.axioms.append(z3.Not(self.edge(self.nodes[one], self.nodes[other])))

    def some_node(self, name: str) -> Term:
        node = super().some_node(name)
        self.axioms.append(self.disjunction([node == each for each in self.nodes]))
        return node

    def forall(self, body: Callable[[Term], Term]) -> Term:
        return self.conjunction([body(node) for node in self.nodes])

    def exists(self, body: Callable[[Term], Term]) -> Term:
        return self.disjunction([body(node) for node in self.nodes])

    def before(self, one: Term, other: Term) -> Term:
        pairs = [
            self.both(one == left, other == right)
            for position, right in enumerate(self.nodes)
            for left in self.nodes[:position]
        ]
        return self.disjunction(pairs)


class GivenGraph(Logic):
    """Formulas on a given graph: nodes are numbers in topological order, values are plain."""

    def __init__(self, size: int, values: Mapping[tuple[str, tuple[int, ...]], int]) -> None:
        self.nodes = range(size)
        self.values = values

    def number(self, value: int) -> Term:
        return value

    def truth(self, value: bool) -> Term:
        return value

    def negation(self, formula: Term) -> Term:
        return not formula

    def conjunction(self, formulas: Sequence[Term]) -> Term:
        return all(formulas)

    def disjunction(self, formulas: Sequence[Term]) -> Term:
        return any(formulas)

    def choice(self, condition: Term, yes: Term, no: Term) -> Term:
        return yes if condition else no

    def forall(self, body: Callable[[Term], Term]) -> Term:
        return all(body(node) for node in self.nodes)

    def exists(self, body: Callable[[Term], Term]) -> Term:
        return any(body(node) for node in self.nodes)

    def value(
        self, name: str, nodes: Sequence[Term], low: int = 0, high: int = 1, boolean: bool = True
    ) -> Term:
        found = self.values.get((name, tuple(nodes)), 0)
        return bool(found) if boolean else found

    def before(self, one: Term, other: Term) -> Term:
        return one < other
