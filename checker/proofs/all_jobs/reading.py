"""Translates what a method does, read off its window, into formulas about a job of any shape.

A cell of the window becomes a relation or a function of nodes. A write to the cell of a summary
becomes the new value of the relation at each node that the summary stands for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import assert_never

from finale.checker.proofs.window import Claim, Effect
from finale.checker.search.state_graph.folding import OPERATIONS, fold
from finale.model.expressions import (
    Add,
    And,
    Cell,
    Constant,
    Equal,
    Expression,
    IfThenElse,
    Less,
    Not,
    Or,
    Subtract,
)
from finale.model.language.entities import Entity

from .logic import Logic, Term
from .window import Binding, JobWindow, Symbol, not_for_any_job


class SymbolicState:
    """A state of a job: the value of each symbol at each node."""

    def __init__(self, logic: Logic) -> None:
        self.logic = logic

    def read(self, symbol: Symbol, nodes: tuple[Term, ...]) -> Term:
        """Return the value of a symbol at nodes; here, of a state of which nothing is known."""
        return self.logic.value(symbol.name, nodes, symbol.low, symbol.high, symbol.boolean)

    def holds(self, name: str, *nodes: Term) -> Term:
        """Whether a truth value holds at nodes."""
        return self.read(Symbol(name, 0, 1, True), nodes)

    def of(self, name: str) -> Callable[[Term], Term]:
        """Whether a truth value holds at a node."""
        return partial(self.holds, name)


class StateAfterStep(SymbolicState):
    """The state after a step; `binding` gives the nodes of the single entities."""

    def __init__(
        self, before: SymbolicState, window: JobWindow, step: Effect, binding: Binding
    ) -> None:
        super().__init__(before.logic)
        self.before, self.window, self.step, self.binding = before, window, step, binding

    def read(self, symbol: Symbol, nodes: tuple[Term, ...]) -> Term:
        window, was = self.window, self.before.read(symbol, nodes)
        if not nodes:
            return self._written(symbol, None, self.binding, was)
        (node,) = nodes
        value = was
        for entity in window.written:
            new = self._written(symbol, entity, {**self.binding, entity: node}, was)
            is_one = window.many[entity](self.logic, self.binding, node)
            value = self.logic.choice(is_one, new, value)
        for entity in window.single:
            new = self._written(symbol, entity, self.binding, was)
            value = self.logic.choice(node == self.binding[entity], new, value)
        return value

    def _written(self, symbol: Symbol, entity: Entity | None, binding: Binding, was: Term) -> Term:
        index = self.window.index.get((symbol, entity))
        written = self.step.writes.get(index) if index is not None else None
        if written is None:
            return was
        return formula(written, self.window, self.before, self.before, binding)


def returns(window: JobWindow, step: Effect, before: SymbolicState, binding: Binding) -> Term:
    """Return the formula: a step can be taken."""
    return formula(step.returns, window, before, before, binding)


def faults(window: JobWindow, step: Effect, before: SymbolicState, binding: Binding) -> Term:
    """Return the formula: a step is a fault."""
    return formula(step.faults, window, before, before, binding)


def claimed(
    window: JobWindow, claim: Claim, before: SymbolicState, after: SymbolicState, binding: Binding
) -> Term:
    """Return what a property says of a step, or of the state after it."""
    logic = before.logic
    when = formula(claim.when, window, before, after, binding)
    return logic.implies(when, formula(claim.holds, window, before, after, binding))


def formula(
    root: Expression,
    window: JobWindow,
    before: SymbolicState,
    after: SymbolicState,
    binding: Binding,
) -> Term:
    """Return an expression over the cells of a window as a formula.

    A property of a step reads cells before and after it; everything else reads the state `before`.
    Raises `not-for-any-job` if the value depends on one of many entities without a quantifier.
    """
    logic = before.logic
    known: dict[Expression, Term] = {}
    of = known.__getitem__

    def make(node: Expression) -> Term:
        match node:
            case Constant():
                return logic.truth(bool(node.value)) if node.boolean else logic.number(node.value)
            case Cell():
                return cell_value(node)
            case Add() | Subtract() | Equal() | Less():
                return OPERATIONS[type(node)](of(node.left), of(node.right))
            case Not():
                return logic.negation(of(node.operand))
            case And():
                return logic.conjunction([of(each) for each in node.operands])
            case Or():
                return logic.disjunction([of(each) for each in node.operands])
            case IfThenElse():
                return logic.choice(of(node.condition), of(node.yes), of(node.no))
            case _:
                assert_never(node)

    def cell_value(node: Cell) -> Term:
        if node.index in window.quantified:
            return quantified(node.index)
        if node.index in window.read_late:
            name = window.read_late[node.index].name
            raise not_for_any_job(f"the {name} of one is read after that of others was written")
        symbol, entity = window.symbol(node.index)
        state = after if node.after else before
        if entity is None:
            return state.read(symbol, ())
        if entity not in binding:
            raise not_for_any_job(f"the {symbol.name} of one among many decides")
        return state.read(symbol, (binding[entity],))

    def quantified(index: int) -> Term:
        meaning = window.quantified[index]
        among = window.many[meaning.entity]

        def body(node: Term) -> Term:
            inner = {**binding, meaning.entity: node}
            holds = formula(meaning.holds, window, before, after, inner)
            is_one = among(logic, binding, node)
            return logic.both(is_one, holds) if meaning.some else logic.implies(is_one, holds)

        return logic.exists(body) if meaning.some else logic.forall(body)

    return fold(root, make, known)
