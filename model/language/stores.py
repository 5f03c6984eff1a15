"""The symbolic state that a rule runs on: which cell holds which expression on this path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from model.expressions import Expression

from .places import StoreRegion, place_of
from .shapes import cells_of, symbol

if TYPE_CHECKING:
    from .entities import Variable


class SymbolicStore:
    """The cells of the state as they were, and what this path has written."""

    def __init__(self, cells: Sequence[Expression]) -> None:
        self.cells = cells
        self.writes: dict[int, Expression] = {}

    def read(self, index: int) -> Expression:
        """The expression that a cell holds on this path: one's own writes are read."""
        written = self.writes.get(index)
        return self.cells[index] if written is None else written

    def write(self, index: int, expression: Expression) -> None:
        """Let a cell hold an expression from now on, on this path."""
        self.writes[index] = expression

    def over(self, item: object, holds: Expression, decisive: bool) -> Expression:
        """What an item adds to `all` (decisive False) or `any`: here what holds of it alone.

        In other stores an item may stand for many that are not laid out.
        """
        return holds

    def count(self, item: object) -> None:
        """An item is added to others, or compared with them: there, one that stands for many
        may be refused."""

    def get(self, variable: Variable) -> Any:
        """What a rule sees when it reads a field."""
        domain = variable.domain
        if domain.is_place:
            return place_of(domain, StoreRegion(self, variable.offset))
        return symbol(domain, tuple(self.read(index) for index in variable.indices))

    def set(self, variable: Variable, value: Any) -> None:
        """Write a field. Where the value may be outside its domain, a fault."""
        for index, expression in enumerate(cells_of(variable.domain, value), variable.offset):
            self.writes[index] = expression
