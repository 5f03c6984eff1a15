"""Explores a projection of a system: some cells, while all other cells are free.

The decision trees of the rules are evaluated on sets of values. A cell of the projection has one
value, or one of a few values that the projection does not distinguish. Any other cell has its whole
domain. So a projection can do all that it does in a run of the whole system, and more. If the
projection cannot do something, the whole system cannot: that is what a proof needs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from model.expressions import (
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
from model.system import GroundRule, System, Test, Tree, Update, leaves

from .projected_updates import (
    FEW,
    Conditions,
    ProjectedUpdate,
    cells_of,
    projected_updates,
    ways,
    whole_of,
)

Values = tuple[int, ...]
"""Of each feature of a part, in their order, which of its classes it is in."""
Box = tuple[frozenset[int], ...]
"""Of each of some cells, the values that it may have."""


@dataclass(frozen=True)
class CellFeature:
    """Some cells of a part, and which of their values are told apart."""

    cells: tuple[int, ...]
    classes: tuple[Box, ...]


@dataclass(frozen=True)
class StatusCell:
    """The cell with the status of a part's task, which decides what goes together in updates."""

    cell: int
    dead: frozenset[int]
    """The values of a task that has died."""
    dies: bool
    """Whether it may die: else updates by which it does are left out."""


Label = Hashable
Edge = tuple[frozenset[Label], Values, GroundRule]
"""What is seen of a step, what it makes of the part, and of which rule it is."""
Labels = Callable[[GroundRule, Values, Values], frozenset[Label]]

#: More values than these are not told apart: such a number may be any of its bounds.
_SET_MAX = 12
_BOTH = frozenset((0, 1))


class PossibleValues:
    """The values that expressions may have, where some cells are known."""

    def __init__(self, known: Mapping[int, frozenset[int]]) -> None:
        self.known = known
        self._memo: dict[Expression, frozenset[int] | None] = {}

    def _where(self, cell: Cell, value: int) -> PossibleValues:
        return PossibleValues({**self.known, cell.index: frozenset((value,))})

    def of(self, node: Expression) -> frozenset[int] | None:
        """The possible values; None where there are many."""
        if isinstance(node, Constant):
            return frozenset((node.value,))
        if isinstance(node, Cell):
            return self._cell(node)
        if node not in self._memo:
            self._memo[node] = self._of(node)
        return self._memo[node]

    def _cell(self, node: Cell) -> frozenset[int] | None:
        if node.index in self.known:
            return self.known[node.index]
        return _BOTH if node.boolean else _range(node)

    def _of(self, node: Expression) -> frozenset[int] | None:
        match node:
            case Constant():
                return self.of(node)
            case Cell():
                return self._cell(node)
            case Add() | Subtract():
                sign = 1 if isinstance(node, Add) else -1
                left, right = self.of(node.left), self.of(node.right)
                if left is None or right is None:
                    return _range(node)
                return _few({a + sign * b for a in left for b in right})
            case Equal():
                return self._compared(node.left, node.right, equal=True)
            case Less():
                return self._compared(node.left, node.right, equal=False)
            case Not():
                return frozenset(1 - each for each in self.of(node.operand) or _BOTH)
            case And():
                return self._joined(node.operands, decisive=0)
            case Or():
                return self._joined(node.operands, decisive=1)
            case IfThenElse():
                found: frozenset[int] = frozenset()
                for truth in self.of(node.condition) or _BOTH:
                    side = self.of(node.yes if truth else node.no)
                    if side is None:
                        return _range(node)
                    found |= side
                return _few(found)
            case _:
                assert_never(node)

    def _compared(self, left: Expression, right: Expression, *, equal: bool) -> frozenset[int]:
        ours, theirs = self.of(left), self.of(right)
        if ours is None or theirs is None:
            return _BOTH
        if equal:
            return frozenset(int(a == b) for a in ours for b in theirs)
        return frozenset(int(a < b) for a in ours for b in theirs)

    def _joined(self, operands: tuple[Expression, ...], *, decisive: int) -> frozenset[int]:
        open_ = False
        for operand in operands:
            each = self.of(operand)
            if each == frozenset((decisive,)):
                return frozenset((decisive,))
            open_ = open_ or each is None or decisive in each
        return _BOTH if open_ else frozenset((1 - decisive,))

    def updates(self, tree: Tree, on: Conditions = ()) -> Iterator[tuple[Conditions, Update]]:
        """The leaves of a tree that may be come to, and on which conditions."""
        if isinstance(tree, Update):
            yield on, tree
        elif isinstance(tree, Test):
            truths = sorted(self.of(tree.condition) or _BOTH, reverse=True)
            for truth in truths:
                open_ = ((tree.condition, truth),) if len(truths) > 1 else ()
                yield from self.updates(tree.yes if truth else tree.no, (*on, *open_))

    def cases(
        self, wanted: Sequence[Expression], on: Conditions, depth: int
    ) -> Iterator[PossibleValues]:
        """All that there may be, in so many cases that what is wanted does not hang together.

        Two expressions that both depend on a cell cannot be had each with another value of it, nor
        one with a value that the conditions exclude.
        """
        asked = [(self.of(condition), truth) for condition, truth in on]
        if any(found is not None and truth not in found for found, truth in asked):
            return
        open_ = [each for each in wanted if self._is_open(each)]
        count = len(open_) + sum(found is None or len(found) > 1 for found, _ in asked)
        cell = next((a for a in map(self._open_cell, open_) if a is not None), None)
        if count < 2 or depth == 0 or cell is None:
            yield self
            return
        for value in sorted(self.of(cell) or range(cell.low, cell.high + 1)):
            yield from self._where(cell, value).cases(open_, on, depth - 1)

    def _is_open(self, node: Expression) -> bool:
        found = self.of(node)
        return found is None or len(found) > 1

    def _open_cell(self, node: Expression) -> Cell | None:
        """The first cell on which it depends what an expression is."""
        parts: tuple[Expression, ...]
        match node:
            case Constant():
                return None
            case Cell():
                return node if node.high - node.low < _SET_MAX else None
            case Not():
                parts = (node.operand,)
            case And() | Or():
                parts = node.operands
            case IfThenElse():
                parts = (node.condition, node.yes, node.no)
            case _:
                parts = (node.left, node.right)
        found = (self._open_cell(each) for each in parts if self._is_open(each))
        return next((each for each in found if each is not None), None)


def _few(values: frozenset[int] | set[int]) -> frozenset[int] | None:
    return frozenset(values) if len(values) <= _SET_MAX else None


def _range(node: Expression) -> frozenset[int] | None:
    size = node.high - node.low + 1
    return frozenset(range(node.low, node.high + 1)) if size <= _SET_MAX else None


class Projection:
    """Some cells of a system, and the steps that may change them or are seen.

    `depth`: so many other cells are looked at value by value, where several of its own depend on
    them. With fewer it does more than it need, and none the less all that it does in the whole.
    `is_possible`: what is known of it otherwise. `life`: of the task, if it looks at its status.
    """

    def __init__(
        self,
        system: System,
        features: Sequence[CellFeature],
        labels: Labels,
        depth: int,
        is_possible: Callable[[Values], bool],
        life: StatusCell | None = None,
    ) -> None:
        self.system, self.labels, self.features = system, labels, tuple(features)
        self._depth, self._is_possible, self._life = depth, is_possible, life
        self._cells = frozenset(cell for each in features for cell in each.cells)
        seen = (0,) * len(features)
        self._rules = tuple(
            rule
            for rule in system.rules
            if labels(rule, seen, seen) or any(self._writes(leaf) for leaf in leaves(rule.tree))
        )
        self._asked = {rule: self._asks(rule) for rule in self._rules}
        self._residues: dict[GroundRule, list[ProjectedUpdate]] = {}
        self._known: dict[tuple[GroundRule, Values], list[dict[int, int]]] = {}
        self._onward: dict[Values, tuple[Edge, ...]] = {}

    @property
    def start(self) -> frozenset[Values]:
        """In which classes it may begin."""
        found: set[Values] = set()
        for state in self.system.initial:
            boxes = ([frozenset((state[cell],)) for cell in each.cells] for each in self.features)
            each = zip(self.features, boxes, strict=True)
            found |= {*itertools.product(*(_classes(own, box) for own, box in each))}
        return frozenset(found)

    def known(self, values: Values) -> dict[int, frozenset[int]]:
        """The values that its cells may have."""
        return {
            cell: can
            for feature, value in zip(self.features, values, strict=True)
            for cell, can in zip(feature.cells, feature.classes[value], strict=True)
        }

    def onward(self, values: Values) -> tuple[Edge, ...]:
        """The steps that may be taken: those that change something here, or are seen."""
        if values not in self._onward:
            self._onward[values] = tuple(self._steps(values))
        return self._onward[values]

    def _steps(self, values: Values) -> Iterator[Edge]:
        possible = PossibleValues(self.known(values))
        found: dict[tuple[frozenset[Label], Values], GroundRule] = {}
        for rule in self._rules:
            for change in self._changes(rule, values, possible):
                after = tuple(change.get(place, value) for place, value in enumerate(values))
                seen = self.labels(rule, values, after)
                if (seen or after != values) and self._is_possible(after):
                    found.setdefault((seen, after), rule)
        yield from ((seen, after, rule) for (seen, after), rule in found.items())

    def _changes(
        self, rule: GroundRule, values: Values, possible: PossibleValues
    ) -> Sequence[Mapping[int, int]]:
        """By place, what steps of a rule may change features to."""
        key = rule, tuple(values[place] for place in self._asked[rule])
        if key not in self._known:
            found: set[tuple[tuple[int, int], ...]] = set()
            for residue in self._residues_of(rule):
                on, writes = ((residue.condition, 1),), dict(residue.writes)
                for there in possible.cases(tuple(writes.values()), on, self._depth):
                    found |= {*self._after(there, writes, values)}
            self._known[key] = [dict(each) for each in sorted(found)]
        return self._known[key]

    def _residues_of(self, rule: GroundRule) -> list[ProjectedUpdate]:
        """What a rule does here."""
        if rule not in self._residues:
            found: dict[ProjectedUpdate, None] = {}
            for on, update in PossibleValues({}).updates(rule.tree):
                whole = whole_of(on, self._writes(update))
                left = projected_updates(whole, self._cells)
                found |= dict.fromkeys(self._ways(whole) if left is None else left)
            self._residues[rule] = [*found]
        return self._residues[rule]

    def _ways(self, whole: ProjectedUpdate) -> list[ProjectedUpdate]:
        """The ways of an update by what becomes of the task, without those that cannot be."""
        life = self._life
        if life is None:
            return [whole]
        found: dict[ProjectedUpdate, None] = {}
        for way in ways(whole, life.cell):
            if life.dies or not _is_one_of(dict(way.writes).get(life.cell), life.dead):
                left = projected_updates(way, self._cells, FEW)
                found |= dict.fromkeys([way] if left is None else left)
        return [*found]

    def _after(
        self, possible: PossibleValues, writes: Mapping[int, Expression], values: Values
    ) -> Iterator[tuple[tuple[int, int], ...]]:
        each: list[list[tuple[int, int]]] = []
        for place, (feature, value) in enumerate(zip(self.features, values, strict=True)):
            if any(cell in writes for cell in feature.cells):
                box = [
                    possible.of(writes[cell]) if cell in writes else can
                    for cell, can in zip(feature.cells, feature.classes[value], strict=True)
                ]
                each.append([(place, new) for new in _classes(feature, box)])
        yield from itertools.product(*each)

    def _asks(self, rule: GroundRule) -> tuple[int, ...]:
        """The features on which it depends what a rule does here."""
        tops = [test.condition for test in _tests(rule.tree)]
        written: set[int] = set()
        for leaf in leaves(rule.tree):
            writes = self._writes(leaf)
            written |= {*writes}
            tops += writes.values()
        cells = written.union(*map(cells_of, tops))
        return tuple(n for n, own in enumerate(self.features) if cells & {*own.cells})

    def _writes(self, leaf: Tree) -> dict[int, Expression]:
        writes = leaf.writes if isinstance(leaf, Update) else ()
        return {cell: new for cell, new in writes if cell in self._cells}


def _is_one_of(new: Expression | None, values: frozenset[int]) -> bool:
    return isinstance(new, Constant) and new.value in values


def _tests(tree: Tree) -> Iterator[Test]:
    if isinstance(tree, Test):
        yield tree
        yield from _tests(tree.yes)
        yield from _tests(tree.no)


def exact(system: System, cell: int) -> CellFeature:
    """A cell all of whose values are told apart."""
    kind = system.cells[cell]
    return CellFeature((cell,), tuple((frozenset((v,)),) for v in range(kind.low, kind.high + 1)))


def _classes(feature: CellFeature, box: Sequence[frozenset[int] | None]) -> list[int]:
    """The classes that values of its cells are in."""
    return [
        number
        for number, own in enumerate(feature.classes)
        if all(can is None or can & each for can, each in zip(box, own, strict=True))
    ]
