"""Explores a projection of a system: some cells, while all other cells are free.

The decision trees of the rules are evaluated on sets of values. A cell of the projection has one
value, or one of a few values that the projection does not distinguish. Any other cell has all of
its reachable values (`possible_values.py`). So a projection can do all that it does in a run of the
whole system, and more. If the projection cannot do something, the whole system cannot: that is what
a proof needs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from finale.checker.search.state_graph.folding import cells_read
from finale.model.expressions import Expression
from finale.model.system import GroundRule, System, Update, leaves

from .possible_values import PossibleValues
from .projected_updates import CellValues, ProjectedUpdate, cases_of, holds, simplified

Values = tuple[int, ...]
"""Of each feature of a part, in their order, which of its classes it is in."""
Box = tuple[frozenset[int], ...]
"""Of each of some cells, the values that it may have."""


@dataclass(frozen=True)
class CellFeature:
    """Some cells of a part, and which of their values are told apart."""

    cells: tuple[int, ...]
    classes: tuple[Box, ...]


Label = Hashable
Edge = tuple[frozenset[Label], Values, GroundRule]
"""What is seen of a step, what it makes of the part, and of which rule it is."""
Labels = Callable[[GroundRule, Values, Values], frozenset[Label]]


#: If more updates are on the way to the cases of an update, each state computes its cases anew.
_WAY_MAX = 400
#: If more are on the way in a state, each written value is computed on its own, which allows more.
_KNOWN_WAY_MAX = 100
_NEVER = frozenset((0,))


@dataclass(frozen=True, eq=False)
class _UpdateCase:
    """A case of updates: the cells that it writes and reads, and the features with one of these.

    It `is_apart` if it reads only cells of the projection.
    """

    update: ProjectedUpdate
    cells: tuple[int, ...]
    read: frozenset[int]
    asked: tuple[int, ...]
    is_apart: bool


class Projection:
    """Some cells of a system, and the steps that may change them or are seen.

    `reachable`: by cell, the values that it may have, whatever the projection does. `is_possible`
    says whether the whole system can be in these classes.
    """

    def __init__(
        self,
        system: System,
        reachable: CellValues,
        features: Sequence[CellFeature],
        labels: Labels,
        is_possible: Callable[[Values], bool],
    ) -> None:
        self.system, self.labels, self.features = system, labels, tuple(features)
        self._reachable, self.is_possible = reachable, is_possible
        self._cells = frozenset(cell for each in features for cell in each.cells)
        self._cases: dict[tuple[ProjectedUpdate, tuple[int, ...]], _UpdateCase] = {}
        self._rules = [(rule, [*self._cases_in(rule)]) for rule in self._shown(system.rules)]
        self._written: dict[tuple[_UpdateCase, Values], set[tuple[tuple[int, int], ...]]] = {}
        self._cases_by_known: dict[
            tuple[ProjectedUpdate, frozenset[tuple[int, frozenset[int] | None]]],
            Sequence[ProjectedUpdate] | None,
        ] = {}
        """By update, and what is known of the cells that it reads."""
        self._onward: dict[Values, tuple[Edge, ...]] = {}

    def _shown(self, rules: Sequence[GroundRule]) -> Iterator[GroundRule]:
        """The rules that may write own cells, or have a label."""
        values = (0,) * len(self.features)
        for rule in rules:
            if self.labels(rule, values, values) or any(map(self._writes, leaves(rule.tree))):
                yield rule

    @property
    def start(self) -> frozenset[Values]:
        """In which classes it may begin."""
        return frozenset[Values]().union(*map(self.classes_of, self.system.initial))

    def classes_of(self, state: Sequence[int]) -> frozenset[Values]:
        """The classes that a state of the system is in."""
        each = (_classes(own, [frozenset((state[n],)) for n in own.cells]) for own in self.features)
        return frozenset(itertools.product(*each))

    def known(self, values: Values) -> CellValues:
        """Return the values that each cell may have in a state of the projection."""
        return {**self._reachable, **self._box(values, range(len(values)))}

    def _box(self, values: Values, asked: Sequence[int]) -> dict[int, frozenset[int]]:
        """The values that the cells of some features may have."""
        features = [(self.features[n], values[n]) for n in asked]
        return {
            cell: can
            for feature, value in features
            for cell, can in zip(feature.cells, feature.classes[value], strict=True)
        }

    def onward(self, values: Values) -> tuple[Edge, ...]:
        """The steps that may be taken: those that change something here, or are seen."""
        if values not in self._onward:
            self._onward[values] = tuple(self._steps(values))
        return self._onward[values]

    def _steps(self, values: Values) -> Iterator[Edge]:
        found: dict[tuple[frozenset[Label], Values], GroundRule] = {}
        for rule, cases in self._rules:
            for change in itertools.chain.from_iterable(self._changes(c, values) for c in cases):
                new = dict(change)
                after = tuple(new.get(place, value) for place, value in enumerate(values))
                seen = self.labels(rule, values, after)
                if (seen or after != values) and self.is_possible(after):
                    found.setdefault((seen, after), rule)
        yield from ((seen, after, rule) for (seen, after), rule in found.items())

    def _changes(self, case: _UpdateCase, values: Values) -> set[tuple[tuple[int, int], ...]]:
        """Return the steps of a case: the places and new classes of the features that it writes."""
        key = case, tuple(values[n] for n in case.asked)
        if key not in self._written:
            box = self._box(values, case.asked)
            self._written[key] = {
                change
                for new in self._new_values(case, box)
                for change in self._classed(box | dict(zip(case.cells, new, strict=True)), case)
            }
        return self._written[key]

    def _new_values(
        self, case: _UpdateCase, box: CellValues
    ) -> Iterator[Sequence[frozenset[int] | None]]:
        """Yield what a case writes together, if the cells of its features have the values `box`."""
        known = {n: box[n] for n in case.read} if case.is_apart else {**self._reachable, **box}
        possible = PossibleValues(known)
        condition, *writes = case.update
        if possible.of(condition) == _NEVER:
            return
        found: Sequence[ProjectedUpdate] | None = None
        if not case.is_apart or any(len(each) > 1 for each in known.values()):
            found = self._known_cases(simplified(case.update, box), known)
        for new in [writes] if found is None else [each[1:] for each in found]:
            yield [*map(possible.of, new)]

    def _known_cases(
        self, update: ProjectedUpdate, known: CellValues
    ) -> Sequence[ProjectedUpdate] | None:
        """Return the cases of an update in a state, which read no cell; None if they are many."""
        read = frozenset((cell.index, known.get(cell.index)) for cell in cells_read(update))
        if (update, read) not in self._cases_by_known:
            found = cases_of(update, frozenset(), known, way_max=_KNOWN_WAY_MAX)
            self._cases_by_known[update, read] = found
        return self._cases_by_known[update, read]

    def _classed(
        self, box: Mapping[int, frozenset[int] | None], case: _UpdateCase
    ) -> Iterator[tuple[tuple[int, int], ...]]:
        written = {*case.cells}
        yield from itertools.product(
            *(
                [(n, new) for new in _classes(own, [box[cell] for cell in own.cells])]
                for n, own in ((n, self.features[n]) for n in case.asked)
                if written & {*own.cells}
            )
        )

    def _cases_in(self, rule: GroundRule) -> Iterator[_UpdateCase]:
        """The cases of all updates of a rule."""
        for on, update in PossibleValues(self._reachable).updates(rule.tree):
            writes = self._writes(update)
            whole = simplified((holds(on), *writes.values()), self._reachable)
            cases = cases_of(whole, self._cells, self._reachable, way_max=_WAY_MAX)
            for each in [whole] if cases is None else cases:
                yield self._case(each, tuple(writes))

    def _case(self, update: ProjectedUpdate, cells: tuple[int, ...]) -> _UpdateCase:
        """One object for all cases that do the same."""
        if (update, cells) not in self._cases:
            read = frozenset(cell.index for cell in cells_read(update))
            both = read.union(cells)
            asked = (n for n, own in enumerate(self.features) if both & {*own.cells})
            is_apart = read <= self._cells
            self._cases[update, cells] = _UpdateCase(update, cells, read, tuple(asked), is_apart)
        return self._cases[update, cells]

    def _writes(self, leaf: object) -> dict[int, Expression]:
        writes = leaf.writes if isinstance(leaf, Update) else ()
        return {cell: new for cell, new in writes if cell in self._cells}


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
