"""Translates expressions over a window into terms of z3, with unbounded integers.

An expression compares an id with a place of the layout. The translation compares it with the id of
the window that stands at that place. Nothing is known about the value of a cell that belongs to a
gap.
"""

from __future__ import annotations

# z3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Iterator, Mapping
from functools import cached_property

import z3

from finale.checker.proofs.window import Quantified
from finale.checker.search.solving.translation import Term, Translation
from finale.checker.search.state_graph.folding import parts
from finale.model.expressions import (
    Add,
    Cell,
    Constant,
    Equal,
    Expression,
    IfThenElse,
    Less,
    Subtract,
)

from .window import NO_BOUND, RECORDS, IdWindow

#: Constants as near to it as this were compared with what has no bound, and something was added.
NEAR = 1000


class Symbols:
    """The terms of a window's ids, of quantities without bound, and of the cells of a state."""

    def __init__(self, window: IdWindow) -> None:
        self.window = window
        self.context = z3.Context()
        self.zero = z3.IntVal(0, self.context)
        self.ids = [z3.Int(f"id{n + 1}", self.context) for n in range(window.size)]
        self.no_bound = z3.Int("bound", self.context)
        sources = dict.fromkeys(window.countdowns.values())
        #: Of each source, how many records it has, and how many are to come when the next is the
        #: one that is looked at.
        self.records = {
            source: (z3.Int(f"all{n}", self.context), z3.Int(f"one{n}", self.context))
            for n, source in enumerate(sources)
        }
        self.facts: list[Term] = [*self._order()]
        self._fresh = 0

    def _order(self) -> Iterator[Term]:
        yield self.no_bound >= 0
        for below, each in zip([self.zero, *self.ids], self.ids, strict=False):
            yield below < each
        for total, one in self.records.values():
            yield total >= 0
            yield one >= 1

    @cached_property
    def state(self) -> dict[int, Term]:
        """A state of which only the bounds of cells are known."""
        found: dict[int, Term] = {}
        for index, cell in enumerate(self.window.cells):
            if index not in self.window.gap_cells:
                found[index] = self.variable(cell, f"c{index}", self.facts)
        return found

    def variable(self, cell: Expression, name: str, facts: list[Term]) -> Term:
        """Return a free variable for a cell; its bounds are added to `facts`."""
        if isinstance(cell, Constant):
            known = cell.value
            return z3.BoolVal(bool(known), self.context) if cell.boolean else known + self.zero
        if cell.boolean:
            return z3.Bool(name, self.context)
        term = z3.Int(name, self.context)
        facts.append(term >= cell.low)
        index = cell.index if isinstance(cell, Cell) else -1
        if index in self.window.countdowns:
            facts.append(term <= self.records[self.window.countdowns[index]][0])
        elif cell.high == NO_BOUND:
            facts.append(term <= self.no_bound)
        elif index not in self.window.id_cells:
            facts.append(term <= cell.high)
        return term

    def between(self, place: int, facts: list[Term]) -> Term:
        """Return some id in the gap at a place."""
        self._fresh += 1
        term = z3.Int(f"some{self._fresh}", self.context)
        below = place // 2
        low = self.ids[below - 1] if below else self.zero
        if below == len(self.ids):
            facts.append(low < term)
        else:  # a gap may be empty: then nobody has an id of it
            high = self.ids[below]
            facts.append(z3.Implies(low + 1 < high, z3.And(low < term, term < high)))
        return term


class WindowTerms(Translation):
    """The terms of expressions in a state, or in the states before and after a step.

    `facts` are what is known of the variables made for gaps.
    """

    def __init__(
        self,
        symbols: Symbols,
        before: Mapping[int, Term],
        after: Mapping[int, Term] | None = None,
        name: str = "q",
    ) -> None:
        super().__init__(self._cell, symbols.context)
        self.symbols, self.window, self.name = symbols, symbols.window, name
        self.before, self.after = before, after
        self.facts: list[Term] = []
        self._of_gap: dict[Expression, bool] = {}
        self._unknown: dict[Expression, Term] = {}

    def new_value(self, value: Expression, index: int) -> Term:
        """Return an expression as the new value of a cell."""
        if index in self.window.id_cells or index in self.window.countdowns:
            return self._placed_value(value, index)
        return self.of(value)

    def after_step(self, writes: Mapping[int, Expression]) -> dict[int, Term]:
        """Return the state after a step; a missing id counts as 0."""
        after = dict(self.before)
        for index, value in writes.items():
            after[index] = self.new_value(value, index)
        for index in writes:
            if index in self.window.presence:
                present = after[self.window.presence[index]]
                after[index] = z3.If(present, after[index], self.symbols.zero)
        return after

    def _placed_value(self, value: Expression, index: int) -> Term:
        match value:
            case Constant() if index in self.window.id_cells:
                if value.value % 2:
                    return self.symbols.ids[value.value // 2]
                return self.symbols.between(value.value, self.facts)
            case Constant():
                total, _ = self.symbols.records[self.window.countdowns[index]]
                return total if value.value else self.symbols.zero
            case IfThenElse():
                yes, no = (self._placed_value(each, index) for each in (value.yes, value.no))
                return z3.If(self.of(value.condition), yes, no)
            case _:
                return self.of(value)

    # --- cells -----------------------------------------------------------------------------------

    def _make(self, node: Expression) -> Term:
        return self._cell(node) if isinstance(node, Cell) else super()._make(node)

    def _cell(self, node: Cell) -> Term:
        if node.index not in self.before:
            return self._nothing_known(node)
        state = self.after if node.after else self.before
        assert state is not None, "what comes after is asked of a step"
        return state[node.index]

    def _nothing_known(self, node: Expression) -> Term:
        if node not in self._unknown:
            name = f"{self.name}{len(self._unknown)}"
            if isinstance(node, Cell):
                term = self.symbols.variable(node, name, self.facts)
            else:
                term = z3.Bool(name, self._context)
            self._unknown[node] = term
            if isinstance(node, Cell) and node.index in self.window.quantified:
                self._explain(term, self.window.quantified[node.index])
        return self._unknown[node]

    def _explain(self, asked: Term, meaning: Quantified) -> None:
        """What holds of some id of a gap, or not of all, is so of one of them."""
        name = f"{self.name}{len(self._unknown)}."
        one = WindowTerms(self.symbols, self.before, self.after, name)
        of_one = one.of(meaning.holds)
        meant = z3.Implies(asked, of_one) if meaning.some else z3.Or(asked, z3.Not(of_one))
        self.facts += [*one.facts, meant]

    # --- comparisons -----------------------------------------------------------------------------

    def _constant(self, node: Constant) -> Term:
        if abs(node.value - NO_BOUND) < NEAR:
            return self.symbols.no_bound + (node.value - NO_BOUND)
        return super()._constant(node)

    def _compared(self, node: Equal | Less) -> Term:
        if self._reads_gap(node.left) or self._reads_gap(node.right):
            return self._nothing_known(node)
        return self._relation(node.left, node.right, isinstance(node, Less))

    def _relation(self, left: Expression, right: Expression, less: bool) -> Term:
        index = self._place_of(left)
        index = self._place_of(right) if index is None else index
        if index is not None and not (isinstance(left, Constant) and isinstance(right, Constant)):
            for side, other in ((left, right), (right, left)):
                if isinstance(side, IfThenElse):
                    yes, no = (
                        self._relation(one, other, less)
                        if side is left
                        else self._relation(other, one, less)
                        for one in (side.yes, side.no)
                    )
                    return z3.If(self.of(side.condition), yes, no)
            if isinstance(right, Constant):
                return self._stands(self.of(left), right.value, index, less)
            if isinstance(left, Constant):
                upto = self._below(self.of(right), left.value + 1, index)
                same = self._stands(self.of(right), left.value, index, False)
                return z3.Not(upto) if less else same
        one, other = self.of(left), self.of(right)
        return one < other if less else one == other

    def _stands(self, term: Term, place: int, index: int, less: bool) -> Term:
        below = self._below(term, place, index)
        upto = self._below(term, place + 1, index)
        return below if less else z3.And(z3.Not(below), upto)

    def _below(self, term: Term, place: int, index: int) -> Term:
        """Whether something stands before a place among those laid out."""
        if index in self.window.countdowns:
            # 0: no record is to come; 1: one behind the one looked at; 2: that one; 3: one before.
            _, one = self.symbols.records[self.window.countdowns[index]]
            if not 0 <= place < RECORDS + 1:
                return z3.BoolVal(place > 0, self._context)
            return (term < 0, term <= 0, term < one, term <= one)[place]
        ids = self.symbols.ids
        if place <= 0 or place > 2 * len(ids):
            return z3.BoolVal(place > 0, self._context)
        at = ids[(place - 1) // 2]
        return term < at if place % 2 else term <= at

    def _place_of(self, node: Expression) -> int | None:
        """A cell that holds what this one does: an id, or how many records are to come."""
        match node:
            case Cell():
                placed = node.index in self.window.id_cells or node.index in self.window.countdowns
                return node.index if placed else None
            case IfThenElse():
                found = self._place_of(node.yes)
                return self._place_of(node.no) if found is None else found
            case Add() | Subtract():
                return self._place_of(node.left)
            case _:
                return None

    def _reads_gap(self, node: Expression) -> bool:
        """Whether the value of an expression, and not only a choice in it, is one of a gap."""
        known = self._of_gap.get(node)
        if known is None:
            match node:
                case Cell():
                    known = node.index in self.window.gap_cells
                case IfThenElse():
                    known = self._reads_gap(node.yes) or self._reads_gap(node.no)
                case _:
                    known = not node.boolean and any(map(self._reads_gap, parts(node)))
            self._of_gap[node] = known
        return known


__all__ = ["Symbols", "Term", "WindowTerms"]
