"""The symbolic state that a rule runs on: which cell holds which expression on this path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from model.expressions import Expression

from .access import Access
from .places import is_structured, place_of
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

    def get(self, variable: Variable) -> Any:
        """What a rule sees when it reads a field."""
        indices = range(variable.offset, variable.offset + variable.domain.width)

        def read() -> tuple[Expression, ...]:
            return tuple(self.read(index) for index in indices)

        def write(cells: tuple[Expression, ...]) -> None:
            for index, expression in zip(indices, cells, strict=True):
                self.writes[index] = expression

        if is_structured(variable.domain):
            return place_of(variable.domain, Access(read, write))
        return symbol(variable.domain, read())

    def set(self, variable: Variable, value: Any) -> None:
        """Write a field. Where the value may be outside its domain, a fault."""
        for index, expression in enumerate(cells_of(variable.domain, value), variable.offset):
            self.writes[index] = expression
