"""The symbolic state of a rule: which cell holds which expression on this path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from finale.model.expressions import FALSE, TRUE, Expression

from .entities import FieldStore, Variable
from .explore import PathCells
from .symbolic_values import StoreRegion, cells_of, place_of, symbol


class SymbolicStore(PathCells, FieldStore):
    """The cells of a path, as the fields of entities."""

    def get(self, variable: Variable) -> Any:
        """Return the value of a field, as a rule sees the value."""
        domain = variable.domain
        if domain.is_place:
            return place_of(domain, StoreRegion(self, variable.offset))
        return symbol(domain, tuple(self.read(index) for index in variable.indices))

    def set(self, variable: Variable, value: Any) -> None:
        """Write a field. Where the value may be outside its domain, a fault."""
        for index, expression in enumerate(cells_of(variable.domain, value), variable.offset):
            self.writes[index] = expression

    def is_summary(self, item: object) -> bool:
        """Return whether an entity stands for others."""
        return False

    def is_only_asked(self, item: object) -> bool:
        """Return whether an entity is only asked about: what belongs to it is not laid out."""
        return False


class RuleStore(SymbolicStore):
    """The state that a rule runs on, and behind it how the rule has renumbered entities.

    The first block of cells is the state. The second block is the state before the step under the
    names that entities have after it. The third block has one truth value for each entity: whether
    its name stands for another one after the step. Paths and helpers merge all three blocks alike.
    """

    def __init__(self, cells: Sequence[Expression], entities: int) -> None:
        super().__init__((*cells, *cells, *([FALSE] * entities)))
        self.states = len(cells)

    def renumber(self, positions: Iterable[int]) -> None:
        """Let the step begin here for properties; the entities at these positions are others."""
        for index in range(self.states):
            written = self.read(index)
            if self.read(self.states + index) is not written:
                self.writes[self.states + index] = written
        for position in positions:
            self.writes[2 * self.states + position] = TRUE

    def is_written(self, indices: Iterable[int]) -> bool:
        """Whether a path has written one of these cells since it has renumbered entities."""
        return any(self.read(index) is not self.read(self.states + index) for index in indices)

    def earlier(self, writes: Mapping[int, Expression]) -> dict[int, Expression]:
        """Return the renamed cells of the state before the step, of what a path has written."""
        end = 2 * self.states
        found = {i - self.states: each for i, each in writes.items() if self.states <= i < end}
        return {i: each for i, each in found.items() if each is not self.cells[i]}

    def moved(self, writes: Mapping[int, Expression]) -> dict[int, Expression]:
        """Return for each renumbered entity, by position, where a path has renumbered it."""
        end = 2 * self.states
        found = {i - end: each for i, each in writes.items() if i >= end}
        return {i: each for i, each in found.items() if each is not FALSE}
